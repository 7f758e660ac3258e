"""Each elementwise row with each of its dtypes: edge values and random bits, then many elements, against NumPy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import _core
from asnumpy.check._edges import operands
from asnumpy.check._oracle import mismatches, report, suitable
from asnumpy.check._steps import Case, Scope

LARGE = 1 << 18  # more than one core's share
QUICK = frozenset(["bool", "int32", "int64", "float16", "float32"])
MOST = 3         # loops of a row that are described

Loop = tuple[tuple[np.dtype[Any], ...], tuple[np.dtype[Any], ...]]


def loops(row: dict[str, Any], quick: bool) -> list[Loop]:
    made = [(tuple(map(np.dtype, ins)), tuple(map(np.dtype, outs))) for ins, outs in row["loops"]]
    few = [loop for loop in made if {d.name for side in loop for d in side} <= QUICK]
    return few if quick and few else made


def apply(name: str, loop: Loop, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The device's results on the host."""
    result = _core.apply(name, loop[0] + loop[1], [ap.from_numpy(a) for a in arrays])
    return [ap.to_numpy(r) for r in (result if isinstance(result, tuple) else (result,))]


def wrong_in(name: str, loop: Loop, quick: bool) -> str:
    """What is wrong with a loop; empty: nothing."""
    arrays = suitable(name, operands(list(loop[0]), np.random.default_rng(20250)), loop[1])
    got = apply(name, loop, arrays)
    wrong, expected = mismatches(name, arrays, loop[1], got)
    if wrong.any():
        return report(name, arrays, wrong, expected, got)
    if quick:
        return ""
    repeats = -(-LARGE // arrays[0].size)
    many = apply(name, loop, [np.tile(a, repeats) for a in arrays])
    same = all(large.tobytes() == np.tile(small, repeats).tobytes() for large, small in zip(many, got, strict=True))
    if same:
        return ""
    arrays = [np.tile(a, repeats) for a in arrays]
    wrong, expected = mismatches(name, arrays, loop[1], many)
    return f"of {arrays[0].size} elements: " + report(name, arrays, wrong, expected, many) if wrong.any() else ""


def compare(name: str, of: list[Loop], quick: bool) -> None:
    found = []
    for loop in of:
        dtypes = ", ".join(d.name for d in loop[0]) + " -> " + ", ".join(d.name for d in loop[1])
        try:
            wrong = wrong_in(name, loop, quick)
        except (RuntimeError, ValueError, TypeError, MemoryError, AssertionError) as error:
            wrong = f"{name}({dtypes}): {type(error).__name__}: {error}"
        if wrong:
            found.append(wrong)
    if found:
        more = f"\n... and {len(found) - MOST} more of {len(of)} dtypes" if len(found) > MOST else ""
        raise AssertionError("\n".join(found[:MOST]) + more)


def cases(scope: Scope) -> list[Case]:
    """A case for each row; the quick form takes the dtypes that programs use most, and few elements."""
    rows = [row for row in _core.rows() if row["kind"] == "elementwise"]
    return [(row["name"], partial(compare, row["name"], loops(row, scope.quick), scope.quick)) for row in rows]
