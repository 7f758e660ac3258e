"""Simulated reductions and scans against NumPy: dtypes, axes, layouts, NaN, refusals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from cannsim import acl, comparing
from cannsim.comparing import FLOATS, INTEGERS, layouts, wide

ALL = [*FLOATS, np.dtype("float64"), *INTEGERS, np.dtype(bool)]
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 2e-2,
    "float32": 1e-5,
    "float64": 1e-13,
    "complex64": 1e-5,
    "complex128": 1e-13,
}
AXES = [(), (0,), (1,), (-1,), (0, 2), (0, 1, 2)]


values = partial(comparing.values, low=-2, high=2, integers=(-4, 5))
agree = partial(comparing.agree, bounds=TOLERANCE)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("dtype", [*ALL, np.dtype("complex64"), np.dtype("complex128")], ids=str)
def test_sum(dtype, axes, keep):
    result = np.dtype(np.int64) if dtype.kind in "iub" else dtype
    for x in layouts(values((3, 4, 5), dtype)):
        expected = wide(x).sum(axis=axes or None, keepdims=keep)
        got = acl.result(
            "aclnnReduceSum",
            x,
            acl.IntArray(axes),
            keep,
            acl.dtype_number(result),
            ...,
            out=np.empty(expected.shape, result),
        )
        agree(got, expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nansum(dtype):
    x = values((4, 6), dtype)
    x[1, 2] = np.nan
    got = acl.result(
        "aclnnReduceNansum", x, acl.IntArray([1]), False, acl.dtype_number(dtype), ..., out=np.empty(4, dtype)
    )
    agree(got, np.nansum(wide(x), axis=1))


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("float64"), np.dtype("complex64")], ids=str)
def test_mean(dtype, axes):
    for x in layouts(values((3, 4, 5), dtype)):
        expected = wide(x).mean(axis=axes or None)
        out = np.empty(expected.shape, dtype)
        agree(acl.result("aclnnMean", x, acl.IntArray(axes), False, acl.dtype_number(dtype), ..., out=out), expected)
        if axes:
            agree(acl.result("aclnnMeanV2", x, acl.IntArray(axes), False, False, ..., out=out), expected)


def test_mean_of_no_axes_is_the_array():
    x = values((3, 4), np.dtype("float32"))
    agree(acl.result("aclnnMeanV2", x, acl.IntArray([]), False, True, ..., out=np.empty((3, 4), np.float32)), x)


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int32"), np.dtype("int64")], ids=str)
def test_prod(dtype):
    x = values((3, 4), dtype)
    number = acl.dtype_number(dtype)
    agree(acl.result("aclnnProd", x, number, ..., out=np.empty((), dtype)), wide(x).prod())
    agree(
        acl.result("aclnnProdDim", x, 1, True, number, ..., out=np.empty((3, 1), dtype)),
        wide(x).prod(axis=1, keepdims=True),
    )


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_extremes(dtype, axes):
    for x in layouts(values((3, 4, 5), dtype)):
        low, high = wide(x).min(axis=axes or None), wide(x).max(axis=axes or None)
        out = np.empty(low.shape, dtype)
        agree(acl.result("aclnnAmax", x, acl.IntArray(axes), False, ..., out=out), high)
        agree(acl.result("aclnnAmin", x, acl.IntArray(axes), False, ..., out=out), low)
        smallest, largest = acl.Tensor(out.copy()), acl.Tensor(out.copy())
        acl.run("aclnnAminmax", x, acl.IntArray(axes), False, smallest, largest)
        agree(smallest.numpy(), low)
        agree(largest.numpy(), high)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_extremes_of_all(dtype):
    x = values((4, 5), dtype)
    agree(acl.result("aclnnMax", x, ..., out=np.empty((), dtype)), wide(x).max())
    agree(acl.result("aclnnMin", x, ..., out=np.empty((), dtype)), wide(x).min())


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_wins(dtype):
    x = values((3, 4), dtype)
    x[1, 2] = np.nan
    agree(acl.result("aclnnAmax", x, acl.IntArray([1]), False, ..., out=np.empty(3, dtype)), wide(x).max(axis=1))
    agree(acl.result("aclnnArgMax", x, 1, False, ..., out=np.empty(3, np.int64)), x.argmax(axis=1))
    agree(acl.result("aclnnArgMin", x, 1, False, ..., out=np.empty(3, np.int64)), x.argmin(axis=1))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
def test_arg(dtype, axis):
    for x in layouts(values((5, 6), dtype)):
        out = np.empty(x.shape[1 - axis % 2], np.int64)
        agree(acl.result("aclnnArgMax", x, axis, False, ..., out=out), x.argmax(axis=axis))
        agree(acl.result("aclnnArgMin", x, axis, False, ..., out=out), x.argmin(axis=axis))


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int64"), np.dtype(bool)], ids=str)
def test_extreme_with_index(dtype):
    x = values((5, 6), dtype)
    for name, value, index in (("aclnnMaxDim", np.max, np.argmax), ("aclnnMinDim", np.min, np.argmin)):
        out, indices = acl.Tensor(np.empty(5, dtype)), acl.Tensor(np.empty(5, np.int32))
        acl.run(name, x, 1, False, out, indices)
        agree(out.numpy(), wide(value(x, axis=1)))
        agree(indices.numpy(), index(x, axis=1))


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_truth(dtype, axes):
    x = values((3, 4, 5), dtype)
    expected = x.astype(bool).all(axis=axes or None)
    agree(acl.result("aclnnAll", x, acl.IntArray(axes), False, ..., out=np.empty(expected.shape, bool)), expected)
    agree(
        acl.result("aclnnAny", x, acl.IntArray(axes), False, ..., out=np.empty(expected.shape, bool)),
        x.astype(bool).any(axis=axes or None),
    )


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_moments(dtype, axes):
    x = values((3, 4, 5), dtype)
    axis = axes or None
    variance = wide(x).var(axis=axis, ddof=1)
    out = np.empty(variance.shape, dtype)
    given = acl.IntArray(axes)
    agree(acl.result("aclnnVar", x, given, True, False, ..., out=out), variance)
    agree(acl.result("aclnnVar", x, given, False, False, ..., out=out), wide(x).var(axis=axis))
    agree(acl.result("aclnnVarCorrection", x, given, 1, False, ..., out=out), variance)
    agree(acl.result("aclnnStd", x, given, 1, False, ..., out=out), np.sqrt(variance))
    for name, first in (("aclnnVarMean", variance), ("aclnnStdMeanCorrection", np.sqrt(variance))):
        spread, average = acl.Tensor(out.copy()), acl.Tensor(out.copy())
        acl.run(name, x, given, 1, False, spread, average)
        agree(spread.numpy(), first)
        agree(average.numpy(), wide(x).mean(axis=axis))


@pytest.mark.parametrize("order", [0.0, 1.0, 2.0, 3.0, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_norms(dtype, order):
    x = values((4, 6), dtype)
    expected = np.linalg.norm(wide(x), ord=order, axis=1)
    scalar, axes = acl.Scalar(order, np.float32), acl.IntArray([1])
    out = np.empty(4, dtype)
    agree(acl.result("aclnnLinalgVectorNorm", x, scalar, axes, False, acl.dtype_number(dtype), ..., out=out), expected)
    agree(acl.result("aclnnNorm", x, scalar, axes, False, ..., out=out), expected)


def test_logarithms_of_sums():
    x = values((4, 6), np.dtype("float32")) * 100
    out = np.empty(4, np.float32)
    agree(acl.result("aclnnLogSumExp", x, acl.IntArray([1]), False, ..., out=out), np.logaddexp.reduce(wide(x), axis=1))
    agree(
        acl.result("aclnnReduceLogSum", np.abs(x), acl.IntArray([1]), False, False, ..., out=out),
        np.log(np.abs(wide(x)).sum(axis=1)),
    )


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
def test_medians(dtype):
    x = values((5, 6), dtype)
    lower = np.sort(wide(x), axis=1)[:, 2]
    value, index = acl.Tensor(np.empty(5, dtype)), acl.Tensor(np.empty(5, np.int64))
    acl.run("aclnnMedianDim", x, 1, False, value, index)
    agree(value.numpy(), lower)
    agree(np.take_along_axis(wide(x), index.numpy()[:, None], 1)[:, 0], lower)
    agree(acl.result("aclnnMedian", x, ..., out=np.empty((), dtype)), np.sort(wide(x), axis=None)[14])
    if dtype.kind not in "iu":
        x[0, 0] = np.nan
        assert np.isnan(acl.result("aclnnMedian", x, ..., out=np.empty((), dtype)).astype(float))
        agree(acl.result("aclnnNanMedian", x, ..., out=np.empty((), dtype)), np.sort(wide(x), axis=None)[14])


def test_equal_and_trace():
    x = values((4, 4), np.dtype("float32"))
    assert acl.result("aclnnEqual", x, x.copy(), ..., out=np.empty(1, bool))[0]
    assert not acl.result("aclnnEqual", x, x + 1, ..., out=np.empty(1, bool))[0]
    assert not acl.result("aclnnEqual", x, x[:3], ..., out=np.empty(1, bool))[0]
    agree(acl.result("aclnnTrace", x, ..., out=np.empty((), np.float32)), np.trace(wide(x)))


SCANS = [*FLOATS, np.dtype("float64"), *INTEGERS]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", SCANS, ids=str)
def test_scans(dtype, axis):
    for x in layouts(values((3, 5), dtype)):
        out = np.empty(x.shape, dtype)
        sums = np.cumsum(wide(x), axis=axis, dtype=wide(x).dtype)
        agree(acl.result("aclnnCumsum", x, axis, acl.dtype_number(dtype), ..., out=out), sums)
        agree(acl.result("aclnnCumsumV2", x, axis, False, False, ..., out=out), sums)
        agree(acl.result("aclnnCumsumV2", x, axis, True, False, ..., out=out), sums - wide(x))
        backwards = np.flip(np.cumsum(np.flip(wide(x), axis), axis=axis, dtype=wide(x).dtype), axis)
        agree(acl.result("aclnnCumsumV2", x, axis, False, True, ..., out=out), backwards)
        agree(
            acl.result("aclnnCumprod", x, acl.Scalar(axis, np.int32), acl.dtype_number(dtype), ..., out=out),
            np.cumprod(wide(x), axis=axis, dtype=wide(x).dtype),
        )
        for name, best in (("aclnnCummax", np.maximum), ("aclnnCummin", np.minimum)):
            value, index = acl.Tensor(out.copy()), acl.Tensor(np.empty(x.shape, np.int64))
            acl.run(name, x, axis, value, index)
            expected = best.accumulate(wide(x), axis=axis)
            agree(value.numpy(), expected)
            agree(np.take_along_axis(wide(x), index.numpy(), axis), expected)


def test_empty():
    x = np.empty((0, 3), np.float32)
    agree(acl.result("aclnnReduceSum", x, acl.IntArray([0]), False, 0, ..., out=np.empty(3, np.float32)), np.zeros(3))
    agree(acl.result("aclnnReduceSum", x, acl.IntArray([1]), False, 0, ..., out=np.empty(0, np.float32)), np.zeros(0))
    with acl.refused(161002, "aclnnAmax", "self"):
        acl.result("aclnnAmax", x, acl.IntArray([0]), False, ..., out=np.empty(3, np.float32))


def test_0d():
    x = np.array(3.0, np.float32)
    agree(acl.result("aclnnReduceSum", x, acl.IntArray([]), False, 0, ..., out=np.empty((), np.float32)), x)
    agree(acl.result("aclnnArgMax", x, 0, False, ..., out=np.empty((), np.int64)), np.array(0))


@pytest.mark.parametrize("name", ["aclnnAmax", "aclnnAmin", "aclnnAll", "aclnnAny"])
def test_refusals(name):
    x = values((3, 4), np.dtype("float32"))
    dtype = bool if name in ("aclnnAll", "aclnnAny") else np.float32
    with acl.refused(161002, name, "out"):
        acl.result(name, x, acl.IntArray([1]), False, ..., out=np.empty(4, dtype))
    with acl.refused(161002, name, "dim"):
        acl.result(name, x, acl.IntArray([2]), False, ..., out=np.empty(3, dtype))
    with acl.refused(161002, name, "dim"):
        acl.result(name, x, acl.IntArray([1, -1]), False, ..., out=np.empty(3, dtype))
    with acl.refused(161002, name, "self"):
        acl.result(name, x.astype(np.complex64), acl.IntArray([1]), False, ..., out=np.empty(3, dtype))
    with acl.refused(161001, name, "self"):
        acl.result(name, None, acl.IntArray([1]), False, ..., out=np.empty(3, dtype))
