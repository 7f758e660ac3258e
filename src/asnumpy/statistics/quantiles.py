"""Medians and quantiles: on a device read from sorted lines at places that the host computes, else by NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, Axes, ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.host.door import host
from asnumpy.host.stand_ins import judged
from asnumpy.indexing.selection import select_where, take_along_axis
from asnumpy.manipulation.shapes import moveaxis
from asnumpy.reduction.reductions import sum
from asnumpy.sorting.order import sorted_there
from asnumpy.statistics.averages import mean_of
from asnumpy.ufunc.functions import add, floor_divide, isnan, logical_not, maximum, multiply, subtract

_INTP = np.dtype(np.intp)
# n * q + (alpha + q * (1 - alpha - beta)) - 1 is the place of the quantile q of n elements: alpha and beta by method
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0), "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}


def _discrete(place: np.ndarray, stays: np.ndarray) -> np.ndarray:
    low = np.floor(place)
    found: np.ndarray = np.maximum(np.where(stays, low, low + 1).astype(_INTP), 0)
    return found


def places(method: str, count: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Where among so many sorted elements the quantiles lie, as NumPy rounds it, and how far from the place before.

    Places of integers need no distance. Several counts broadcast with the quantiles.
    """
    n, last = count, count - 1
    if isinstance(count, np.ndarray) and q.dtype.kind == "f":  # as Python's numbers would adapt
        n, last = count.astype(q.dtype), last.astype(q.dtype)
    if method == "inverted_cdf":
        place = np.asarray(n * q - 1)
        return _discrete(place, place == np.floor(place)), None
    if method == "closest_observation":
        place = np.asarray(n * q - 1 - 0.5)
        low = np.floor(place)
        return _discrete(place, (place == low) & (low % 2 == 1)), None
    if method in ("lower", "higher", "nearest"):
        rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}[method]
        return np.asarray(rounded(last * q)).astype(_INTP), None
    if method == "averaged_inverted_cdf":
        place = np.asarray(n * q - 1)
        return place, np.where(place == np.floor(place), 0.5, 1.0)
    if method == "midpoint":
        place = np.asarray(0.5 * (np.floor(last * q) + np.ceil(last * q)))
        return place, np.where(place % 1 == 0, 0.0, 0.5)
    if method == "linear":
        place = np.asarray(last * q)
        if place.dtype.kind in "iu":
            return place.astype(_INTP), None
    else:
        alpha, beta = _CONTINUOUS[method]
        place = np.asarray(n * q + (alpha + q * (1 - alpha - beta)) - 1)
    return place, np.asarray(place - np.floor(place))


def _line_first(a: ndarray, axis: Any) -> tuple[ndarray, tuple[int, ...]]:
    """The array with the axes joined to one in front, and the shape that keepdims leaves."""
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    kept = tuple(1 if place in axes else length for place, length in enumerate(a.shape))
    rest = tuple(length for place, length in enumerate(a.shape) if place not in axes)
    return moveaxis(a, axes, tuple(range(len(axes)))).reshape((-1, *rest)), kept


def _sorted_lines(a: ndarray, axis: Any) -> tuple[ndarray, tuple[int, ...]] | None:
    if a._host_visible or not a.size or not a.ndim or a.dtype.kind not in "biuf":
        return None
    line, kept = _line_first(a, axis)
    made = sorted_there(line, 0)
    return None if made is None else (made[0], kept)


def _with_nan(made: ndarray, lines: ndarray) -> ndarray:
    """NaN where a line has some: its last element is one."""
    if lines.dtype.kind != "f":
        return made
    last = as_dtype_of(lines[-1, ...], made.dtype)
    return select_where(isnan(last), last, made, made.dtype)


def median_there(a: ndarray, axis: Any, keepdims: bool) -> ndarray | None:
    """np.median; None where no device sorts the array."""
    judged(np.median, a, axis)
    found = _sorted_lines(a, axis)
    if found is None:
        return None
    lines, kept = found
    middle = lines.shape[0] // 2
    inner = lines[middle - 1 + lines.shape[0] % 2 : middle + 1, ...]
    made = _with_nan(mean_of(inner, 0, None, None, False, True), lines)
    return made.reshape(kept) if keepdims else made[()]


def quantile_there(function: Any, a: ndarray, q: Any, axis: Any, method: str, keepdims: bool) -> ndarray | None:
    """np.quantile or np.percentile without weights; None where no device sorts the array."""
    given = np.asarray(q) if isinstance(q, ndarray) else q
    kind = judged(function, a, given, axis, None, False, method).dtype
    found = _sorted_lines(a, axis)
    if found is None:
        return None
    lines, kept = found
    count = lines.shape[0]
    q = np.asanyarray(given) if function is np.quantile else np.true_divide(given, 100)
    place, distance = places(method, count, np.asarray(q))
    if distance is None:
        made = _core.take(lines, asarray(place.reshape(-1)), 0)
    else:
        made = _between(lines, place.reshape(-1), distance.astype(place.dtype).reshape(-1), type(given) in (int, float))
    made = _with_nan(as_dtype_of(made, kind), lines).reshape(place.shape + (kept if keepdims else lines.shape[1:]))
    return made[()]


