"""Order: sorting and searching, by the device where it offers that, else by NumPy through the host door."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._axes import axis_of
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray, lies_on_device
from asnumpy.host.door import host, host_result
from asnumpy.host.stand_ins import judged
from asnumpy.indexing.selection import take_along_axis, write_out
from asnumpy.ufunc.folds import NO_VALUE

_INTP = np.dtype(np.intp)


def _reversed(a: ndarray, axis: int) -> ndarray:
    return a[(slice(None),) * axis + (slice(None, None, -1),)]


def _falling(a: Any, axis: int | None, function: str) -> tuple[ndarray, int]:
    """The array to sort in falling order (flattened for no axis), and its axis."""
    a = asarray(a)
    if a.dtype.kind == "c":
        raise TypeError(f"{function}: descending=True takes real numbers, got {a.dtype}")
    return (a, normalize_axis_index(axis, a.ndim)) if axis is not None else (a.reshape(-1), 0)


def sorted_there(a: ndarray, axis: int) -> tuple[ndarray, ndarray] | None:
    """The elements in rising order along the axis (not negative), and their places; None where no device sorts them."""
    if a._host_visible or not a.ndim:
        return None
    made = _core.offered_at_once("sort", axis, 0, (a,), ((a.shape, a.dtype), (a.shape, _INTP)))
    return None if made is None else (made[0], made[1])


def _sorted(
    function: Any, which: int, a: Any, axis: int | None, kind: str | None, order: str | None, stable: bool | None,
) -> ndarray:
    """What np.sort (0) or np.argsort (1) makes; one sort, a stable one, serves every kind."""
    a = asarray(a)
    if lies_on_device(a) and a.ndim:
        judged(function, a, axis, kind, order, stable=stable, length=0)
        if which:
            _core.empty(a.shape, _INTP)  # likewise: its result may be too large where the elements are not
        made = sorted_there(a.reshape(-1), 0) if axis is None else sorted_there(a, normalize_axis_index(axis, a.ndim))
        if made is not None:
            return made[which]
    return host(function, a, axis, kind, order, stable=stable)


@public
def sort(
    a: ArrayLike, axis: int | None = -1, kind: str | None = None, order: str | None = None, *,
    stable: bool | None = None, descending: bool = False,
) -> ndarray:
    """`descending=True` (of the array API, not in NumPy) sorts from the greatest to the least, NaN first."""
    if not descending:
        return _sorted(np.sort, 0, a, axis, kind, order, stable)
    values, place = _falling(a, axis, "sort")
    return _reversed(_sorted(np.sort, 0, values, place, kind, order, stable), place)


@public
def argsort(
    a: ArrayLike, axis: int | None = -1, kind: str | None = None, order: str | None = None, *,
    stable: bool | None = None, descending: bool = False,
) -> ndarray:
    """`descending=True` (of the array API, not in NumPy) gives the order from the greatest to the least, NaN first;
    equal elements keep their order when the sort is stable."""
    if not descending:
        return _sorted(np.argsort, 1, a, axis, kind, order, stable)
    values, place = _falling(a, axis, "argsort")
    # sorted backwards and reversed, so that of equal elements the first stays first
    found = _sorted(np.argsort, 1, _reversed(values, place), place, kind, order, stable)
    return values.shape[place] - 1 - _reversed(found, place)


def _valid_place(kth: Any, length: int) -> bool:
    """Whether NumPy would take it; if not, it says why."""
    if isinstance(kth, ndarray) or np.asarray(kth).dtype.kind not in "iu" or np.ndim(kth) > 1 or not np.size(kth):
        return False
    return bool(-length <= np.min(kth) and np.max(kth) < length)


def _parted(
    function: Any, which: int, a: Any, kth: Any, axis: int | None, kind: str, order: str | None,
) -> ndarray:
    """What np.partition (0) or np.argpartition (1) makes; on a device everything is sorted."""
    a = asarray(a)
    if lies_on_device(a) and a.ndim and kind == "introselect" and order is None:
        place = 0 if axis is None else axis_of(axis, a.ndim)
        if _valid_place(kth, a.size if axis is None else a.shape[place]):
            made = sorted_there(a.reshape(-1) if axis is None else a, place)
            if made is not None:
                return made[which]
    return host(function, a, kth, axis, kind, order)


@public
def partition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: str | None = None,
) -> ndarray:
    return _parted(np.partition, 0, a, kth, axis, kind, order)


@public
def argpartition(
    a: ArrayLike, kth: Any, axis: int | None = -1, kind: str = "introselect", order: str | None = None,
) -> ndarray:
    return _parted(np.argpartition, 1, a, kth, axis, kind, order)


def _order_of(keys: list[ndarray], axis: int) -> ndarray | None:
    """The order by the last key, of equal ones by the one before: stable sorts, the last key's at the end."""
    order: ndarray | None = None
    for key in keys:
        made = sorted_there(key if order is None else take_along_axis(key, order, axis), axis)
        if made is None:
            return None
        order = made[1] if order is None else take_along_axis(order, made[1], axis)
    return order


