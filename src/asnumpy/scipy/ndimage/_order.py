"""Filters that choose among neighbours: the least, the largest, the one at a rank."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._types import ndarray
from asnumpy.scipy.ndimage._borders import (
    Fold,
    before_and_after,
    checked,
    doubles,
    extended,
    holds,
    in_blocks,
    narrow,
    over_neighbours,
    over_windows,
)
from asnumpy.scipy.ndimage._calls import (
    Left,
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
    sequence,
    stored,
    target,
)
from asnumpy.scipy.ndimage._correlation import axis_by_axis
from asnumpy.ufunc.functions import add, maximum, minimum

_MOST_STEPS = 100  # of a selection, whose elements are all at hand at once: as many as one program has room for


def _extreme_along(
    fold: Fold, a: ndarray, size: int, axis: int, dtype: np.dtype, mode: str, cval: float, origin: int
) -> ndarray:
    widths = [(0, 0)] * a.ndim
    widths[axis] = before_and_after(size, origin)

    def chosen(lines: ndarray) -> ndarray:
        return stored(over_windows(extended(narrow(lines, mode, cval), widths, mode, cval), axis, size, fold), dtype)

    return in_blocks(a, axis, dtype, chosen)


_minimum_along = functools.partial(_extreme_along, minimum)
_maximum_along = functools.partial(_extreme_along, maximum)


def _filter1d(fold: Fold, input: Any, size: Any, axis: Any, output: Any, mode: Any, cval: Any, origin: Any) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    made = _extreme_along(fold, a, integer(size), one_axis(axis, a.ndim), dtype, checked(mode), number(cval),
                          integer(origin))
    return handed(made, out, a)


@composed
def minimum_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    return _filter1d(minimum, input, size, axis, output, mode, cval, origin)


@composed
def maximum_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    return _filter1d(maximum, input, size, axis, output, mode, cval, origin)


def extreme(
    least: bool, input: Any, size: Any, footprint: Any, structure: Any, output: Any, mode: Any, cval: Any, origin: Any,
    axes: Any,
) -> Any:
    """The least, or largest, of what lies under a footprint, less, or more, what the structure has there."""
    if (size is None) == (footprint is None) and (size is not None or structure is None):
        raise Left
    under = None if footprint is None else constant(footprint, bool)
    if structure is None and (under is None or under.all()):
        step = _minimum_along if least else _maximum_along
        return axis_by_axis(step, input, size if under is None else under.shape, output, mode, cval, origin, axes)
    a = plain(input)
    places = chosen_axes(axes, a.ndim)
    dtype, out = target(output, a.dtype, a.shape)
    border, value = checked(mode), number(cval)
    heights = None
    if structure is not None:
        heights = constant(structure, np.float64)
        under = np.ones(heights.shape, bool) if under is None else under
        if len(places) != a.ndim or heights.shape != under.shape or a.dtype.kind == "b":
            raise Left
        if not np.all(np.abs(heights) < 1 << 31):
            raise Left
    assert under is not None
    under = over_all_axes(under, places, a.ndim)
    if not under.any():
        raise Left
    fold = minimum if least else maximum
    there = list(map(tuple, np.argwhere(under).tolist()))

    def chosen(at: Callable[[tuple[int, ...]], ndarray]) -> ndarray:
        made: ndarray | None = None
        for place in there:
            if heights is None:
                one = _exact(at(place))
            else:
                one = _raised(at(place), -float(heights[place]) if least else float(heights[place]), made is None)
            made = one if made is None else fold(made, one)
        assert made is not None
        return stored(made, dtype)

    value = _as_element(a.dtype, border, value)
    made = over_neighbours(a, under.shape, origins_of(origin, places, a.ndim), border, value, dtype, chosen)
    return handed(made, out, a)


def _as_element(dtype: np.dtype, mode: str, cval: float) -> float:
    """The value beyond the edges as an element of the array, as SciPy's loops over footprints have it."""
    if "constant" not in mode:
        return cval
    if dtype.kind == "f":
        return float(dtype.type(cval))
    if cval != cval or abs(cval) > 1 << 53:
        raise Left
    cval = float(int(cval))
    if not holds(dtype, cval) and dtype.itemsize < 8:
        raise Left
    return cval


def _exact(a: ndarray) -> ndarray:
    """64-bit integers as the doubles that SciPy compares."""
    return doubles(a) if a.dtype.kind in "iu" and a.dtype.itemsize == 8 else a


