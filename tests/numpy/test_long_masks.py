"""Masks over more than a few elements: what they select and what is written by them, for items of every size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap

DTYPES = ["bool", "int16", "float32", "float64", "complex128", "longdouble"]
SHARES = [0.0, 0.003, 0.5, 0.97, 1.0]


def values(rng: np.random.Generator, n: int, dtype: str) -> np.ndarray:
    return (rng.normal(size=n) * 100).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [63, 64, 4097, 40_001])
def test_selected_and_written(dtype: str, n: int) -> None:
    rng = generator()
    for share in SHARES:
        mask = rng.random(n) < share
        a = values(rng, n, dtype)
        new = values(rng, int(mask.sum()), dtype)
        x, m = ap.array(a), ap.array(mask)
        np.testing.assert_array_equal(np.asarray(x[m]), a[mask], strict=True)
        np.testing.assert_array_equal(np.asarray(ap.flatnonzero(m)), np.flatnonzero(mask), strict=True)
        x[m] = ap.array(new)
        a[mask] = new
        np.testing.assert_array_equal(np.asarray(x), a, strict=True)


@pytest.mark.parametrize("dtype", ["int16", "float64", "complex128"])
def test_views_of_steps(dtype: str) -> None:
    rng = generator()
    n = 20_000
    mask, a = rng.random(2 * n) < 0.4, values(rng, 2 * n, dtype)
    for part in (slice(None, None, 2), slice(None, None, -2), slice(1, None, 2)):
        x, m, expected = ap.array(a), ap.array(mask), a.copy()
        count = int(mask[part].sum())
        new = values(rng, 2 * count, dtype)
        x[part][m[part]] = ap.array(new)[::2]
        expected[part][mask[part]] = new[::2]
        np.testing.assert_array_equal(np.asarray(x), expected, strict=True)
        np.testing.assert_array_equal(np.asarray(x[part][m[part]]), expected[part][mask[part]], strict=True)


def test_matrices() -> None:
    rng = generator()
    a, mask = rng.normal(size=(120, 90)), rng.random((120, 90)) < 0.3
    for turned in (False, True):
        x, m, expected, chosen = ap.array(a), ap.array(mask), a.copy(), mask
        if turned:
            x, m, expected, chosen = x.T, m.T, expected.T, chosen.T
        x[m] = x[m] ** 2 + 1
        expected[chosen] = expected[chosen] ** 2 + 1
        np.testing.assert_array_equal(np.asarray(x), expected, strict=True)


def test_what_waits_is_computed_first() -> None:
    """Target, mask and values are recorded and not computed yet; what was taken before keeps its values."""
    a = generator().normal(size=30_000)
    x = ap.array(a)
    target, mask = x * 2, x > 0.5
    before = target + 0
    target[mask] = (x + 1)[mask] * 3
    expected = a * 2
    expected[a > 0.5] = (a + 1)[a > 0.5] * 3
    np.testing.assert_array_equal(np.asarray(target), expected, strict=True)
    np.testing.assert_array_equal(np.asarray(before), a * 2, strict=True)


def test_values_from_the_target_itself() -> None:
    a = np.arange(20_000.0)
    x, mask = ap.array(a), a % 2 == 0
    x[ap.array(mask)] = x[10_000:]
    a[mask] = a[10_000:].copy()
    np.testing.assert_array_equal(np.asarray(x), a, strict=True)
    flags = np.arange(20_000) % 3 == 0
    y = ap.array(flags)
    y[y] = ap.zeros(int(flags.sum()), bool)
    assert not bool(y.any())


@pytest.mark.parametrize("count", [0, 1, 2, 9_999, 10_001])
def test_another_number_of_values(count: int) -> None:
    """One value goes everywhere; any other number is refused, and nothing is written."""
    mask = np.arange(20_000) % 2 == 0

    def write(xp: Any) -> Any:
        target = xp.zeros(20_000)
        try:
            target[xp.asarray(mask)] = xp.ones(count)
        except ValueError as refused:
            return str(refused), np.asarray(target)
        return None, np.asarray(target)

    (theirs, expected), (ours, got) = write(np), write(ap)
    assert ours == theirs
    np.testing.assert_array_equal(got, expected)
