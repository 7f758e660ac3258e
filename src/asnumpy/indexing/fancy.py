"""Indexing by arrays, lists and masks: one index array and whole masks go to the core, the rest to NumPy on views."""

from __future__ import annotations

import math
import sysconfig
from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray, from_host
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import as_numpy, host

_BOOL = np.dtype(bool)
_INT64 = np.dtype(np.int64)
_SCALARS = (bool, int, float, complex)
# While NumPy reads them, by another thread: it would refuse.
_LISTS_MAY_CHANGE = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def _numpy_getitem(a: np.ndarray, key: Any) -> Any:
    return a[key]


def _numpy_setitem(a: np.ndarray, key: Any, value: Any) -> None:
    a[key] = value


_numpy_getitem.__module__ = _numpy_setitem.__module__ = "numpy"
_numpy_getitem.__name__, _numpy_setitem.__name__ = "ndarray.__getitem__", "ndarray.__setitem__"


class _Taken(NamedTuple):
    """A key with one index array: `view[..., index, ...]` along `axis`, and where the index's axes end up."""

    view: ndarray
    places: ndarray  # of int64, any number of axes
    axis: int
    front: bool  # the index's axes come first, because the advanced parts are apart


def _as_index(part: Any) -> ndarray | None:
    """An index array of ours if `part` is one (integers or booleans), else None."""
    if isinstance(part, ndarray):
        return part
    if isinstance(part, (np.ndarray, list)):
        plain = np.asarray(part)
        if plain.size == 0 and isinstance(part, list):
            plain = plain.astype(np.intp)
        return from_host(plain) if supported(plain.dtype) else None
    return None


def _whole_mask(a: ndarray, key: Any) -> ndarray | None:
    """The mask when the key is one boolean array of the array's shape."""
    if isinstance(key, tuple):
        if len(key) != 1:
            return None
        key = key[0]
    mask = _as_index(key)
    if mask is None or mask.dtype != _BOOL or mask.ndim == 0 or mask.shape != a.shape:
        return None
    return mask


def _integers(index: ndarray) -> ndarray:
    return index if index.dtype == _INT64 else _core.cast(index, _INT64)


def _one_index_array(a: ndarray, key: Any) -> _Taken | None:
    """The key as a view and one index array, when it has exactly one, beside integers, slices, None and Ellipsis."""
    parts = key if isinstance(key, tuple) else (key,)
    place, index = -1, None
    for i, part in enumerate(parts):
        if part is None or part is Ellipsis or isinstance(part, slice):
            continue
        found = _as_index(part)
        if found is None:
            if isinstance(part, (bool, np.bool_)) or not hasattr(part, "__index__"):
                return None
        elif index is not None:
            return None
        else:
            place, index = i, found
    if index is None or index.ndim == 0:
        return None
    if index.dtype == _BOOL:
        return _masked_axes(a, parts, place, index)
    if index.dtype.kind not in "iu":
        return None

    consumed = sum(1 for part in parts if part is not None and part is not Ellipsis)
    if consumed > a.ndim:
        return None  # NumPy words the IndexError
    advanced = [i for i, part in enumerate(parts) if not (part is None or part is Ellipsis or isinstance(part, slice))]
    apart = advanced[-1] - advanced[0] + 1 != len(advanced)
    view = a[tuple(slice(None) if i == place else part for i, part in enumerate(parts))]
    axis = 0
    for part in parts[:place]:
        if part is Ellipsis:
            axis += a.ndim - consumed
        elif part is None or isinstance(part, slice):
            axis += 1
    return _Taken(view, _integers(index), axis, apart)


def _masked_axes(a: ndarray, parts: tuple[Any, ...], place: int, mask: ndarray) -> _Taken | None:
    """A mask over the first axes of an array: they are joined to one, which is indexed by the mask's positions."""
    if len(parts) != 1 or mask.ndim > a.ndim or mask.shape != a.shape[: mask.ndim]:
        return None
    joined = _core.reshape_view(a, (mask.size,) + a.shape[mask.ndim :])
    if joined is None:
        return None
    return _Taken(joined, _core.flatnonzero(mask.reshape(-1)), 0, False)


def _pairs(a: ndarray, key: Any, writing: bool) -> _Taken | None:
    """A key of index arrays for the first axes, of an array on a device: these axes are joined, and the places counted.

    None where the key is another, or an index is out of bounds, which NumPy words.
    """
    parts = key if isinstance(key, tuple) else (key,)
    if a._host_visible or not a.size or not 1 < len(parts) <= a.ndim or _core.tracing():  # it looks at the indices
        return None
    indices: list[Any] = []
    for part in parts:
        index = np.asarray(part) if type(part) is int else _as_index(part) if type(part) is list else part
        if not isinstance(index, (ndarray, np.ndarray)) or index.dtype.kind not in "iu" or not index.size:
            return None
        indices.append(index)
    try:
        np.broadcast_shapes(*[index.shape for index in indices])
    except ValueError:
        return None
    flat: Any = 0
    for index, length in zip(indices, a.shape, strict=False):
        least = int(index.min())
        if not -length <= least <= int(index.max()) < length:
            return None
        index = _integers(index) if isinstance(index, ndarray) else index.astype(_INT64)
        flat = flat * length + (index + (index < 0) * length if least < 0 else index)
    shape = (math.prod(a.shape[:len(parts)]), *a.shape[len(parts):])
    joined = _core.reshape_view(a, shape) if writing else a.reshape(shape)
    if joined is None:
        return None
    places = flat if isinstance(flat, ndarray) else from_host(flat, device=a)
    return _Taken(joined, places, 0, False) if places.ndim else None


