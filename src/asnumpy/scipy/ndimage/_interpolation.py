"""Values between elements, of orders 0 to 5: at points, on grids that are shifted or zoomed, in turned planes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.special

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import select_where
from asnumpy.scipy.ndimage import _places, _splines
from asnumpy.scipy.ndimage._borders import checked, doubles, part
from asnumpy.scipy.ndimage._calls import (
    FLOAT64,
    Left,
    composed,
    constant,
    handed,
    integer,
    number,
    one_axis,
    plain,
    sequence,
    stored,
    target,
)
from asnumpy.scipy.ndimage._correlation import copied
from asnumpy.ufunc.functions import add, greater, maximum, minimum, multiply

_POINTS = 1 << 20  # that are looked up together
_LEAST = 1 << 14  # elements on the host: SciPy's loops over splines are quicker for fewer


def quicker(a: ndarray, grid: bool) -> bool:
    """Whether splines are composed: on the host the values on a grid of a large array alone. At points, where all
    elements around each are looked up, SciPy's loop is three times as quick there."""
    return not a._host_visible or (grid and a.size >= _LEAST)


def _degree(order: Any, a: ndarray, grid: bool) -> int:
    degree = integer(order)
    if degree not in range(6) or (degree > 1 and not quicker(a, grid)):
        raise Left
    return degree


class _Source(NamedTuple):
    """What is looked up: an array, or the coefficients of its splines with so many elements more around it."""

    a: ndarray
    ahead: int
    how: tuple[int, str, float]  # the order, the mode, cval


def _source(
    a: ndarray, order: int, prefilter: Any, mode: str, cval: float, axes: tuple[int, ...] | None = None
) -> _Source:
    ahead = 0
    if order > 1:
        every = tuple(range(a.ndim)) if axes is None else axes
        a, ahead = _splines.coefficients(a, order, bool(prefilter), every, mode, cval)
    return _Source(a, ahead, (order, mode, cval))


def _kept(made: ndarray, dtype: np.dtype) -> ndarray:
    """Integers are rounded, halves away from zero, and limited to what the dtype holds."""
    if dtype.kind not in "iu":
        return stored(made, dtype)
    limits = np.iinfo(dtype)
    below: Any = add(made, -0.5) if limits.min < 0 else 0.0
    made = select_where(greater(made, 0.0), add(made, 0.5), below, FLOAT64)
    made = minimum(maximum(made, float(limits.min)), float(limits.max))
    return _core.cast(made, dtype)


