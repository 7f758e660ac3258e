"""Products that threads share, in every layout: of whole numbers, so that no order of addition shows."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap

DTYPES = ["float32", "float64", "complex64", "complex128", "float16"]

# Rows, depth, columns; with one row or one column a product with a vector.
SHAPES = (
    (1, 70_001, 1), (3, 30_001, 1), (17, 5003, 1), (400, 311, 1), (1, 311, 400), (5, 3003, 40), (97, 79, 151),
    (33, 40, 501), (501, 40, 33),
)  # fmt: skip


def spread(xp: Any, a: np.ndarray) -> Any:
    """Every second element of something larger."""
    return xp.array(np.repeat(np.repeat(a, 2, 0), 2, 1))[::2, ::2]


LAYOUTS: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "rows": lambda xp, a: xp.array(a),
    "columns": lambda xp, a: xp.array(a.T.copy()).T,
    "steps": spread,
    "reversed": lambda xp, a: xp.array(a[::-1, ::-1].copy())[::-1, ::-1],
}


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers whose sums of products the dtype holds."""
    real = rng.integers(-4, 5, shape)
    if dtype == "float16":
        real = np.sign(real) * (rng.integers(0, 20, shape) == 0)
    return (real + 1j * rng.integers(-2, 3, shape) if dtype.startswith("complex") else real).astype(dtype)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return np.asarray((a.astype(wide) @ b.astype(wide)).astype(a.dtype))


Shapes = tuple[tuple[int, int, int], ...]


@functools.cache
def products(shapes: Shapes, dtype: str) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]]:
    """Two matrices, their product, and that of the first with itself turned over: made once, in most of the time."""
    rng, made = generator(), []
    for rows, depth, columns in shapes:
        a, b = whole(rng, (rows, depth), dtype), whole(rng, (depth, columns), dtype)
        made.append((a, b, product(a, b), product(a, a.T) if rows > 1 and columns > 1 else None))
    return made


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout(dtype: str, layout: str) -> None:
    for (rows, _, columns), (a, b, expected, _) in zip(SHAPES, products(SHAPES, dtype), strict=True):
        x, y = (LAYOUTS[layout](ap, v) for v in (a, b))
        np.testing.assert_array_equal(np.asarray(x @ y), expected, strict=True)
        if columns == 1:
            np.testing.assert_array_equal(np.asarray(x @ y[:, 0]), expected[:, 0], strict=True)
        if rows == 1:
            np.testing.assert_array_equal(np.asarray(x[0] @ y), expected[0], strict=True)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", DTYPES)
def test_with_its_own_transpose(dtype: str) -> None:
    for shape in [(201, 111), (40, 701), (301, 7)]:
        a = whole(generator(), shape, dtype)
        for matrix, x in ((a, ap.array(a)), (a.T, ap.array(a).T)):
            np.testing.assert_array_equal(np.asarray(x @ x.T), product(matrix, matrix.T), strict=True)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("many", [2, 9, 500])
def test_stacks(many: int, dtype: str) -> None:
    """A few large matrices, each of them shared; many, of which each thread takes some; many small ones."""
    rng = generator()
    side = 90 if many < 100 else 8
    a, b = whole(rng, (many, side, side), dtype), whole(rng, (many, side, side), dtype)
    for right in (b, b[0], b.transpose(0, 2, 1)):
        np.testing.assert_array_equal(np.asarray(ap.array(a) @ ap.array(right)), product(a, right), strict=True)
    np.testing.assert_array_equal(np.asarray(ap.array(a[0]) @ ap.array(b)), product(a[0], b), strict=True)


# On both sides of where a product is divided in another way: rows for as many blocks as there may be, and their ends
# within an edge; results so wide that each thread has a piece of its own, or several; blocks for which the library
# copies nothing, and larger ones.
EDGES = (
    (127, 600, 1), (128, 600, 1), (129, 1100, 1), (255, 1100, 1), (257, 2100, 1), (1031, 130, 1), (1, 601, 127),
    (1, 601, 129), (1, 301, 511), (1, 301, 513), (1, 70, 1025), (1, 70, 2049), (1, 70, 4111), (16, 1100, 33),
    (17, 4100, 16), (159, 161, 160), (161, 41, 163), (200, 1001, 65), (65, 1001, 200), (31, 300, 31), (311, 257, 303),
)  # fmt: skip


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_edges_of_the_division(dtype: str, layout: str) -> None:
    for a, b, expected, square in products(EDGES, dtype):
        x, y = (LAYOUTS[layout](ap, v) for v in (a, b))
        np.testing.assert_array_equal(np.asarray(x @ y), expected, strict=True)
        if square is not None:
            np.testing.assert_array_equal(np.asarray(x @ x.T), square, strict=True)


def test_the_same_product_has_the_same_bits(threads: int) -> None:
    """Whoever computes which block of it, and however often."""
    rng = np.random.default_rng(threads)
    for rows, depth, columns in [(900, 700, 1), (1, 900, 700), (161, 163, 167), (5, 40_000, 1)]:
        x, y = ap.array(rng.normal(size=(rows, depth))), ap.array(rng.normal(size=(depth, columns)))
        first = np.array(x @ y)
        np.testing.assert_allclose(first, np.asarray(x) @ np.asarray(y), rtol=0, atol=1e-11 * np.abs(first).max())
        for _ in range(20):
            np.testing.assert_array_equal(np.asarray(x @ y), first, strict=True)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_added_to_what_is_there(dtype: str) -> None:
    rng = generator()
    for rows, depth, columns in [(157, 69, 101), (400, 300, 1), (70, 9000, 1), (1, 300, 400)]:
        a, b, c = (whole(rng, shape, dtype) for shape in ((rows, depth), (depth, columns), (rows, columns)))
        for written in (lambda v: v, lambda v: v[:, ::-1]):
            x, y, z = ap.array(a), ap.array(b), ap.array(c)
            target = written(z)
            target += x @ y
            expected = c.copy()
            written(expected)[...] += product(a, b)
            np.testing.assert_array_equal(np.asarray(z), expected, strict=True)


@pytest.mark.usefixtures("threads")
def test_a_small_result_is_that_of_its_moment() -> None:
    """A product with a small result is computed at once, unless its operands wait to be written."""
    rng = generator()
    a, v = whole(rng, (300, 300), "float64"), whole(rng, (300,), "float64")
    x, w = ap.array(a), ap.array(v)
    first = x @ w
    x += 1  # recorded: a large array
    second = x @ w
    x *= 0
    for got, expected in ((first, a @ v), (second, (a + 1) @ v), (x @ w, np.zeros(300))):
        np.testing.assert_array_equal(np.asarray(got), expected, strict=True)


def test_numpys_library_keeps_its_threads() -> None:
    folder = Path(np.__file__).parent.parent / "numpy.libs"
    for path in folder.glob("*openblas*") if folder.is_dir() else ():
        count = getattr(ctypes.CDLL(str(path)), "scipy_openblas_get_num_threads64_", None)
        if count is None:
            continue
        before = count()
        a = ap.array(np.ones((400, 400)))
        for made in (a @ a, a @ a[0], ap.ones((300, 8, 8)) @ ap.ones((300, 8, 8))):
            ap.eval(made)
            assert count() == before
        return
    pytest.skip("NumPy brings no OpenBLAS of its own here")
