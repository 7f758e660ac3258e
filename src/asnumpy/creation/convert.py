"""Anything array-like becomes an ndarray of ours, and back."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from asnumpy import _core, config
from asnumpy._public import public
from asnumpy._types import ArrayLike, Casting, ndarray
from asnumpy.dtypes.dtype import new_values, supported, unsupported_error
from asnumpy.host.door import as_numpy
from asnumpy.host.numpys import derived
from asnumpy.runtime.devices import Device
from asnumpy.runtime.pinned import empty_like_pinned

_INTP = np.dtype(np.intp)


def lies_on_device(a: Any) -> TypeGuard[ndarray]:
    """Whether it is an array in memory that the host cannot read."""
    return isinstance(a, ndarray) and not a._host_visible


def as_dtype_of(a: ndarray, dtype: np.dtype) -> ndarray:
    """The array itself where it has the dtype, else a copy that has."""
    return a if a.dtype == dtype else _core.cast(a, dtype)


def from_host(
    array: np.ndarray, function: str = "asarray", device: Any = None, *, blocking: bool = True
) -> ndarray:
    """A copy of a NumPy array, whatever its strides and byte order."""
    if not supported(array.dtype):
        raise unsupported_error(array.dtype, function)
    return _core.new_from_numpy(array, function, device, blocking)


def _stacked(values: Any) -> ndarray | None:
    """What a list with arrays of a device stands for, put together there; None where it has no shape or dtype."""
    parts: list[Any] = []
    for one in values:
        known = isinstance(one, ndarray) or not _core.holds_device_values(one)
        part = _stacked(one) if not known else one if isinstance(one, ndarray) else as_numpy(one)
        if part is None or (parts and part.shape != parts[0].shape):
            return None
        parts.append(part)
    try:
        dtype = np.result_type(*(part.dtype for part in parts))
    except TypeError:  # numbers beside dates: objects
        return None
    if not supported(dtype):
        return None
    beside = next(part for part in parts if isinstance(part, ndarray) and not part._host_visible)
    on_host = np.zeros((len(parts), *parts[0].shape), dtype)
    for place, part in enumerate(parts):
        if isinstance(part, np.ndarray):
            on_host[place] = part
    made = from_host(on_host, "asarray", beside)
    for place, part in enumerate(parts):
        if isinstance(part, ndarray):
            _core.assign(made[place, ...], part)
    return made


def _converted(value: Any, device: Any = None) -> ndarray:
    """An array of another device is moved; what is no array of ours is copied as `np.asarray` reads it."""
    if isinstance(value, ndarray):
        return _core.to_device(value, device)
    if derived(value):
        came = type(value).__name__
        raise _core.UnsupportedDtype(f"asarray: {came} is a class of its own; numpy.asarray gives its elements")
    if isinstance(value, np.ndarray):
        if not value.dtype.isnative:
            raise unsupported_error(value.dtype)
        return from_host(value, "asarray", device)
    if hasattr(type(value), "__array_function__"):  # NumPy's function asks it: a quantity keeps its unit
        came = type(value).__name__
        raise _core.UnsupportedDtype(f"asarray: {came} is another library's array; numpy.asarray gives its elements")
    if _core.holds_device_values(value):
        stacked = _stacked(value)
        if stacked is not None:
            return stacked if device is None else _core.to_device(stacked, device)
    made = new_values(as_numpy(value), value)
    if not supported(made.dtype):
        raise unsupported_error(made.dtype)
    if made.base is None and made.flags.owndata and type(value) in (list, tuple, int, float, complex, bool):
        return _core.adopt(made, "asarray", device)
    return _core.new_from_numpy(made, "asarray", device)


_core.set_hooks({"asarray": _converted})
asarray = _core.asarray  # our arrays pass through


def held(value: Any) -> Any:
    """An array of ours, or NumPy's own where its elements are none that a device holds."""
    try:
        return asarray(value)
    except _core.UnsupportedDtype:
        if config.unsupported == "error":
            raise
        return np.asarray(value)


