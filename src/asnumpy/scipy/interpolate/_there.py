"""Evaluation of interpolators where the points lie on a device: piecewise polynomials, lines, tables over grids."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import scipy.interpolate as _theirs

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, lies_on_device
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._composed import FLOAT64, is_number
from asnumpy.sorting.search import searchsorted
from asnumpy.statistics.interpolation import interp
from asnumpy.ufunc.functions import (
    add,
    divide,
    greater,
    isnan,
    less,
    logical_or,
    multiply,
    remainder,
    subtract,
)

_MOST_AXES = 4  # of a table: a point has twice as many neighbours for each

Kept = dict[str, list[ndarray]]  # what an interpolator consists of, by the device where it has been evaluated


def _beside(x: ndarray, parts: list[np.ndarray], there: Kept) -> list[ndarray]:
    """An interpolator's arrays on the device of the points."""
    known = there.get(x._device_name)
    if known is None:
        known = [_core.new_from_numpy(np.ascontiguousarray(one), "ndarray", x) for one in parts]
        there[x._device_name] = known
    return known


def _outside(x: ndarray, first: float, last: float) -> ndarray:
    return logical_or(less(x, first), greater(x, last))


def _polynomials(theirs: Any, x: ndarray, options: dict[str, Any], there: Kept) -> Any:
    c, extrapolate = theirs.c, options.get("extrapolate")
    plain = c.ndim == 2 and c.dtype == FLOAT64 and not options.keys() - {"extrapolate"}
    if not plain or not c.shape[0] or theirs.x[0] >= theirs.x[-1]:
        return NotImplemented
    extrapolate = theirs.extrapolate if extrapolate is None else extrapolate
    first, last = float(theirs.x[0]), float(theirs.x[-1])
    if isinstance(extrapolate, str):
        if extrapolate != "periodic":
            return NotImplemented
        x, extrapolate = add(remainder(subtract(x, first), last - first), first), False
    shape, x = x.shape, x.reshape(-1)
    begun, *rows = _beside(x, [theirs.x, *c], there)
    # the last interval has its end, and what lies beyond the ends belongs to the intervals there
    places = searchsorted(begun[1:-1], x, side="right")
    distance = subtract(x, _core.take(begun, places, 0))
    made, power = _core.take(rows[-1], places, 0), distance
    for row in rows[-2::-1]:
        made = add(made, multiply(_core.take(row, places, 0), power))
        power = multiply(power, distance)
    wrong = isnan(x) if extrapolate else logical_or(isnan(x), _outside(x, first, last))
    return select_where(wrong, np.nan, made, FLOAT64).reshape(shape)


def _line(theirs: Any, x: ndarray, options: dict[str, Any], there: Kept) -> Any:
    fill = theirs.fill_value
    ends: Any = fill if isinstance(fill, tuple) and len(fill) == 2 else (fill, fill)
    linear = getattr(theirs, "_kind", "") == "linear" and theirs.y.ndim == 1 and not options
    numbers = all(np.shape(one) == () and not isinstance(one, str) for one in ends)
    if not linear or not numbers or not theirs.x.dtype == theirs.y.dtype == FLOAT64:
        return NotImplemented
    if theirs.bounds_error and bool(_outside(x, float(theirs.x[0]), float(theirs.x[-1])).any()):
        return NotImplemented  # SciPy says which
    points, values = _beside(x, [theirs.x, theirs.y], there)
    return interp(x, points, values, float(ends[0]), float(ends[1]))


def _table(theirs: Any, x: ndarray, options: dict[str, Any], there: Kept) -> Any:
    grid, values, fill = theirs.grid, theirs.values, theirs.fill_value
    method = options.get("method", theirs.method)
    plain = values.dtype == FLOAT64 and values.ndim == len(grid) <= _MOST_AXES and all(one.size > 1 for one in grid)
    if not plain or options.keys() - {"method"} or method not in ("linear", "nearest"):
        return NotImplemented
    if x.ndim < 2 or x.shape[-1] != len(grid) or not (fill is None or is_number(fill)):
        return NotImplemented
    shape = x.shape[:-1]
    columns = list(x.reshape(-1, len(grid)).T)
    nowhere, out = isnan(columns[0]), _outside(columns[0], grid[0][0], grid[0][-1])
    for points, column in zip(grid[1:], columns[1:], strict=True):
        nowhere, out = logical_or(nowhere, isnan(column)), logical_or(out, _outside(column, points[0], points[-1]))
    if theirs.bounds_error and bool(logical_or(nowhere, out).any()):
        return NotImplemented  # SciPy says which
    table, *axes = _beside(x, [values.ravel(), *grid], there)
    places, shares = [], []
    for points, column in zip(axes, columns, strict=True):
        low = searchsorted(points[1:-1], column, side="right")
        begun, ended = _core.take(points, low, 0), _core.take(points, add(low, 1), 0)
        places.append(low)
        shares.append(divide(subtract(column, begun), subtract(ended, begun)))
    steps = [int(np.prod(values.shape[place + 1 :])) for place in range(values.ndim)]

    def at(corner: tuple[Any, ...]) -> ndarray:
        terms = [
            multiply(add(place, further), step) for place, further, step in zip(places, corner, steps, strict=True)
        ]
        index = functools.reduce(add, terms)
        return _core.take(table, index, 0)

    if method == "nearest":
        made = at(tuple(_core.cast(greater(share, 0.5), np.int64) for share in shares))
    else:
        made = None
        for corner in itertools.product((0, 1), repeat=values.ndim):
            term = at(corner)
            for share, further in zip(shares, corner, strict=True):
                term = multiply(term, share if further else subtract(1.0, share))
            made = term if made is None else add(made, term)
    if fill is not None and not theirs.bounds_error:
        made = select_where(out, float(fill), made, FLOAT64)
    return select_where(nowhere, np.nan, made, FLOAT64).reshape(shape)


_WAYS = ((_theirs.PPoly, _polynomials), (_theirs.interp1d, _line), (_theirs.RegularGridInterpolator, _table))


def evaluated(theirs: Any, args: tuple[Any, ...], options: dict[str, Any], there: Kept) -> Any:
    """The values at points on a device; NotImplemented where SciPy is to compute them."""
    if len(args) != 1 or not lies_on_device(args[0]) or args[0].dtype.kind not in "iuf" or not args[0].size:
        return NotImplemented
    for kind, way in _WAYS:
        if isinstance(theirs, kind):
            return way(theirs, as_dtype_of(args[0], FLOAT64), options, there)
    return NotImplemented
