"""Ufuncs as objects: keywords, types, and the methods reduce, accumulate, reduceat, outer and at."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from agreement import FEW, NUMERIC, agree, assert_same, ours, sample

import asnumpy as ap

UFUNCS = sorted({value.__name__ for value in map(vars(np).get, np.__all__) if isinstance(value, np.ufunc)})
BINARY = [
    name
    for name in UFUNCS
    if getattr(np, name).nin == 2 and getattr(np, name).nout == 1 and not getattr(np, name).signature
]
FOLDING = [
    "add",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "subtract",
    "divide",
    "hypot",
    "logaddexp",
    "gcd",
    "lcm",
    "power",
]
ULP = 8  # sums and products are taken in another order than NumPy's


@pytest.mark.parametrize("name", UFUNCS)
def test_attributes(name):
    own, numpy = getattr(ap, name), getattr(np, name)
    assert isinstance(own, ap.ufunc)
    for attribute in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature", "__name__", "__doc__"):
        assert getattr(own, attribute) == getattr(numpy, attribute), attribute
    assert repr(own) == repr(numpy)
    assert pickle.loads(pickle.dumps(own)) is own


def test_aliases_are_one_object():
    for name in np.__all__:  # other libraries put theirs beside
        value = getattr(np, name)
        if isinstance(value, np.ufunc):
            assert getattr(ap, name) is getattr(ap, value.__name__)


@pytest.mark.parametrize("name", UFUNCS)
def test_wrong_calls(name):
    nin = getattr(np, name).nin
    a = sample((3, 3), "float64")
    agree(name, *[a] * (nin - 1))
    agree(name, *[a] * 6)
    agree(name, *[a] * nin, unknown=1)
    try:
        expected = getattr(np, name)(*["text"] * nin)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(ap, name)(*["text"] * nin)
    else:  # texts can be compared and added
        assert getattr(ap, name)(*["text"] * nin) == expected
    agree(name, *[a] * nin, out=np.zeros((7, 7)))
    agree(name, *[a] * nin, casting="nonsense")
    agree(name, *[a] * nin, dtype="int8")


@pytest.mark.parametrize("dtype", FEW)
@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "true_divide", "less", "equal", "logical_or", "sqrt", "negative"]
)
def test_keywords(name, dtype):
    nin = getattr(np, name).nin
    inputs = [sample((3, 4), dtype, seed) for seed in range(nin)]
    mask = sample((3, 4), "bool", 5)
    for out_dtype in ("float64", "int64", "bool", dtype):
        for where in (True, mask, mask[0], mask[:, :1], [True, False, True, False]):
            agree(name, *inputs, out=np.ones((3, 4), out_dtype), where=where, ulp=2)
        agree(name, *inputs, np.ones((3, 4), out_dtype), ulp=2)
        agree(name, *inputs, out=(np.ones((3, 4), out_dtype),), casting="unsafe", ulp=2)
    for wanted in ("float32", "complex128", "int16"):
        agree(name, *inputs, dtype=wanted, ulp=2)
        agree(name, *inputs, dtype=wanted, casting="unsafe", ulp=2)
    agree(name, *inputs, signature="d" * nin + "->d", ulp=2)
    agree(name, *inputs, sig=(None,) * nin + ("d",), ulp=2)
    agree(name, *inputs, dtype="d", signature="d" * nin + "->d", ulp=2)
    agree(name, *inputs, out=np.ones((2, 3, 4)), ulp=2)
    agree(name, *inputs, out=np.ones(4), ulp=2)
    agree(name, *inputs, out=np.ones((3, 4)), where=np.ones((2, 1, 1), bool))
    agree(name, *inputs, out=np.ones((3, 4)), where=np.ones((3, 4), int))


def test_read_only_output():
    def call(xp, a):
        a.flags.writeable = False
        return xp.add(a, 1, out=a)

    agree(call, sample(5, "float64"))


def test_where_without_out_computes_the_chosen():
    a = sample((3, 4), "float64")
    mask = sample((3, 4), "bool")
    got = ap.to_numpy(ap.add(ap.asarray(a), 1, where=ap.asarray(mask)))
    np.testing.assert_array_equal(got[mask], (a + 1)[mask])


def test_out_in_order_f():
    got = ap.add(ap.ones((3, 4)), 1, order="F")
    assert got.flags.f_contiguous
    assert_same(np.full((3, 4), 2.0), got)


def test_divmod_and_other_pairs():
    a, b = sample((3, 4), "float64"), sample(4, "float64", 1)
    for name, inputs in (("divmod", (a, b)), ("modf", (a,)), ("frexp", (a,))):
        agree(name, *inputs)
        agree(name, *inputs, out=(np.zeros((3, 4)), None))
        agree(lambda xp, *args, name=name: getattr(xp, name)(*args, out=(xp.zeros((3, 4)), xp.zeros((3, 4)))), *inputs)
        agree(name, *inputs, out=np.zeros((3, 4)))


@pytest.mark.parametrize("dtype", FEW)
def test_python_scalars(dtype):
    a = sample((3, 4), dtype)
    for scalar in (True, 3, -3, 300, 2**40, -(2**70), 2.5, 1e300, 1j, np.float32(2), np.int8(3), np.uint64(7)):
        for name in ("add", "multiply", "less", "equal", "maximum", "power"):
            agree(name, a, scalar, ulp=4)
            agree(name, scalar, a, ulp=4)


def test_scalars_alone():
    for name in ("add", "divide", "power", "less"):
        for x in (True, 2, 2.5, 1j, np.float32(2), 2**63):
            for y in (True, 3, 0.5, np.int8(3)):
                agree(name, x, y, ulp=4)


def test_negative_integer_powers():
    for exponent in (-1, np.array(-1), np.array([2, -2, 1]), [1, -1, 2], np.int64(-3), np.array([1, 2, 3], "uint8")):
        agree("power", np.array([2, 3, 4]), exponent)
        agree(lambda _, a, b: a**b, np.array([2, 3, 4]), exponent)


# --- reduce ---

AXES = [None, 0, 1, -1, (0, 2), (), (0, 1, 2), 3, (0, 0)]


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_and", "bitwise_or"])
def test_reduce_axes(name, dtype):
    a = sample((2, 3, 4), dtype)
    for axis in AXES:
        for keepdims in (False, True):
            agree(
                lambda xp, x, *, axis, keepdims: getattr(xp, name).reduce(x, axis=axis, keepdims=keepdims),
                a,
                axis=axis,
                keepdims=keepdims,
                ulp=ULP,
                atol=1e-3,
            )
    agree(lambda xp, x: getattr(xp, name).reduce(x), a, ulp=ULP)
    agree(lambda xp, x: getattr(xp, name).reduce(x.T[::-1, ::2], axis=1), a, ulp=ULP, atol=1e-3)


@pytest.mark.parametrize("name", FOLDING)
def test_reduce_forms(name):
    for dtype in ("float64", "int32", "bool"):
        a = sample((3, 4), dtype)
        if name == "power":
            a = abs(a)

        def reduce(xp, x, **kwargs):
            return getattr(xp, name).reduce(x, **kwargs)

        agree(reduce, a, ulp=ULP)
        agree(reduce, a, axis=None, ulp=ULP)
        agree(reduce, a, axis=(0, 1), ulp=ULP)
        agree(reduce, a, initial=2, ulp=ULP)
        agree(reduce, a, axis=1, initial=None, ulp=ULP)
        agree(reduce, a, where=sample((3, 4), "bool", 3), ulp=ULP)
        agree(reduce, a, where=sample((3, 4), "bool", 3), initial=1, ulp=ULP)
        agree(reduce, a, axis=1, where=sample(4, "bool", 4), initial=1, keepdims=True, ulp=ULP)
        agree(reduce, a, where=[[1], [0], [1]], initial=1, ulp=ULP)
        agree(reduce, a, where=np.ones((2, 3, 4), bool), initial=1, ulp=ULP)
        agree(reduce, a, dtype="float32", ulp=ULP)
        agree(reduce, a, out=np.zeros(4), ulp=ULP)
        if name != "logaddexp":  # truncation hides an agreement to the last bit but one
            agree(reduce, a, out=np.zeros(4, "int8"), ulp=ULP)
        agree(reduce, a, axis=1, out=np.zeros((3, 1)), keepdims=True, ulp=ULP)
        agree(reduce, a, out=np.zeros(3), ulp=ULP)
        for shape, axis in (((0,), 0), ((0, 3), 0), ((0, 3), 1), ((3, 0), None), ((0, 0), 0)):
            agree(reduce, np.zeros(shape, dtype), axis=axis, ulp=ULP)
            agree(reduce, np.zeros(shape, dtype), axis=axis, initial=1, ulp=ULP)
        agree(reduce, np.array(3, dtype), ulp=ULP)
        agree(reduce, np.array(3, dtype), axis=None, ulp=ULP)
        agree(reduce, np.array(3, dtype), axis=1)
        agree(reduce, [[1, 2], [3, 4]], ulp=ULP)


def test_reduce_types():
    for name in ("add", "multiply"):
        for dtype in NUMERIC:
            for wanted in ("int8", "int64", "float32", "complex128", "bool"):
                agree(
                    lambda xp, x, wanted=wanted, name=name: getattr(xp, name).reduce(x, dtype=wanted),
                    abs(sample(4, dtype)),
                    ulp=ULP,
                )


def test_half_sums_are_rounded_once():
    a = np.full(4096, 1.0009765625, np.float16)
    exact = np.float16(a.astype(np.float64).sum())
    assert ap.sum(ap.asarray(a)).item() == exact


@pytest.mark.host_memory  # on a device CANN decides
def test_signs_of_sums_of_zeros():
    a = np.array([-0.0, -0.0, 1.0])
    mask = np.array([True, True, False])
    x = ap.asarray(a)
    assert np.signbit(ap.sum(x[:2]).item()) == np.signbit(np.sum(a[:2]))
    assert np.signbit(ap.sum(x, where=ap.asarray(mask)).item()) == np.signbit(np.sum(a, where=mask))


@pytest.mark.parametrize("name", FOLDING)
def test_accumulate(name):
    for dtype in ("float64", "int8", "bool", "complex64"):
        a = abs(sample((3, 4), dtype)) if name == "power" else sample((3, 4), dtype)

        def accumulate(xp, x, *args, **kwargs):
            return getattr(xp, name).accumulate(x, *args, **kwargs)

        for axis in (0, 1, -1, 2, None):
            agree(accumulate, a, axis, ulp=ULP, atol=1e-5)
        agree(accumulate, a, dtype="float32", ulp=ULP, atol=1e-5)
        agree(accumulate, a, out=np.zeros((3, 4)), ulp=ULP, atol=1e-5)
        agree(accumulate, a, out=np.zeros((3, 4), "int8"), ulp=ULP, atol=1e-5)
        agree(accumulate, np.array(3, dtype))
        agree(accumulate, np.zeros((0, 3), dtype))
        agree(lambda xp, x: getattr(xp, name).accumulate(x.T[::-1], 1), a, ulp=ULP, atol=1e-5)


@pytest.mark.parametrize("name", BINARY)
def test_reduceat_outer_at(name):
    for dtype in ("float64", "int64"):
        a, b = abs(sample((5, 2), dtype)), abs(sample(3, dtype, 1))
        agree(lambda xp, x: getattr(xp, name).reduceat(x, [0, 2, 1, 4]), a, ulp=ULP, atol=1e-9)
        agree(lambda xp, x: getattr(xp, name).reduceat(x, [0, 1], axis=1), a, ulp=ULP, atol=1e-9)
        agree(lambda xp, x: getattr(xp, name).reduceat(x, [0, 9]), a)
        agree(lambda xp, x, y: getattr(xp, name).outer(x, y), a, b, ulp=ULP)
        agree(lambda xp, x: getattr(xp, name).outer(x, 2), a, ulp=ULP)
        agree(lambda xp, x: getattr(xp, name).outer(3, x), a, ulp=ULP)
        agree(lambda xp, x: getattr(xp, name).outer([1, 2], x, dtype="float32"), a, ulp=ULP)

        def at(xp, x, y):
            getattr(xp, name).at(x, [0, 0, 2], 3)
            getattr(xp, name).at(x, (slice(None), ours([1]) if xp is ap else [1]), y[:1])
            return x

        agree(at, a, b, ulp=ULP)


def test_at_unary_and_errors():
    def at(xp, x):
        xp.negative.at(x, [0, 0, 1])
        return x

    agree(at, sample(4, "float64"))
    agree(lambda xp, x: xp.add.at(x, [9], 1), sample(4, "float64"))
    agree(lambda xp, x: xp.add.at(x, 0, 1), [1, 2])
    agree(lambda xp, x: xp.negative.reduce(x), sample(4, "float64"))
    agree(lambda xp, x: xp.negative.outer(x, x), sample(4, "float64"))


# --- the functions over reductions ---


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", NUMERIC)
def test_reduction_functions(name, dtype):
    for shape in ((), (7,), (3, 4), (2, 3, 4), (0,), (0, 3)):
        a = np.asarray(sample(shape, dtype))
        for axis in (None, 0, -1):
            agree(name, a, axis, ulp=ULP, atol=1e-2)
            agree(lambda _, x, axis=axis: getattr(x, name)(axis), a, ulp=ULP, atol=1e-2)
    agree(name, [[1, 2], [3, 0]])


def test_cumulative_functions():
    for name in ("cumulative_sum", "cumulative_prod"):
        for dtype in ("float32", "int8", "bool"):
            a = sample((3, 4), dtype)
            for initial in (False, True):
                for axis in (0, 1, -1, None):
                    agree(name, a, axis=axis, include_initial=initial, ulp=ULP)
                agree(name, a[0], include_initial=initial, ulp=ULP)
                agree(name, a, axis=0, dtype="float64", include_initial=initial, ulp=ULP)


# --- products of vectors and matrices ---

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((2, 3), (2, 3)),
    ((), (3,)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((5, 3), (5, 3)),
    ((2, 2, 3), (4, 3, 1)),
]


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
@pytest.mark.parametrize("dtype", FEW)
def test_matrix_ufuncs(name, dtype):
    for first, second in SHAPES:
        a, b = np.asarray(sample(first, dtype)), sample(second, dtype, 1)
        agree(name, a, b, ulp=ULP, atol=1e-5)
        agree(name, a, b.astype("float64") if dtype != "complex64" else b, ulp=ULP, atol=1e-5)
    a, b = sample((2, 3, 3), dtype), sample((2, 3, 3), dtype, 1)
    agree(name, a, b, dtype="float64", ulp=ULP)
    agree(name, a, b, out=np.zeros((2, 3, 3)), ulp=ULP)
    agree(name, a, b, out=np.zeros((2, 3)), ulp=ULP)
    agree(lambda xp, x, y: getattr(xp, name)(x.transpose(0, 2, 1), y[:, ::-1]), a, b, ulp=ULP, atol=1e-5)
    if name == "vecdot":
        agree(name, a, b, axis=1, ulp=ULP)
        agree(name, a, b, keepdims=True, ulp=ULP)
    else:
        agree(name, a, b, axes=[(-2, -1), (-2, -1), (-2, -1)], ulp=ULP)


def test_operator_matmul():
    agree(lambda _, a, b: a @ b, sample((2, 3), "float32"), sample((3, 4), "float32"), ulp=ULP)
    agree(lambda _, a: a @ [[1], [2], [3]], sample((2, 3), "float32"), ulp=ULP)
    agree(lambda _, a: [[1, 2]] @ a, sample((2, 3), "float32"), ulp=ULP)
    agree(lambda _, a: a @ 2, sample((2, 3), "float32"))
    agree(lambda _, a, b: a.__imatmul__(b), sample((3, 3), "float32"), sample((3, 3), "float32", 1), ulp=ULP)


@pytest.mark.parametrize("dtype", FEW)
def test_out_of_the_same_and_other_dtypes(dtype):
    a, b = sample((6,), dtype, 1), sample((6,), dtype, 2)
    for shape, kind in ((6, dtype), (6, "float64"), ((2, 6), dtype), (5, dtype), (1, dtype)):
        out = np.zeros(shape, kind)
        agree(lambda xp, x, y, o: (xp.add(x, y, out=o), o), a, b, out)
        agree(lambda xp, x, o: (xp.multiply(x, 2, out=o), o), a, out)
        agree(lambda xp, x, o: (xp.maximum(x[::-1], x, out=o), o), a, out)
    agree(lambda xp, x: (xp.add(x[:-1], x[1:], out=x[1:]), x), a)
    agree(lambda xp, x: xp.add(x, x, out=x) is x, a)
