"""Medians and quantiles on a device: from sorted lines, with NumPy's values and errors, and nothing leaves it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_marks import left_devices, needs_simulator

import asnumpy as ap

pytestmark = needs_simulator

METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()
AXES = [None, 0, -1, (0, 2), (1, 0), (0, 1, 2)]
PLACES = [0.25, 0, 1, 0.0, 1.0, [0.1, 0.5, 0.83], [[0.3], [0.77]], np.float32(0.4), np.array([0.2, 0.6], np.float32)]


def sample(dtype: str, missing: bool = False) -> np.ndarray:
    a = (np.random.default_rng(7).standard_normal((4, 5, 6)) * 50).astype(dtype)
    if missing:
        a[1, 2, 3] = a[0, :2, 0] = np.nan
    return a


def compare(name: str, a: np.ndarray, *args: Any, **kwargs: Any) -> None:
    wanted = getattr(np, name)(a, *args, **kwargs)
    x = ap.asarray(a)
    ap.forget_fallbacks()
    got = getattr(ap, name)(x, *args, **kwargs)
    ap.synchronize()
    assert [one["function"] for one in left_devices() if one["kind"] != "copy"] == []
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(np.asarray(got), wanted)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["f", "e", "i", "B", "q"])
def test_quantiles(dtype: str, method: str) -> None:
    for axis in AXES:
        for q in PLACES:
            compare("quantile", sample(dtype), q, axis, method=method)
    compare("quantile", sample(dtype), 0.3, 1, method=method, keepdims=True)
    compare("percentile", sample(dtype), [5, 50, 99.5], (0, 1), method=method, keepdims=True)
    compare("percentile", sample(dtype), 37, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_of_nan_comes_nan(method: str) -> None:
    compare("quantile", sample("f", missing=True), [0.2, 0.9], 2, method=method)


@pytest.mark.parametrize("method", ["inverted_cdf", "closest_observation", "lower", "higher", "nearest"])
def test_of_bools(method: str) -> None:
    compare("quantile", sample("f") > 10, [0.2, 0.6], 1, method=method)


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("dtype", ["f", "e", "i", "B", "q", "?"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_medians(dtype: str, name: str, keepdims: bool) -> None:
    for axis in AXES:
        compare(name, sample(dtype), axis, keepdims=keepdims)
        compare(name, sample(dtype)[:3], axis, keepdims=keepdims)
        if dtype in "fe":
            compare(name, sample(dtype, missing=True), axis, keepdims=keepdims)


def test_line_of_nan() -> None:
    a = sample("f")
    a[:, 2, 1] = np.nan
    with pytest.warns(RuntimeWarning, match="All-NaN slice"):
        got = ap.nanmedian(ap.asarray(a), 0)
    with pytest.warns(RuntimeWarning, match="All-NaN slice"):
        np.testing.assert_array_equal(got.to_numpy(), np.nanmedian(a, 0))


@pytest.mark.parametrize("name", ["nanquantile", "nanpercentile"])
def test_integers_have_no_nan(name: str) -> None:
    compare(name, sample("i"), 0.4, 1)
    compare(name, sample("i"), [0.4, 0.9], keepdims=True)


@pytest.mark.parametrize(
    ("q", "arguments"),
    [(1.5, {}), (-0.1, {}), (0.5, {"axis": 4}), (0.5, {"axis": (0, 0)}), (0.5, {"method": "none"}), ([[[0.5]]], {})],
)
def test_errors_are_numpys(q: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(Exception) as expected:
        np.quantile(sample("f"), q, **arguments)
    with pytest.raises(expected.type):
        ap.quantile(ap.asarray(sample("f")), q, **arguments)


def test_interpolation_of_bools_is_numpys_error() -> None:
    with pytest.raises(TypeError):
        ap.quantile(ap.asarray([True, False, True]), 0.3)
