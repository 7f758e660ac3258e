"""Rounds whose lines need no other lines run some of them at a time, shared by threads; those whose lines meet do not.
The bits are those of the function without jit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler
from jit.compared import check_rounds, copies, values

import asnumpy as ap

pytestmark = needs_compiler

SHARED = "some lines at a time"


@pytest.fixture(autouse=True)
def deferred_on_the_cpu() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0, device="cpu"):
        yield


def explained(work: Callable[..., Any], *arrays: Any) -> str:
    return ap.jit(work).compile(*copies(arrays)).explain()


def columns(x: Any) -> Any:
    """A recursion to the right and one to the left, all rows at once."""
    y = ap.zeros_like(x)
    y[:, 0] = x[:, 0]
    for j in range(1, x.shape[1]):
        y[:, j] = x[:, j] + y[:, j - 1] * x[:, j - 1]
    for j in range(x.shape[1] - 2, -1, -1):
        x[:, j] = y[:, j] - x[:, j + 1]
    return y


def rows(x: Any) -> Any:
    """The same from row to row: a line is a column, whose elements lie side by side with those of other lines."""
    for j in range(2, len(x)):
        x[j] = x[j - 1] * x[j - 2] - x[j]
    return x[-1] + x[0]


def backwards(x: Any) -> Any:
    """Lines from the last one to the first."""
    turned = x[::-1]
    for j in range(1, x.shape[1]):
        turned[:, j] = turned[:, j - 1] - turned[:, j]
    return x.copy()


def planes(x: Any) -> Any:
    """Two axes beside the one that is gone along, which no operand walks in one go."""
    for k in range(1, x.shape[2]):
        x[:, 1:-1, k] = x[:, 1:-1, k] + x[:, 1:-1, k - 1]
    return x[..., -1].copy()


def of_two_dtypes(x: Any) -> Any:
    """What lies between the lines has elements of another size."""
    signs = ap.zeros(x.shape[:1], np.int32)
    for j in range(1, x.shape[1]):
        x[:, j] = x[:, j] + x[:, j - 1]
        signs += x[:, j] > 2
    return signs


@pytest.mark.parametrize("dtype", ["float64", "int16"])
@pytest.mark.parametrize("work", [columns, rows, backwards])
def test_lines_that_need_no_other(work: Callable[..., Any], dtype: str) -> None:
    shape = (300, 900) if work is rows else (900, 300)
    assert SHARED in explained(work, values(dtype, *shape))
    check_rounds(work, values(dtype, *shape))


def test_lines_with_axes_of_their_own() -> None:
    assert SHARED in explained(planes, values("float64", 200, 9, 200))
    check_rounds(planes, values("float64", 200, 9, 200))


def test_lines_of_several_dtypes() -> None:
    check_rounds(of_two_dtypes, values("float64", 900, 200))


def test_longer_lines_only_where_none_needs_another() -> None:
    long = values("float64", 9_000, 24)
    assert SHARED in explained(columns, long)
    check_rounds(columns, long)

    def shifted(x: Any) -> Any:
        for j in range(1, x.shape[1]):
            x[1:, j] = x[:-1, j - 1] + x[1:, j]
        return x[-1].copy()

    assert "rounds" not in explained(shifted, long)


@pytest.mark.parametrize("lines", [1, 2, 31, 32, 33, 64, 257, 1000])
def test_any_number_of_lines(lines: int) -> None:
    assert_same(columns, values("float64", lines, 1000))


def assert_same(work: Callable[..., Any], *arrays: Any) -> None:
    """One call of the compiled function beside the function as it is, arguments too."""
    given, wanted = copies(arrays), copies(arrays)
    results, expected = ap.jit(work).compile(*copies(arrays))(*given), work(*wanted)
    for one, other in zip([results, *given], [expected, *wanted], strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other), strict=True)


@pytest.mark.parametrize("seed", range(10))
def test_random_loops_over_columns(seed: int) -> None:
    """Whatever a line reads: of itself, of its neighbours, of columns ahead and behind, of another array."""
    random = np.random.default_rng(seed)
    meets = seed % 2 == 0
    reads = [(int(random.integers(2)), int(random.integers(-2, 3)), int(random.integers(-1, 2)) if meets else 0)
             for _ in range(int(random.integers(1, 4)))]
    written, back = int(random.integers(2)), bool(random.integers(2))
    transposed = bool(random.integers(2))

    def work(x: Any, y: Any) -> Any:
        arrays = [one.T if transposed else one for one in (x, y)]
        steps = range(2, arrays[0].shape[1] - 2)
        for j in reversed(steps) if back else steps:
            value = arrays[written][1:-1, j]
            for which, column, line in reads:
                value = value - arrays[which][1 + line: len(x.T if transposed else x) - 1 + line, j + column]
            arrays[written][1:-1, j] = value
        return x.sum()

    shape = (300, 600) if transposed else (600, 300)
    assert_same(work, values("float64", *shape), values("float64", *shape)[::-1].copy())
