"""Simulated elementwise operators that are no rows of the core: three operands, bounds, special functions, tests."""

from __future__ import annotations

import ctypes
import warnings

import numpy as np
import pytest
from scipy import special

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, layouts, refuses, values, wide

INTEGERS = [np.dtype(name) for name in ("int8", "uint8", "int32", "int64")]
FLOAT64 = np.dtype("float64")


def in_place(name, x, *arguments):
    both = acl.Tensor(x.copy())
    acl.run(name, both, *arguments)
    return both.numpy()


@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64, *INTEGERS], ids=str)
def test_addcmul(dtype):
    for x in layouts(values((3, 4), dtype)):
        y, z = values((3, 4), dtype, 1), values((4,), dtype, 2)
        value = acl.Scalar(2, dtype)
        expected = (wide(x) + 2 * wide(y) * wide(z)).astype(wide(x).dtype)
        agree(acl.result("aclnnAddcmul", x, y, z, value, ..., out=np.empty((3, 4), dtype)), expected, 5)
        agree(in_place("aclnnInplaceAddcmul", x, y, z, value), expected, 5)
    refuses("aclnnAddcmul", [x, y, z, value, y], {0: "self", 1: "tensor1", 2: "tensor2", 4: "out"}, x, 4)


@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64], ids=str)
def test_addcdiv(dtype):
    for x in layouts(values((3, 4), dtype)):
        y, z = values((3, 1), dtype, 1), values((4,), dtype, 2, low=1)
        value = acl.Scalar(0.5, np.float32)
        expected = wide(x) + 0.5 * wide(y) / wide(z)
        agree(acl.result("aclnnAddcdiv", x, y, z, value, ..., out=np.empty((3, 4), dtype)), expected)
        agree(in_place("aclnnInplaceAddcdiv", x, y, z, value), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_lerp(dtype):
    for x in layouts(values((3, 4), dtype)):
        end, weight = values((3, 4), dtype, 1), values((3, 1), dtype, 2)
        expected = wide(x) + wide(weight) * (wide(end) - wide(x))
        agree(acl.result("aclnnLerp", x, end, weight, ..., out=np.empty((3, 4), dtype)), expected, 3)
        agree(in_place("aclnnInplaceLerp", x, end, weight), expected, 3)
        half = acl.Scalar(0.75, np.float32)
        expected = wide(x) + 0.75 * (wide(end) - wide(x))
        agree(acl.result("aclnnLerps", x, end, half, ..., out=np.empty((3, 4), dtype)), expected)
        agree(in_place("aclnnInplaceLerps", x, end, half), expected)
    refuses("aclnnLerp", [x, end, weight, end], {0: "self", 1: "end", 2: "weight", 3: "out"}, end, 3)


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int32")], ids=str)
def test_add_relu(dtype):
    x, y, alpha = values((3, 4), dtype), values((3, 4), dtype, 1), acl.Scalar(2, dtype)
    expected = np.maximum(wide(x) + 2 * wide(y), 0)
    agree(acl.result("aclnnAddRelu", x, y, alpha, ..., out=np.empty((3, 4), dtype)), expected)
    agree(in_place("aclnnInplaceAddRelu", x, y, alpha), expected)


@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64, *INTEGERS], ids=str)
def test_clamp(dtype):
    for x in layouts(values((3, 5), dtype)):
        low, high = acl.Scalar(1, dtype), acl.Scalar(2, dtype)
        out = np.empty(x.shape, dtype)
        agree(acl.result("aclnnClamp", x, low, high, ..., out=out), np.clip(wide(x), 1, 2))
        agree(acl.result("aclnnClamp", x, None, high, ..., out=holder_of(x, dtype)), np.minimum(wide(x), 2))
        agree(acl.result("aclnnClamp", x, low, None, ..., out=out), np.maximum(wide(x), 1))
        agree(acl.result("aclnnClampMin", x, low, ..., out=out), np.maximum(wide(x), 1))
        agree(acl.result("aclnnClampMax", x, high, ..., out=out), np.minimum(wide(x), 2))
        agree(in_place("aclnnInplaceClampMax", x, high), np.minimum(wide(x), 2))
        a, b = values((3, 5), dtype, 1), values((5,), dtype, 2)
        agree(acl.result("aclnnClampTensor", x, a, b, ..., out=out), np.minimum(np.maximum(wide(x), wide(a)), wide(b)))
        agree(acl.result("aclnnClampMinTensor", x, b, ..., out=out), np.maximum(wide(x), wide(b)))
        agree(acl.result("aclnnClampMaxTensor", x, b, ..., out=out), np.minimum(wide(x), wide(b)))
        agree(in_place("aclnnInplaceClampMinTensor", x, b), np.maximum(wide(x), wide(b)))
        agree(in_place("aclnnInplaceClampMaxTensor", x, b), np.minimum(wide(x), wide(b)))
    with acl.refused(161001, "aclnnClamp", "clipValueMin"):
        acl.result("aclnnClamp", x, None, None, ..., out=out)
    refuses("aclnnClamp", [x, low, high, out], {0: "self", 3: "out"}, out, 3)


