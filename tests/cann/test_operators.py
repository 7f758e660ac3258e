"""Values of operators called by name, against NumPy: every kind of parameter, views, and what the facts say of all."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from asnumpy import cann
from asnumpy.cann import _facts
from asnumpy.runtime import cann_search

RANDOM = np.random.default_rng(7)


def put(values: Any, dtype: Any = None) -> cann.Tensor:
    return cann.from_numpy(np.asarray(values, dtype))


def view(array: np.ndarray) -> cann.Tensor:
    """The array's values and layout on the device: its base is copied, the view is described over it."""
    base = array if array.base is None else array.base
    whole = put(base.reshape(-1))
    item = array.itemsize
    start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    strides = [step // item for step in array.strides]
    return cann.tensor(whole.address, array.shape, array.dtype, strides, start // item, owner=whole.owner)


def test_there_are_789_and_each_tells_its_parameters() -> None:
    names = cann.operators()
    assert len(names) == 789
    there = _facts.names_in(cann_search.search().facts)
    assert set(there) <= set(names)
    for name in names:
        op = cann.op(name)
        assert op.__doc__ is not None and op.__doc__.startswith(name + "(")
        rows = op.__doc__.split("Parameters\n")[1].splitlines()
        for one in op.signature.parameters:
            assert any(row.split()[:1] == [one.name] for row in rows), (name, one.name)
        assert len(inspect.signature(op).parameters) == len(op.signature.parameters)
        assert op.available == (name in there)


def test_operators_finds_by_text() -> None:
    assert cann.operators("addcm") == [name for name in cann.operators() if "addcm" in name.lower()]
    assert "aclnnForeachAddcmulList" in cann.operators("addcm")
    assert cann.operators("no such text") == []


def test_documented_dtypes_are_in_the_docstring() -> None:
    text = " ".join(cann.op("aclnnTopk").__doc__.split())
    assert "self tensor: int8, uint8, int16, int32, int64, float16, bfloat16, float32, float64" in text
    assert "indicesOut tensor, written: int64" in text
    assert "index tensor: int32, int64; 1 to 8 axes" in " ".join(cann.op("aclnnGatherV2").__doc__.split())


def test_addcmul_returns_its_output() -> None:
    x, a, b = (RANDOM.standard_normal((3, 5)).astype("f4") for _ in range(3))
    out = cann.empty((3, 5))
    assert cann.op("aclnnAddcmul")(put(x), put(a), put(b), 0.5, out) is out
    np.testing.assert_allclose(cann.to_numpy(out), x + np.float32(0.5) * a * b, rtol=1e-6)


def test_arguments_by_name_in_any_order() -> None:
    out = cann.empty((3,), "int32")
    cann.op("aclnnAdd")(out=out, alpha=3, other=put([1, 2, 3], "i4"), self=put([10, 20, 30], "i4"))
    assert cann.to_numpy(out).tolist() == [13, 26, 39]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_add_of_every_dtype(dtype: str) -> None:
    a, b = (RANDOM.integers(0, 50, (4, 3)).astype(dtype) for _ in range(2))
    out = cann.empty((4, 3), dtype)
    cann.op("aclnnAdd")(put(a), put(b), True if dtype == "bool" else 1, out)
    np.testing.assert_array_equal(cann.to_numpy(out), a + b)


def test_list_of_tensors() -> None:
    parts = [RANDOM.integers(0, 9, (2, n)).astype("i4") for n in (1, 3, 2)]
    out = cann.empty((2, 6), "int32")
    cann.op("aclnnCat")([put(part) for part in parts], 1, out)
    np.testing.assert_array_equal(cann.to_numpy(out), np.concatenate(parts, 1))


def test_written_list_of_tensors() -> None:
    outs = [cann.empty((2, 2)) for _ in range(3)]
    x = RANDOM.standard_normal((6, 2)).astype("f4")
    assert cann.op("aclnnSplitTensor")(put(x), 2, 0, outs) is outs
    for part, expected in zip(outs, np.split(x, 3), strict=True):
        np.testing.assert_array_equal(cann.to_numpy(part), expected)


def test_list_of_numbers() -> None:
    xs = [np.arange(3, dtype="f4"), np.ones((2, 2), "f4")]
    outs = [cann.empty(x.shape) for x in xs]
    cann.op("aclnnForeachAddScalarList")([put(x) for x in xs], [1.5, -2.0], outs)
    for out, x, number in zip(outs, xs, (1.5, -2.0), strict=True):
        np.testing.assert_array_equal(cann.to_numpy(out), x + np.float32(number))


def test_two_outputs_come_as_a_tuple() -> None:
    x = RANDOM.permutation(12).reshape(3, 4).astype("f4")
    values, places = cann.empty((3, 2)), cann.empty((3, 2), "int64")
    assert cann.op("aclnnTopk")(put(x), 2, 1, True, True, values, places) == (values, places)
    np.testing.assert_array_equal(cann.to_numpy(values), -np.sort(-x, 1)[:, :2])
    np.testing.assert_array_equal(cann.to_numpy(places), np.argsort(-x, 1)[:, :2])


def test_integers_bool_and_dtype() -> None:
    x = RANDOM.integers(-5, 5, (2, 3, 4)).astype("i4")
    out = cann.empty((2, 1, 4), "int64")
    cann.op("aclnnReduceSum")(put(x), [1], True, np.int64, out)
    np.testing.assert_array_equal(cann.to_numpy(out), x.sum(1, keepdims=True))
    cast = cann.empty(x.shape, "float16")
    cann.op("aclnnCast")(put(x), "float16", cast)
    np.testing.assert_array_equal(cann.to_numpy(cast), x.astype("f2"))


def test_in_place_operator_returns_what_it_updates() -> None:
    x = put([1.0, 2.0], "f4")
    assert cann.op("aclnnInplaceAdd")(x, put([10.0, 20.0], "f4"), 2.0) is x
    assert cann.to_numpy(x).tolist() == [21.0, 42.0]


def test_text_parameter() -> None:
    a, b = (RANDOM.integers(0, 5, shape).astype("f4") for shape in ((2, 3), (3, 4)))
    out = cann.empty((2, 4))
    cann.op("aclnnEinsum")([put(a), put(b)], "ij,jk->ik", out)
    np.testing.assert_array_equal(cann.to_numpy(out), a @ b)


def test_optional_parameters_may_be_left_out() -> None:
    x = RANDOM.standard_normal((2, 6)).astype("f4")
    out, mean, rstd = cann.empty((2, 6)), cann.empty((2, 1)), cann.empty((2, 1))
    op = cann.op("aclnnLayerNorm")
    optional = [one.name for one in op.signature.parameters if one.optional]
    assert optional
    op(input=put(x), normalizedShape=[6], eps=1e-5, out=out, meanOutOptional=mean, rstdOutOptional=rstd)
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(cann.to_numpy(out), expected, rtol=1e-4, atol=1e-5)


def test_keyword_names_of_python_have_an_underscore() -> None:
    kept = ("from", "lambda")
    names = [name for name in cann.operators() if any(p.name in kept for p in cann.op(name).signature.parameters)]
    assert names
    for name in names:
        assert {"from_", "lambda_"} & set(inspect.signature(cann.op(name)).parameters)
    x = put(np.zeros(64), "f4")
    cann.op("aclnnInplaceUniform")(x, from_=2.0, to=3.0, seed=1, offset=0)
    assert 2.0 <= cann.to_numpy(x).min() <= cann.to_numpy(x).max() < 3.0


@settings(max_examples=60, deadline=None)
@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=5), st.data())
def test_strided_and_broadcast_views(shapes: Any, data: st.DataObject) -> None:
    arrays = []
    for shape in shapes.input_shapes:
        steps = data.draw(st.tuples(*[st.integers(1, 3)] * len(shape)))
        base = RANDOM.integers(-9, 9, [max(n * step, 1) for n, step in zip(shape, steps, strict=True)]).astype("i4")
        turned = base[tuple(slice(0, n * step, step) for n, step in zip(shape, steps, strict=True))]
        arrays.append(turned)
    out = cann.empty(shapes.result_shape, "int32")
    cann.op("aclnnMul")(*(view(array) for array in arrays), out)
    np.testing.assert_array_equal(cann.to_numpy(out), arrays[0] * arrays[1])


