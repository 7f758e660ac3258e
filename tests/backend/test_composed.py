"""Functions composed of what a device computes: NumPy's values, dtypes and errors, and nothing leaves it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from agreement import assert_same, ours
from device_marks import left_devices, needs_simulator
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

pytestmark = needs_simulator

EPSILON = float(np.finfo(np.float32).eps)


@contextmanager
def nothing_leaves() -> Iterator[None]:
    ap.forget_fallbacks()
    yield
    ap.synchronize()
    assert [one["function"] for one in left_devices() if one["kind"] != "copy"] == []


def compare(call: Callable[..., Any], *given: Any, ulp: float = 0, atol: float = 0) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted, mine = call(np, *given), [ours(one) for one in given]
        with nothing_leaves():
            got = call(ap, *mine)
        assert_same(wanted, got, ulp, atol)


def values(dtype: str, *shape: int, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    given = rng.integers(-9, 9, shape)
    return given > 0 if dtype == "?" else (given / (2 if np.dtype(dtype).kind in "fc" else 1)).astype(dtype)


EXACT: dict[str, Callable[..., Any]] = {
    "vecdot of bools": lambda np, a, b: np.vecdot(a > 0, b > 1),
    "vecdot of bools that broadcast": lambda np, a, b: np.vecdot(a[0] > 0, b > 3),
    "unwrap by integers": lambda np, a, b: np.unwrap(a, period=6) if a.dtype != bool else a,
    "unwrap of an odd period": lambda np, a, b: np.unwrap(a, period=5, axis=0) if a.dtype != bool else a,
    "unwrap of large jumps": lambda np, a, b: np.unwrap(a, 4, period=6.0),
    "insert one": lambda np, a, b: np.insert(a, 2, 7),
    "insert into columns": lambda np, a, b: np.insert(a, 1, [1, 2, 3], axis=1),
    "insert rows": lambda np, a, b: np.insert(a, [1], [[1], [2]], axis=0),
    "insert several": lambda np, a, b: np.insert(a, [1, -1, 1], [5, 6, 7], axis=1),
    "insert by a slice": lambda np, a, b: np.insert(a, slice(0, 4, 2), b[:2], axis=0),
    "insert by a mask": lambda np, a, b: np.insert(a, np.asarray([True, False, True]), 1, axis=0),
    "insert nothing": lambda np, a, b: np.insert(a, [], 1, axis=0),
    "insert in Fortran's order": lambda np, a, b: np.insert(a.T, 3, b[:, 0], axis=0),
    "packbits": lambda np, a, b: np.packbits(a > 0),
    "packbits of numbers": lambda np, a, b: np.packbits((a > 1).astype("i4") * 5, axis=0, bitorder="little"),
    "packbits of rows": lambda np, a, b: np.packbits(a > 0, axis=-1),
    "unpackbits": lambda np, a, b: np.unpackbits((a > 0).astype("u1") * 173),
    "unpackbits of columns": lambda np, a, b: np.unpackbits((b > 0).astype("u1") * 77, axis=0, bitorder="little"),
    "unpackbits, fewer": lambda np, a, b: np.unpackbits((b > 0).astype("u1") * 77, axis=1, count=-5),
    "unpackbits, more": lambda np, a, b: np.unpackbits((b > 0).astype("u1") * 77, axis=1, count=70),
    "byteswap": lambda np, a, b: (a.byteswap(), a.T.byteswap(), a[:, ::2].byteswap(), (a[0] * 1j).byteswap()),
    "byteswap in place": lambda np, a, b: (a.copy().byteswap(inplace=True), a.astype("i8")[::2].byteswap(True)),
    "histogram by a few": lambda np, a, b: np.histogram(a, 5),
    "histogram in a range": lambda np, a, b: np.histogram(a, 4, (-1, 3)),
    "histogram between edges": lambda np, a, b: np.histogram(a, [-3.5, -1.0, 0.0, 2.0, 2.0]),
    "histogram between edges of the device": lambda np, a, b: np.histogram(a, np.asarray([0, 1, 4])),
    "histogram as a density": lambda np, a, b: np.histogram(a, 4, density=True),
    "histogram of one bin": lambda np, a, b: np.histogram(a * 0, 1),
    "histogram_bin_edges": lambda np, a, b: np.histogram_bin_edges(a, 7),
    "histogram_bin_edges as given": lambda np, a, b: np.histogram_bin_edges(a, [0.0, 1.0, 2.5]),
    "histogram2d": lambda np, a, b: np.histogram2d(a.ravel(), b.ravel(), (3, [-1, 0, 2]), density=True),
    "histogram2d of equal edges": lambda np, a, b: np.histogram2d(a.ravel(), b.ravel(), [-2.0, 0.0, 1.0, 3.0]),
    "histogramdd": lambda np, a, b: np.histogramdd(a, (2, 3, 1, 4, 2)),
    "histogramdd in ranges": lambda np, a, b: np.histogramdd(a[:, :2], 2, [(-2, 2), None]),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("dtype", ["f", "i", "?"])
def test_exact(dtype: str, name: str) -> None:
    compare(EXACT[name], values(dtype, 3, 5), values(dtype, 3, 5, seed=4))


METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["f", "e"])
def test_quantiles_without_nan(dtype: str, method: str) -> None:
    a = np.random.default_rng(5).standard_normal((4, 5, 6)).astype(dtype)
    a[a < -0.7] = np.nan
    a[0] = 1
    for q in (0.3, 1.0, 0, [0.1, 0.5, 0.83], np.float32(0.4), np.array([0.2, 0.6], np.float32)):
        for axis in (None, 0, (0, 2)):
            compare(lambda np, a, q=q, axis=axis: np.nanquantile(a, q, axis, method=method), a)
    compare(lambda np, a: np.nanpercentile(a, [3, 70], (1, 0), method=method, keepdims=True), a)
    pairs = a.reshape(-1, 2)
    pairs[:, 0] = np.arange(60)
    compare(lambda np, a: np.nanpercentile(a, [40, 90], 1, method=method), pairs)  # more lines than counts


def test_line_of_nan_is_numpys() -> None:
    a = np.array([[np.nan, np.nan], [1, 2]], np.float32)
    with pytest.warns(RuntimeWarning, match="All-NaN slice"):
        got = ap.nanquantile(ap.asarray(a), 0.5, axis=1)
    np.testing.assert_array_equal(got.to_numpy(), np.array([np.nan, 1.5], np.float32))


@pytest.mark.parametrize("dtype", ["f", "e", "i", "?"])
def test_bessel_function(dtype: str) -> None:
    a = (np.random.default_rng(2).standard_normal(500) * 6).clip(-20 if dtype != "e" else -9, 9).astype(dtype)
    a[:6] = [0, 8, -8, 1, 0, 2]
    if dtype in "fe":
        a[6:9] = [np.nan, np.inf, 30 if dtype == "f" else 9]
    with nothing_leaves():
        got = ap.i0(ap.asarray(a))
    with np.errstate(all="ignore"):
        wanted = np.i0(a.astype(np.float64))
    assert got.dtype == np.i0(a[:1]).dtype
    # 30 steps of the recurrence, two roundings each of at most the sum of the coefficients, 2.2, and the exponential's
    with np.errstate(all="ignore"):
        near = np.finfo(got.dtype).eps * (2 * 30 * 2.2 * np.exp(np.abs(a.astype(np.float64))) + 4 * wanted)
    fits = np.isfinite(wanted)
    assert (np.abs(got.to_numpy()[fits].astype(np.float64) - wanted[fits]) <= near[fits]).all()
    np.testing.assert_array_equal(got.to_numpy()[~fits], wanted[~fits])


@pytest.mark.parametrize("points", [1, 2, 5, 300])
@pytest.mark.parametrize("dtype", ["f", "i", "?", "e"])
def test_interpolation(dtype: str, points: int) -> None:
    rng = np.random.default_rng(points)
    xp = np.sort(rng.standard_normal(points) * 4).astype(dtype)
    fp, x = values(dtype, points), values(dtype, 6, 7)
    if dtype == "f":
        fp[rng.random(points) < 0.2] = np.inf
        x[0, :3] = [np.nan, np.inf, -np.inf]
        x.ravel()[3:3 + min(points, 30)] = xp[:30]
    compare(lambda np, *given: np.interp(*given), x, xp, fp)
    compare(lambda np, *given: np.interp(*given, left=-1, right=np.float64(7)), x, xp, fp)
    compare(lambda np, *given: np.interp(given[0][0], *given[1:]), x, xp, fp)
    if dtype != "f":
        compare(lambda np, x, fp: np.interp(x, np.linspace(-3, 3, points), fp), x, fp)


def test_interpolation_between_points_that_fall_is_numpys() -> None:
    x, xp, fp = np.float32([1, 2, 3]), np.float32([3, 1, 2]), np.float32([1, 2, 4])
    np.testing.assert_array_equal(ap.interp(*map(ap.asarray, (x, xp, fp))), np.interp(x, xp, fp))


LENGTHS = [(1, 1), (7, 3), (3, 7), (64, 64), (300, 1), (200, 130), (2000, 1100)]


def assert_convolved(name: str, a: np.ndarray, v: np.ndarray, mode: str) -> None:
    with nothing_leaves():
        got = getattr(ap, name)(ap.asarray(a), ap.asarray(v), mode)
    wanted = getattr(np, name)(a, v, mode)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(got.to_numpy(), wanted)
        return
    exact = getattr(np, name)(a.astype(np.complex128), v.astype(np.complex128), mode)
    sizes = getattr(np, name)(np.abs(a).astype(np.float64), np.abs(v).astype(np.float64), mode)
    # a sum of so many products, complex ones in four parts, and the rounding of the result
    terms = min(a.size, v.size) * (4 if wanted.dtype.kind == "c" else 1)
    near = EPSILON * terms * sizes + np.finfo(wanted.dtype).eps * np.abs(exact)
    assert (np.abs(got.to_numpy().astype(np.complex128) - exact) <= near).all()


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("dtype", ["f", "e", "F", "i", "b", "?"])
def test_convolution(dtype: str, mode: str, name: str) -> None:
    for first, second in LENGTHS:
        a, v = values(dtype, first), values(dtype, second, seed=4)
        assert_convolved(name, a * 1j if dtype == "F" else a, v + a[0] * 1j if dtype == "F" else v, mode)
    assert_convolved(name, values(dtype, 40)[::-2], values("b", 9)[::2], mode)


def test_convolution_with_infinite_values_is_numpys() -> None:
    a = np.float32([1, np.inf, 2, 3, 4])
    np.testing.assert_array_equal(ap.convolve(ap.asarray(a), ap.asarray(a[2:])), np.convolve(a, a[2:]))


@pytest.mark.parametrize(
    "call", [
        lambda np, i: np.ravel_multi_index((i, i[::-1]), (12, 13)),
        lambda np, i: np.ravel_multi_index((i, i[::-1]), (12, 13), order="F"),
        lambda np, i: np.ravel_multi_index((i - 5, i[:, None] - 20), (4, 7), mode="wrap"),
        lambda np, i: np.ravel_multi_index((i - 5, i, i % 2), (4, 7, 2), mode=("clip", "wrap", "raise")),
        lambda np, i: np.ravel_multi_index(np.stack([i, i]), (12, 12)),
        lambda np, i: np.ravel_multi_index((i, 1), (12, 3)),
        lambda np, i: np.ravel_multi_index((i,), (12,)),
    ],
)
@pytest.mark.parametrize("dtype", ["i", "q", "B"])
def test_numbers_of_places(dtype: str, call: Callable[..., Any]) -> None:
    compare(lambda np, i: call(np, i.astype("i8") if i.dtype == "B" else i), np.arange(12).astype(dtype))


@pytest.mark.parametrize(
    "call", [
        lambda np, i: np.ravel_multi_index((i, i), (2, 9)), lambda np, i: np.ravel_multi_index((i, i * 0.5), (9, 9)),
        lambda np, i: np.ravel_multi_index((i, i), (2**40, 2**40)), lambda np, i: np.ravel_multi_index((i, i), (9,)),
        lambda np, i: np.ravel_multi_index((i, i), (9, 9), "none"), lambda np, i: np.packbits(i * 0.5),
        lambda np, i: np.packbits(i, axis=3), lambda np, i: np.packbits(i, bitorder="none"),
        lambda np, i: np.unpackbits(i), lambda np, i: np.unpackbits(i.astype("u1"), count=-99),
        lambda np, i: np.unpackbits(i.astype("u1"), count=1.5), lambda np, i: np.insert(i, 9, 1),
        lambda np, i: np.insert(i, [1, 9], 1), lambda np, i: np.insert(i, 0.5, 1), lambda np, i: np.insert(i, 1, 1, 2),
        lambda np, i: np.insert(i.reshape(2, 2), 1, [1, 2, 3], 0), lambda np, i: np.insert(i, [0, 1], [1, 2, 3]),
        lambda np, i: np.convolve(i, i[:0]), lambda np, i: np.convolve(i, i, "none"),
        lambda np, i: np.convolve(i.reshape(2, 2), i), lambda np, i: np.interp(i, i, i[1:]),
        lambda np, i: np.interp(i, i[:0], i[:0]), lambda np, i: np.i0(i * 1j), lambda np, i: np.unwrap(i, axis=1),
        lambda np, i: np.unwrap(i * 1j), lambda np, i: np.histogram(i, 0), lambda np, i: np.histogram(i, [2, 1]),
        lambda np, i: np.histogram(i, 3, (2, 1)), lambda np, i: np.histogram(i / (i - 1.0), 3),
        lambda np, i: np.histogram(i, "none"), lambda np, i: np.histogram_bin_edges(i, [[1]]),
        lambda np, i: np.histogram2d(i, i[1:]), lambda np, i: np.histogramdd(i.reshape(2, 2), [1, 2, 3]),
        lambda np, i: np.histogramdd(i.reshape(2, 2), [1, 0]), lambda np, i: np.nanquantile(i * 0.5, 1.5),
        lambda np, i: np.nanquantile(i * 0.5, 0.5, 1), lambda np, i: np.vecdot(i > 0, i[1:] > 0),
    ],
)
def test_errors_are_numpys(call: Callable[..., Any]) -> None:
    i = np.arange(4)
    with pytest.raises(Exception) as expected, np.errstate(all="ignore"):
        call(np, i)
    with pytest.raises(expected.type):
        call(ap, ap.asarray(i))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), dtype=st.sampled_from(["f", "i", "?", "h"]))
def test_inserted_anywhere(data: Any, dtype: str) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    a = values(dtype, *shape)
    axis = data.draw(st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)))
    length = a.size if axis is None else a.shape[axis]
    places = data.draw(st.one_of(
        st.integers(-length, length), st.lists(st.integers(-length, length), max_size=4), st.slices(length)))
    compare(lambda np, a: np.insert(a, places, 1, axis), a)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), order=st.sampled_from(["big", "little"]))
def test_bits_there_and_back(data: Any, order: Any) -> None:
    shape = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=3))
    bits = values("b", *shape) > 0
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    compare(lambda np, a: np.packbits(a, axis, bitorder=order), bits)
    back = ap.unpackbits(ap.packbits(ap.asarray(bits), axis, order), axis, bits.shape[axis], order)
    np.testing.assert_array_equal(back.to_numpy(), bits)


POLYNOMIALS: dict[str, Callable[..., Any]] = {
    "polyadd": lambda np, p, q: (np.polyadd(p, q), np.polyadd(q, p), np.polyadd(p, [1, 2])),
    "polysub": lambda np, p, q: (np.polysub(p * 1.0, q), np.polysub([1, 2.5], p)),
    "polymul": lambda np, p, q: (np.polymul(p, q), np.polymul(q * 0, p), np.polymul(p, q[:4])),
    "polyder": lambda np, p, q: (np.polyder(p), np.polyder(p, 2), np.polyder(q, 0), np.polyder(q[:1])),
    "polyint": lambda np, p, q: (np.polyint(p), np.polyint(p, 2, [3, 4]), np.polyint(q, 2, 5), np.polyint(q, 0)),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
@pytest.mark.parametrize("dtype", ["f", "i", "?"])
def test_polynomials(dtype: str, name: str) -> None:
    compare(POLYNOMIALS[name], values(dtype, 5), np.concatenate((values(dtype, 2) * 0, values(dtype, 6))).astype(dtype))


def test_polynomials_as_objects_stay_polynomials() -> None:
    p = ap.poly1d([1, 2, 3])
    for made in (ap.polyder(p), ap.polyint(p), ap.polyadd(p, [1, 2]), ap.polymul(p, p), ap.polysub(p, p)):
        assert isinstance(made, ap.poly1d)
    with pytest.raises(ValueError, match="rank-1"):
        ap.polyint(ap.asarray([1.0, 2]), 3, [1, 2])
    with pytest.raises(ValueError, match="positive"):
        ap.polyder(ap.asarray([1.0, 2]), -1)


@pytest.mark.parametrize("dtype", ["f", "i"])
def test_fits(dtype: str) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(200) * 9).astype(dtype), (rng.standard_normal((200, 2)) * 9).astype(dtype)
    for right in (y, y[:, 0]):
        got, wanted = ap.polyfit(ap.asarray(x), ap.asarray(right), 3), np.polyfit(x, right, 3)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        exact = np.polyfit(x.astype("f8"), right.astype("f8"), 3)
        powers = np.vander(x.astype("f8"), 4)
        lengths = np.sqrt((powers ** 2).sum(0))
        condition = np.linalg.cond(powers / lengths)
        near = 4 * np.finfo(got.dtype).eps * 200 * condition * (1 + condition) * np.linalg.norm(right)
        scaled = (got.to_numpy().astype("f8") - exact).T * lengths
        assert np.abs(scaled).max() <= near


@pytest.mark.parametrize("dtype", ["f", "i", "?", "F"])
@pytest.mark.parametrize("shape", [(3, 50), (1, 20), (50, 2), (9,)])
def test_covariance(dtype: str, shape: tuple[int, ...]) -> None:
    a = values(dtype, *shape)
    a = a * (1 + 1j) + values("f", *shape, seed=5) if dtype == "F" else a
    lines = np.atleast_2d(a).astype(np.complex128)
    sizes = np.linalg.norm(lines, axis=1)
    # sums of so many products of deviations, of which the mean has as many roundings
    near = 8 * np.finfo(float).eps * lines.shape[1] * np.outer(sizes, sizes).max() / (lines.shape[1] - 1)
    with np.errstate(all="ignore"):
        compare(lambda np, a: np.cov(a), a, atol=near)
        variances = np.diagonal(np.atleast_2d(np.cov(a))).real
        if shape == (50, 2):
            return
        assert variances.min() > 0
        compare(lambda np, a: np.corrcoef(a), a, atol=4 * near / variances.min())
