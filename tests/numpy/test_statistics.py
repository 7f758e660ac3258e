"""Averages, spread, order statistics, and the functions that pass over NaN."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FLOATS, NUMERIC, agree, agree_method, sample

SHAPES = [(), (7,), (3, 4), (2, 3, 4)]


def _axes(shape):
    return [None, *range(-len(shape), len(shape)), *([(0, 1), (1, -2)] if len(shape) > 1 else []), (), 5]


@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble"])
@pytest.mark.parametrize("function", ["mean", "var", "std"])
def test_moments(function, dtype):
    for shape in SHAPES:
        a = sample(shape, dtype)
        for axis in _axes(shape):
            agree(function, a, axis, ulp=8)
            agree(function, a, axis, keepdims=True, ulp=8)
            agree_method(function, a, axis, ulp=8)
        for kind in ("float32", "float64", "complex64", "int32"):
            if np.dtype(dtype).kind == "c" and kind != "complex64":
                continue  # NumPy discards the imaginary part with a warning on the way
            agree(function, a, dtype=kind, ulp=16, atol=1e-5 if kind in ("float32", "complex64") else 0)


@pytest.mark.parametrize("function", ["mean", "var", "std"])
def test_moments_with_options(function):
    a = sample((4, 5), "float32")
    mask = sample((4, 5), "bool", 2)
    mask[0] = True
    agree(function, a, 0, where=mask, ulp=8)
    agree(function, a, where=mask, keepdims=True, ulp=8)
    agree(function, a, 1, where=mask[:1], ulp=8)
    agree(function, a, 1, where=np.zeros((4, 5), bool))
    agree(function, a, 0, out=np.zeros(5), ulp=8)
    agree(function, a, 0, out=np.zeros(5, "float32"), ulp=8)
    agree(function, a, 0, out=np.zeros(4, "float32"))
    agree(function, a, 0, out=np.zeros(5, "int32"))
    agree(function, [[1, 2], [3, 5]])
    agree(function, [])
    agree(function, np.zeros((0, 3)), 0)
    agree(function, np.zeros((0, 3)), 1)
    agree(function, np.zeros((3, 0)))
    agree(function, np.array([np.nan, 1]))
    agree(function, np.array([np.inf, 1]))
    agree(lambda xp, a: getattr(xp, function)(a.T, 0), a, ulp=8)
    agree(lambda xp, a: getattr(xp, function)(a[::2, ::-1], 1), a, ulp=8)
    if function == "mean":  # var and std of float16 are computed in float32 here, and in float16, less exactly, there
        agree(function, np.full(1000, 60000, "float16"))
    agree(function, np.full(1000, 2**62, "int64"))


def test_degrees_of_freedom():
    a = sample((4, 5), "float64")
    for name in ("var", "std"):
        for ddof in (0, 1, 2, 5, 0.5):
            agree(name, a, 1, ddof=ddof, ulp=8)
            agree(name, a, 1, correction=ddof, ulp=8)
        agree(name, a, ddof=1, correction=1)
        agree(name, a, 1, mean=a.mean(1, keepdims=True), ulp=8)
        agree(name, a, 1, ddof=1, where=a > 0, ulp=8)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_average(dtype):
    a = sample((3, 4), dtype)
    weights = np.arange(1.0, 13).reshape(3, 4)
    for axis in (None, 0, 1, (0, 1)):
        agree("average", a, axis, ulp=8)
        agree("average", a, axis, weights, ulp=8)
        agree("average", a, axis, weights, True, ulp=8)
        agree("average", a, axis, returned=True, ulp=8)
        agree("average", a, axis, weights, keepdims=True, ulp=8)
    agree("average", a, 1, [1, 2, 3, 4], ulp=8)
    agree("average", a, 1, [1, 2, 3])
    agree("average", a, None, [1, 2, 3, 4])
    agree("average", a, 1, [0, 0, 0, 0])


@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble"])
def test_ptp(dtype):
    for axis in (None, 0, 1, (0, 1)):
        agree("ptp", sample((3, 4), dtype), axis)
        agree("ptp", sample((3, 4), dtype), axis, keepdims=True)
    agree("ptp", np.zeros((0, 3)))


@pytest.mark.parametrize("dtype", ["int16", "uint8", *FLOATS])
def test_order_statistics(dtype):
    a = sample((5, 6), dtype)
    for axis in (None, 0, 1, (0, 1)):
        agree("median", a, axis)
        agree("median", a, axis, keepdims=True)
        agree("percentile", a, 30, axis)
        agree("percentile", a, [10, 50.5], axis, keepdims=True)
        agree("quantile", a, [0.1, 0.505], axis)
        agree("quantile", a, 0.25, axis, method="nearest")
    agree("percentile", a, 101)
    agree("quantile", a, 0.5, method="nonsense")
    agree("quantile", a, 0.5, weights=np.abs(a), method="inverted_cdf")
    agree("median", a, 0, out=np.zeros(6, a.dtype if a.dtype.kind == "f" else "f8"))
    agree("median", np.zeros(0))


def test_input_stays_as_it_was():
    a = sample(9, "float64")
    for name, arguments in (("median", ()), ("percentile", (20,)), ("nanmedian", ())):
        agree(lambda xp, a, name=name, more=arguments: getattr(xp, name)(a.copy(), *more, overwrite_input=True), a)
        agree(name, a, *arguments)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64", "bool"])
def test_covariance(dtype):
    a, b = sample((3, 6), dtype), sample((3, 6), dtype, 1)
    tight = {"ulp": 8, "atol": 1e-5 if dtype == "complex64" else 1e-12}
    agree("cov", a, **tight)
    agree("cov", a, b, **tight)
    agree("cov", a, rowvar=False, **tight)
    agree("cov", a, bias=True, **tight)
    agree("cov", a, ddof=0, **tight)
    agree("cov", a[0], **tight)
    agree("cov", a[0], b[0], **tight)
    agree("cov", a, fweights=[1, 2, 1, 1, 3, 1], **tight)
    agree("cov", a, aweights=[1, 2, 1, 1, 3, 1.5], **tight)
    agree("cov", a, dtype="float32", ulp=64, atol=1e-4) if dtype != "complex64" else None
    agree("corrcoef", a, **tight)
    agree("corrcoef", a, b, rowvar=False, **tight)
    agree("corrcoef", a[0], **tight)
    agree("cov", a[:, :1])
    agree("cov", np.zeros((2, 2, 2)))
    agree("cov", a, ddof=1.5)
    agree("cov", np.zeros((1, 4)), rowvar=False)
    agree("cov", np.zeros((0, 4)))


NAN_SAMPLES = {
    "some": lambda a: np.where(np.arange(a.size).reshape(a.shape) % 3 == 1, np.nan, a).astype(a.dtype),
    "none": lambda a: a,
    "line": lambda a: np.where(np.arange(a.shape[0])[:, None] == 1, np.nan, a).astype(a.dtype),
    "all": lambda a: np.full_like(a, np.nan),
}


# What NumPy says of slices that have nothing else, once it has looked at the values.
ALL_NAN = r"All-NaN|Mean of empty slice|Degrees of freedom <= 0|invalid value"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("kind", sorted(NAN_SAMPLES))
@pytest.mark.parametrize("function", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"])
def test_nan_reductions(function, kind, dtype):
    a = NAN_SAMPLES[kind](sample((4, 5), dtype))
    near = {"ulp": 8, "atol": 2e-3 if dtype == "float16" else 0, "of_values": ALL_NAN}
    for axis in (None, 0, 1, -1, (0, 1)):
        agree(function, a, axis, **near)
        agree(function, a, axis, keepdims=True, **near)
    if function in ("nanvar", "nanstd"):
        agree(function, a, 1, ddof=1, **near)
        agree(function, a, 1, ddof=4, **near)
    agree(function, a, 0, where=sample((4, 5), "bool"), **({"initial": 0} if function in ("nanmax", "nanmin") else {}),
          **near)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "float32"])
@pytest.mark.parametrize("kind", sorted(NAN_SAMPLES))
def test_other_nan_functions(kind, dtype):
    a = sample((4, 5), dtype)
    if dtype == "float32":
        a = NAN_SAMPLES[kind](a)
    for axis in (None, 0, 1):
        for name in ("nanargmax", "nanargmin", "nancumsum", "nancumprod", "nanmedian"):
            agree(name, a, axis, ulp=8)
        agree("nanpercentile", a if dtype != "bool" else a.astype("int8"), [20, 50], axis)
        agree("nanquantile", a if dtype != "bool" else a.astype("int8"), 0.3, axis, keepdims=True)
        for name in ("nansum", "nanmean", "nanvar", "nanmax"):
            agree(name, a, axis, ulp=8, of_values=ALL_NAN)
    agree("nanmean", a, dtype="int32")
    agree("nanargmax", np.zeros((0, 3)))
