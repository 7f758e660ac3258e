"""Where the values between elements come from: coordinates brought into the array, the elements beside them, weights.

The same steps for coordinates of NumPy (a line for each axis, on the host) and of ours (one for each result).
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import select_where, take
from asnumpy.scipy.ndimage._borders import doubles
from asnumpy.scipy.ndimage._calls import FLOAT64
from asnumpy.ufunc.functions import add, logical_or, multiply

_UNBOUNDED = ("nearest", "grid-constant")  # where a coordinate stays what it is
_HARDLY = 1e-15
_INTP = np.dtype(np.intp)


class _Corner(NamedTuple):
    """The elements on one side of the coordinates along an axis: the lower side, the upper one, or the nearest."""

    element: Any
    missing: Any  # where it is beyond the edge and has the value of what lies there; None: nowhere
    weight: Any  # None: 1


def _folded(c: Any, length: int, mode: str) -> tuple[Any, Any]:
    """A coordinate before the first element, and one behind the last, as another one in the array."""
    if length <= 1:
        return 0.0, 0.0
    if mode == "wrap":
        period = length - 1
        return c + period * (np.trunc(-c / period) + 1), c - period * np.trunc(c / period)
    if mode == "grid-wrap":
        return c + length * (np.trunc((-1 - c) / length) + 1), c - length * np.trunc(c / length)
    if mode == "mirror":
        period = 2 * length - 2
        before = period * np.trunc(-c / period) + c
        behind = c - period * np.trunc(c / period)
        return (
            np.where(before <= 1 - length, before + period, -before),
            np.where(behind >= length, period - behind, behind),
        )
    period = 2 * length
    before = np.where(c < -period, period * np.trunc(-c / period) + c, c)
    behind = c - period * np.trunc(c / period)
    return (
        np.where(before < -length, before + period, np.where(before > -_HARDLY, _HARDLY, -before) - 1),
        np.where(behind >= length, period - behind - 1, behind),
    )


def within(c: Any, length: int, mode: str) -> tuple[Any, Any]:
    """The coordinate in the array, and where it lies outside of it (None: nowhere)."""
    if mode in _UNBOUNDED:
        return c, None
    if mode == "constant":
        inside = (c >= 0) & (c <= length - 1)  # not so for NaN
    else:
        before, behind = _folded(c, length, mode)
        c = np.where(c < 0, before, np.where(c > length - 1, behind, c))
        inside = c > -1
    return np.where(inside, c, 0.0), ~inside


def _beside(place: Any, length: int, mode: str) -> tuple[Any, Any]:
    """The element at a place that is in the array, or a step or two beyond it. They are whole numbers as doubles, which
    processors compute with more quickly than with integers of 64 bits."""
    if mode == "constant":  # only one that is in the array has an element beside it
        return np.where(place >= length, max(length - 2, 0), place), None
    if mode == "grid-constant":
        return np.minimum(np.maximum(place, 0), length - 1), (place < 0) | (place >= length)
    if mode == "nearest" or length == 1:
        return np.minimum(np.maximum(place, 0), length - 1), None
    place = np.maximum(place, -1)
    if mode == "grid-wrap":
        before, behind = place + length, place - length
    elif mode in ("reflect", "grid-mirror"):
        before, behind = -1 - place, 2 * length - 1 - place
    else:
        before, behind = -place, 2 * length - 2 - place
    return np.where(place < 0, before, np.where(place >= length, behind, place)), None


def _corners(c: Any, length: int, order: int, mode: str) -> tuple[list[_Corner], Any]:
    """The elements beside coordinates along one axis, and where the coordinates are outside."""
    c, outside = within(c, length, mode)
    lower = np.floor(c + 0.5) if order == 0 else np.floor(c)
    place = lower
    if mode != "constant":  # those far away are all alike, and so is NaN
        place = np.fmin(np.fmax(lower, -2.0), float(length))
    if order == 0:
        return [_Corner(*_beside(place, length, mode), None)], outside
    first = 1.0 - (c - lower)
    return [
        _Corner(*_beside(place, length, mode), first),
        _Corner(*_beside(place + 1, length, mode), 1.0 - first),
    ], outside


def either(masks: list[Any]) -> ndarray | None:
    made: ndarray | None = None
    for mask in masks:
        if mask is not None:
            made = mask if made is None else logical_or(made, mask)
    return made


def _weighted(value: ndarray, corners: tuple[_Corner, ...], cval: float) -> ndarray:
    value = doubles(value)
    missing = either([corner.missing for corner in corners])
    if missing is not None:
        value = select_where(missing, cval, value, FLOAT64)
    for corner in corners:
        if corner.weight is not None:
            value = multiply(value, corner.weight)
    return value


def at_points(
    lines: ndarray, shape: tuple[int, ...], coordinates: list[ndarray], order: int, mode: str, cval: float
) -> ndarray:
    """The values at points of arrays of this shape, of which each line has the elements of one."""
    each, outside = [], []
    for c, length in zip(coordinates, shape, strict=True):
        corners, beyond = _corners(c, length, order, mode)
        each.append(corners)
        outside.append(beyond)
    steps = [1]
    for length in shape[:0:-1]:
        steps.insert(0, steps[0] * length)
    every = list(itertools.product(*each))
    positions = []  # of all corners before the first is looked up, which needs them computed: in one program
    for chosen in every:
        flat: Any = None
        for corner, step in zip(chosen, steps, strict=True):
            part = corner.element if step == 1 else multiply(corner.element, step)
            flat = part if flat is None else add(flat, part)
        positions.append(_core.cast(flat, _INTP))
    made: ndarray | None = None
    for chosen, index in zip(every, positions, strict=True):
        one = _weighted(take(lines, index, axis=1), chosen, cval)
        made = one if made is None else add(made, one)
    assert made is not None
    beyond = either(outside)
    return made if beyond is None else select_where(beyond, cval, made, FLOAT64)


def on_grid(
    a: ndarray, coordinates: list[np.ndarray], order: int, mode: str, cval: float
) -> ndarray:
    """The values at the points of a grid: along each axis those coordinates."""
    each: list[list[_Corner]] = []
    outside: list[Any] = []
    for axis, (c, length) in enumerate(zip(coordinates, a.shape, strict=True)):
        corners, beyond = _corners(c, length, order, mode)
        form = (-1,) + (1,) * (a.ndim - axis - 1)
        each.append([
            _Corner(asarray(one.element.astype(np.intp)), lying(one.missing, form), lying(one.weight, form))
            for one in corners
        ])
        outside.append(lying(beyond, form))
    made: ndarray | None = None

    def gather(part: ndarray, chosen: tuple[_Corner, ...]) -> None:
        nonlocal made
        axis = len(chosen)
        if axis < a.ndim:
            for corner in each[axis]:
                gather(_core.take(part, corner.element, axis), (*chosen, corner))
            return
        one = _weighted(part, chosen, cval)
        made = one if made is None else add(made, one)

    gather(a, ())
    assert made is not None
    beyond = either(outside)
    return made if beyond is None else select_where(beyond, cval, made, FLOAT64)


def lying(values: Any, form: tuple[int, ...]) -> ndarray | None:
    """A line of the host as an array along its axis; None for a mask that is nowhere true."""
    if values is None or (values.dtype == bool and not values.any()):
        return None
    return asarray(values.reshape(form))
