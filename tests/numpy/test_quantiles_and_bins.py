"""Quantiles by every method, with weights and NaN; histograms by every bin rule, in one and more dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agree, sample
from hypothesis import given
from hypothesis import strategies as st

METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear "
    "median_unbiased normal_unbiased lower higher midpoint nearest"
).split()
RULES = "auto fd doane scott stone rice sturges sqrt".split()


@pytest.mark.parametrize("function", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("method", METHODS)
def test_methods(function, method):
    scale = 100 if "percentile" in function else 1
    for dtype in ("int32", "float32", "float64"):
        a = sample((6, 7), dtype)
        if np.dtype(dtype).kind == "f" and function.startswith("nan"):
            a[1, 2:4] = np.nan
        for q in (0, 0.25 * scale, [0.1 * scale, 0.9 * scale], np.array([[0.5, 1.0]]) * scale):
            for axis in (None, 0, -1, (0, 1)):
                agree(function, a, q, axis, method=method)
        agree(function, a, 0.3 * scale, 1, method=method, keepdims=True)
        agree(function, a, 0.3 * scale, 0, out=np.zeros(7), method=method)
    agree(function, sample(5, "float64"), 1.5 * scale, method=method)
    agree(function, sample(5, "complex64"), 0.5, method=method)


@pytest.mark.parametrize("function", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_weights(function):
    scale = 100 if "percentile" in function else 1
    a, weights = sample((5, 6), "float64"), np.abs(sample((5, 6), "float64", 1)) + 0.5
    if function.startswith("nan"):
        a[0, 1] = np.nan
    for axis in (None, 0, 1):
        agree(function, a, [0.2 * scale, 0.7 * scale], axis, method="inverted_cdf", weights=weights)
    agree(function, a, 0.4 * scale, 1, method="inverted_cdf", weights=weights[0])
    agree(function, a, 0.4 * scale, 1, method="inverted_cdf", weights=-weights[0])
    agree(function, a, 0.4 * scale, 1, method="inverted_cdf", weights=weights[:, 0])
    agree(function, a, 0.4 * scale, method="linear", weights=weights)


@given(
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40), st.floats(0, 1), st.sampled_from(METHODS),
)
def test_any_quantile(values, q, method):
    agree("quantile", np.array(values), q, method=method)


@pytest.mark.parametrize("rule", RULES)
def test_bin_rules(rule):
    for size, dtype in ((30, "float64"), (6000, "float64"), (6000, "float32"), (6000, "int16"), (200, "uint8")):
        a = np.random.default_rng(3).normal(20, 5, size).astype(dtype)
        agree("histogram_bin_edges", a, rule)
        agree("histogram", a, rule)
        agree("histogram", a, rule, (10, 30))
    agree("histogram", np.zeros(0), rule)
    agree("histogram", np.full(10, 3.0), rule)
    agree("histogram", np.arange(5.0), rule, weights=np.ones(5))


@pytest.mark.parametrize("size", [50, 5000])
def test_histogram_options(size):
    rng = np.random.default_rng(4)
    a, weights = rng.normal(size=size), rng.random(size)
    edges = np.array([-2, -1, -0.5, 0, 2.0])
    for bins in (7, edges, np.linspace(-1, 1, 11)):
        for options in ({}, {"density": True}, {"weights": weights}, {"weights": weights, "density": True},
                        {"weights": weights + 1j}, {"range": (-1, 1.5)}):
            if "range" in options and not isinstance(bins, int):
                continue
            agree("histogram", a, bins, ulp=16, **options)
    agree("histogram", a, edges[::-1])
    agree("histogram", a, 0)
    agree("histogram", a, 3, (2, 1))
    agree("histogram", a, 3, (np.nan, 1))
    agree("histogram", a, "no such rule")
    agree("histogram", a, weights=weights[:3])
    agree("histogram", np.array([1, np.nan]))
    agree("histogram", np.array([True, False, True]), 2)


def test_several_dimensions():
    rng = np.random.default_rng(5)
    a, weights = rng.normal(size=(300, 3)), rng.random(300)
    agree("histogramdd", a, 4)
    agree("histogramdd", a, (2, 3, 4), range=[(-1, 1), (-2, 2), (0, 1)])
    agree("histogramdd", a, density=True, ulp=4)
    agree("histogramdd", a, [[-1, 0, 1], 3, [-2, 2]], weights=weights, ulp=4)
    agree("histogramdd", (a[:, 0], a[:, 1]), 3)
    agree("histogramdd", a, (2, 3))
    agree("histogram2d", a[:, 0], a[:, 1], (3, 4), density=True, ulp=4)
    agree("histogram2d", a[:, 0], a[:, 1], [[-1, 0, 1], 3], [[-2, 2], [-1, 1]], weights=weights, ulp=4)
    agree("histogram2d", a[:, 0], a[:7, 1])


def test_digits_and_counts():
    a = sample(40, "float64")
    bins = np.array([-3.0, 0, 1, 4])
    for right in (False, True):
        agree("digitize", a, bins, right)
        agree("digitize", a, bins[::-1], right)
    agree("digitize", a, np.array([0, 2, 1.0]))
    agree("digitize", a + 1j, bins)
    agree("bincount", np.array([1, 1, 3]), np.array([0.5, 2, 1]), 6)
    agree("bincount", np.array([1.0]))
    agree("count_nonzero", sample((3, 4), "float32"), 0)
    agree("count_nonzero", sample((3, 4), "bool"), (0, 1), keepdims=True)