def _gridded(source: _Source, coordinates: list[np.ndarray], dtype: np.dtype) -> ndarray:
    """The values at the points of a grid, some rows at a time."""
    shape = tuple(map(len, coordinates))
    a, ahead, how = source
    if ahead:
        coordinates = [line + ahead for line in coordinates]
    on_grid = _places.on_grid if how[0] < 2 else _splines.on_grid
    rows, count = coordinates[0], max(1, _POINTS // max(1, math.prod(shape[1:])))
    if count >= shape[0]:
        return _kept(on_grid(a, coordinates, *how), dtype)
    made = _core.empty(shape, dtype)
    for first in range(0, shape[0], count):
        some = rows[first:first + count]
        values = on_grid(a, [some, *coordinates[1:]], *how)
        _core.assign(part(made, 0, first, len(some)), _kept(values, dtype))
    return made


@composed
def shift(
    input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    a = plain(input)
    degree = _degree(order, a, True)
    dtype, out = target(output, a.dtype, a.shape)
    moves = [number(one) for one in sequence(shift, a.ndim)]
    if not all(np.isfinite(moves)):
        raise Left
    coordinates = [np.arange(length) - move for length, move in zip(a.shape, moves, strict=True)]
    source = _source(a, degree, prefilter, checked(mode), number(cval))
    return handed(_gridded(source, coordinates, dtype), out)


def zoomed(
    shape: tuple[int, ...], zoom: Any, mode: str, grid_mode: Any
) -> tuple[list[float], tuple[int, ...]]:
    """The factor along each axis, and the shape of the result."""
    factors = [number(one) for one in sequence(zoom, len(shape))]
    if not all(np.isfinite(factors)) or (grid_mode and mode in ("constant", "wrap")):
        raise Left
    made = tuple(round(length * factor) for length, factor in zip(shape, factors, strict=True))
    if min(made) < 1:
        raise Left
    return factors, made


@composed
def zoom(
    input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True, *, grid_mode: Any = False,
) -> Any:
    a = plain(input)
    degree = _degree(order, a, True)
    border, value = checked(mode), number(cval)
    factors, shape = zoomed(a.shape, zoom, border, grid_mode)
    dtype, out = target(output, a.dtype, shape)
    if prefilter and all(factor == 1 for factor in factors):
        return handed(copied(a, dtype), out, a)
    coordinates = []
    for old, new in zip(a.shape, shape, strict=True):
        if grid_mode:
            coordinates.append((np.arange(new) + 0.5) * (old / new) - 0.5)
        else:
            coordinates.append(np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 1.0))
    return handed(_gridded(_source(a, degree, prefilter, border, value), coordinates, dtype), out)


def _sampled(
    source: _Source, ndim: int, new: tuple[int, ...], points: Callable[[int, int], list[ndarray]], dtype: np.dtype
) -> ndarray:
    """The values of the arrays that the last `ndim` axes are, in results of a shape `new`. `points` gives their
    coordinates from a row on, for so many rows: what they are computed from stays in the cache."""
    a, ahead, how = source
    others, old = a.shape[:a.ndim - ndim], a.shape[a.ndim - ndim:]
    lines = a.reshape(math.prod(others), math.prod(old))
    count = max(1, _POINTS // max(1, math.prod(new[1:])))
    at_points = _places.at_points if how[0] < 2 else _splines.at_points

    def values(first: int, rows: int) -> ndarray:
        coordinates = points(first, rows)
        if ahead:
            coordinates = [add(line, float(ahead)) for line in coordinates]
        return _kept(at_points(lines, old, coordinates, *how), dtype)

    if count >= new[0]:
        made = values(0, new[0])
    else:
        made = _core.empty((lines.shape[0], *new), dtype)
        for first in range(0, new[0], count):
            rows = min(count, new[0] - first)
            _core.assign(part(made, 1, first, rows), values(first, rows))
    return made.reshape((*others, *new))


@composed
def map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    a, points = plain(input), plain(coordinates)
    degree = _degree(order, a, False)
    if points.ndim < 2 or points.shape[0] != a.ndim:
        raise Left
    shape = points.shape[1:]
    dtype, out = target(output, a.dtype, shape)
    border, value = checked(mode), number(cval)

    def given(first: int, rows: int) -> list[ndarray]:
        return [doubles(points[axis, first:first + rows]) for axis in range(a.ndim)]

    source = _source(a, degree, prefilter, border, value)
    return handed(_sampled(source, a.ndim, shape, given, dtype), out)


def _moved(
    matrix: np.ndarray, offset: np.ndarray, shape: tuple[int, ...]
) -> Callable[[int, int], list[ndarray]]:
    """Where the elements of a result of this shape come from: the matrix times their places, and the offset."""
    places = [
        asarray(np.arange(length, dtype=np.float64).reshape((-1,) + (1,) * (len(shape) - axis - 1)))
        for axis, length in enumerate(shape)
    ]

    def coordinates(first: int, rows: int) -> list[ndarray]:
        made = []
        for weights, start in zip(matrix.tolist(), offset.tolist(), strict=True):
            c: Any = start
            for place, weight in zip((places[0][first:first + rows], *places[1:]), weights, strict=True):
                c = add(c, multiply(place, weight))
            made.append(c)
        return made

    return coordinates


def affine(matrix: np.ndarray, offset: Any, ndim: int) -> tuple[np.ndarray, np.ndarray]:
    """The matrix and the offset of a transformation, which may be given as one matrix of homogeneous coordinates."""
    if matrix.ndim not in (1, 2) or not matrix.size:
        raise Left
    if matrix.ndim == 2 and matrix.shape in ((ndim, ndim + 1), (ndim + 1, ndim + 1)):
        if matrix.shape[0] == ndim + 1 and matrix[ndim].tolist() != [0.0] * ndim + [1.0]:
            raise Left
        offset, matrix = matrix[:ndim, ndim], matrix[:ndim, :ndim]
    if matrix.shape[0] != ndim:
        raise Left
    return matrix, np.array([number(one) for one in sequence(offset, ndim)])


def shape_of_affine(a: ndarray, matrix: np.ndarray, output_shape: Any, output: Any) -> tuple[int, ...]:
    if output_shape is not None:
        shape = tuple(integer(one) for one in output_shape)
    else:
        shape = output.shape if isinstance(output, ndarray) else a.shape
    if not shape or min(shape) < 1 or len(shape) != (matrix.shape[1] if matrix.ndim == 2 else a.ndim):
        raise Left
    return shape


@composed
def affine_transform(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, order: Any = 3,
    mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:
    a = plain(input)
    border, value = checked(mode), number(cval)
    turn, start = affine(constant(matrix, np.float64), offset, a.ndim)
    degree = _degree(order, a, turn.ndim == 1)
    shape = shape_of_affine(a, turn, output_shape, output)
    dtype, out = target(output, a.dtype, shape)
    if turn.ndim == 1:
        with np.errstate(all="ignore"):
            coordinates = [
                (np.arange(length) + first / factor) * factor
                for length, first, factor in zip(shape, start, turn, strict=True)
            ]
        if not all(np.isfinite(line).all() for line in coordinates):
            raise Left
        return handed(_gridded(_source(a, degree, prefilter, border, value), coordinates, dtype), out)
    source = _source(a, degree, prefilter, border, value)
    return handed(_sampled(source, a.ndim, shape, _moved(turn, start, shape), dtype), out)


@composed
def spline_filter1d(input: Any, order: Any = 3, axis: Any = -1, output: Any = FLOAT64, mode: Any = "mirror") -> Any:
    a = plain(input)
    degree, place, border = _degree(order, a, False), one_axis(axis, a.ndim), checked(mode)
    dtype, out = target(output, a.dtype, a.shape)
    if degree < 2:
        return handed(copied(a, dtype), out, a)
    return handed(_splines.recursion(a, degree, place, dtype, border), out)


@composed
def spline_filter(input: Any, order: Any = 3, output: Any = FLOAT64, mode: Any = "mirror") -> Any:
    a = plain(input)
    degree, border = _degree(order, a, False), checked(mode)
    if degree < 2:
        raise Left
    dtype, out = target(output, a.dtype, a.shape)
    for axis in range(a.ndim):
        a = _splines.recursion(a, degree, axis, dtype, border)
    return handed(a, out)


def rotation(
    shape: tuple[int, ...], angle: float, axes: Any, reshape: Any
) -> tuple[list[int], np.ndarray, np.ndarray, tuple[int, ...]]:
    """A rotation's plane, what takes places in it to where they come from, and the shape of the result."""
    ndim = len(shape)
    plane = sorted(integer(axis) % ndim if -ndim <= integer(axis) < ndim else -1 for axis in axes)
    if ndim < 2 or len(plane) != 2 or plane[0] < 0 or plane[0] == plane[1]:
        raise Left
    cosine, sine = scipy.special.cosdg(angle), scipy.special.sindg(angle)
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    old = np.array([shape[axis] for axis in plane])
    new = old
    if reshape:
        rows, columns = old
        corners = matrix @ [[0, 0, rows, rows], [0, columns, 0, columns]]
        new = (np.ptp(corners, axis=1) + 0.5).astype(int)
    if not np.isfinite(matrix).all() or new.min() < 1:
        raise Left
    made = list(shape)
    for axis, length in zip(plane, new.tolist(), strict=True):
        made[axis] = length
    return plane, matrix, (old - 1) / 2 - matrix @ ((new - 1) / 2), tuple(made)


@composed
def rotate(
    input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None, order: Any = 3,
    mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:
    a = plain(input)
    degree = _degree(order, a, False)
    border, value, turned = checked(mode), number(cval), number(angle)
    plane, matrix, offset, shape = rotation(a.shape, turned, axes, reshape)
    dtype, out = target(output, a.dtype, shape)
    others = [axis for axis in range(a.ndim) if axis not in plane]
    size = (shape[plane[0]], shape[plane[1]])
    planes = a.transpose((*others, *plane))
    source = _source(planes, degree, prefilter, border, value, (a.ndim - 2, a.ndim - 1))
    made = _sampled(source, 2, size, _moved(matrix, offset, size), dtype)
    if out is None and others:  # in rows as all results, not turned with the planes
        out = _core.empty(shape, dtype)
    return handed(made.transpose(np.argsort([*others, *plane]).tolist()), out)
