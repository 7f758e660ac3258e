"""Pickled arrays: their bytes, out of band where the protocol can, and the device on which they lay."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import from_host


def rebuild(
    data: Any, dtype: np.dtype, shape: tuple[int, ...], order: str | tuple[int, ...], device: str = "cpu"
) -> ndarray:
    """`order`: "C", "F", or the axes, slowest first."""
    elements = np.frombuffer(data, dtype=dtype)
    if isinstance(order, str):
        elements = elements.reshape(shape, order=order)  # type: ignore[call-overload]
    else:
        elements = elements.reshape([shape[axis] for axis in order]).transpose(np.argsort(order))
    shared = elements.flags.aligned and device == "cpu" and not isinstance(data, (bytes, bytearray))
    if not shared:
        return from_host(elements, "loads", device if device == "cpu" or device in _core.devices() else None)
    return _core.wrap_numpy(elements)  # out of band: the buffer that loads() was given is the array's memory


def dump(a: ndarray, file: Any) -> None:
    """To a path, or to what has a `write`."""
    if hasattr(file, "write"):
        pickle.dump(a, file, protocol=2)
        return
    with open(file, "wb") as target:
        pickle.dump(a, target, protocol=2)


def reduced(a: ndarray, protocol: Any) -> tuple[Any, tuple[Any, ...]]:
    """What `__reduce_ex__` answers."""
    order: Any = "F" if a._flags_f_contiguous and not a._flags_c_contiguous else "C"
    plain = _core.to_numpy_view(a, None)
    in_band = protocol < 5
    if not (in_band or a._flags_c_contiguous or a._flags_f_contiguous):
        axes = tuple(sorted(range(a.ndim), key=lambda axis: -plain.strides[axis]))
        in_band = not plain.transpose(axes).flags.c_contiguous
        if not in_band:
            order, plain = axes, plain.transpose(axes)
    kept: Any = order if isinstance(order, str) else "C"
    octets = np.asarray(plain, order=kept).reshape(-1, order=kept).view(np.uint8)
    data: Any = octets.tobytes() if in_band else pickle.PickleBuffer(octets)  # type: ignore[arg-type]
    where = () if a._host_visible else (a._device_name,)
    return rebuild, (data, a.dtype, a.shape, order, *where)


def blank(kind: type, device: str = "cpu") -> Any:
    """An object of a derived class that is about to get its state."""
    where = device if device == "cpu" or device in _core.devices() else None
    return _core.Array.__new__(kind, _core.empty((0,), np.dtype(np.int8), "C", where), None)


def reduced_with_state(a: ndarray) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """The same of a derived class, with NumPy's form of the state, which such classes take apart and extend."""
    fortran = a._flags_f_contiguous and not a._flags_c_contiguous
    data = _core.to_numpy_view(a, None).tobytes("F" if fortran else "C")
    where = () if a._host_visible else (a._device_name,)
    return blank, (type(a), *where), (1, a.shape, a.dtype, fortran, data)


def set_state(a: ndarray, state: tuple[Any, ...]) -> None:
    """Gives an array the shape, dtype and elements of such a state."""
    *_, shape, dtype, fortran, data = state
    _core.rebind(a, rebuild(data, dtype, shape, "F" if fortran else "C", a._device_name), False)
