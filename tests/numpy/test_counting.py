"""np.bincount of integers with and without weights: counts, sums in NumPy's order, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap


def both(index: np.ndarray, weights: Any = None, minlength: Any = 0) -> None:
    try:
        expected = np.bincount(index, weights, minlength)
    except (ValueError, TypeError) as refused:
        with pytest.raises(type(refused)) as ours:
            ap.bincount(ap.array(index), None if weights is None else ap.array(weights), minlength)
        assert str(ours.value) == str(refused)
        return
    got = ap.bincount(ap.array(index), None if weights is None else ap.array(weights), minlength)
    same(got, expected, weights)


def same(got: Any, expected: np.ndarray, weights: Any) -> None:
    """Counts are NumPy's, and so are sums on the host; a device adds in an order of its own."""
    if weights is None or ap.Device() == "cpu":
        np.testing.assert_array_equal(ap.to_numpy(got), expected, strict=True)
        return
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(ap.to_numpy(got), expected, rtol=1e-12, atol=1e-12 * float(np.abs(weights).sum()))


@pytest.mark.parametrize("size", [0, 1, 7, 4095, 4096, 100_000])
@pytest.mark.parametrize("minlength", [0, 3, 1000])
def test_counts_and_sums(size: int, minlength: int) -> None:
    rng = generator()
    index = rng.integers(0, 50, size)
    both(index, None, minlength)
    for dtype in ("float64", "float32", "int64", "bool"):
        both(index, (rng.normal(size=size) * 3).astype(dtype), minlength)
    both(index.astype(np.int32), rng.normal(size=size), minlength)


@pytest.mark.parametrize("weights", [None, np.arange(4.0)], ids=["counted", "weighted"])
@pytest.mark.parametrize("index", [[1, -1, 0, 2], [-5, -5, -5, -5], [3, 0, 0, 9]], ids=str)
def test_negative_numbers_are_refused(index: list[int], weights: Any) -> None:
    both(np.array(index), weights)


@pytest.mark.parametrize("minlength", [-1, 2.5, np.int64(6), True])
def test_the_least_length_is_numpys(minlength: Any) -> None:
    both(np.array([1, 2, 2]), None, minlength)
    both(np.array([1, 2, 2]), np.array([0.5, 1.5, 2.5]), minlength)


def test_misfitting_arguments() -> None:
    both(np.array([1, 2, 2]), np.array([1.0, 2.0]))
    both(np.array([[1, 2], [2, 0]]))
    both(np.array([1.0, 2.0]))


def test_steps_and_what_waits() -> None:
    """Views of every second element, and operands that are recorded and not computed yet."""
    rng = generator()
    index, weights = rng.integers(0, 9, 20_000), rng.normal(size=20_000)
    x, w = ap.array(index), ap.array(weights)
    both_sides = [
        (ap.bincount(x[::2], w[::2]), np.bincount(index[::2], weights[::2])),
        (ap.bincount(x[::-1], w), np.bincount(index[::-1], weights)),
        (ap.bincount(x * 2, w + 1), np.bincount(index * 2, weights + 1)),
    ]
    for got, expected in both_sides:
        same(got, expected, weights)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64"])
def test_a_device_adds_weights(dtype: str) -> None:
    rng = generator()
    index, x = rng.integers(0, 50, (2, 3000))
    weights = abs(rng.normal(size=3000) * 3).astype(dtype)
    values = (rng.normal(size=3000) * 2).astype(np.float32)
    mine, others, heavy = ap.array(index), ap.array(values), ap.array(weights)
    edges = np.array([-3, -1, 0, 0.5, 4], np.float32)
    ap.forget_fallbacks()
    got = [ap.bincount(mine, heavy), ap.bincount(mine[::-1], heavy, 90), ap.bincount(mine[::3], heavy[::3])]
    got += [ap.histogram2d(others, ap.array(x), [6, 4], weights=heavy)[0]]
    expected = [np.bincount(index, weights), np.bincount(index[::-1], weights, 90)]
    expected += [np.bincount(index[::3], weights[::3]), np.histogram2d(values, x, [6, 4], weights=weights)[0]]
    if dtype in ("int64", "float32", "float64"):
        for bins, density in ((7, False), (7, True), (edges, False), (edges, True)):
            got.append(ap.histogram(others, ap.array(bins) if bins is edges else bins, None, density, heavy)[0])
            expected.append(np.histogram(values, bins, None, density, weights)[0])
    if ap.Device() != "cpu":
        assert [one["function"] for one in ap.fallbacks()] == []
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(ap.to_numpy(one), other, rtol=1e-5 if dtype == "float32" else 1e-10)


def test_sums_of_what_is_not_finite() -> None:
    index, weights = np.array([0, 1, 1, 2, 4, 4]), np.array([1.0, np.inf, 1.0, np.nan, np.inf, -np.inf])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(
            ap.to_numpy(ap.bincount(ap.array(index), ap.array(weights))), np.bincount(index, weights))


def test_few_weights_of_many_places() -> None:
    index, weights = np.array([3, 100_000, 3]), np.array([0.5, 1.5, 2.5])
    both(index, weights)
    both(index[:2], weights[:2], 200_000)


def test_a_result_of_numpys_is_an_array_of_its_own() -> None:
    """Few elements that a function of NumPy's returns are copied: nothing writes into them from elsewhere."""
    given = ap.array([3, 1, 2])
    found, counts = ap.unique(given, return_counts=True)
    found += 10
    assert given.tolist() == [3, 1, 2] and found.tolist() == [11, 12, 13] and counts.tolist() == [1, 1, 1]
    made = ap.array(np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    assert made.strides == np.array(np.asfortranarray(np.arange(6.0).reshape(2, 3))).strides


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("span", [1, 100, 900, 5000])
@pytest.mark.parametrize("end", ["low", "middle", "high"])
def test_distinct_integers_that_lie_close_together(dtype: str, span: int, end: str) -> None:
    """unique() counts those, wherever in their dtype they lie, and sorts what lies farther apart."""
    limits = np.iinfo(dtype) if dtype != "bool" else np.iinfo("uint8")
    low, high = (0, 1) if dtype == "bool" else (int(limits.min), int(limits.max))
    span = min(span, high - low)
    start = {"low": low, "middle": max(low, min(high - span, -3)), "high": high - span}[end]
    steps = generator().integers(0, span + 1, (60, 50))
    whole = (steps.astype(object) + start).astype(dtype)
    for view in (lambda a: a, lambda a: a[::-1, ::2], lambda a: a.T):
        x, mine = view(whole), view(ap.array(whole))
        for asked in ((), ("return_counts",), ("return_inverse",), ("return_inverse", "return_counts")):
            flags = dict.fromkeys(asked, True)
            expected, got = np.unique(x, **flags), ap.unique(mine, **flags)
            for theirs, ours in zip(expected if asked else [expected], got if asked else [got], strict=True):
                np.testing.assert_array_equal(ap.to_numpy(ours), theirs, strict=True)