def test_clamp_keeps_nan():
    x = np.array([np.nan, -5, 5], np.float32)
    one = acl.Scalar(1.0, np.float32)
    np.testing.assert_array_equal(acl.result("aclnnClampMin", x, one, ..., out=x.copy()), np.maximum(x, 1))
    np.testing.assert_array_equal(
        acl.result("aclnnClampMaxTensor", np.ones(3, np.float32), x, ..., out=x.copy()), np.minimum(1, x)
    )


@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64, *INTEGERS], ids=str)
def test_divide_with_mode(dtype, mode):
    x, y = values((4, 5), dtype), values((5,), dtype, 1)
    y[y == 0] = 3
    exact = wide(x) / wide(y)
    expected = [exact, np.trunc(exact), np.floor(exact)][mode]
    out = np.dtype(np.float32) if mode == 0 and dtype.kind in "iu" else dtype
    agree(acl.result("aclnnDivMod", x, y, ctypes.c_int(mode), ..., out=np.empty(x.shape, out)), expected)
    three = acl.Scalar(3, dtype)
    exact = wide(x) / 3
    expected = [exact, np.trunc(exact), np.floor(exact)][mode]
    agree(
        acl.result(
            "aclnnDivMods",
            x,
            three,
            ctypes.c_int(mode),
            ...,
            out=np.empty(x.shape, out if out.name != "bfloat16" else np.float32),
        ),
        expected,
        1 if out.name != "bfloat16" else 1e5,
    )
    if out == dtype:
        agree(in_place("aclnnInplaceDivMods", x, three, ctypes.c_int(mode)), expected)


def test_divide_refusals():
    x = values((3,), np.complex64)
    agree(acl.result("aclnnDivMod", x, x + 1, ctypes.c_int(0), ..., out=x.copy()), wide(x) / (wide(x) + 1))
    with acl.refused(161002, "aclnnDivMod", "self"):
        acl.result("aclnnDivMod", x, x, ctypes.c_int(2), ..., out=x.copy())
    with acl.refused(161002, "aclnnDivMod", "mode"):
        acl.result("aclnnDivMod", x, x, ctypes.c_int(3), ..., out=x.copy())


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int32")], ids=str)
def test_xlogy(dtype):
    x, y = values((3, 4), dtype), np.abs(values((3, 4), dtype, 1))
    x[0, :2], y[0, 0] = 0, 0
    y[1:] += np.asarray(1, dtype)
    out = np.empty(x.shape, dtype if dtype.kind != "i" else np.float32)
    agree(acl.result("aclnnXLogYTensor", x, y, ..., out=out), special.xlogy(wide(x), wide(y)))
    agree(acl.result("aclnnXLogYScalarOther", x, acl.Scalar(3, dtype), ..., out=out), special.xlogy(wide(x), 3))
    agree(
        acl.result("aclnnXLogYScalarSelf", acl.Scalar(3, dtype), y + np.asarray(1, dtype), ..., out=out),
        special.xlogy(3, wide(y + np.asarray(1, dtype))),
    )
    if dtype.kind != "i":
        agree(in_place("aclnnInplaceXLogYTensor", x, y), special.xlogy(wide(x), wide(y)))
        agree(in_place("aclnnInplaceXLogYScalarOther", x, acl.Scalar(3, dtype)), special.xlogy(wide(x), 3))


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype("int32")], ids=str)
def test_lists_of_operands(dtype):
    a, b, c = values((3, 4), dtype), values((3, 4), dtype, 1), values((3, 4), dtype, 2)
    out = np.empty((3, 4), dtype)
    if dtype.name != "bfloat16":
        agree(acl.result("aclnnSum", acl.TensorList([a, b, c]), ..., out=out), wide(a) + wide(b) + wide(c))
    agree(
        acl.result("aclnnMaxN", acl.TensorList([a, b, c]), ..., out=out),
        np.maximum(np.maximum(wide(a), wide(b)), wide(c)),
    )
    agree(
        acl.result("aclnnMinN", acl.TensorList([a, b, c]), ..., out=out),
        np.minimum(np.minimum(wide(a), wide(b)), wide(c)),
    )


