"""Gradients that are declared, compared with differences of the composed implementation in double precision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.dtypes.dtype import real_kind
from asnumpy.operators._drawing import Drawing
from asnumpy.operators._findings import Check, Failure
from asnumpy.operators._implementations import COMPOSED
from asnumpy.operators._operator import Operator
from asnumpy.runtime import Device

MOST = 12  # cases: each takes several calls


def look(op: Operator, drawing: Drawing, result: Check, numbers: Iterable[int]) -> None:
    """Compares them in small cases; what is wrong is a failure."""
    for number in list(numbers)[:MOST]:
        case = drawing.case(number, small=True)
        for what in _Compared(op, case, result, np.random.default_rng([drawing.seed, number, 1])).wrong():
            result.failures.append(Failure(number, "gradient", "cpu", what, str(case)))


class _Compared:
    def __init__(self, op: Operator, case: Any, result: Check, rng: np.random.Generator) -> None:
        self.op, self.case, self.result, self.rng = op, case, result, rng
        self.function = next(one.function for one in op.implementations if one.kind == COMPOSED)
        self.inputs = [None if one is None else self._wide(one.values) for one in case.inputs.values()]

    @staticmethod
    def _wide(values: np.ndarray) -> Any:
        wide = values.astype(np.float64) if real_kind(values.dtype) == "f" else values
        return creation.asarray(wide, device="cpu")

    def outputs(self, inputs: list[Any]) -> tuple[Any, ...]:
        with Device("cpu"):
            made = self.function(*inputs, **self.case.attributes)
        return tuple(made) if isinstance(made, tuple | list) else (made,)

    def wrong(self) -> list[str]:
        try:
            outputs = self.outputs(self.inputs)
            weights = [self._weights(one) for one in outputs]
            with Device("cpu"):
                gradients = self.op.gradients(self.inputs, outputs, weights, **self.case.attributes)
        except Exception as error:
            return [f"raised {type(error).__name__}: {error}"]
        found = []
        single = any(one.dtype != np.float64 for one in outputs if real_kind(one.dtype) == "f")
        for place, (tensor, gradient) in enumerate(zip(self.op.declaration.inputs, gradients, strict=True)):
            value = self.inputs[place]
            if value is None or gradient is None or value.dtype != np.float64:
                continue
            if gradient.shape != value.shape:
                found.append(f"of {tensor.name}: expected the shape {value.shape}, got {gradient.shape}")
                continue
            told = self._differs(place, gradient, weights, single)
            self.result.gradients += 1
            if told:
                found.append(f"of {tensor.name}: {told}")
        return found

    def _weights(self, output: Any) -> Any:
        """A gradient of an output: random, so that no two errors cancel."""
        values = self.rng.normal(size=output.shape) if real_kind(output.dtype) == "f" else np.zeros(output.shape)
        return creation.asarray(values, device="cpu")

    def _sum(self, outputs: tuple[Any, ...], weights: list[Any]) -> float:
        pairs = zip(outputs, weights, strict=True)
        return float(sum(float((one.astype(np.float64) * weight).sum()) for one, weight in pairs))

    def _slope(self, place: int, direction: Any, weights: list[Any], step: float) -> float:
        """The central difference of the weighted sum of outputs along a direction."""
        sums = []
        for sign in (1, -1):
            moved = [*self.inputs]
            moved[place] = self.inputs[place] + direction * (sign * step)
            sums.append(self._sum(self.outputs(moved), weights))
        return (sums[0] - sums[1]) / (2 * step)

    def _differs(self, place: int, gradient: Any, weights: list[Any], single: bool) -> str:
        value: Any = self.inputs[place]
        step, tolerance = 1e-5, 1e-6
        if single:  # it computes in less than double precision
            step, tolerance = 1e-2, 3e-2
        direction = creation.asarray(self.rng.normal(size=value.shape), device="cpu")
        coarse, fine = (self._slope(place, direction, weights, one) for one in (step, step / 2))
        # Richardson's value, and how far it may be wrong where the function bends.
        wanted, uncertain = fine + (fine - coarse) / 3, abs(fine - coarse)
        parts = creation.asnumpy(gradient).astype(np.float64) * creation.asnumpy(direction)
        got, scale = float(parts.sum()), float(np.abs(parts).sum())
        if abs(got - wanted) <= tolerance * (1 + abs(wanted) + scale) + uncertain:
            return ""
        return f"along a random direction expected {wanted:.6g}, got {got:.6g}"