def _neighbours(place: np.ndarray, count: Any) -> tuple[np.ndarray, np.ndarray]:
    """The places before and after, the ends beyond them."""
    low = np.floor(place)
    ends = place >= count - 1
    before, after = (np.where(ends, count - 1, np.where(place < 0, 0, one)).astype(_INTP) for one in (low, low + 1))
    return before, after


def _between(lines: ndarray, place: np.ndarray, distance: np.ndarray, weak: bool) -> ndarray:
    """NumPy's interpolation, from the nearer of the two neighbours."""
    before, after = (_core.take(lines, asarray(one), 0) for one in _neighbours(place, lines.shape[0]))
    if weak:
        share, step = float(distance[0]), subtract(after, before)
        return subtract(after, multiply(step, 1 - share)) if share >= 0.5 else add(before, multiply(step, share))
    shares = distance.reshape((-1,) + (1,) * (lines.ndim - 1))
    return _interpolated(before, after, *map(asarray, (shares, 1 - shares, shares >= 0.5)))


def _interpolated(before: ndarray, after: ndarray, share: ndarray, rest: ndarray, nearer_after: ndarray) -> ndarray:
    step = subtract(after, before)
    made = add(before, multiply(step, share))
    return select_where(nearer_after, subtract(after, multiply(step, rest)), made, made.dtype)


def _by_count(counts: ndarray, most: int, work: Callable[[np.ndarray], Sequence[np.ndarray]]) -> list[ndarray]:
    """What the host works out for each count, in the last axis: for those there are, or once for all there can be."""
    if counts.size <= most + 1:
        return [asarray(one) for one in work(_core.to_numpy_view(counts, False))]
    return [_core.take(asarray(one), counts, one.ndim - 1) for one in work(np.arange(most + 1))]


def nanquantile_there(function: Any, a: ndarray, q: Any, axis: Any, method: str, keepdims: bool) -> ndarray | None:
    """np.nanquantile or np.nanpercentile of floats without weights; None where NumPy has to look at the lines."""
    given = np.asarray(q) if isinstance(q, ndarray) else q
    kind = judged(function, a, given, axis, None, False, method).dtype
    # of quantiles with several axes NumPy orders the result's axes in a way of its own
    found = _sorted_lines(a, axis) if np.ndim(given) < 2 else None
    if found is None:
        return None
    lines, kept = found
    rest = lines.shape[1:]
    flat = lines.reshape((lines.shape[0], -1))
    counts = sum(logical_not(isnan(flat)), axis=0, dtype=_INTP)
    if bool((counts == 0).any()):
        return None
    q = np.asarray(given if function is np.nanquantile else np.true_divide(given, 100))
    weak = type(given) in (int, float)

    def work(there: np.ndarray) -> Sequence[np.ndarray]:
        place, distance = places(method, there, q.reshape(-1, 1))
        if distance is None:
            return [np.broadcast_to(place, (q.size, there.size))]
        distance = distance.astype(place.dtype)
        shares = [one.astype(a.dtype) if weak else one for one in (distance, 1 - distance)]
        return [*_neighbours(place, there), *shares, distance >= 0.5]

    before, *others = _by_count(counts, lines.shape[0], work)
    made = take_along_axis(flat, before, 0)
    if others:
        made = _interpolated(made, take_along_axis(flat, others[0], 0), *others[1:])
    return as_dtype_of(made, kind).reshape(q.shape + (kept if keepdims else rest))[()]


def nanmedian_there(a: ndarray, axis: Any, keepdims: bool) -> ndarray | None:
    """np.nanmedian; None where no device sorts the array."""
    if a.dtype.kind != "f":
        return median_there(a, axis, keepdims)
    judged(np.nanmedian, a, axis)
    found = _sorted_lines(a, axis)
    if found is None:
        return None
    lines, kept = found
    count = sum(logical_not(isnan(lines)), axis=0, dtype=_INTP, keepdims=True)
    if bool((count == 0).any()):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
    low = maximum(floor_divide(subtract(count, 1), 2), 0)
    before = take_along_axis(lines, low, 0)
    after = take_along_axis(lines, maximum(subtract(subtract(count, 1), low), 0), 0)
    wide = np.dtype(np.float32) if a.dtype.itemsize < 4 else a.dtype
    both = [as_dtype_of(one, wide) for one in (before, after)]
    made = as_dtype_of(multiply(add(*both), 0.5), a.dtype)
    made = select_where(count % 2 == 1, before, made, made.dtype)[0, ...]
    return made.reshape(kept) if keepdims else made[()]


@public
def median(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False,
) -> ndarray:
    a = asarray(a)
    made = None if a._host_visible or out is not None else median_there(a, axis, keepdims)
    return host(np.median, a, axis, out, False, keepdims) if made is None else made


def _quantile(
    function: Any, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: bool, weights: Any,
) -> ndarray:
    a = asarray(a)
    if not a._host_visible and out is None and weights is None and a.ndim:
        made = quantile_there(function, a, q, axis, method, keepdims)
        if made is not None:
            return made
    extra = {} if weights is None else {"weights": weights}
    return host(function, a, q, axis, out, False, method, keepdims, **extra)


@public
def percentile(
    a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, weights: ArrayLike | None = None,
) -> ndarray:
    return _quantile(np.percentile, a, q, axis, out, method, keepdims, weights)


@public
def quantile(
    a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = False, *, weights: ArrayLike | None = None,
) -> ndarray:
    return _quantile(np.quantile, a, q, axis, out, method, keepdims, weights)
