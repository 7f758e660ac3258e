"""Simulated operators over lists of tensors, each tensor against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, values, wide

SHAPES = [(3, 4), (), (0, 2), (7,)]
UNARY = {
    "Abs": np.abs,
    "Neg": np.negative,
    "Copy": lambda x: x,
    "Sign": np.sign,
    "Acos": np.arccos,
    "Asin": np.arcsin,
    "Atan": np.arctan,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Erf": special.erf,
    "Erfc": special.erfc,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Log": np.log,
    "Log10": np.log10,
    "Log1p": np.log1p,
    "Log2": np.log2,
    "Reciprocal": lambda x: 1 / x,
    "Sigmoid": special.expit,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
}
BINARY = {
    "Mul": np.multiply,
    "Div": np.divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Pow": np.power,
    "Add": np.add,
    "Sub": np.subtract,
}


def lists(dtype, count=1, low=0.1, high=0.9):
    return [[values(shape, dtype, 10 * n + k, low, high) for k, shape in enumerate(SHAPES)] for n in range(count)]


def outs(dtype):
    tensors = [acl.Tensor(holder_of(np.empty(SHAPES[0]), dtype))]
    return tensors + [acl.Tensor(np.empty(shape, dtype)) for shape in SHAPES[1:]]


def check(name, arguments, dtype, expected, factor=2):
    got = outs(dtype)
    acl.run("aclnnForeach" + name, *arguments, acl.TensorList(got))
    for tensor, wanted in zip(got, expected, strict=True):
        agree(tensor.numpy(), wanted, factor)


class ScalarList:
    def __init__(self, numbers, dtype):
        self.scalars = [acl.Scalar(one, dtype) for one in numbers]
        handles = (acl.P * len(numbers))(*[one.handle for one in self.scalars])
        self.handle = acl.nn.aclCreateScalarList(handles, acl.U64(len(numbers)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_of_one(name, dtype):
    (x,) = lists(dtype)
    check(name, [acl.TensorList(x)], dtype, [UNARY[name](wide(one)) for one in x])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_of_two(name, dtype):
    x, y = lists(dtype, 2)
    f = BINARY[name]
    two = np.asarray(2, dtype)
    if name in ("Add", "Sub"):
        expected = [f(wide(a), 2 * wide(b)) for a, b in zip(x, y, strict=True)]
        check(name + "List", [acl.TensorList(x), acl.TensorList(y), acl.Tensor(two)], dtype, expected)
        check(name + "ListV2", [acl.TensorList(x), acl.TensorList(y), acl.Scalar(2, np.float32)], dtype, expected)
    else:
        check(
            name + "List",
            [acl.TensorList(x), acl.TensorList(y)],
            dtype,
            [f(wide(a), wide(b)) for a, b in zip(x, y, strict=True)],
        )
    expected = [f(wide(a), 2) for a in x]
    check(name + "Scalar", [acl.TensorList(x), acl.Tensor(two.reshape(1))], dtype, expected)
    check(name + "ScalarV2", [acl.TensorList(x), acl.Scalar(2, np.float32)], dtype, expected)
    numbers = [1.5, 2, 3, 0.5]
    check(
        name + "ScalarList",
        [acl.TensorList(x), ScalarList(numbers, np.float32)],
        dtype,
        [f(wide(a), n) for a, n in zip(x, numbers, strict=True)],
    )


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["Addcmul", "Addcdiv"])
def test_of_three(name, dtype):
    x, y, z = lists(dtype, 3)
    numbers = np.array([1.5, 2, 3, 0.5], dtype)

    def f(a, b, c, n):
        return wide(a) + n * wide(b) * wide(c) if name == "Addcmul" else wide(a) + n * wide(b) / wide(c)

    def given():
        return [acl.TensorList(x), acl.TensorList(y), acl.TensorList(z)]

    own = [f(*abc, float(n)) for *abc, n in zip(x, y, z, numbers, strict=True)]
    same = [f(*abc, 2) for abc in zip(x, y, z, strict=True)]
    check(name + "List", [*given(), acl.Tensor(numbers)], dtype, own)
    check(name + "ScalarList", [*given(), acl.Tensor(numbers)], dtype, own)
    check(name + "Scalar", [*given(), acl.Tensor(np.array([2], dtype))], dtype, same)
    check(name + "ScalarV2", [*given(), acl.Scalar(2, np.float32)], dtype, same)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_lerp_power_rounding_norm(dtype):
    x, y, w = lists(dtype, 3)
    check(
        "LerpList",
        [acl.TensorList(x), acl.TensorList(y), acl.TensorList(w)],
        dtype,
        [wide(a) + wide(c) * (wide(b) - wide(a)) for a, b, c in zip(x, y, w, strict=True)],
    )
    check(
        "LerpScalar",
        [acl.TensorList(x), acl.TensorList(y), acl.Scalar(0.25, np.float32)],
        dtype,
        [wide(a) + 0.25 * (wide(b) - wide(a)) for a, b in zip(x, y, strict=True)],
    )
    check("PowScalarAndTensor", [acl.Scalar(3, np.float32), acl.TensorList(x)], dtype, [3 ** wide(a) for a in x])
    (x,) = lists(dtype, low=-3, high=3)
    for mode, f in {1: np.rint, 2: np.floor, 3: np.ceil, 5: np.trunc, 7: lambda a: a - np.trunc(a)}.items():
        check("RoundOffNumberV2", [acl.TensorList(x), acl.Scalar(mode, np.int8)], dtype, [f(wide(a)) for a in x])
    for order in (1, 2, np.inf):
        got = [acl.Tensor(np.empty((), dtype)) for _ in x]
        acl.run("aclnnForeachNorm", acl.TensorList(x), acl.Scalar(order, np.float32), acl.TensorList(got))
        for tensor, a in zip(got, x, strict=True):
            agree(tensor.numpy(), np.linalg.norm(wide(a).ravel(), order) if a.size else 0, 3)
    zeroed = [acl.Tensor(a.copy()) for a in x]
    acl.run("aclnnForeachZeroInplace", acl.TensorList(zeroed))
    for tensor in zeroed:
        assert not tensor.numpy().astype(bool).any()


def test_whole_numbers():
    x, y = ([values((3,), np.int32, k), values((2, 2), np.int32, k + 5)] for k in (0, 1))
    got = [acl.Tensor(np.empty(one.shape, np.int32)) for one in x]
    acl.run("aclnnForeachMulList", acl.TensorList(x), acl.TensorList(y), acl.TensorList(got))
    for tensor, a, b in zip(got, x, y, strict=True):
        np.testing.assert_array_equal(tensor.numpy(), a * b)


def test_refusals():
    (x,) = lists(np.dtype("float32"))
    with acl.refused(161002, "aclnnForeachMulList"):
        acl.plan("aclnnForeachMulList", acl.TensorList(x), acl.TensorList(x[:2]), acl.TensorList(outs(np.float32)))
    with acl.refused(161001, "aclnnForeachExp", "x"):
        acl.plan("aclnnForeachExp", None, acl.TensorList(outs(np.float32)))
    with acl.refused(161002, "aclnnForeachExp", "x"):
        acl.plan(
            "aclnnForeachExp", acl.TensorList([one.astype(np.complex64) for one in x]), acl.TensorList(outs(np.float32))
        )
    with acl.refused(161002, "aclnnForeachExp", "out"):
        acl.plan("aclnnForeachExp", acl.TensorList(x), acl.TensorList(outs(np.float32)[::-1]))
    with acl.refused(161002, "aclnnForeachAddScalarList", "scalars"):
        acl.plan(
            "aclnnForeachAddScalarList",
            acl.TensorList(x),
            ScalarList([1, 2], np.float32),
            acl.TensorList(outs(np.float32)),
        )