def test_output_through_a_strided_view() -> None:
    whole = put(np.zeros((4, 6), "f4"))
    column = cann.tensor(whole.address, (4, 2), "f4", (6, 3), 1, owner=whole.owner)
    cann.op("aclnnAdds")(put(np.arange(8, dtype="f4").reshape(4, 2)), 1.0, 1.0, column)
    expected = np.zeros((4, 6), "f4")
    expected[:, 1::3] = np.arange(1, 9).reshape(4, 2)
    np.testing.assert_array_equal(cann.to_numpy(whole), expected)


def test_empty_and_scalar_shapes() -> None:
    for shape in ((), (0,), (2, 0, 3)):
        out = cann.empty(shape)
        cann.op("aclnnExp")(put(np.ones(shape), "f4"), out)
        np.testing.assert_allclose(cann.to_numpy(out), np.exp(np.ones(shape, "f4")), rtol=1e-6)


@pytest.mark.parametrize(("value", "reference", "expected"), [
    (1, "float32", "float32"), (1, "int8", "int8"), (300, "int8", "int64"), (True, "bool", "bool"),
    (2.5, "int32", "float32"),
    (2.5, "float64", "float64"), (1, "bool", "int64"), (1j, "float32", "complex64"), (True, "int32", "int32"),
])  # fmt: skip
def test_a_python_number_takes_the_dtype_of_the_tensors_where_it_can(value: Any, reference: str, expected: str) -> None:
    from asnumpy.cann._arguments import Checker

    checker = Checker(_facts.signature("aclnnAdd"), True)
    made = checker.one(_facts.signature("aclnnAdd")["alpha"], value, np.dtype(reference))
    assert made.dtype == expected and made == value


def test_a_format_is_passed_on() -> None:
    x = RANDOM.standard_normal((1, 1, 4, 4)).astype("f4")
    given = cann.tensor(put(x).address, x.shape, "f4", format="NCHW")
    assert given.format == "NCHW" and "NCHW" in repr(given)
    with pytest.raises(ValueError, match=r"format: expected one of .*NCHW.*got 'NWHC'"):
        cann.tensor(0x40, (1,), "f4", format="NWHC")


def test_memory_follows_the_policy_and_goes_back() -> None:
    for policy in ("huge_first", "normal_only"):
        x = cann.empty((1024,), policy=policy)
        assert isinstance(x.owner, cann.Memory) and x.owner.policy == policy and policy in repr(x.owner)
    del x
    before = cann.device_properties(0)["memory_free"]
    memory = cann.Memory(1 << 20, pooled=False)
    assert cann.device_properties(0)["memory_free"] < before
    del memory
    assert cann.device_properties(0)["memory_free"] == before


def test_write_casts_and_broadcasts() -> None:
    x = cann.empty((2, 3), "int32")
    cann.write(x, [1.0, 2.0, 3.0])
    assert cann.to_numpy(x).tolist() == [[1, 2, 3], [1, 2, 3]]
