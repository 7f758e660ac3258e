"""What NumPy's own tests found: corners of many functions, each beside NumPy."""

from __future__ import annotations

import operator
import pickle
from typing import Any

import numpy as np
import pytest
from agreement import agree, sample

import asnumpy as ap


@pytest.mark.parametrize("key", [
    None, (), (1, 2), ..., True, False, [True, True], [1, 3, 5], [-1, -2], [[1, 2], [3, 4]], 2, -1,
    slice(None, None, -2),
], ids=repr)
def test_keys_of_flat(key: Any) -> None:
    agree(lambda xp, a: a.flat[key], sample((3, 4), "int64"))

    def assign(xp: Any, a: Any) -> Any:
        a.flat[key] = 7
        return a

    agree(assign, sample((3, 4), "int64"))


def test_flat_as_an_iterator() -> None:
    def places(a: Any) -> Any:
        f = a.flat
        said = [next(f).item(), f.index, f.coords, [v.item() for v in f], f.index, f.coords, list(f)]
        said += [f[3].item(), f.index, f.coords, next(f).item(), f.index]
        f[2] = 1
        return [*said, f.index, len(f), sum(f).item(), f.index]

    for shape in ((7,), (3, 4), (2, 1, 5), (1, 1, 4)):
        a = np.arange(np.prod(shape)).reshape(shape)
        assert places(ap.from_numpy(a)) == places(a)


@pytest.mark.host_memory
@pytest.mark.parametrize("layout", [lambda a: a, lambda a: a.T, lambda a: a[:, ::2]], ids=["C", "F", "strided"])
@pytest.mark.parametrize("writable", [True, False])
def test_flat_as_an_array(layout: Any, writable: bool) -> None:
    def flags(xp: Any) -> Any:
        a = layout(xp.arange(12.0).reshape(3, 4))
        a.flags.writeable = writable
        made = a.flat.__array__()
        if made.flags.writeable:
            made[1] = 100
        cast = np.asarray(a.flat, np.float32)
        return made.flags.writeable, np.asarray(a.flat).flags.writeable, cast.flags.writeable, cast.dtype, a.tolist()

    assert flags(ap) == flags(np)


def test_elements_of_flat_cannot_be_deleted() -> None:
    with pytest.raises(TypeError, match="Cannot delete"):
        del ap.ones(3).flat[1]


@pytest.mark.parametrize("how", [
    {"ndmax": 1}, {"ndmax": 2}, {"ndmax": 1, "ndmin": 2}, {"ndmax": -1}, {"ndmax": 65}, {"ndmin": 65},
    {"ndmin": 3}, {"ndmin": -1}, {"ndmax": 1.0}, {"ndmax": np.int64(2)}, {"ndmin": 2.0},
    {"ndmax": 1, "ndmin": 2, "dtype": object},
], ids=repr)
@pytest.mark.parametrize("value", [[[1, 2], [3, 4]], [1.5], 7, np.ones((2, 2)), []], ids=repr)
@pytest.mark.skipif("ndmax" not in (np.array.__doc__ or ""), reason="this NumPy has no ndmax")
def test_fewest_and_most_axes(value: Any, how: dict[str, Any]) -> None:
    agree("array", value, **how)


def test_squeeze_of_a_subclass_that_knows_no_axis() -> None:
    class Old(ap.ndarray):
        def squeeze(self) -> Any:  # type: ignore[override]
            return super().squeeze()

    assert ap.squeeze(ap.ones((2, 1)).view(Old)).shape == (2,)


def test_arguments_of_array_function() -> None:
    a = ap.array([1, 2])
    with pytest.raises(TypeError, match="args must be a tuple, got ndarray"):
        a.__array_function__(np.reshape, (ap.ndarray,), a, (2, 1))
    with pytest.raises(TypeError, match="kwargs must be a dict, got tuple"):
        a.__array_function__(np.reshape, (ap.ndarray,), (a,), (2, 1))


def test_masks_of_flat() -> None:
    a = sample((3, 4), "float32")
    agree(lambda xp, a, mask: a.flat[mask], a, np.arange(12) % 3 == 0)
    agree(lambda xp, a, mask: a.flat[mask], a, np.arange(13) % 3 == 0)


@pytest.mark.parametrize(
    "keywords", [{"order": "W"}, {"casting": "same_value"}, {"order": "F"}, {"order": "a"}, {"order": "C"}], ids=repr
)
@pytest.mark.parametrize("optimize", [False, True])
def test_order_and_casting_of_einsum(keywords: dict[str, Any], optimize: bool) -> None:
    def layout(xp: Any, a: Any, b: Any) -> Any:
        made = xp.einsum("...ft,mf->...mt", a, b, optimize=optimize, **keywords)
        return made, made.flags.f_contiguous if "order" in keywords else None

    agree(layout, np.asfortranarray(sample((2, 3, 5), "float64")), np.asfortranarray(sample((4, 3), "float64")))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("length", [0, 1, 3, 150])
