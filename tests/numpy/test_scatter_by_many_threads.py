"""Assignment by an index of so many entries that threads share it: the last of equal places wins, as with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import assert_same

import asnumpy as ap

ENTRIES = (5_000, 40_000, 200_000)


def places(kind: str, n: int, length: int) -> np.ndarray:
    rng = np.random.default_rng([n, length])
    random = rng.integers(-length, length, n)
    return {
        "random": random, "rising": np.sort(random % length), "falling": np.sort(random % length)[::-1].copy(),
        "one place": np.full(n, length // 2), "blocks": np.sort(random % length).reshape(8, -1)[::-1].ravel(),
    }[kind]


@pytest.mark.parametrize("kind", ["random", "rising", "falling", "one place", "blocks"])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "complex128"])
def test_the_last_of_equal_places_wins(threads, dtype, kind):
    for n in ENTRIES:
        for length in (7, 1000, n, 3_000_000 if n == ENTRIES[-1] else 2 * n):  # the last one beyond the caches
            index = places(kind, n, length)
            values = np.arange(n).astype(dtype)
            expected = np.zeros(length, dtype)
            made = ap.zeros(length, dtype)
            expected[index] = values
            made[ap.from_numpy(index)] = ap.from_numpy(values)
            assert_same(expected, made)


@pytest.mark.parametrize("kind", ["random", "rising", "one place"])
def test_rows_columns_and_other_layouts(threads, kind):
    n = 30_000
    index = places(kind, n, 900)
    values = np.random.default_rng(n).standard_normal((n, 3))
    for assign in (
        lambda xp, a, i, v: a.__setitem__(i, v),
        lambda xp, a, i, v: a[::-1].__setitem__(i[::-1], v[:, ::-1]),
        lambda xp, a, i, v: a.T.__setitem__((slice(None), i), v.T),
        lambda xp, a, i, v: a[:, 1].__setitem__(i, v[:, 2]),
        lambda xp, a, i, v: a[:, ::2].__setitem__(i[::2], v[::2, 1:]),
        lambda xp, a, i, v: a.__setitem__(i, 5.0),
    ):
        expected, made = np.zeros((900, 3)), ap.zeros((900, 3))
        assign(np, expected, index, values)
        assign(ap, made, ap.from_numpy(index), ap.from_numpy(values))
        assert_same(expected, made)


def test_a_place_outside_is_refused_and_nothing_is_written(threads):
    index = places("random", 50_000, 1000)
    index[41_234] = 1000
    made = ap.zeros(1000)
    with pytest.raises(IndexError, match="index 1000 is out of bounds for axis 0 with size 1000"):
        made[ap.from_numpy(index)] = 1.0
    assert not made.any()