FUNCTIONS = {
    "Rsqrt": (lambda x: 1 / np.sqrt(x), 0.5, 4),
    "Sinc": (np.sinc, -3, 3),
    "Erfinv": (special.erfinv, -0.99, 0.99),
    "Lgamma": (special.gammaln, -2.9, 20),
    "Digamma": (special.digamma, -2.9, 20),
    "Frac": (lambda x: x - np.trunc(x), -5, 5),
}
DTYPES = {
    "Lgamma": [np.dtype("float16"), np.dtype("float32"), FLOAT64],
    "Sinc": [*FLOATS, FLOAT64],
    "Rsqrt": [*FLOATS, FLOAT64],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    formula, low, high = FUNCTIONS[name]
    for dtype in DTYPES.get(name, FLOATS):
        for x in layouts(values((3, 7), dtype, low=low, high=high)):
            agree(acl.result("aclnn" + name, x, ..., out=np.empty(x.shape, dtype)), formula(wide(x)), 3)
            agree(acl.result("aclnn" + name, x, ..., out=holder_of(x, dtype)), formula(wide(x)), 3)
            if name not in ("Lgamma", "Digamma"):
                agree(in_place("aclnnInplace" + name, x), formula(wide(x)), 3)
    for shape in [(), (0, 2), (2, 1, 3)]:
        x = values(shape, np.float32, low=max(low, 0.1), high=high)
        agree(acl.result("aclnn" + name, x, ..., out=np.empty(shape, np.float32)), formula(wide(x)), 3)
    x = values((3, 4), np.float32)
    named = {0: "input" if name == "Frac" else "self", 1: "out"}
    if name == "Rsqrt":  # of complex numbers too
        z = values((3, 4), np.complex64)
        agree(acl.result("aclnnRsqrt", z, ..., out=z.copy()), 1 / np.sqrt(wide(z)))
        named = {1: "out"}
    refuses("aclnn" + name, [x, x.copy()], named, x, 1)


def test_whole_numbers_become_floats():
    x = np.arange(1, 5, dtype=np.int32)
    out = np.empty(4, np.float32)
    agree(acl.result("aclnnRsqrt", x, ..., out=out), 1 / np.sqrt(x.astype(float)))
    agree(acl.result("aclnnSinc", x, ..., out=out), np.sinc(x.astype(float)))
    agree(acl.result("aclnnErfinv", np.array([True, False]), ..., out=np.empty(2, np.float32)), [np.inf, 0])
    with acl.refused(161002, "aclnnRsqrt", "out"):
        acl.result("aclnnRsqrt", x, ..., out=np.empty(4, np.int32))


def test_edges():
    edge = np.array([-1, 1, 0, 2, np.nan], np.float32)
    np.testing.assert_array_equal(acl.result("aclnnErfinv", edge, ..., out=edge.copy()), special.erfinv(edge))
    edge = np.array([0, -1, np.inf, np.nan], np.float32)
    got = acl.result("aclnnDigamma", edge, ..., out=edge.copy())
    np.testing.assert_array_equal(got, np.array([-np.inf, np.nan, np.inf, np.nan], np.float32))


@pytest.mark.parametrize("decimals", [-2, -1, 0, 2])
@pytest.mark.parametrize("dtype", [np.dtype("float32"), FLOAT64, np.dtype("int32"), np.dtype("int64")], ids=str)
def test_round_decimals(dtype, decimals):
    x = (values((4, 5), FLOAT64) * 333).astype(dtype)
    expected = np.round(wide(x), decimals)
    agree(acl.result("aclnnRoundDecimals", x, decimals, ..., out=np.empty(x.shape, dtype)), expected)
    agree(in_place("aclnnInplaceRoundDecimals", x, decimals), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_to_num(dtype):
    x = values((3, 4), dtype)
    x[0, :3] = [np.nan, np.inf, -np.inf]
    given = [ctypes.c_float(v) for v in (1.5, 100, -200)]
    expected = np.nan_to_num(wide(x), nan=1.5, posinf=100, neginf=-200)
    agree(acl.result("aclnnNanToNum", x, *given, ..., out=np.empty(x.shape, dtype)), expected)
    agree(in_place("aclnnInplaceNanToNum", x, *given), expected)
    whole = values((3,), np.int64) * 2**60
    np.testing.assert_array_equal(acl.result("aclnnNanToNum", whole, *given, ..., out=whole.copy()), whole)


@pytest.mark.parametrize("eps", [-1.0, 0.1])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_logit(dtype, eps):
    x = values((3, 5), dtype, low=0.02, high=0.95)
    held = np.clip(wide(x), 0.1, 0.9) if eps > 0 else wide(x)
    agree(acl.result("aclnnLogit", x, eps, ..., out=np.empty(x.shape, dtype)), special.logit(held), 2)
    dy = values((3, 5), dtype, 1)
    inside = (wide(x) >= eps) & (wide(x) <= 1 - eps)
    agree(
        acl.result("aclnnLogitGrad", x, dy, eps, ..., out=np.empty(x.shape, dtype)),
        np.where(inside, wide(dy) / (wide(x) * (1 - wide(x))), 0),
        2,
    )


@pytest.mark.parametrize("equal_nan", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64, np.dtype("int32"), np.dtype(bool)], ids=str)
def test_is_close(dtype, equal_nan):
    for x in layouts(values((4, 5), dtype)):
        y = x.copy()
        if dtype.kind in "fV" or dtype.name == "bfloat16":
            x[0, :4] = [np.nan, np.inf, np.inf, 1]
            y[0, :4] = [np.nan, np.inf, -np.inf, np.inf]
            y[1] *= np.asarray(1.01, dtype)
        got = acl.result("aclnnIsClose", x, y, 0.02, 1e-8, equal_nan, ..., out=np.empty(x.shape, bool))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(got, np.isclose(wide(x), wide(y), 0.02, 1e-8, equal_nan))
    with acl.refused(161002, "aclnnIsClose", "rtol"):
        acl.result("aclnnIsClose", x, y, -1.0, 0.0, False, ..., out=np.empty(x.shape, bool))


@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64], ids=str)
def test_signed_infinities(dtype):
    x = np.array([np.inf, -np.inf, np.nan, 0, 1], dtype)
    np.testing.assert_array_equal(acl.result("aclnnIsPosInf", x, ..., out=np.empty(5, bool)), np.isposinf(wide(x)))
    np.testing.assert_array_equal(acl.result("aclnnIsNegInf", x, ..., out=np.empty(5, bool)), np.isneginf(wide(x)))