def positions(indices: Any, casting: Casting = "same_kind") -> ndarray:
    """Indices as an int64 array: arrays are cast by the rule, other sequences whatever they hold."""
    if isinstance(indices, ndarray):
        index = indices
        if index.dtype != _INTP and not np.can_cast(index.dtype, _INTP, casting):
            raise TypeError(
                f"Cannot cast array data from {index.dtype!r} to {_INTP!r} according to the rule '{casting}'"
            )
    elif isinstance(indices, (np.ndarray, np.generic)):
        return asarray(indices.astype(_INTP, casting=casting))
    else:
        index = asarray(indices)
        if index.dtype == np.uint64:  # what Python's ints have become, if one is too large for 63 bits
            index = asarray(np.asarray(indices, _INTP))
    return index if index.dtype == _INTP else _core.cast(index, _INTP)


@public
def from_numpy(array: ArrayLike, *, device: Device | str | None = None, blocking: bool = True) -> ndarray:
    """A new array with the elements of a NumPy array.

    Parameters: array, a numpy.ndarray or NumPy scalar of any shape, strides, byte order and numeric dtype;
    device, where it is made (None: where new arrays are); blocking=False lets the call return before the elements
    have been read, where they lie in pinned memory (empty_pinned): then they must not change until the stream on which
    this thread works has been waited for. Returns an array of its shape and dtype in native byte order,
    on memory of its own. TypeError for other objects and dtypes.
    """
    if not isinstance(array, (np.ndarray, np.generic)):
        came = type(array).__name__
        raise TypeError(f"from_numpy: expected a numpy.ndarray, got {came}; asarray() takes any sequence")
    return from_host(np.asarray(array), "from_numpy", device, blocking=blocking)


@public
def to_numpy(array: Any, out: np.ndarray | None = None, *, blocking: bool = True) -> np.ndarray[Any, Any]:
    """A NumPy array of its own with the elements of an array on any device.

    On the CPU `np.asarray(array)` shares memory instead.

    Parameters: array, an array of asnumpy or anything that `np.array` takes; out, a numpy.ndarray of its shape that
    gets the elements (None: a new one), cast as numpy.copyto does; blocking=False lets the call return before they are
    there, where out is pinned memory (empty_pinned) of the array's dtype in one piece, or None: read them after the
    stream on which this thread works has been waited for. Returns a numpy.ndarray of its shape, dtype and memory order,
    or out. What is pending is run. ValueError for an out of another shape.
    """
    if out is None and (blocking or not isinstance(array, ndarray) or array._host_visible):
        return _core.numpy_copy(array) if isinstance(array, ndarray) else np.array(array)
    if out is None:
        out = empty_like_pinned(array, device=array._device_name)
    elif not isinstance(out, np.ndarray):
        raise TypeError(f"to_numpy: out: expected a numpy.ndarray, got {type(out).__name__}")
    elif out.shape != np.shape(array):
        raise ValueError(f"to_numpy: out: expected the shape {np.shape(array)}, got {out.shape}")
    if not isinstance(array, ndarray) or not _core.download_into(array, out, blocking):
        np.copyto(out, _core.numpy_copy(array) if isinstance(array, ndarray) else array)
    return out


@public
def asnumpy(array: ArrayLike) -> np.ndarray[Any, Any]:
    """The same as to_numpy(array), under the name that other device libraries use. Returns a numpy.ndarray."""
    return to_numpy(array)


@public
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> ndarray:
    if device is not None:
        try:
            device = _core.device_name(device)
        except ValueError as error:
            raise ValueError(f"from_dlpack: {error}") from None
    if isinstance(x, ndarray):
        if device not in (None, x._device_name):
            if copy is False:
                raise ValueError(f"from_dlpack: the array lies on {x._device_name}, {device} gets a copy only")
            return _core.to_device(x, device)
        return _core.cast(x, x.dtype) if copy else x[...]
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: expected an object with __dlpack__, got {type(x).__name__}")
    wanted: dict[str, Any] = {"dl_device": (1, 0)} if device == "cpu" else {}  # which asks the producer to copy to it
    if copy is not None:
        wanted["copy"] = copy
    try:
        made, copied = _core.from_dlpack(x.__dlpack__(max_version=(1, 0), **wanted)), True
    except TypeError:  # a producer from before version 1.0 knows no keywords
        made, copied = _core.from_dlpack(x.__dlpack__()), False
    if device not in (None, made._device_name):
        if copy is False:
            raise ValueError(f"from_dlpack: the tensor lies on {made._device_name}, {device} gets a copy only")
        return _core.to_device(made, device)
    return _core.cast(made, made.dtype) if copy and not copied else made
