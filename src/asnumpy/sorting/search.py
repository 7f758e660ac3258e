"""Searching in what is sorted: on a device by one sort of both, on the host by its threads; little of it by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import as_dtype_of, asarray, lies_on_device
from asnumpy.host.door import host
from asnumpy.host.stand_ins import judged
from asnumpy.indexing.selection import select_where
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel
from asnumpy.reduction.reductions import cumsum
from asnumpy.runtime.kernels import made_by_kernel
from asnumpy.sorting.order import left_to_numpy, sorted_there
from asnumpy.ufunc.functions import (
    ceil,
    floor,
    greater,
    greater_equal,
    isnan,
    less,
    logical_not,
    maximum,
    minimum,
    nextafter,
    subtract,
)

_INTP = np.dtype(np.intp)
_FLOAT32 = np.dtype(np.float32)
_BEYOND = 2.0**40  # all integers of 32 bits


def _rounded(a: ndarray, dtype: np.dtype, up: bool) -> ndarray:
    """float64 in a dtype of which the same elements lie before each, or up to each."""
    if dtype == _INTP:
        whole = minimum(maximum(ceil(a) if up else floor(a), -_BEYOND), _BEYOND)
        return _core.cast(select_where(isnan(a), _BEYOND, whole, whole.dtype), _INTP)
    near = _core.cast(a, dtype)
    back = _core.cast(near, a.dtype)
    if up:
        return select_where(less(back, a), nextafter(near, dtype.type(np.inf)), near, dtype)
    return select_where(greater(back, a), nextafter(near, dtype.type(-np.inf)), near, dtype)


def comparable(a: ndarray, v: ndarray, left: bool) -> tuple[ndarray, ndarray] | None:
    """Both in a dtype that a device sorts, with every comparison as in their common one; None where there is none."""
    common = np.promote_types(a.dtype, v.dtype)
    if common.kind in "biu" or common.itemsize <= 4:
        return as_dtype_of(a, common), as_dtype_of(v, common)
    kinds = [one.dtype for one in (a, v)]
    if common != np.float64 or kinds[0] == kinds[1]:
        return None
    if any(kind.kind == "f" and kind != common for kind in kinds):
        narrow: np.dtype = _FLOAT32
        wide = [kind == common or kind.kind in "iu" for kind in kinds]
    elif common in kinds and min(kind.itemsize for kind in kinds) <= 4:
        narrow = _INTP
        wide = [kind == common for kind in kinds]
    else:
        return None
    return (
        _rounded(as_dtype_of(a, common), narrow, not left) if wide[0] else as_dtype_of(a, narrow),
        _rounded(as_dtype_of(v, common), narrow, left) if wide[1] else as_dtype_of(v, narrow),
    )


def _places_on_host(a: ndarray, v: ndarray, left: bool) -> ndarray | None:
    dtype = np.promote_types(a.dtype, v.dtype)
    if dtype == np.float16:
        dtype = _FLOAT32  # in which each of them is exact
    both = as_dtype_of(a, dtype), as_dtype_of(v, dtype)
    made = _core.offered_at_once("search", 0, 0 if left else 1, both, ((v.shape, _INTP),))
    return None if made is None else made[0]


def places_there(a: ndarray, v: ndarray, left: bool) -> ndarray | None:
    """How many elements of the sorted line a lie before each of the line v, or up to it; None where NumPy counts."""
    if a._host_visible and v._host_visible:
        left_out = left_to_numpy(v) and not _core.tracing()  # a call of NumPy's would divide the recording
        return None if not a.size or left_out else _places_on_host(a, v, left)
    if not a.size or not v.size:
        return _core.cast(_core.broadcast_to(asarray(0), v.shape), _INTP)
    if a.dtype == v.dtype:
        found = made_by_kernel("searchsorted", a, v, right=not left)
        if found is not None:
            return _core.cast(found, _INTP)
    both = comparable(a, v, left)
    if both is None:
        return None
    a, v = both
    made = sorted_there(concatenate((v, a) if left else (a, v)), 0)
    if made is None:
        return None
    place = made[1]
    sought = less(place, v.size) if left else greater_equal(place, a.size)
    before = cumsum(logical_not(sought), dtype=_INTP)
    out = _core.empty(v.shape, _INTP)
    index = _core.compress(place, sought)
    _core.scatter(out, index if left else subtract(index, a.size), _core.compress(before, sought), 0)
    return out


@public
def searchsorted(a: ArrayLike, v: ArrayLike, side: Any = "left", sorter: Any = None) -> ndarray:
    a = asarray(a)
    recorded = _core.tracing() and sorter is None
    if a.ndim == 1 and (lies_on_device(a) or (isinstance(v, ndarray) and (recorded or not left_to_numpy(v)))):
        sought = asarray(v)
        left = str(side)[:1] in "lL"
        judged(np.searchsorted, a, sought, side, length=0)
        if sorter is None or _is_order(sorter, a.size):
            line = a if sorter is None else a[asarray(sorter)]
            made = places_there(line, ravel(sought), left)
            if made is not None:
                return made.reshape(sought.shape)[()]
    return host(np.searchsorted, a, v, side, sorter)


def _is_order(sorter: Any, size: int) -> bool:
    """Whether NumPy takes it; it says what is wrong with another."""
    sorter = sorter if isinstance(sorter, ndarray) else np.asarray(sorter)
    if sorter.dtype.kind != "i" or sorter.shape != (size,):
        return False
    return not size or (int(sorter.min()) >= 0 and int(sorter.max()) < size)


@public
def digitize(x: ArrayLike, bins: Any, right: bool = False) -> ndarray:
    x = asarray(x)
    if not left_to_numpy(x) and x.dtype.kind in "biuf":
        edges = asarray(bins)
        if edges.ndim == 1 and edges.dtype.kind in "biuf" and edges.size:
            side = "left" if right else "right"
            upper, lower = edges[1:], edges[:-1]
            if not bool(less(upper, lower).any()):
                return searchsorted(edges, x, side)
            if not bool(greater(upper, lower).any()):
                return subtract(edges.size, searchsorted(edges[::-1], x, side))
    return host(np.digitize, x, bins, right)