@pytest.mark.parametrize("dtype, result", [("float32", "complex64"), ("float64", "complex128")])
def test_complex_from_parts(dtype, result):
    for x in layouts(values((3, 4), dtype)):
        y = values((3, 4), dtype, 1)
        for out in (np.empty((3, 4), result), holder_of(x, result)):
            agree(acl.result("aclnnComplex", x, y, ..., out=out), wide(x) + 1j * wide(y))
            if dtype == "float32":
                agree(acl.result("aclnnPolar", x, y, ..., out=out), wide(x) * np.exp(1j * wide(y)))
    with acl.refused(161002, "aclnnComplex", "out"):
        acl.result("aclnnComplex", x, y, ..., out=np.empty((3, 4), dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_heaviside(dtype):
    x, at_zero = np.array([-2, -0.0, 0.0, 3, np.nan, np.inf, -np.inf], dtype), np.array([[0.5], [2]], dtype)
    got = acl.result("aclnnHeaviside", x, at_zero, ..., out=np.empty((2, 7), dtype))
    np.testing.assert_array_equal(wide(got), np.heaviside(wide(x), wide(at_zero)))


@pytest.mark.parametrize("dtype", [*FLOATS, *map(np.dtype, ("complex64", "int32", "uint8", "bool"))], ids=str)
def test_angle(dtype):
    out = dtype if dtype in FLOATS else np.dtype("float32")
    for x in layouts(values((4, 5), dtype)):
        agree(acl.result("aclnnAngleV2", x, ..., out=np.empty((4, 5), out)), np.angle(wide(x)) * np.ones((4, 5)))
    if dtype in FLOATS:
        got = acl.result("aclnnAngleV2", np.array([np.nan, -0.0, -np.inf], dtype), ..., out=np.empty(3, dtype))
        agree(got, [np.nan, 0, np.pi])
