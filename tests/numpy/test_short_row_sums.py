"""Sums along short rows have NumPy's bits, wherever a row lies, whatever is computed beside them."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import sample

import asnumpy as ap

pytestmark = pytest.mark.host_memory  # a device adds in an order of its own

# Fewer than these are combined column by column, more are folded in an order of their own.
FOLDED = {"float16": 64, "float32": 64, "float64": 32, "complex64": 32, "complex128": 16}
LENGTHS = (2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 40, 63)


def rows(count: int, length: int, dtype: str, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng([seed, count, length])
    values = generator.random((count, length)) + 0.1
    return (values + 1j * generator.random((count, length)) if np.dtype(dtype).kind == "c" else values).astype(dtype)


@pytest.mark.parametrize("count", [2, 5, 17, 500, 3001])
@pytest.mark.parametrize("dtype", FOLDED)
def test_sums_have_numpys_bits(dtype: str, count: int) -> None:
    for length in LENGTHS:
        if length < FOLDED[dtype]:
            x = rows(count, length, dtype)
            np.testing.assert_array_equal(np.asarray(ap.array(x).sum(axis=-1)), x.sum(axis=-1), err_msg=str(length))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_a_row_has_the_same_sum_in_every_place(dtype: str) -> None:
    for length in (3, 12, 15, 30):
        for seed in range(6):
            x = np.tile(rows(1, length, dtype, seed), (11003, 1))
            sums = np.asarray(ap.array(x).sum(axis=-1))
            np.testing.assert_array_equal(sums, np.broadcast_to(sums[0], sums.shape))


def test_what_is_computed_beside_a_sum_leaves_its_bits() -> None:
    x = rows(9001, 12, "float64")
    expected = (x / 11).sum(axis=-1)
    for kept in range(4):
        y = ap.array(x) / 11
        beside = [y * (i + 2.0) for i in range(kept)]
        total = y.sum(axis=-1)
        ap.synchronize()
        np.testing.assert_array_equal(np.asarray(total), expected)
        for i, other in enumerate(beside):
            np.testing.assert_array_equal(np.asarray(other), x / 11 * (i + 2.0))


def test_batches_have_the_sums_of_the_whole() -> None:
    x = rows(1320, 11, "float64").reshape(10, 11, 12, 11)
    means = ap.array(x).mean(axis=-1)
    whole = ap.concatenate([means], axis=-1).mean(axis=-1, keepdims=True)
    parts = [ap.array(x[:, :, i:i + 10]).mean(axis=-1) for i in (0, 10)]
    joined = ap.concatenate(parts, axis=-1).mean(axis=-1, keepdims=True)
    np.testing.assert_array_equal(np.asarray(whole), np.asarray(joined))
    np.testing.assert_array_equal(np.asarray(whole), x.mean(axis=-1).mean(axis=-1, keepdims=True))


def test_the_least_and_the_greatest_of_short_rows() -> None:
    x = sample((501, 13), "float64")
    x[7, 5] = np.nan
    for function in ("min", "max", "prod", "all", "any"):
        got = np.asarray(getattr(ap.array(x), function)(axis=-1))
        np.testing.assert_allclose(got, getattr(x, function)(axis=-1), rtol=1e-14)