@public
def lexsort(keys: Any, axis: int = -1) -> ndarray:
    if not isinstance(keys, ndarray):
        keys = tuple(keys)
    if any(map(lies_on_device, keys)) if isinstance(keys, tuple) else lies_on_device(keys) and keys.ndim > 1:
        arrays = [asarray(key) for key in keys]
        shape = arrays[0].shape
        if shape and all(one.shape == shape for one in arrays):
            order = _order_of(arrays, axis_of(axis, len(shape)))
            if order is not None:
                return order
    return host(np.lexsort, keys, axis)


@public
def sort_complex(a: ArrayLike) -> ndarray:
    a = asarray(a)
    if not a._host_visible and a.ndim and a.dtype.kind in "biuf":
        made = sorted_there(a, a.ndim - 1)
        if made is not None:
            return _core.cast(made[0], np.sort_complex(np.empty(0, a.dtype)).dtype)
    return host(np.sort_complex, a)


def _arg_extreme(a: Any, axis: Any, out: Any, keepdims: bool, name: str) -> ndarray:
    a = asarray(a)
    if axis is not None:
        axis = axis_of(axis, a.ndim) if a.ndim or axis not in (0, -1) else None
    length = a.size if axis is None else a.shape[axis]
    shape = () if axis is None else a.shape[:axis] + a.shape[axis + 1:]
    if not length and 0 not in shape:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    made = getattr(_core, name)(a, -1 if axis is None else axis) if a.size else _core.empty(shape, _INTP)
    if keepdims:
        made = made.reshape((1,) * a.ndim if axis is None else a.shape[:axis] + (1,) + a.shape[axis + 1:])
    return made if out is None else write_out(out, made, f"output array does not match result of np.{name}.")


@public
def argmax(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = NO_VALUE) -> ndarray:
    return _arg_extreme(a, axis, out, keepdims is not NO_VALUE and keepdims, "argmax")


@public
def argmin(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = NO_VALUE) -> ndarray:
    return _arg_extreme(a, axis, out, keepdims is not NO_VALUE and keepdims, "argmin")


def sort_in_place(a: ndarray, axis: int, kind: str | None, order: str | None, stable: bool | None) -> None:
    if a._host_visible or not a.ndim or _core.overlaps_itself(a):  # the order of writing would show
        in_place(a, np.ndarray.sort, axis, kind, order, stable=stable)
        return
    _expect_writeable(a, np.ndarray.sort)
    a[...] = _sorted(np.sort, 0, a, axis, kind, order, stable)


def part_in_place(a: ndarray, kth: Any, axis: int, kind: str, order: str | None) -> None:
    if a._host_visible or not a.ndim or _core.overlaps_itself(a):  # the order of writing would show
        in_place(a, np.ndarray.partition, kth, axis, kind, order)
        return
    _expect_writeable(a, np.ndarray.partition)
    a[...] = _parted(np.partition, 0, a, kth, axis, kind, order)


def _expect_writeable(a: ndarray, function: Any) -> None:
    if not a._flags_writeable:
        raise ValueError(f"{function.__name__}: the array is read-only")


def in_place(a: ndarray, function: Any, *args: Any, **kwargs: Any) -> None:
    _expect_writeable(a, function)
    host_result(function, a, *args, **kwargs)