def _result_shape(taken: _Taken) -> tuple[int, ...]:
    shape, axis = taken.view.shape, taken.axis
    return shape[:axis] + taken.places.shape + shape[axis + 1 :]


def getitem(a: ndarray, key: Any) -> ndarray:
    """`a[key]` for a key that is not a basic one."""
    if _LISTS_MAY_CHANGE and type(key) is list:
        key = key.copy()
    if type(key) is list and key and type(key[0]) is int and a.ndim:  # the common key first
        plain = np.asarray(key)
        if plain.dtype == _INT64 and plain.ndim == 1:
            return _core.take(a, _core.adopt(plain), 0)
    mask = _whole_mask(a, key)
    if mask is not None:
        return _core.compress(a.reshape(-1), mask.reshape(-1))
    taken = _one_index_array(a, key) or _pairs(a, key, False)
    if taken is None:
        return host(_numpy_getitem, a, key)
    index = taken.places
    if index.ndim != 1:
        index = index.reshape(-1)
    result = _core.take(taken.view, index, taken.axis)
    if taken.places.ndim != 1:
        result = result.reshape(_result_shape(taken))
    if taken.front and taken.axis:
        own = range(taken.axis, taken.axis + taken.places.ndim)
        result = _core.transpose(result, (*own, *(i for i in range(result.ndim) if i not in own)))
    return result


def _value(value: Any, dtype: np.dtype) -> ndarray | None:
    """The value to assign: an array of ours, or a Python number that the dtype can hold."""
    if isinstance(value, ndarray):
        return value
    if type(value) in _SCALARS or isinstance(value, np.generic):
        return from_host(np.asarray(value, dtype=dtype))  # OverflowError and TypeError as NumPy's
    plain = as_numpy(value)
    return asarray(plain) if supported(plain.dtype) else None


def setitem(a: ndarray, key: Any, value: Any) -> None:
    """`a[key] = value` for a key that is not a basic one."""
    if not a._flags_writeable:
        raise ValueError("assignment destination is read-only")
    if _LISTS_MAY_CHANGE and type(key) is list:
        key = key.copy()
    if _core.overlaps_itself(a):
        host(_numpy_setitem, a, key, value)  # which wins of several elements at one place, the order of writing tells
        return
    if type(key) is list and (index := _as_index(key)) is not None and index.ndim == 1 and index.dtype == _INT64:
        ndarray.__setitem__(a, index, value)  # as the array that it is
        return
    mask = _whole_mask(a, key)
    if mask is not None and (type(value) is bool or (type(value) is float and a.dtype.kind in "fc")):
        dtype = a.dtype
        _core.apply("where", (_BOOL, dtype, dtype, dtype), (mask, value, a), (a,))
        return
    try:
        given = _value(value, a.dtype)
    except (TypeError, ValueError, OverflowError):
        given = None  # NumPy looks at the key first
    if given is not None and a.size and _assign(a, key, mask, given):
        return
    host(_numpy_setitem, a, key, value)


def _assign(a: ndarray, key: Any, mask: ndarray | None, source: ndarray) -> bool:
    """Assigns by the core; False when NumPy has to do it, or to say what is wrong."""
    dtype = a.dtype
    if source.dtype.kind == "c" and dtype.kind != "c":
        return False  # NumPy warns that the imaginary part is lost
    if mask is not None:
        if source.ndim == 0:
            _core.apply("where", (_BOOL, dtype, dtype, dtype), [mask, source, a], (a,))
            return True
        flat = _core.reshape_view(a, (a.size,))
        if flat is None or source.ndim != 1:
            return False
        positions = _core.flatnonzero(mask.reshape(-1))
        if source.size not in (1, positions.size):
            return False
        return _scatter(flat, positions, source, 0)
    taken = _one_index_array(a, key) or _pairs(a, key, True)
    if taken is None:
        return False
    shape = _result_shape(taken)
    if taken.front and taken.axis:
        return False
    while source.ndim > len(shape) and source.shape[0] == 1:
        source = source.reshape(source.shape[1:])
    try:
        if np.broadcast_shapes(source.shape, shape) != shape:
            return False
    except ValueError:
        return False
    if taken.places.ndim != 1:
        axis, view = taken.axis, taken.view.shape
        flat_shape = view[:axis] + (taken.places.size,) + view[axis + 1 :]
        source = _core.broadcast_to(source, shape).reshape(flat_shape)
    return _scatter(taken.view, taken.places.reshape(-1), source, taken.axis)


def _scatter(target: Any, index: Any, source: Any, axis: int) -> bool:
    if source.dtype != target.dtype or _core.may_share_memory(target, source):
        source = _core.cast(source, target.dtype)
    if _core.may_share_memory(target, index):
        index = _core.cast(index, _INT64)
    shape = target.shape[:axis] + (index.size,) + target.shape[axis + 1 :]
    _core.scatter(target, index, source if source.shape == shape else _core.broadcast_to(source, shape), axis)
    return True


_core.set_hooks({"getitem": getitem, "setitem": setitem})
