"""A vector times a matrix, large enough for several threads: whole numbers, so that every way of adding is exact."""

from __future__ import annotations

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap

# around where work is shared, and where the lines of the matrix are too few or too short to be shared
SHAPES = [(127, 515), (128, 512), (129, 700), (1000, 70), (1023, 66), (64, 3000), (2, 70_000), (70_000, 2), (300, 301)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES)
def test_matrices_of_every_layout(threads: int, dtype: str, shape: tuple[int, int]) -> None:
    rng = generator()
    k, n = shape
    whole = rng.integers(-3, 4, (2 * k, n + 5)).astype(dtype)
    if dtype.startswith("complex"):
        whole = whole + 1j * rng.integers(-3, 4, whole.shape).astype(whole.real.dtype)
    u, v = rng.integers(-3, 4, 2 * k).astype(dtype), rng.integers(-3, 4, 2 * n).astype(dtype)
    theirs, ours = whole.astype(dtype), ap.array(whole.astype(dtype))
    x, y = ap.array(u), ap.array(v)
    for part in (np.s_[:k, :n], np.s_[k:, 3 : n + 3], np.s_[::2, :n], np.s_[:k, n - 1 :: -1]):
        a, b = theirs[part], ours[part]
        for given, taken in ((u[:k], x[:k]), (u[::2], x[::2]), (u[k - 1 :: -1], x[k - 1 :: -1])):
            np.testing.assert_array_equal(np.asarray(taken @ b), given @ a)
            np.testing.assert_array_equal(np.asarray(b.T @ taken), a.T @ given)
        for given, taken in ((v[:n], y[:n]), (v[::2], y[::2])):
            np.testing.assert_array_equal(np.asarray(b @ taken), a @ given)
    into, rows = np.zeros((n, 2), dtype), ap.zeros((n, 2), dtype)
    np.matmul(u[:k], theirs[:k, :n], out=into[:, 1])
    ap.matmul(x[:k], ours[:k, :n], out=rows[:, 1])
    np.testing.assert_array_equal(np.asarray(rows), into)


def test_a_product_that_is_added(threads: int) -> None:
    rng = generator()
    a, u, start = (rng.integers(-3, 4, s).astype("f8") for s in ((900, 400), 900, 400))
    made = ap.array(start)
    made += ap.array(u) @ ap.array(a)
    np.testing.assert_array_equal(np.asarray(made), start + u @ a)
