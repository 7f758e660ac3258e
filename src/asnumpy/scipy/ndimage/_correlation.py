"""Sums of neighbours times weights, in SciPy's order of additions and in double precision as there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros_like
from asnumpy.scipy.ndimage._borders import (
    before_and_after,
    checked,
    doubles,
    extended,
    in_blocks,
    narrow,
    narrows,
    over_neighbours,
    over_windows,
    part,
)
from asnumpy.scipy.ndimage._calls import (
    FLOAT64,
    Left,
    between,
    chosen_axes,
    composed,
    constant,
    handed,
    integer,
    number,
    one_axis,
    origins_of,
    over_all_axes,
    plain,
    reflected,
    sequence,
    stored,
    target,
)
from asnumpy.ufunc.functions import add, divide, multiply, subtract

_EPSILON = float(np.finfo(np.float64).eps)
_SUMS = np.dtype(np.int32)


def _symmetry(weights: np.ndarray) -> int:
    """1 for weights that read the same from both ends, -1 for those that change their sign, else 0."""
    if len(weights) % 2 == 0:
        return 0
    middle = len(weights) // 2
    ahead, behind = weights[middle + 1:], weights[:middle][::-1]
    if bool(np.all(np.abs(ahead - behind) <= _EPSILON)):
        return 1
    return -1 if bool(np.all(np.abs(ahead + behind) <= _EPSILON)) else 0


def along(
    a: ndarray, weights: np.ndarray, axis: int, dtype: np.dtype, mode: str, cval: float, origin: int = 0
) -> ndarray:
    """The correlation along an axis, as `dtype`."""
    count, length = len(weights), a.shape[axis]
    widths = [(0, 0)] * a.ndim
    widths[axis] = before_and_after(count, origin)
    values, symmetry = weights.tolist(), _symmetry(weights)

    def weighted(lines: ndarray) -> ndarray:
        whole = extended(doubles(lines), widths, mode, cval)

        def at(place: int) -> ndarray:
            return part(whole, axis, place, length)

        if not symmetry:
            made = multiply(at(count - 1), values[-1])
            for place in range(count - 1):
                made = add(made, multiply(at(place), values[place]))
        else:
            fold = add if symmetry > 0 else subtract
            made = multiply(at(count // 2), values[count // 2])
            for place in range(count // 2):
                made = add(made, multiply(fold(at(place), at(count - 1 - place)), values[place]))
        return stored(made, dtype)

    return in_blocks(a, axis, dtype, weighted)


def _weights(given: Any) -> np.ndarray:
    weights = constant(given, np.float64)
    if weights.ndim != 1 or not len(weights):
        raise Left
    return weights


@composed
def correlate1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    return handed(along(a, _weights(weights), one_axis(axis, a.ndim), dtype, checked(mode), number(cval),
                        integer(origin)), out)


@composed
def convolve1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    turned = _weights(weights)[::-1]
    origin = -integer(origin) - (len(turned) % 2 == 0)
    return correlate1d.body(input, turned, axis, output, mode, cval, origin)


def _over_neighbours(
    input: Any, weights: Any, output: Any, mode: Any, cval: Any, origin: Any, axes: Any, turned: bool
) -> Any:
    a = plain(input)
    places = chosen_axes(axes, a.ndim)
    given = over_all_axes(constant(weights, np.float64), places, a.ndim)
    origins = origins_of(origin, places, a.ndim)
    if turned:
        given = np.flip(given)
        origins = reflected(origins, given.shape)
    dtype, out = target(output, a.dtype, a.shape)
    border, value = checked(mode), number(cval)
    for one, size in zip(origins, given.shape, strict=True):
        before_and_after(size, one)
    places_there = list(map(tuple, np.argwhere(np.abs(given) > _EPSILON).tolist()))
    if not places_there:
        return handed(zeros_like(a, dtype), out)

    def total(at: Callable[[tuple[int, ...]], ndarray]) -> ndarray:
        made: ndarray | None = None
        for place in places_there:
            one = multiply(doubles(at(place)), float(given[place]))
            made = one if made is None else add(made, one)
        assert made is not None
        return stored(made, dtype)

    return handed(over_neighbours(narrow(a, border, value), given.shape, origins, border, value, dtype, total), out)


@composed
def correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:
    return _over_neighbours(input, weights, output, mode, cval, origin, axes, False)


@composed
def convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:
    return _over_neighbours(input, weights, output, mode, cval, origin, axes, True)


# --- uniform windows ---


def _uniform(a: ndarray, size: int, axis: int, dtype: np.dtype, mode: str, cval: float, origin: int) -> ndarray:
    widths = [(0, 0)] * a.ndim
    widths[axis] = before_and_after(size, origin)
    kind = _SUMS if _adds_up(a.dtype, size, mode, cval) else FLOAT64

    def averaged(lines: ndarray) -> ndarray:
        whole = extended(_core.cast(lines, kind), widths, mode, cval)
        return stored(divide(over_windows(whole, axis, size, add), float(size)), dtype)

    return in_blocks(a, axis, dtype, averaged)


def _adds_up(dtype: np.dtype, size: int, mode: str, cval: float) -> bool:
    """Whether the sums are integers of 32 bits; they are exact in doubles too, which take twice the room."""
    return dtype.kind in "biu" and dtype.itemsize <= 2 and size < 1 << 15 and narrows(dtype, mode, cval)


@composed
def uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    made = _uniform(a, integer(size), one_axis(axis, a.ndim), dtype, checked(mode), number(cval), integer(origin))
    return handed(made, out)


@composed
def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:
    return axis_by_axis(_uniform, input, size, output, mode, cval, origin, axes)


def windows_of(
    a: ndarray, size: Any, mode: Any, cval: Any, origin: Any, axes: Any
) -> list[tuple[int, int, str, float, int]]:
    """The axis, size, border, value beyond it and displacement of each window."""
    places, value = chosen_axes(axes, a.ndim), number(cval)
    count = len(places)
    return list(zip(
        places, map(integer, sequence(size, count)), map(checked, sequence(mode, count)), [value] * count,
        map(integer, sequence(origin, count)), strict=True,
    ))


def axis_by_axis(
    step: Callable[..., ndarray], input: Any, size: Any, output: Any, mode: Any, cval: Any, origin: Any, axes: Any,
) -> Any:
    """A filter of windows that is one filter after the other along the axes, each kept in the result's dtype."""
    a = plain(input)
    windows = windows_of(a, size, mode, cval, origin, axes)
    dtype, out = target(output, a.dtype, a.shape)
    for _, extent, _, _, shift in windows:
        if extent > 1:
            before_and_after(extent, shift)
    made = a
    for axis, extent, border, value, shift in windows:
        if extent > 1:
            made = step(made, extent, axis, dtype, border, value, shift)
    return handed(copied(a, dtype) if made is a else made, out, a)


