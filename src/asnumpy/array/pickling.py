"""Pickled arrays: their bytes, out of band where the protocol can, and the device on which they lay."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import from_host


def rebuild(data: Any, dtype: np.dtype, shape: tuple[int, ...], order: str, device: str = "cpu") -> ndarray:
    elements = np.frombuffer(data, dtype=dtype).reshape(shape, order=order)  # type: ignore[call-overload]
    if isinstance(data, (bytes, bytearray)) or device != "cpu":
        return from_host(elements, "loads", device if device == "cpu" or device in _core.devices() else None)
    return _core.wrap_numpy(elements)  # out of band: the buffer that loads() was given is the array's memory


def reduced(a: ndarray, protocol: Any) -> tuple[Any, tuple[Any, ...]]:
    """What `__reduce_ex__` answers."""
    order: Any = "F" if a._flags_f_contiguous and not a._flags_c_contiguous else "C"
    plain = _core.to_numpy_view(a, None)
    octets = np.asarray(plain, order=order).reshape(-1, order=order).view(np.uint8)
    in_band = protocol < 5 or not (a._flags_c_contiguous or a._flags_f_contiguous)
    data: Any = octets.tobytes() if in_band else pickle.PickleBuffer(octets)  # type: ignore[arg-type]
    where = () if a._host_visible else (a._device_name,)
    return rebuild, (data, a.dtype, a.shape, order, *where)
