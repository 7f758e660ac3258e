"""Splines of orders 2 to 5: the coefficients of an array, and their sums times weights between the elements.

The coefficients are what a recursion with the poles z of the order makes of each line, forward and backward. Its
response, z to the distance, is a product of short ones, (1 + z S) (1 + z^2 S^2) (1 + z^4 S^4)... with S the step to the
next element: some sums of three shifted views instead of one step after the other.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy.ndimage

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import select_where, take
from asnumpy.scipy.ndimage._borders import doubles, extended, in_blocks, part
from asnumpy.scipy.ndimage._calls import FLOAT64, stored
from asnumpy.scipy.ndimage._places import either, lying, within
from asnumpy.ufunc.functions import add, multiply

_theirs: Any = scipy.ndimage  # SciPy has no annotations
_POLES = {  # of 1 over the B-spline's values at whole numbers, for S
    2: (-0.17157287525380990,), 3: (-0.26794919243112270,), 4: (-0.36134122590022018, -0.013725429297339121),
    5: (-0.43057534709997379, -0.043096288203264654),
}
_NARROW, _INTP = np.dtype(np.int32), np.dtype(np.intp)
_MOST = np.iinfo(_NARROW).max
_LEAST = 1e-17  # of a response, beyond which it is left away
_SHORT = 24  # lines of so many elements are multiplied by the matrix of the recursion
_FRAME = 12  # elements around an array whose borders the recursion does not know, as in SciPy
_FRAMED = ("nearest", "grid-constant")
_CONTINUED = {"grid-wrap": "grid-wrap", **dict.fromkeys(("nearest", "reflect", "grid-mirror"), "reflect")}


# --- coefficients ---


@functools.cache
def _steps(order: int) -> tuple[float, tuple[tuple[int, float], ...]]:
    """A factor, and the sums that the coefficients are: of an element and the two at that distance, times that."""
    factor, steps = 1.0, []
    for pole in _POLES[order]:
        factor *= (1 - pole) ** 2
        distance, power = 1, pole
        while abs(power) > _LEAST:
            whole = 1 + power * power
            factor *= whole
            steps.append((distance, power / whole))
            distance, power = 2 * distance, power * power
    return factor, tuple(steps)


@functools.lru_cache(64)
def _matrix(order: int, length: int, mode: str) -> np.ndarray:
    made: np.ndarray = _theirs.spline_filter1d(np.eye(length), order, axis=-1, mode=mode)
    return made


def recursion(a: ndarray, order: int, axis: int, dtype: np.dtype, mode: str) -> ndarray:
    """The coefficients along an axis, as `dtype`."""
    length = a.shape[axis]
    if length == 1:
        return stored(doubles(a), dtype)
    form = (-1,) + (1,) * (a.ndim - axis - 1)

    def by_matrix(lines: ndarray) -> ndarray:
        made: Any = None
        for place, row in enumerate(_matrix(order, length, mode)):
            one = multiply(doubles(part(lines, axis, place, 1)), asarray(row.reshape(form)))
            made = one if made is None else add(made, one)
        return stored(made, dtype)

    def by_steps(lines: ndarray) -> ndarray:
        factor, steps = _steps(order)
        widths = [(0, 0)] * a.ndim
        reach = sum(distance for distance, _ in steps)
        widths[axis] = (reach, reach)
        border = _CONTINUED.get(mode, "mirror")
        made = multiply(extended(doubles(lines), widths, border, 0.0), factor)
        for distance, weight in steps:
            count = made.shape[axis] - 2 * distance
            beside = add(part(made, axis, 0, count), part(made, axis, 2 * distance, count))
            made = add(part(made, axis, distance, count), multiply(beside, weight))
        return stored(made, dtype)

    return in_blocks(a, axis, dtype, by_matrix if length <= _SHORT else by_steps)


def coefficients(
    a: ndarray, order: int, prefilter: bool, axes: tuple[int, ...], mode: str, cval: float
) -> tuple[ndarray, int]:
    """The coefficients along these axes, with a margin in which the elements around a point beyond the edges lie, and
    where the first element of the array is among those in the margin."""
    def around(made: ndarray, width: int, border: str) -> ndarray:
        return extended(made, [(width, width) if axis in axes else (0, 0) for axis in range(made.ndim)], border, cval)

    frame = _FRAME if prefilter and mode in _FRAMED else 0
    made = around(a, frame, mode)
    for axis in axes if prefilter else ():
        made = recursion(made, order, axis, FLOAT64, mode)
    beyond = mode if mode in _FRAMED else _CONTINUED.get(mode, "mirror")
    return around(doubles(made), _margin(order), beyond), frame


def _margin(order: int) -> int:
    return order + 1


# --- weights ---


@functools.cache
def _pieces(order: int) -> np.ndarray:
    """The polynomials of the weights, a column for each of the order + 1 elements, the highest powers first."""
    before = [np.polynomial.Polynomial([1.0])]
    u = np.polynomial.Polynomial([0.0, 1.0])
    for degree in range(1, order + 1):
        zero = np.polynomial.Polynomial([0.0])
        around = [zero, *before, zero]
        before = [
            ((u + (degree - place)) * around[place] + (place + 1 - u) * around[place + 1]) / degree
            for place in range(degree + 1)
        ]
    return np.array([[*one.coef, *[0.0] * (order + 1 - len(one.coef))][::-1] for one in before]).T


def _around(c: Any, length: int, order: int, mode: str) -> tuple[Any, list[Any], Any]:
    """The first of the elements around coordinates along an axis, in its margin, the weights of all, and where the
    coordinates are outside."""
    c, outside = within(c, length, mode)
    c = c if order % 2 else c + 0.5
    lower = np.floor(c)
    first = np.fmin(np.fmax(lower + (_margin(order) - order // 2), 0.0), float(length + _margin(order)))
    fraction, weights = c - lower, []
    for piece in _pieces(order).T[:-1].tolist():
        weight = fraction * piece[0] + piece[1]
        for coefficient in piece[2:]:
            weight = weight * fraction
            weight = weight + coefficient if coefficient else weight
        weights.append(weight)
    return first, [*weights, 1.0 - functools.reduce(lambda one, other: one + other, weights)], outside


def on_grid(a: ndarray, coordinates: list[np.ndarray], order: int, mode: str, cval: float) -> ndarray:
    """The values at the points of a grid, one axis after the other."""
    outside = []
    for axis, c in enumerate(coordinates):
        first, weights, beyond = _around(c, a.shape[axis] - 2 * _margin(order), order, mode)
        first = first.astype(np.intp)
        form = (-1,) + (1,) * (a.ndim - axis - 1)
        outside.append(lying(beyond, form))
        made: Any = None
        for place, weight in enumerate(weights):
            one = multiply(_core.take(a, asarray(first + place), axis), asarray(weight.reshape(form)))
            made = one if made is None else add(made, one)
        a = made
    anywhere = either(outside)
    return a if anywhere is None else select_where(anywhere, cval, a, FLOAT64)


def at_points(
    lines: ndarray, shape: tuple[int, ...], coordinates: list[ndarray], order: int, mode: str, cval: float
) -> ndarray:
    """The values at points of arrays of this shape, of which each line has the elements of one."""
    every, outside = [], []
    index: Any = None
    for axis, (c, length) in enumerate(zip(coordinates, shape, strict=True)):
        first, weights, beyond = _around(c, length - 2 * _margin(order), order, mode)
        step = math.prod(shape[axis + 1:])
        first = multiply(first, float(step)) if step > 1 else first
        index = first if index is None else add(index, first)
        every.append([(place * step, weight) for place, weight in enumerate(weights)])
        outside.append(beyond)
    index = _core.cast(index, _NARROW if lines.shape[1] <= _MOST else _INTP)

    def total(axis: int, offset: int) -> ndarray:
        if axis == len(shape):
            return take(lines, add(index, offset), axis=1)
        made: Any = None
        for place, weight in every[axis]:
            one = multiply(total(axis + 1, offset + place), weight)
            made = one if made is None else add(made, one)
        whole: ndarray = made
        return whole

    made, anywhere = total(0, 0), either(outside)
    return made if anywhere is None else select_where(anywhere, cval, made, FLOAT64)