def test_the_sign_of_a_sum_of_zeros(dtype: str, length: int) -> None:
    zero = complex(-0.0, -0.0) if dtype.startswith("c") else -0.0
    start = np.dtype(dtype).type(zero)
    for xp in (np, ap):
        made = np.asarray(xp.sum(xp.full(length, start), initial=start))
        assert np.signbit(made.real) and (dtype[0] != "c" or np.signbit(made.imag)), xp.__name__


def test_scalars_stay_scalars() -> None:
    for value in (3, 2.5, np.float32(np.nan), np.inf, 1 + 2j):
        made = ap.nan_to_num(value)
        agree("nan_to_num", value)
        assert isinstance(made, ap.Number) and ap.isscalar(made)
    assert ap.isscalar(ap.percentile(ap.arange(5), 50)) and ap.isscalar(ap.ones(3).sum()) and ap.isscalar(ap.ones(3)[0])
    assert ap.isscalar(ap.ones(3) @ ap.ones(3)) and ap.isscalar(3) and ap.isscalar("text")
    assert not ap.isscalar(ap.array(3)) and not ap.isscalar(ap.ones(1)) and not ap.isscalar([1])


def test_concatenation_by_operator_and_lengths_that_are_bools() -> None:
    agree(lambda xp, a: operator.concat(a, a), sample(3, "int64"))
    agree(lambda xp, a: operator.concat([1], a), sample(3, "int64"))
    agree(lambda xp, a: xp.reshape(a, (True, -1)), sample(3, "int64"))


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("shape", [(6,), (2, 3), (3, 2, 2), ()], ids=repr)
@pytest.mark.parametrize("layout", "CF")
def test_order_of_another_shape(order: str, shape: tuple[int, ...], layout: str) -> None:
    def flags(xp: Any, a: Any) -> Any:
        made = xp.zeros_like(a, shape=shape, order=order)
        return made.flags.c_contiguous, made.flags.f_contiguous

    agree(flags, np.array(sample((3, 4), "float32"), order=layout))  # type: ignore[call-overload]


def test_numbers_in_isclose() -> None:
    below_one = float(1.0 - np.finfo("f8").eps)
    one = np.array(below_one, "f4")
    for b, rtol, atol in ((below_one, 0, 0), (np.float32(0), 1e-5, below_one), (2, below_one / 2, 0), (1 + 0j, 0, 0)):
        agree("isclose", one, b, rtol=rtol, atol=atol)
        agree("isclose", b, one, rtol=rtol, atol=atol)
    agree("isclose", 1, 1.0)
    agree("isclose", np.inf, -np.inf)


@pytest.mark.parametrize("given", [[0, 0, 1, 2, 0], (0, 1.5, 0), [0, 0]], ids=repr)
def test_lists_are_trimmed_to_lists(given: Any) -> None:
    expected, got = np.trim_zeros(given), ap.trim_zeros(given)
    assert type(got) is type(expected) and got == expected
    agree("trim_zeros", np.zeros(()), axis=None)


@pytest.mark.parametrize("name", ["stack", "hstack", "vstack", "dstack", "column_stack"])
def test_generators_are_not_stacked(name: str) -> None:
    agree(lambda xp: getattr(xp, name)(xp.arange(3) for _ in range(2)))
    agree(lambda xp: getattr(xp, name)(iter(xp.ones((3, 2)))))


@pytest.mark.parametrize("nested", [[1, []], [[], 1], [[1], 1], [[]], []], ids=repr)
def test_blocks_that_do_not_fit(nested: Any) -> None:
    agree(lambda xp: xp.block(nested))


def test_errors_of_joining_and_padding() -> None:
    agree(lambda xp: xp.concatenate([[1], [1]], dtype="(2,)i"))
    agree(lambda xp: xp.concatenate([[1], [1]], casting="same_value"))
    agree(lambda xp: xp.concatenate([[1], [[1]]]))
    agree(lambda xp: xp.pad([1.0, 2.0], 0, "minimum", stat_length=0))
    agree(lambda xp: xp.pad([1.0, 2.0], 0, "maximum", stat_length=(1, 0)))
    agree(lambda xp: xp.pad(np.ones((6, 5)), (((3,), (4,), (5,)), ((0,), (1,), (2,))), "constant"))


@pytest.mark.parametrize("args, keywords", [
    ((), {"stop": 3}), ((0,), {"stop": 3}), ((), {"start": 3, "stop": 9}), ((), {"start": 3, "stop": 9, "step": 2}),
    ((), {}), ((), {"start": 4}), ((), {"step": 3}), ((1,), {"start": 2, "stop": 5}), ((), {"stop": 3, "dtype": "f4"}),
], ids=repr)
def test_keywords_of_arange(args: Any, keywords: Any) -> None:
    agree(lambda xp: xp.arange(*args, **keywords))


