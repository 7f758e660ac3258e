"""Operations on wide and on short numbers, here and on the host with the copies to it: each goes where it is faster.

CANN computes many of them on the few host-like cores of a device. Which of them, and how fast these are beside this
host and its link, nothing says but the clock.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import Any

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

Loop = tuple[tuple[str, ...], tuple[str, ...]]


def candidates() -> dict[str, list[Loop]]:
    """By row, the loops that one operator of CANN's computes, of dtypes that the AI cores may lack."""
    found: dict[str, list[Loop]] = defaultdict(list)
    for kind, row, inputs, outputs, path, *_ in _core.lowering():
        if kind == "elementwise" and path == "native" and row not in MOVED and inputs and set(inputs) <= DTYPES:
            found[row].append((inputs, outputs))
    return found


def entry(row: str, inputs: tuple[str, ...], device: str, here: float, there: float) -> dict[str, Any]:
    """The operation as `apply_demotions` takes it, with why it goes to the host."""
    reason = f"the host is faster here: {there * 1e3:.3g} ms with the copies, {here * 1e3:.3g} ms on the device"
    return {
        "kind": "operation", "what": f"{row}({', '.join(inputs)})", "device": device, "code": 0, "reason": reason,
    }


def withdraw(what: str) -> None:
    """The device computes it again."""
    others = [one for one in ap.demotions() if one["what"] != what]
    ap.forget_demotions()
    ap.apply_demotions(others)


def compare(row: str, loops: list[Loop], scope: Scope, decides: bool) -> dict[str, float]:
    """Both times of each loop; where it decides, the operation goes to the host from now on if that is faster."""
    figures: dict[str, float] = {}
    for inputs, outputs in loops:
        dtypes = tuple(map(np.dtype, (*inputs, *outputs)))
        plain = np.random.default_rng(0).integers(1, 15, 10**5 if scope.quick else 10**6)
        arrays = [ap.from_numpy(plain.astype(dtype)) for dtype in inputs]
        ap.eval(*arrays)
        work = partial(_core.apply, row, dtypes, arrays)
        here = seconds(work, TURNS)
        known = entry(row, inputs, scope.device, here, 0.0)
        ap.apply_demotions([known])
        there = seconds(work, TURNS)
        withdraw(known["what"])
        if decides and here > GAIN * there:
            ap.apply_demotions([entry(row, inputs, scope.device, here, there)])
        name = "_".join(dict.fromkeys(inputs))
        figures |= {f"{name}_device_seconds": here, f"{name}_host_seconds": there}
    ap.forget_fallbacks()  # these were of the measurement
    return figures


def cases(scope: Scope) -> list[Case]:
    """A case for each row. On the simulator, whose operators take the host's time, nothing is decided."""
    decides = not cann_search.search().simulated
    return [(row, partial(compare, row, loops, scope, decides)) for row, loops in candidates().items()]
