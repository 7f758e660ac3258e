"""Linear interpolation: on a device by one sort of the points and what is sought among them, else by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.host.door import host
from asnumpy.indexing.selection import select_where
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel
from asnumpy.sorting.search import places_there
from asnumpy.ufunc.functions import (
    add,
    divide,
    equal,
    greater,
    greater_equal,
    isnan,
    less,
    maximum,
    minimum,
    multiply,
    subtract,
)

_FLOAT64 = np.dtype(np.float64)


def _interpolated(x: ndarray, xp: ndarray, fp: ndarray, left: Any, right: Any) -> ndarray | None:
    """np.interp of a line; None where no device sorts the points, or they do not rise."""
    if not bool(greater_equal(xp[1:], xp[:-1]).all() & equal(xp[:1], xp[:1]).all()):  # NaN does not
        return None
    single = xp.size == 1
    if single:  # the same point twice has the same ends
        xp, fp = concatenate((xp, xp)), concatenate((fp, fp))
    places = places_there(xp, x, left=False)
    if places is None:
        return None
    x, xp, fp = (as_dtype_of(one, _FLOAT64) for one in (x, xp, fp))
    low = minimum(maximum(subtract(places, 1), 0), xp.size - 2)
    slopes = divide(subtract(fp[1:], fp[:-1]), subtract(xp[1:], xp[:-1]))
    slope, x0, y0, x1, y1 = (_core.take(one, low, 0) for one in (slopes, xp[:-1], fp[:-1], xp[1:], fp[1:]))
    made = add(multiply(slope, subtract(x, x0)), y0)
    back = add(multiply(slope, subtract(x, x1)), y1)  # where infinite values make NaN from the one side
    back = select_where(isnan(back) & equal(y0, y1), y0, back, _FLOAT64)
    made = select_where(isnan(made), back, made, _FLOAT64)
    made = select_where(equal(x, x0), y0, made, _FLOAT64)
    made = select_where(equal(places, xp.size), fp[-1:], made, _FLOAT64)
    made = select_where(greater(x, xp[-1:]), fp[-1:] if right is None else right, made, _FLOAT64)
    made = select_where(less(x, xp[:1]), fp[:1] if left is None else left, made, _FLOAT64)
    return made if single else select_where(isnan(x), x, made, _FLOAT64)  # NumPy takes NaN for a single point


def _numbers(a: ndarray) -> ndarray:
    """Bools as integers, which every version of CANN compares."""
    return _core.cast(a, np.uint8) if a.dtype == bool else a


@public
def interp(
    x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: Any = None, right: Any = None, period: Any = None,
) -> ndarray:
    if period is None and _core.holds_device_values((x, xp, fp)) and not _core.tracing():  # it looks at the points
        sought, points, values = (asarray(one) for one in (x, xp, fp))
        _core.empty(sought.shape, _FLOAT64)  # which may be too large where what is sought is not
        lines = points.ndim == values.ndim == 1 and points.size == values.size > 0
        if lines and sought.size and all(one.dtype.kind in "biuf" for one in (sought, points, values)):
            ends = [None if one is None else float(one) for one in (left, right)]
            made = _interpolated(*map(_numbers, (ravel(sought), points, values)), *ends)
            if made is not None:
                return made.reshape(sought.shape)[()]
    return host(np.interp, x, xp, fp, left, right, period)
