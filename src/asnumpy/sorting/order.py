"""Order: sorting and searching, by the device, for many elements by the host's threads, else by NumPy."""

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
from asnumpy.runtime.kernels import made_by_kernel
from asnumpy.ufunc.folds import NO_VALUE

_INTP = np.dtype(np.intp)
BOTH, ELEMENTS, PLACES = range(3)  # what a sort on the host has to make

# Elements from which the core orders what the host holds: NumPy sorts fewer in the time that waking threads takes.
MANY = 4096
# The same where what is equal cannot be told apart, or keeps its order: the result is then NumPy's on every processor.
MANY_DETERMINED = 1024
# Lengths of a line from which digits are sooner sorted than comparisons made. NumPy's vectors sort what fits some
# registers by networks, but neither places nor equal elements in their order.
_LONG_LINE, _LONG_STABLE_LINE = 512, 128


def _reversed(a: ndarray, axis: int) -> ndarray:
    return a[(slice(None),) * axis + (slice(None, None, -1),)]


def _falling(a: Any, axis: int | None, function: str) -> tuple[ndarray, int]:
    """The array to sort in falling order (flattened for no axis), and its axis."""
    a = asarray(a)
    if a.dtype.kind == "c":
        raise TypeError(f"{function}: descending=True takes real numbers, got {a.dtype}")
    return (a, normalize_axis_index(axis, a.ndim)) if axis is not None else (a.reshape(-1), 0)


def left_to_numpy(a: ndarray, many: int = MANY) -> bool:
    """Whether the host holds it, and too little for the core's own ways to pay; those look at values, too."""
    return (a._host_visible and a.size < many) or _core.tracing()


def sorted_there(a: ndarray, axis: int, wanted: int = BOTH, many: int = MANY) -> tuple[ndarray, ndarray] | None:
    """The elements in rising order along the axis (not negative), and their places; None where NumPy sorts them.

    Equal elements keep their order. Where only one of the two is wanted, the other one may hold nothing.
    """
    if not a.ndim or left_to_numpy(a, many):
        return None
    option = wanted if a._host_visible else BOTH  # devices always make both
    outlines = (a.shape, a.dtype), ((0,) if option == ELEMENTS else a.shape, _INTP)
    made = _core.offered_at_once("sort", axis, option, (a,), outlines)
    return None if made is None else (made[0], made[1])


def _in_its_order(a: ndarray, axis: int, many: int) -> ndarray | None:
    """The sorted elements in the memory order of the array, as NumPy's."""
    if not a._host_visible or a._flags_c_contiguous:
        axes = tuple(range(a.ndim))
    else:
        strides = a.strides
        axes = tuple(sorted(range(a.ndim), key=lambda place: -abs(strides[place])))
    made = sorted_there(_core.transpose(a, axes), axes.index(axis), ELEMENTS, many)
    return None if made is None else _core.transpose(made[0], tuple(map(axes.index, range(a.ndim))))


def _rows_sorted(name: str, a: ndarray, axis: int | None) -> ndarray | None:
    """What `sort` or `argsort` makes by a kernel of the operator library; None where none sorts them."""
    a, place = (a.reshape(-1), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))
    if place == a.ndim - 1:
        return made_by_kernel(name, a)  # type: ignore[no-any-return]
    made = made_by_kernel(name, a.swapaxes(place, -1))
    return None if made is None else _core.cast(made.swapaxes(place, -1), made.dtype)


def _ordered(
    function: Any, which: int, a: ndarray, axis: int | None, kind: str | None, order: str | None, stable: bool | None,
) -> ndarray | None:
    """What np.sort (0) or np.argsort (1) makes; None where NumPy has to. One sort, a stable one, serves every kind.

    What NumPy's unstable sorts leave open differs there from processor to processor.
    """
    keeps = stable or (isinstance(kind, str) and kind[:1] in "sSmM")
    many = MANY_DETERMINED if keeps or (not which and a.dtype.kind in "biu") else MANY
    if not a.ndim or left_to_numpy(a, many):
        return None
    judged(function, a, axis, kind, order, stable=stable, length=0)
    if which:
        _core.empty(a.shape, _INTP)  # likewise: its result may be too large where the elements are not
    if lies_on_device(a):
        rows = _rows_sorted(function.__name__, a, axis)
        if rows is not None:
            return rows
    lines, place = (a.reshape(-1), 0) if axis is None else (a, normalize_axis_index(axis, a.ndim))
    long = _LONG_STABLE_LINE if which or keeps else _LONG_LINE
    if a._host_visible and lines.shape[place] < long:
        return None
    if not which:
        return _in_its_order(lines, place, many)
    made = sorted_there(lines, place, PLACES, many)
    return None if made is None else made[1]


def _sorted(
    function: Any, which: int, a: Any, axis: int | None, kind: str | None, order: str | None, stable: bool | None,
) -> ndarray:
    a = asarray(a)
    made = _ordered(function, which, a, axis, kind, order, stable)
    return host(function, a, axis, kind, order, stable=stable) if made is None else made


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
        made = sorted_there(key if order is None else take_along_axis(key, order, axis), axis, PLACES)
        if made is None:
            return None
        order = made[1] if order is None else take_along_axis(order, made[1], axis)
    return order


@public
def lexsort(keys: Any, axis: int = -1) -> ndarray:
    if not isinstance(keys, ndarray):
        keys = tuple(keys)
    given = keys if isinstance(keys, tuple) else (keys,) if keys.ndim > 1 else ()
    if any(isinstance(one, ndarray) and not left_to_numpy(one) for one in given):
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
    if a.ndim and a.dtype.kind in "biuf":
        made = sorted_there(a, a.ndim - 1, ELEMENTS)
        if made is not None:
            return _core.cast(made[0], np.sort_complex(np.empty(0, a.dtype)).dtype)
    return host(np.sort_complex, a)


def _extreme_place(find: Any, a: ndarray, axis: Any, out: Any, keepdims: bool) -> ndarray:
    """What np.argmax and np.argmin give; `find` is the core's function of that name."""
    if axis is None and out is None and not keepdims and a.size:
        return find(a)  # type: ignore[no-any-return]
    if axis is not None:
        axis = axis_of(axis, a.ndim) if a.ndim or axis not in (0, -1) else None
    length = a.size if axis is None else a.shape[axis]
    shape = () if axis is None else a.shape[:axis] + a.shape[axis + 1:]
    if not length and 0 not in shape:
        raise ValueError(f"attempt to get {find.__name__} of an empty sequence")
    made = find(a, -1 if axis is None else axis) if a.size else _core.empty(shape, _INTP)
    if keepdims:
        made = made.reshape((1,) * a.ndim if axis is None else a.shape[:axis] + (1,) + a.shape[axis + 1:])
    return made if out is None else write_out(out, made, f"output array does not match result of np.{find.__name__}.")


@public
def argmax(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = NO_VALUE) -> ndarray:
    return _extreme_place(_core.argmax, asarray(a), axis, out, keepdims is not NO_VALUE and keepdims)


@public
def argmin(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = NO_VALUE) -> ndarray:
    return _extreme_place(_core.argmin, asarray(a), axis, out, keepdims is not NO_VALUE and keepdims)


def sort_in_place(a: ndarray, axis: int, kind: str | None, order: str | None, stable: bool | None) -> None:
    made = None
    if a._flags_writeable and not _core.overlaps_itself(a):  # the order of writing would show
        made = _ordered(np.sort, 0, a, axis, kind, order, stable)
    if made is None:
        in_place(a, np.ndarray.sort, axis, kind, order, stable=stable)
    else:
        a[...] = made


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


