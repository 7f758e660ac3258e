"""Forms of calls that other programs make: outputs that broadcast, null for one of two, any shape of one element."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import same, values


def test_remainder_of_a_column_and_a_row() -> None:
    x, y = values((3, 1), np.float32), values((1, 4), np.float32) + 9
    same(acl.result("aclnnFmodTensor", x, y, ..., out=np.empty((3, 4), np.float32)), np.fmod(x, y))


@pytest.mark.parametrize("dtype", ["float32", "int32", "float16"])
def test_clamp_by_tensors_of_which_one_may_be_null(dtype: str) -> None:
    x = values((3, 4), np.dtype(dtype))
    low, high = values((4,), np.dtype(dtype)), values((3, 1), np.dtype(dtype)) + np.dtype(dtype).type(2)
    out = np.empty_like(x)
    same(acl.result("aclnnClampTensor", x, low, high, ..., out=out), np.minimum(np.maximum(x, low), high))
    same(acl.result("aclnnClampTensor", x, low, None, ..., out=out), np.maximum(x, low))
    same(acl.result("aclnnClampTensor", x, None, high, ..., out=out), np.minimum(x, high))
    with acl.refused(161001, "aclnnClampTensor", "a bound"):
        acl.result("aclnnClampTensor", x, None, None, ..., out=out)


def test_polar_of_a_radius_and_angles() -> None:
    radius, angle = np.float32([[2], [3]]), np.linspace(0, 6, 5, dtype=np.float32)
    got = acl.result("aclnnPolar", radius, angle, ..., out=np.empty((2, 5), np.complex64))
    np.testing.assert_allclose(got, radius * np.exp(1j * angle), rtol=1e-6)


def test_the_product_of_two_vectors_has_no_axes() -> None:
    x, y = values((5,), np.float32), values((5,), np.float32, 3)
    got = acl.result("aclnnMatmul", x, y, ..., 0, out=np.empty((), np.float32))
    np.testing.assert_allclose(got, x @ y, rtol=1e-6)


@pytest.mark.parametrize(("name", "function"), [("aclnnMax", np.max), ("aclnnMin", np.min)])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_an_extreme_of_all_goes_to_any_shape_of_one(name, function, shape) -> None:
    x = values((3, 4), np.int32)
    same(acl.result(name, x, ..., out=np.empty(shape, np.int32)), np.full(shape, function(x), np.int32))
    with acl.refused(161002, name, "out"):
        acl.result(name, x, ..., out=np.empty(2, np.int32))


def test_a_product_of_all_goes_to_any_shape_of_one() -> None:
    x = values((2, 3), np.float32)
    got = acl.result("aclnnProd", x, acl.dtype_number(np.float32), ..., out=np.empty(1, np.float32))
    np.testing.assert_allclose(got, np.prod(x, keepdims=True)[0], rtol=1e-6)


@pytest.mark.parametrize("factor", [0, 1])
def test_a_sum_of_bools_has_an_integer_factor(factor: int) -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    alpha = acl.Scalar(factor, np.int64)
    same(acl.result("aclnnAdd", x, y, alpha, ..., out=np.empty(4, bool)), x | (y & bool(factor)))


def test_a_spectrum_of_windows_of_one_signal() -> None:
    signal = values((32,), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(signal, 8)[::4]
    expected = np.fft.rfft(frames, axis=-1).T.astype(np.complex64)
    out = np.empty(expected.shape, np.complex64)
    got = acl.result("aclStft", signal, None, ..., 8, 4, 8, False, True, True, out=out)
    np.testing.assert_allclose(got, expected, atol=1e-5)


def test_a_graph_has_its_number_while_it_is_captured() -> None:
    stream = ctypes.c_void_p()
    acl.call("aclrtCreateStream", ctypes.byref(stream))
    acl.call("aclmdlRICaptureBegin", stream, 0)
    status, model, number, later = ctypes.c_int32(), ctypes.c_void_p(), ctypes.c_uint32(), ctypes.c_uint32()
    acl.call("aclmdlRICaptureGetInfo", stream, ctypes.byref(status), ctypes.byref(model))
    acl.call("aclmdlRIGetId", model, ctypes.byref(number))
    ended = ctypes.c_void_p()
    acl.call("aclmdlRICaptureEnd", stream, ctypes.byref(ended))
    acl.call("aclmdlRIGetId", ended, ctypes.byref(later))
    assert ended.value == model.value and number.value == later.value
    acl.call("aclmdlRIDestroy", ended)
    acl.call("aclrtDestroyStream", stream)