def _raised(a: ndarray, height: float, first: bool) -> ndarray:
    """An element and what the structure has there: SciPy adds them in the array's dtype, all but the first."""
    if first:
        return add(doubles(a), height)
    if a.dtype.kind == "f":
        return doubles(add(a, float(a.dtype.type(height))))
    limits = np.iinfo(a.dtype)
    whole = int(height)
    if not limits.min <= whole <= limits.max:
        whole = (whole - int(limits.min)) % (1 << limits.bits) + int(limits.min)
    return doubles(add(a, a.dtype.type(whole)))


@composed
def minimum_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:
    return extreme(True, input, size, footprint, None, output, mode, cval, origin, axes)


@composed
def maximum_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:
    return extreme(False, input, size, footprint, None, output, mode, cval, origin, axes)


# --- ranks ---


def _exchanges(count: int) -> list[tuple[int, int]]:
    """Batcher's sort by merging odd and even places: the pairs of places whose elements are put in order."""
    pairs = []
    span = 1
    while span < count:
        step = span
        while step:
            for first in range(step % span, count - step, 2 * step):
                pairs += [
                    (low, low + step) for low in range(first, min(first + step, count - step))
                    if low // (2 * span) == (low + step) // (2 * span)
                ]
            step //= 2
        span *= 2
    return pairs


@functools.lru_cache(256)
def _selection(count: int, rank: int) -> list[tuple[int, int, bool, bool]]:
    """The exchanges that the element at a rank needs, and whether the lower and the higher result of each is used."""
    needed, steps = {rank}, []
    for low, high in reversed(_exchanges(count)):
        lower, higher = low in needed, high in needed
        if lower or higher:
            steps.append((low, high, lower, higher))
            needed |= {low, high}
    return steps[::-1]


def _rank_of(kind: str, wanted: Any, count: int) -> int:
    if kind == "median":
        return count // 2
    if kind == "rank":
        rank = integer(wanted)
    else:
        percentile = number(wanted)
        percentile += 100.0 if percentile < 0 else 0.0
        if not 0 <= percentile <= 100:
            raise Left
        rank = count - 1 if percentile == 100.0 else int(float(count) * percentile / 100.0)
    rank += count if rank < 0 else 0
    if not 0 <= rank < count:
        raise Left
    return rank


def _ranked(
    kind: str, wanted: Any, input: Any, size: Any, footprint: Any, output: Any, mode: Any, cval: Any, origin: Any,
    axes: Any,
) -> Any:
    if (size is None) == (footprint is None):
        raise Left
    a = plain(input)
    places = chosen_axes(axes, a.ndim)
    if footprint is None:
        sizes = [integer(one) for one in sequence(size, len(places))]
        if min(sizes) < 1:
            raise Left
        under = np.ones(sizes, bool)
    else:
        under = constant(footprint, bool)
    under = over_all_axes(under, places, a.ndim)
    origins = origins_of(origin, places, a.ndim)
    count = int(np.count_nonzero(under))
    rank = _rank_of(kind, wanted, count)
    if isinstance(mode, (list, tuple)):
        raise Left
    if rank in (0, count - 1):
        return extreme(rank == 0, a, None, under, None, output, mode, cval, origins, None)
    dtype, out = target(output, a.dtype, a.shape)
    border, value = checked(mode), number(cval)
    steps = _selection(count, rank)
    if len(steps) > _MOST_STEPS // 2:
        raise Left
    if a.ndim == 1 and dtype != a.dtype:
        raise Left  # SciPy has another loop there, with conversions of its own
    value = _as_element(a.dtype, border, value)
    there = list(map(tuple, np.argwhere(under).tolist()))

    def selected(at: Callable[[tuple[int, ...]], ndarray]) -> ndarray:
        among = [at(place) if a.ndim == 1 else _exact(at(place)) for place in there]
        for low, high, lower, higher in steps:
            one, other = among[low], among[high]
            if lower:
                among[low] = minimum(one, other)
            if higher:
                among[high] = maximum(one, other)
        return stored(among[rank], dtype)

    return handed(over_neighbours(a, under.shape, origins, border, value, dtype, selected), out, a)


@composed
def rank_filter(
    input: Any, rank: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    return _ranked("rank", rank, input, size, footprint, output, mode, cval, origin, axes)


@composed
def median_filter(
    input: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:
    return _ranked("median", 0, input, size, footprint, output, mode, cval, origin, axes)


@composed
def percentile_filter(
    input: Any, percentile: Any, size: Any = None, footprint: Any = None, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    return _ranked("percentile", percentile, input, size, footprint, output, mode, cval, origin, axes)
