"""Operations on wide and on short numbers, here and on the host with the copies to it: each goes where it is faster.

CANN computes many of them on the few host-like cores of a device. Which of them, and how fast these are beside this
host and its link, nothing says but the clock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import asnumpy as ap
from asnumpy import _core
from asnumpy.check._figures import seconds
from asnumpy.check._steps import Case, Scope
from asnumpy.runtime import cann_search

DTYPES = frozenset(["float64", "int16", "uint16", "uint32", "int64", "uint64"])
MOVED = frozenset(["cast", "copy"])  # what brings elements to the host does not go there itself
GAIN = 1.25                          # as many times faster must the host be
TURNS = 3


class Loop(NamedTuple):
    """An operation on some dtypes: the name under which it goes to the host, and how it is called."""

    what: str
    inputs: tuple[str, ...]
    work: Callable[[Sequence[ap.ndarray]], Any]


def _elementwise(row: str, dtypes: tuple[np.dtype, ...], arrays: Sequence[ap.ndarray]) -> Any:
    return _core.apply(row, dtypes, arrays)


def _along(method: str, row: str, dtype: np.dtype, arrays: Sequence[ap.ndarray]) -> Any:
    return getattr(getattr(ap, row), method)(arrays[0], dtype=dtype)


def _as_matrices(arrays: Sequence[ap.ndarray]) -> Any:
    side = int(arrays[0].size ** 0.5)
    first, second = (one[: side * side].reshape(side, side) for one in arrays)
    return first @ second


STRUCTURED: dict[str, Callable[[Sequence[ap.ndarray]], Any]] = {
    "argmax": lambda arrays: ap.argmax(arrays[0]),
    "argmin": lambda arrays: ap.argmin(arrays[0]),
    "sort": lambda arrays: ap.sort(arrays[0]),
    "matmul": _as_matrices,
}


def loop_of(kind: str, row: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Loop | None:
    """None: it is measured by no name of its own."""
    dtype = np.dtype(inputs[0])
    if kind == "elementwise":
        dtypes = tuple(map(np.dtype, (*inputs, *outputs)))
        return Loop(f"{row}({', '.join(inputs)})", inputs, partial(_elementwise, row, dtypes))
    if kind == "reduction":
        return Loop(f"{row}.reduce({inputs[0]})", inputs, partial(_along, "reduce", row, dtype))
    if kind == "scan":
        return Loop(f"scan.{row}({inputs[0]}, {outputs[0]})", inputs, partial(_along, "accumulate", row, dtype))
    if row in STRUCTURED:
        return Loop(f"{row}({', '.join((*inputs, *outputs))})", inputs, STRUCTURED[row])
    return None


def candidates() -> dict[str, list[Loop]]:
    """By case: what one operator of CANN's computes, or the AICPU a part of, on dtypes that the AI cores may lack."""
    found: dict[str, list[Loop]] = defaultdict(list)
    suffix = {"reduction": ".reduce", "scan": ".accumulate"}
    for kind, row, inputs, outputs, path, _, aicpu in _core.lowering():
        alone = path == "native" or aicpu or (row == "matmul" and path != "host")
        if alone and row not in MOVED and inputs and set(inputs) <= DTYPES:
            loop = loop_of(kind, row, inputs, outputs)
            if loop:
                found[row + suffix.get(kind, "")].append(loop)
    return found


def entry(what: str, device: str, here: float, there: float) -> dict[str, Any]:
    """The operation as `apply_demotions` takes it, with why it goes to the host."""
    reason = f"the host is faster here: {there * 1e3:.3g} ms with the copies, {here * 1e3:.3g} ms on the device"
    return {"kind": "operation", "what": what, "device": device, "code": 0, "reason": reason}


def withdraw(what: str) -> None:
    """The device computes it again."""
    others = [one for one in ap.demotions() if one["what"] != what]
    ap.forget_demotions()
    ap.apply_demotions(others)


def compare(loops: list[Loop], scope: Scope, decides: bool) -> dict[str, float]:
    """Both times of each loop; where it decides, the operation goes to the host from now on if that is faster."""
    figures: dict[str, float] = {}
    for what, inputs, work in loops:
        plain = np.random.default_rng(0).integers(1, 15, 10**5 if scope.quick else 10**6)
        arrays = [ap.from_numpy(plain.astype(dtype)) for dtype in inputs]
        ap.eval(*arrays)
        here = seconds(partial(work, arrays), TURNS)
        ap.apply_demotions([entry(what, scope.device, here, 0.0)])
        there = seconds(partial(work, arrays), TURNS)
        withdraw(what)
        if decides and here > GAIN * there:
            ap.apply_demotions([entry(what, scope.device, here, there)])
        name = "_".join(dict.fromkeys(inputs))
        figures |= {f"{name}_device_seconds": here, f"{name}_host_seconds": there}
    ap.forget_fallbacks()  # these were of the measurement
    return figures


def cases(scope: Scope) -> list[Case]:
    """A case for each row. On the simulator, whose operators take the host's time, nothing is decided."""
    decides = not cann_search.search().simulated
    return [(name, partial(compare, loops, scope, decides)) for name, loops in candidates().items()]
