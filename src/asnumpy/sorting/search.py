"""Searching in what is sorted: on a device by one sort of both, else by NumPy through the host door."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.host.door import host
from asnumpy.host.stand_ins import judged
from asnumpy.indexing.selection import select_where
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel
from asnumpy.reduction.reductions import cumsum
from asnumpy.sorting.order import sorted_there
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


def places_there(a: ndarray, v: ndarray, left: bool) -> ndarray | None:
    """How many elements of the sorted line a lie before each of the line v, or up to it; None where no device sorts."""
    if not a.size or not v.size:
        return _core.cast(_core.broadcast_to(asarray(0), v.shape), _INTP)
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
    sought = v if isinstance(v, ndarray) else None
    if (not a._host_visible or (sought is not None and not sought._host_visible)) and a.ndim == 1:
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
    if not x._host_visible and x.dtype.kind in "biuf":
        edges = asarray(bins)
        if edges.ndim == 1 and edges.dtype.kind in "biuf" and edges.size:
            side = "left" if right else "right"
            upper, lower = edges[1:], edges[:-1]
            if not bool(less(upper, lower).any()):
                return searchsorted(edges, x, side)
            if not bool(greater(upper, lower).any()):
                return subtract(edges.size, searchsorted(edges[::-1], x, side))
    return host(np.digitize, x, bins, right)
