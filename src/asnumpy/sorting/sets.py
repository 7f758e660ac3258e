"""Sets: what is distinct, in common, or missing. Sizes depend on data: it runs at once, by sorting on a device."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray, lies_on_device
from asnumpy.host.door import host, host_result
from asnumpy.host.stand_ins import judged
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel
from asnumpy.reduction.reductions import cumsum
from asnumpy.sorting.order import BOTH, ELEMENTS, MANY, MANY_DETERMINED, left_to_numpy, sorted_there
from asnumpy.sorting.search import comparable, places_there
from asnumpy.ufunc.functions import equal, isnan, logical_not, minimum, not_equal, subtract

_INTP, _UINT64 = np.dtype(np.intp), np.dtype(np.uint64)
_TRUE = np.ones(1, bool)
# Integers are counted sooner than sorted where so many elements come on each value that there may be.
_ELEMENTS_PER_VALUE = 2
_LOOK = 64  # so many elements are looked at first


def _there(*given: ArrayLike) -> list[ndarray] | None:
    """The arguments as arrays where a device has one of them."""
    if any(map(lies_on_device, given)):
        return [asarray(one) for one in given]
    return None


def _new(line: ndarray, equal_nan: bool) -> ndarray:
    """Where an element of a sorted line differs from the one before it."""
    upper, lower = line[1:], line[:-1]
    differs = not_equal(upper, lower)
    return differs & logical_not(isnan(lower)) if equal_nan and line.dtype.kind in "fcV" else differs


def _distinct(
    a: ndarray, return_index: bool, return_inverse: bool, return_counts: bool, equal_nan: bool,
) -> Any:
    """np.unique of all elements; None where no device sorts them."""
    wanted = BOTH if return_index or return_inverse else ELEMENTS
    many = MANY_DETERMINED if a.dtype.kind in "biu" else MANY
    made = sorted_there(ravel(a), 0, wanted, many) if a.ndim else None
    if made is None:
        return None
    line, places = made
    first = concatenate((_TRUE, _new(line, equal_nan)))
    found = [_core.compress(line, first)]
    if return_index:
        found.append(_core.compress(places, first))
    if return_inverse:
        inverse = _core.empty(line.shape, _INTP)
        _core.scatter(inverse, places, subtract(cumsum(first, dtype=_INTP), 1), 0)
        found.append(_inverse(inverse, a))
    if return_counts:
        starts = concatenate((_core.flatnonzero(first), np.asarray([line.size])))
        found.append(subtract(starts[1:], starts[:-1]))
    return found[0] if len(found) == 1 else tuple(found)


def _shifted(line: ndarray, by: int, dtype: np.dtype[Any]) -> ndarray:
    """Integers plus a number, as another dtype that holds the sums: modulo 2**64, as int64 may not hold the number."""
    return _core.cast(_core.cast(line, _UINT64) + by % 2**64, dtype)


def _counted(a: ndarray, return_inverse: bool, return_counts: bool) -> Any:
    """np.unique of integers that lie close together, by counting each; None where they have to be sorted."""
    if a.dtype.kind not in "biu" or lies_on_device(a) or left_to_numpy(a, MANY_DETERMINED):
        return None
    line = ravel(a)
    for part in (line[:: max(1, line.size // _LOOK)], line):  # most of those that lie far apart show it soon
        low, high = (int(_core.reduce(row, a.dtype, part, (0,), False)) for row in ("minimum", "maximum"))
        if _ELEMENTS_PER_VALUE * (high - low) >= line.size:
            return None
    places = _shifted(line, -low, _INTP)
    counts = _core.bincount(places, high - low + 1)
    occurs = not_equal(counts, 0)
    values = _core.flatnonzero(occurs)
    found = [_shifted(values, low, a.dtype)]
    if return_inverse:
        found.append(_inverse(_core.take(subtract(cumsum(occurs, dtype=_INTP), 1), places, 0), a))
    if return_counts:
        found.append(_core.take(counts, values, 0))
    return found[0] if len(found) == 1 else tuple(found)


def _inverse(places: ndarray, a: ndarray) -> ndarray:
    """What puts the values where they were, of the array's shape where NumPy gives it so: 2.0 and later."""
    keeps = np.unique(np.zeros((1,) * a.ndim), return_inverse=True)[1].ndim == a.ndim
    return places.reshape(a.shape) if keeps else places


