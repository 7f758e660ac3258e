"""Elements added to arrays and taken out of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import empty_ordered
from asnumpy.creation.convert import as_dtype_of, asarray, lies_on_device
from asnumpy.host.door import host, numpy_view
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import moveaxis, ravel

_ALL = slice(None)


@public
def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    if axis is None:
        return concatenate((ravel(arr), ravel(values)), 0)
    return concatenate((asarray(arr), asarray(values)), axis)


def _axis_of(arr: Any, axis: Any) -> tuple[ndarray, int]:
    a = asarray(arr)
    if axis is None:
        a = ravel(a)
        return a, 0
    return a, normalize_axis_index(axis, a.ndim)


def _remaining(obj: Any, length: int) -> Any:
    """What `delete` leaves of an axis: a mask where several elements go, else positions. NumPy words the errors."""
    obj = numpy_view(obj)
    places = np.asarray(obj) if isinstance(obj, list) else obj
    if isinstance(places, np.ndarray) and places.size > 1 and places.dtype.kind in "iu":
        kept = np.ones(length, bool)
        kept[places,] = False
    else:
        kept = np.delete(np.arange(length), obj)
    return _core.adopt(kept)


@public
def delete(arr: ArrayLike, obj: ArrayLike, axis: int | None = None) -> ndarray:
    a, axis = _axis_of(arr, axis)
    kept = _remaining(obj, a.shape[axis])
    if kept.dtype == np.bool:
        if a.ndim == 1:
            return _core.compress(a, kept)
        kept = _core.flatnonzero(kept)
    if a._flags_f_contiguous and not a._flags_c_contiguous:  # and what remains keeps that order
        return a.T.take(kept, a.ndim - 1 - axis).T
    return a.take(kept, axis)


def _places_to_insert(obj: Any, length: int) -> np.ndarray | None:
    """Before which elements `insert` puts new ones, counted from the front; None where NumPy has to say."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(length))
    places = np.asarray(numpy_view(obj))
    if places.dtype == bool and isinstance(obj, (ndarray, np.ndarray)) and places.ndim == 1:
        places = np.flatnonzero(places)
    elif isinstance(obj, list) and not obj:
        places = places.astype(np.intp)
    if places.dtype.kind not in "iu" or places.ndim > 1 or ((places < -length) | (places > length)).any():
        return None
    places = places.astype(np.intp)
    return np.where(places < 0, places + length, places)


def _values_to_insert(values: Any, a: ndarray, axis: int, one_place: bool, scalar: bool) -> ndarray | None:
    """The values in the array's dtype, which broadcast to what is inserted; None where NumPy has to say."""
    made = values if isinstance(values, ndarray) else asarray(np.array(values, a.dtype))
    if made.ndim > a.ndim or (made.dtype.kind == "c" and a.dtype.kind != "c"):
        return None
    if one_place:
        made = made.reshape((1,) * (a.ndim - made.ndim) + made.shape)
        made = moveaxis(made, 0, axis) if scalar else made
    return as_dtype_of(made, a.dtype)


def _inserted(a: ndarray, obj: Any, values: Any, axis: int) -> ndarray | None:
    """np.insert on a device, to which the places alone are brought."""
    length = a.shape[axis]
    places = _places_to_insert(obj, length)
    if places is None:
        return None
    several = places.size != 1
    new = _values_to_insert(values, a, axis, not several, places.ndim == 0)
    if new is None:
        return None
    count = places.size if several else new.shape[axis]
    out = empty_ordered((*a.shape[:axis], length + count, *a.shape[axis + 1:]), a.dtype, "A", a)
    front = (_ALL,) * axis
    if several:
        places[places.argsort(kind="stable")] += np.arange(count)
        stays = asarray(np.ones(1, bool)).repeat(length + count)
        stays[asarray(places)] = False
        out[(*front, asarray(places))] = new
        out[(*front, _core.flatnonzero(stays))] = a
        return out
    start = int(places.reshape(())[()])
    for target, source in (
        (slice(None, start), a[(*front, slice(None, start))]), (slice(start, start + count), new),
        (slice(start + count, None), a[(*front, slice(start, None))]),
    ):
        _core.assign(out[(*front, target)], source)
    return out


@public
def insert(arr: ArrayLike, obj: ArrayLike, values: ArrayLike, axis: int | None = None) -> ndarray:
    a = asarray(arr)
    if lies_on_device(a) and a.size:
        line, along = (ravel(a), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))
        made = _inserted(line, obj, values, along)
        if made is not None:
            return made
    return host(np.insert, a, obj, values, axis)
