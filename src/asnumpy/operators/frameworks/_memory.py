"""Memory of somebody else's as arrays, by address; and the order with somebody else's stream."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.dtypes.dtype import real_kind
from asnumpy.runtime import Device, current_stream

CPU, NPU = 1, 12  # DLPack's kinds of devices; torch_npu's number for the latter
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT = 4
_NAME = b"dltensor_versioned"


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
    )  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", _Tensor),
    )  # fmt: skip


_c = ctypes.CDLL(None)
_c.malloc.restype, _c.malloc.argtypes, _c.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def array_at(address: int, shape: Sequence[int], dtype: np.dtype, device: int | None = None) -> Any:
    """An array over memory in C order that its owner keeps: of the CPU, or of an NPU with that number."""
    # C's memory, which C's free gives back, at whatever time the array ends: no Python runs then
    size, lengths = ctypes.sizeof(_Managed), (ctypes.c_int64 * len(shape))(*shape)
    place = _c.malloc(size + ctypes.sizeof(lengths))
    if not place:
        raise MemoryError
    ctypes.memmove(place + size, lengths, ctypes.sizeof(lengths))
    code = _BFLOAT if dtype.name == "bfloat16" else _CODES[real_kind(dtype)]
    managed = _Managed.from_address(place)
    managed.version[:], managed.context, managed.flags = (1, 0), None, 0
    managed.deleter = ctypes.cast(_c.free, ctypes.c_void_p).value
    managed.tensor = _Tensor(
        address or None, (CPU, 0) if device is None else (NPU, device), len(shape), code, dtype.itemsize * 8, 1,
        ctypes.cast(place + size, ctypes.POINTER(ctypes.c_int64)), None, 0,
    )  # fmt: skip
    try:
        return _core.from_dlpack(_capsule(place, _NAME, None))
    except BaseException:
        _c.free(place)
        raise


@contextmanager
def between(device: int, theirs: int) -> Iterator[None]:
    """Work of the block comes after what another library's stream of the NPU has now, and before what it gets later."""
    from asnumpy.cann import _devices

    with Device(f"ascend:{device}"):
        ours = current_stream(f"ascend:{device}").ptr
        with _devices.beside(device):
            _order(theirs, ours)
        try:
            yield
        finally:
            _core.flush()
            with _devices.beside(device):
                _order(ours, theirs)


def _order(before: int, after: int) -> None:
    """What the second stream gets from now on waits for what the first one has now."""
    from asnumpy.cann._calls import Pointer, call

    event, synchronises = Pointer(), ctypes.c_uint32(1)
    call("aclrtCreateEventWithFlag", ctypes.byref(event), synchronises)
    try:
        call("aclrtRecordEvent", event, Pointer(before))
        call("aclrtStreamWaitEvent", Pointer(after), event)
    finally:
        call("aclrtDestroyEvent", event)  # CANN keeps it until it is reached