@public
def unique(
    ar: ArrayLike, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True, sorted: bool = True,
) -> Any:
    # the oldest NumPy supported has no `sorted`, and sorts
    extra = {} if sorted else {"sorted": sorted}
    asked = (return_index, return_inverse, return_counts)
    a = asarray(ar)
    if axis is None:
        made = None if return_index else _counted(a, return_inverse, return_counts)
        if made is None:
            made = _distinct(a, *asked, equal_nan)
        if made is not None:
            return made
    return host_result(np.unique, a, *asked, axis, equal_nan=equal_nan, **extra)


class UniqueAllResult(NamedTuple):
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    values: ndarray
    inverse_indices: ndarray


@public
def unique_all(x: ArrayLike) -> UniqueAllResult:
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@public
def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@public
def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@public
def unique_values(x: ArrayLike) -> ndarray:
    """The values are sorted, which NumPy leaves open."""
    found: ndarray = unique(x, equal_nan=False)
    return found


@public
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    found: ndarray = unique(concatenate((ravel(ar1), ravel(ar2))))
    return found


def _common(a: ndarray, b: ndarray, assume_unique: bool, return_indices: bool) -> Any:
    first: list[ndarray] = []
    lines: list[ndarray] = []
    for one in (a, b):
        if assume_unique:
            lines.append(ravel(one))
            continue
        made = _distinct(one, True, False, False, True)
        if made is None:
            return None
        lines.append(made[0])
        first.append(made[1])
    made = sorted_there(concatenate(lines), 0)
    if made is None:
        return None
    line, places = made
    twice = equal(line[1:], line[:-1])
    values = _core.compress(line[:-1], twice)
    if not return_indices:
        return values
    found = [_core.compress(places[:-1], twice), subtract(_core.compress(places[1:], twice), lines[0].size)]
    if first:
        found = [_core.take(index, one, 0) for index, one in zip(first, found, strict=True)]
    return (values, *found)


@public
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    both = _there(ar1, ar2)
    made = None if both is None else _common(both[0], both[1], assume_unique, return_indices)
    if made is not None:
        return made
    return host_result(np.intersect1d, asarray(ar1), asarray(ar2), assume_unique, return_indices)


@public
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    both = _there(ar1, ar2)
    if both is not None:
        line = ravel(both[0]) if assume_unique else _distinct(both[0], False, False, False, True)
        among = None if line is None else _among(line, ravel(both[1]))
        if line is not None and among is not None:
            return _core.compress(line, logical_not(among))
    return host(np.setdiff1d, asarray(ar1), asarray(ar2), assume_unique)


@public
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    both = _there(ar1, ar2)
    if both is not None:
        lines = [ravel(one) if assume_unique else _distinct(one, False, False, False, True) for one in both]
        made = sorted_there(concatenate(lines), 0) if all(one is not None for one in lines) else None
        if made is not None:
            differs = concatenate((_TRUE, not_equal(made[0][1:], made[0][:-1]), _TRUE))
            return _core.compress(made[0], differs[1:] & differs[:-1])
    return host(np.setxor1d, asarray(ar1), asarray(ar2), assume_unique)


def _among(line: ndarray, others: ndarray) -> ndarray | None:
    """Which elements of a line are among the others; None where no device sorts them."""
    if not others.size:
        return _core.cast(_core.broadcast_to(asarray(False), line.shape), bool)
    both = comparable(others, line, True) if np.promote_types(line.dtype, others.dtype) != np.float64 else None
    made = None if both is None else sorted_there(both[0], 0)
    if both is None or made is None:
        return None
    places = places_there(made[0], both[1], True)
    if places is None:
        return None
    return equal(_core.take(made[0], minimum(places, others.size - 1), 0), both[1])


@public
def isin(
    element: ArrayLike, test_elements: ArrayLike, assume_unique: bool = False, invert: bool = False, *,
    kind: str | None = None,
) -> ndarray:
    both = _there(element, test_elements)
    if both is not None:
        judged(np.isin, *both, kind=kind, length=0)
        among = _among(ravel(both[0]), ravel(both[1]))
        if among is not None:
            return (logical_not(among) if invert else among).reshape(both[0].shape)
    return host(np.isin, asarray(element), test_elements, assume_unique, invert, kind=kind)
