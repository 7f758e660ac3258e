"""A vector times a matrix, large enough for several threads: whole numbers, so that every way of adding is exact."""

from __future__ import annotations

from typing import Any

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


def laid_out(x: np.ndarray, layout: str) -> np.ndarray:
    """The same elements, as they lie in another array."""
    if layout == "backwards":
        return x[::-1].copy()[::-1]
    if layout == "every third, backwards":
        return np.repeat(x[::-1], 3)[::-3]
    if layout == "unaligned":
        raw = np.empty(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
        raw[:] = x
        return raw
    if layout == "one element":
        return np.broadcast_to(x[:1], x.shape)
    return x


LAYOUTS = ["contiguous", "backwards", "every third, backwards", "unaligned", "one element"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("length", [1, 2, 81, 300, 513, 70_001])
def test_two_vectors_of_every_layout(threads: int, dtype: str, length: int) -> None:
    rng = generator()
    one, two = (rng.integers(-3, 4, length).astype(dtype) for _ in range(2))
    if dtype.startswith("complex"):
        one = (one + 1j * two).astype(dtype)
    for first in LAYOUTS:
        for second in LAYOUTS:
            a, b = laid_out(one, first), laid_out(two, second)
            x, y = ap.from_numpy(a), ap.from_numpy(b)
            assert float(np.abs(np.asarray(x @ y) - a @ b)) == 0, (first, second)
    x = ap.array(one)
    assert complex(x[::-1] @ ap.array(two)) == complex(one[::-1] @ two)
    half = length // 2
    assert complex(x[:half][::-1] @ ap.array(two)[:half]) == complex(one[:half][::-1] @ two[:half])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(12, 3, 6), (3, 3, 3), (16, 9, 32), (23, 40, 22), (25, 8, 21), (64, 4, 64)])
def test_small_products_that_are_added(threads: int, dtype: str, shape: tuple[int, int, int]) -> None:
    rng = generator()
    m, k, n = shape
    a, b, start = (rng.integers(-3, 4, s).astype(dtype) for s in ((2, m, k), (k, n), (2, m, n)))

    def sums(xp: Any, a: Any, b: Any, start: Any) -> Any:
        out, wide = start.copy(), xp.zeros((2, m, 2 * n), dtype=start.dtype)
        for _ in range(3):
            out += a @ b
            wide[:, :, ::2] += a @ b
            wide[:, :, n:] += a @ b
        return out, wide

    expected = sums(np, a, b, start)
    given = [ap.array(x) for x in (a, b, start)]
    for made in (sums(ap, *given), ap.jit(lambda *x: sums(ap, *x))(*given)):
        for mine, theirs in zip(made, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(mine), theirs)


def test_a_product_that_is_added(threads: int) -> None:
    rng = generator()
    a, u, start = (rng.integers(-3, 4, s).astype("f8") for s in ((900, 400), 900, 400))
    made = ap.array(start)
    made += ap.array(u) @ ap.array(a)
    np.testing.assert_array_equal(np.asarray(made), start + u @ a)
