"""Short rows within wider arrays: whichever way a tile takes them, results have NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import assert_same, sample

import asnumpy as ap

LENGTHS = [1, 2, 63, 64, 95, 96, 97, 130, 191, 255, 256, 257, 300]


def both(function: Any, *arrays: np.ndarray) -> None:
    assert_same(function(np, *arrays), function(ap, *map(ap.array, arrays)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex128", "bool"])
@pytest.mark.parametrize("length", LENGTHS)
def test_updates_within_a_matrix(length: int, dtype: str) -> None:
    def update(xp: Any, a: Any, b: Any, column: Any) -> Any:
        a, line = a.copy(), b[0, :length]
        inner = a[1:-1, 3:3 + length]
        a[1:-1, 3:3 + length] = inner * b[:-2, :length] + column[1:-1] * line
        a[2:, :length] = xp.where(b[1:-1, :length] == line, a[2:, :length], a[:-2, 1:1 + length])
        a[:, :length] += a[:, 5:5 + length]
        return a

    rows = 5000 // length + 40
    both(update, sample((rows, length + 8), dtype), sample((rows, length + 2), dtype, 2), sample((rows, 1), dtype, 3))


@pytest.mark.parametrize("length", LENGTHS)
def test_neighbours_in_three_dimensions(length: int) -> None:
    def sweep(xp: Any, u: Any) -> Any:
        u = u.copy()
        for _ in range(3):
            around = u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
            u[1:-1, 1:-1, 1:-1] = 0.1 * (around + u[1:-1, 1:-1, 2:] - u[1:-1, 1:-1, :-2]) + u[1:-1, ::-1, 1:-1][:, 1:-1]
        return u

    both(sweep, sample((12, 5000 // (8 * length) + 6, length + 2), "float64"))


@pytest.mark.parametrize("length", LENGTHS)
def test_rows_that_are_read_and_written_in_other_ways(length: int) -> None:
    def mixed(xp: Any, a: Any, b: Any) -> Any:
        rows = a.shape[0]
        turned, apart = b[:, :rows].T, a[::-1, ::2]
        made = turned[:, :length] * a[:, :length] - apart[:, :length] + a[:, length:0:-1]
        wide = xp.sqrt(abs(made)) + a[:, :length].astype("float32")
        return made, wide, (made > 0).astype("int8"), wide.astype("int64")

    rows = 6000 // length + 20
    both(mixed, sample((rows, 2 * length + 3), "float64"), sample((length, rows + 4), "float64", 2))