def copied(a: ndarray, dtype: np.dtype) -> ndarray:
    """The array in another dtype as an assignment converts it."""
    return a if a.dtype == dtype else a.astype(dtype)


# --- Gaussian windows ---


@functools.lru_cache(256)
def gaussian_weights(sigma: float, order: int, radius: int) -> np.ndarray:
    """A Gaussian's values, or those of its derivative of this order: its polynomial times the Gaussian."""
    variance = sigma * sigma
    x = np.arange(-radius, radius + 1)
    values = np.exp(-0.5 / variance * x**2)
    values = values / values.sum()
    if order:
        powers = np.arange(order + 1)
        polynomial = np.zeros(order + 1)
        polynomial[0] = 1
        derivation = np.diag(powers[1:], 1) + np.diag(np.ones(order) / -variance, -1)  # (q f)' = (q' - x q / s^2) f
        for _ in range(order):
            polynomial = derivation.dot(polynomial)
        values = (x[:, None] ** powers).dot(polynomial) * values
    turned: np.ndarray = values[::-1].copy()
    turned.flags.writeable = False
    return turned


def gaussian_along(
    a: ndarray, sigma: Any, axis: int, order: Any, dtype: np.dtype, mode: str, cval: float, truncate: Any, radius: Any
) -> ndarray:
    spread_, degree = number(sigma), integer(order)
    reach = int(number(truncate) * spread_ + 0.5) if radius is None else integer(radius)
    if spread_ == 0.0 or spread_ != spread_ or degree < 0 or reach < 0:
        raise Left
    return along(a, gaussian_weights(spread_, degree, reach), axis, dtype, mode, cval)


@composed
def gaussian_filter1d(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, *, radius: Any = None,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    place = one_axis(axis, a.ndim)
    return handed(gaussian_along(a, sigma, place, order, dtype, checked(mode), number(cval), truncate, radius), out)


def gaussian(
    a: ndarray, sigma: Any, order: Any, dtype: np.dtype, mode: Any, cval: float, truncate: Any = 4.0,
    radius: Any = None, axes: Any = None,
) -> ndarray:
    """One Gaussian after the other along the axes."""
    places = chosen_axes(axes, a.ndim)
    count = len(places)
    made = a
    for axis, one, degree, border, reach in zip(
        places, sequence(sigma, count), sequence(order, count), sequence(mode, count), sequence(radius, count),
        strict=True,
    ):
        if number(one) > 1e-15:
            made = gaussian_along(made, one, axis, degree, between(dtype), checked(border), cval, truncate, reach)
    return copied(a, dtype) if made is a else stored(made, dtype)


@composed
def gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    return handed(gaussian(a, sigma, order, dtype, mode, number(cval), truncate, radius, axes), out, a)
