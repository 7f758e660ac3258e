"""The array API standard's array object as array-api-strict has it: attributes, indexing, devices, DLPack."""

from __future__ import annotations

import operator

import array_api_strict as strict
import numpy as np
import pytest
from agreement import assert_same, sample
from array_api_standard import B, I, M, T, conforms

import asnumpy as ap

DTYPES = list(strict.__array_namespace_info__().dtypes())


# --- the array object ---


def test_attributes():
    wanted = {name for name in vars(strict._array_object.Array) if not name.startswith("_") or name.startswith("__")}
    wanted -= {"__module__", "__weakref__", "__buffer__", "__annotations__", "__hash__", "__static_attributes__",
               "__firstlineno__"}
    assert not [name for name in wanted if not hasattr(ap.ndarray, name)]
    x = ap.asarray(T)
    assert (x.ndim, x.shape, x.size, x.dtype, x.device) == (3, (2, 3, 4), 24, np.float32, ap.Device())
    assert x.mT.shape == (2, 4, 3) and ap.asarray(M).T.shape == (5, 4)
    assert x.to_device(x.device) is x and x.to_device(str(x.device), stream=None) is x
    for call in (lambda: x.to_device("tpu:9"), lambda: x.to_device("cpu", stream=3)):
        with pytest.raises(ValueError, match="to_device"):
            call()


def test_conversions_of_single_elements():
    for dtype in DTYPES:
        x = ap.asarray(np.array(1, dtype))
        assert bool(x) is True and complex(x) == 1 and type(complex(x)) is complex
        if not dtype.startswith("complex"):
            assert int(x) == 1 and float(x) == 1.0 and type(float(x)) is float
        if "int" in dtype:
            assert operator.index(x) == 1
    assert ap.asarray([5, 6, 7])[ap.asarray(1)] == 6 and [0, 1, 2][ap.asarray(2)] == 2
    with pytest.raises(TypeError):
        operator.index(ap.asarray(1.0))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ap.ones(2))
    assert list(ap.asarray([1, 2])) == [1, 2]


@pytest.mark.parametrize("key", [
    2, -1, slice(1, 4, 2), slice(None, None, -1), (1, 2), (slice(None), 1), (..., 2), (None, 1),
    (slice(3, 0, -2), None),
    (..., slice(1, 2)), (), ...,
])
def test_indexing(key):
    conforms(lambda x: x[key], M)
    plain, mine = np.array(M), ap.asarray(M)
    assert_same(plain[key], mine[key])
    plain[key] = 7
    mine[key] = 7
    assert_same(plain, mine)


def test_indexing_with_arrays():
    conforms(lambda x, m: x[m], M, B)
    conforms(lambda x, i: x[i, :], M, np.array([2, 0]))
    conforms(lambda x, i, j: x[i, j], M, np.array([2, 0]), np.array([1, 4]))
    conforms(lambda x, i: x[i, 1:3], M, I)
    plain, mine = np.array(M), ap.asarray(M)
    plain[B] = 0
    mine[ap.asarray(B)] = 0
    assert_same(plain, mine)


# --- devices and DLPack ---


@pytest.mark.host_memory
@pytest.mark.parametrize("make", [
    lambda **how: ap.asarray([1.0], **how), lambda **how: ap.zeros(2, **how), lambda **how: ap.ones(2, **how),
    lambda **how: ap.empty(2, **how), lambda **how: ap.full(2, 1.0, **how), lambda **how: ap.arange(3, **how),
    lambda **how: ap.linspace(0, 1, 3, **how), lambda **how: ap.eye(2, **how), lambda **how: ap.zeros_like(T, **how),
    lambda **how: ap.ones_like(T, **how), lambda **how: ap.empty_like(T, **how),
    lambda **how: ap.full_like(T, 1, **how),
    lambda **how: ap.fft.fftfreq(4, **how), lambda **how: ap.fft.rfftfreq(4, **how),
    lambda **how: ap.from_dlpack(np.ones(2), **how),
])
def test_devices(make):
    assert make(device="cpu").device == make(device=None).device == "cpu"
    with pytest.raises(ValueError, match="cuda:1"):
        make(device="cuda:1")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_both_ways(dtype):
    for turn in (lambda a: a, lambda a: a.T, lambda a: a[::2, ::-1], lambda a: a[1], lambda a: a[:0], lambda a: a[1,
                 2]):
        plain = np.array(sample((4, 6), dtype))
        mine = ap.from_dlpack(plain)
        assert_same(turn(plain), turn(mine))
        back = np.from_dlpack(turn(mine))
        np.testing.assert_array_equal(back, turn(plain))
        assert_same(np.asarray(turn(plain)), ap.from_dlpack(np.asarray(turn(plain))))
    mine[0, 0] = 1
    assert plain[0, 0] == 1  # one memory


@pytest.mark.host_memory
def test_dlpack_arguments():
    x = ap.asarray(M)
    assert x.__dlpack_device__() == (1, 0)
    for how in ({}, {"stream": None}, {"max_version": (1, 0)}, {"max_version": (2, 1)}, {"max_version": None},
                {"max_version": (0, 8)}, {"dl_device": (1, 0)}, {"dl_device": None}, {"copy": True}, {"copy": False},
                {"copy": None}):
        name = "dltensor_versioned" if how.get("max_version") and how["max_version"][0] >= 1 else "dltensor"
        assert f'"{name}"' in repr(x.__dlpack__(**how))
    with pytest.raises((RuntimeError, ValueError)):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError):
        x.__dlpack__(None)
    shared, copied = np.from_dlpack(x), np.from_dlpack(x, copy=True)
    x[0, 0] = 99
    assert shared[0, 0] == 99 and copied[0, 0] != 99
    plain = np.array(M)
    own = ap.from_dlpack(plain, copy=True)
    plain[0, 0] = 55
    assert own[0, 0] != 55 and ap.from_dlpack(plain, copy=False)[0, 0] == 55
    same = ap.from_dlpack(x)
    same[0, 0] = 1
    assert x[0, 0] == 1 and ap.from_dlpack(x, copy=True) is not x
    x.flags.writeable = False
    assert not np.from_dlpack(x).flags.writeable and not ap.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError):
        x.__dlpack__()  # the old capsule cannot say that the memory is read-only
    for wrong in ([1, 2], 3):
        with pytest.raises(TypeError, match="from_dlpack"):
            ap.from_dlpack(wrong)


class Old:
    """A producer from before DLPack 1.0, whose capsule cannot say who may write."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack_of_old_producers():
    plain = np.arange(4.0)
    made = ap.from_dlpack(Old(plain))
    assert made.flags.writeable is np.from_dlpack(Old(plain)).flags.writeable is False
    plain[0] = 7
    assert made[0] == 7
    copied = ap.from_dlpack(Old(plain), copy=True)
    copied[0] = 1
    assert plain[0] == 7
