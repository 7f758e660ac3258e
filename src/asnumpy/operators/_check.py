"""Whether the implementations of an operator agree: arguments are drawn, and the composed one is right."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.look import bar
from asnumpy.operators import _cuda_arrays, _gradients, _refusals, _registry
from asnumpy.operators._call import Call
from asnumpy.operators._compiler import CompilerMissing
from asnumpy.operators._drawing import Case, Drawing
from asnumpy.operators._findings import Check, Failure
from asnumpy.operators._implementations import COMPOSED, Implementation
from asnumpy.operators._operator import Operator
from asnumpy.runtime import devices as all_devices

TOLERANCES = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "float64": 1e-11, "complex64": 4e-5,
              "complex128": 2e-11}  # fmt: skip


def check(op: Operator | str, *, cases: int = 60, seed: int | None = None, only: int | None = None,
          sizes: Mapping[str, Sequence[int]] | None = None, attributes: Mapping[str, Iterable[Any]] | None = None,
          values: Mapping[str, Callable[..., Any]] | None = None,
          tolerances: Mapping[str, float] | None = None) -> Check:  # fmt: skip
    """Compare all implementations that can run here with the composed one, on arguments drawn by the declaration.

    Drawn are dtypes, sizes (0, 1, odd, large), axes that broadcast, arrays that lie in any way, inputs that are left
    out, and arrays to write to. Gradients are compared with differences, and wrong arguments must be refused.

    Parameters
    ----------
    op : Operator or str
        The operator, or its name.
    cases : int
        How many calls are drawn.
    seed : int, optional
        Of the draws; another one each time otherwise. The result tells it.
    only : int, optional
        The number of the one case that is repeated.
    sizes : dict, optional
        By symbol: the lengths that it may have.
    attributes : dict, optional
        By name: the values that an attribute may have; the default otherwise.
    values : dict, optional
        By input: a function of (a random generator, shape, dtype) that gives its values.
    tolerances : dict, optional
        By the name of a dtype: how far results may differ, relative to the largest of the values beside them.

    Returns
    -------
    Check
        `passed`, `failures`, `ran`, `not_run`; it prints as a report.
    """
    found = _registry.get(op) if isinstance(op, str) else op
    if not any(one.kind == COMPOSED for one in found.implementations):
        raise ValueError(f"{found.name}: check: there is no composed implementation, which is the reference")
    seed = secrets.randbelow(2**31) if seed is None else int(seed)
    drawing = Drawing(found.declaration, seed, sizes or {}, attributes or {}, values or {})
    numbers = range(cases) if only is None else [only]
    result = Check(found.name, seed, len(numbers))
    judge = _Judge(found, result, {**TOLERANCES, **(tolerances or {})})
    with bar(found.name) as progress:
        for done, number in enumerate(numbers):
            progress.to(done / len(numbers), f"case {number}")
            judge.case(drawing.case(number))
    if only is None:
        _refusals.look(found, drawing, result)
    if found.gradient_function is not None:
        _gradients.look(found, drawing, result, numbers)
    return result


class _Judge:
    def __init__(self, op: Operator, result: Check, tolerances: Mapping[str, float]) -> None:
        self.op, self.result, self.tolerances = op, result, tolerances
        self.reference = next(one for one in op.implementations if one.kind == COMPOSED)
        self.devices = [str(device) for device in all_devices()]
        if any(one.kind == "cuda" for one in op.implementations):
            lacks = _cuda_arrays.why_no_arrays()
            self.devices += [] if lacks else ["cuda"]
            if lacks:
                result.not_run["cuda on cuda"] = lacks

    def case(self, case: Case) -> None:
        """All implementations on all devices."""
        try:
            wanted = _numpy_of(self.reference.run(self._bind(case, "cpu", out=False)))
        except Exception as error:
            self.fail(case, self.reference.name, "cpu", f"raised {type(error).__name__}: {error}")
            return
        for device in self.devices:
            for one in self.op.implementations:
                kinds = {COMPOSED, device.partition(":")[0]}
                if one.kind in kinds and not (device == "cuda" and one.kind == COMPOSED):
                    self._compare(case, one, device, wanted)

    def fail(self, case: Case, name: str, device: str, what: str) -> None:
        """Notes what is wrong."""
        self.result.failures.append(Failure(case.number, name, device, what, str(case)))

    def _bind(self, case: Case, device: str, out: bool) -> Call:
        if device == "cuda":
            given = [None if one is None else one.values.item() if one.weak else _cuda_arrays.to_cuda(one.values)
                     for one in case.inputs.values()]
            return self.op.bind(*given, **case.attributes)
        given, attributes = case.arguments(device)
        call = self.op.bind(*given, **attributes)
        if not out:
            return call
        targets = tuple(_odd_target(shape, dtype, device) for shape, dtype in call.outputs)
        return replace(call, out=targets, _kernel_inputs=None)

    def _compare(self, case: Case, one: Implementation, device: str, wanted: list[np.ndarray]) -> None:
        label = f"{one.name} on {device}"
        try:
            call = self._bind(case, device, case.with_out and device != "cuda")
            why = one.why_not(call)
            if why:
                self.result.not_run.setdefault(label, why)
                return
            before = [None if value is None else _array_of(value) for value in call.given]
            got = _numpy_of(one.run(call))
        except CompilerMissing as error:
            one.lacks = str(error)
            self.result.not_run.setdefault(label, str(error))
            return
        except Exception as error:
            self.fail(case, one.name, device, f"raised {type(error).__name__}: {error}")
            return
        self.result.ran[label] += 1
        for tensor, array, reference in zip(self.op.declaration.outputs, got, wanted, strict=True):
            wrong = difference(array, reference, self.tolerances.get(reference.dtype.name, 0.0))
            if wrong:
                self.fail(case, one.name, device, f"{tensor.name}: {wrong}")
        for tensor, value, old in zip(self.op.declaration.inputs, call.given, before, strict=True):
            if old is not None and not np.array_equal(_bits(_array_of(value)), _bits(old)):
                self.fail(case, one.name, device, f"it has written to the input {tensor.name}")


def difference(got: np.ndarray, wanted: np.ndarray, tolerance: float) -> str:
    """What is wrong with a result; nothing where it is right."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return (f"expected {wanted.dtype.name}{list(wanted.shape)}, got {got.dtype.name}{list(got.shape)}")
    if not wanted.size:
        return ""
    exact = wanted.dtype.kind in "biu"
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    a, b = (got, wanted) if exact else (got.astype(wide), wanted.astype(wide))
    same = a == b if exact else (a == b) | (np.isnan(a) & np.isnan(b))
    if not exact:
        finite = np.abs(b[np.isfinite(b)])
        allowed = tolerance * (np.abs(b) + (finite.max() if finite.size else 0.0))
        with np.errstate(invalid="ignore"):
            same |= np.abs(a - b) <= allowed
    if same.all():
        return ""
    place = tuple(int(index) for index in np.argwhere(~same)[0])
    return f"{int((~same).sum())} of {same.size} values differ; at {place} expected {b[place]}, got {a[place]}"


def _odd_target(shape: tuple[int, ...], dtype: np.dtype, device: str) -> Any:
    """An array to write to with gaps between its elements."""
    if not shape:
        return creation.zeros((), dtype, device=device)
    return creation.zeros((*shape[:-1], 2 * shape[-1]), dtype, device=device)[..., ::2]


def _array_of(value: Any) -> np.ndarray:
    """A copy of the values."""
    if isinstance(value, _cuda_arrays.CudaArray):
        value = value.array
    if _cuda_arrays.cuda_array(value) is not None:
        return _cuda_arrays.from_cuda(value)
    return np.array(creation.asnumpy(value))


def _numpy_of(made: Any) -> list[np.ndarray]:
    return [_array_of(one) for one in (made if isinstance(made, tuple) else (made,))]


def _bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