def test_delete_keeps_the_order_of_memory() -> None:
    def layout(xp: Any, a: Any) -> Any:
        made = xp.delete(a, slice(60, None), axis=1)
        return made, made.flags.f_contiguous, made.flags.c_contiguous

    agree(layout, np.asfortranarray(sample((2, 5), "int64")))


class Wrapped:
    """Has nothing but `__array__`, which gives an array of the library that made its elements."""

    def __init__(self, elements: Any) -> None:
        self.elements = elements

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.elements


@pytest.mark.parametrize("name", ["array", "asarray", "bincount", "sum", "intersect1d", "sin"])
def test_array_likes_that_give_our_arrays(name: str) -> None:
    def call(xp: Any) -> Any:
        given = Wrapped(xp.asarray([3, 1, 1, 0]))
        return getattr(xp, name)(*[given] * (2 if name == "intersect1d" else 1))

    agree(call)
    agree(lambda xp: xp.ones(3) + xp.add(Wrapped(xp.arange(3)), 1))


class Recorder:
    """Answers every ufunc with what it was given."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ufunc.__name__, method, len(inputs), sorted(kwargs), type(kwargs.get("out")).__name__


class Refuser:
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NotImplemented


@pytest.mark.parametrize("call", [
    lambda xp, other: xp.multiply(other, 2, "out"),
    lambda xp, other: xp.multiply(other, 2, out="out"),
    lambda xp, other: xp.multiply(xp.ones(2), other, out=None),
    lambda xp, other: xp.modf(other, None, None),
    lambda xp, other: xp.multiply(other, 2, "one", out="two"),
    lambda xp, other: xp.multiply(other, 2, sig="dd->d"),
    lambda xp, other: xp.add(xp.ones(2), 1, where=other),
    lambda xp, other: xp.ones(2) + other,
    lambda xp, other: xp.add.outer(xp.ones(2), other),
])
def test_other_classes_take_over(call: Any) -> None:
    agree(lambda xp: call(xp, Recorder()))
    agree(lambda xp: call(xp, Refuser()))


@pytest.mark.host_memory
def test_pickles_without_and_with_buffers() -> None:
    a = ap.arange(12).reshape(3, 4)
    for array in (a, a[:, ::2], a.T):
        got = pickle.loads(pickle.dumps(array, protocol=5))
        np.testing.assert_array_equal(got, array)
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    got = pickle.loads(stream, buffers=buffers)
    got[0, 0] = -1
    assert a[0, 0] == -1  # out of band, memory is shared, as NumPy does
    pickle.loads(pickle.dumps(a[:, ::2], protocol=5, buffer_callback=lambda one: None))


def test_results_of_the_host_are_the_caller_s_own() -> None:
    assert ap.choose([0, 1], [[1, 2], [3, 4]]).flags.owndata
    assert not ap.from_dlpack(np.arange(3)).flags.owndata
    assert type(ap.asarray(np.float64(2))) is ap.ndarray


@pytest.mark.parametrize("axis", [[0], [0, 1], (0, 0), (0, 1), 1.0, True, (True,), "a", range(2), (1.5,)], ids=repr)
@pytest.mark.parametrize("name", ["sum", "max", "any", "add.reduce", "multiply.reduce"])
def test_axes_of_reductions(name: str, axis: Any) -> None:
    agree(name, sample((2, 3), "float64"), axis=axis)


@pytest.mark.parametrize("decimals", [308, 309, 400, 2**31 - 1, 2**31, -308, -400, -(2**31)])
@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "int64", "uint8", "bool"])
def test_decimals_beyond_the_range_of_floats(decimals: int, dtype: str) -> None:
    # NumPy counts up to them one by one, for seconds, and has reached infinity long before
    numpys = {2**31 - 1: 400, -(2**31): -400}.get(decimals, decimals)
    agree(lambda xp, a: xp.round(a, decimals if xp is ap else numpys), sample(5, dtype))


@pytest.mark.parametrize("width", [np.uint8(1), np.array([1], "u1"), 1.0, True, [2**63], -1, (1, 2)], ids=repr)
def test_what_may_be_a_width_of_padding(width: Any) -> None:
    agree(lambda xp, a: xp.pad(a, width), sample((2, 3), "int64"))


@pytest.mark.parametrize("key", [
    (slice(0, 3), slice(1, 5, 2)), (slice(0, 1, 4j), slice(None, 3)), (slice(0.0, 1, 0.25),), slice(0, 1, 3j),
    (slice(np.float32(0), np.float32(1), np.float32(0.25)), slice(0, 2)), (slice(3, 0), slice(0, 2)), (3, slice(0, 2)),
], ids=repr)
def test_keys_of_mgrid(key: Any) -> None:
    agree(lambda xp: xp.mgrid[key])
