"""Piecewise polynomials where the points lie on a device: the interval of each is sought there, and its sum taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as _theirs

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, lies_on_device
from asnumpy.indexing.selection import select_where, take
from asnumpy.scipy._composed import FLOAT64
from asnumpy.sorting.search import searchsorted
from asnumpy.ufunc.functions import add, greater, isnan, less, logical_or, multiply, remainder, subtract


def _coefficients(there: dict[Any, Any], theirs: Any, x: ndarray) -> tuple[ndarray, list[ndarray]]:
    """Where the intervals begin, and the coefficients of each power, beside the points."""
    known: tuple[ndarray, list[ndarray]] | None = there.get(x._device_name)
    if known is None:
        begun = _core.new_from_numpy(np.ascontiguousarray(theirs.x), "ndarray", x)
        rows = [_core.new_from_numpy(np.ascontiguousarray(row), "ndarray", x) for row in theirs.c]
        known = there[x._device_name] = (begun, rows)
    return known


def evaluated(theirs: Any, args: tuple[Any, ...], kwargs: dict[str, Any], there: dict[Any, Any]) -> Any:
    """The values at points on a device; NotImplemented where SciPy is to compute them."""
    if len(args) != 1 or not lies_on_device(args[0]) or not isinstance(theirs, _theirs.PPoly):
        return NotImplemented
    x, c, extrapolate = args[0], theirs.c, kwargs.get("extrapolate")
    plain = c.ndim == 2 and c.dtype == FLOAT64 and not kwargs.keys() - {"extrapolate"}
    if not plain or x.dtype.kind not in "iuf" or not x.size or not c.shape[0] or theirs.x[0] >= theirs.x[-1]:
        return NotImplemented
    extrapolate = theirs.extrapolate if extrapolate is None else extrapolate
    first, last = float(theirs.x[0]), float(theirs.x[-1])
    x = as_dtype_of(x, FLOAT64)
    if isinstance(extrapolate, str):
        if extrapolate != "periodic":
            return NotImplemented
        x, extrapolate = add(remainder(subtract(x, first), last - first), first), False
    begun, rows = _coefficients(there, theirs, x)
    # the last interval has its end, and what lies beyond the ends belongs to the intervals there
    places = searchsorted(begun[1:-1], x, side="right")
    distance = subtract(x, take(begun, places))
    made, power = take(rows[-1], places), distance
    for row in rows[-2::-1]:
        made = add(made, multiply(take(row, places), power))
        power = multiply(power, distance)
    out = isnan(x) if extrapolate else logical_or(isnan(x), logical_or(less(x, first), greater(x, last)))
    return select_where(out, np.nan, made, FLOAT64)
