"""Counting into bins: equal ones are found by arithmetic, on a device others by sorting; what is left, by NumPy."""

from __future__ import annotations

import builtins
import functools
import math
import operator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import as_dtype_of, asarray, lies_on_device
from asnumpy.host.door import host, host_result, numpy_view
from asnumpy.indexing.selection import select_where, take
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel
from asnumpy.sorting.order import sorted_there
from asnumpy.sorting.search import places_there
from asnumpy.statistics.groups import Groups
from asnumpy.ufunc.functions import (
    add,
    divide,
    equal,
    greater_equal,
    less,
    less_equal,
    minimum,
    multiply,
    subtract,
)

_INTP = np.dtype(np.intp)
_COUNTED = "?bhilBHIfd"  # dtypes whose elements can be put into bins by arithmetic
_SMALL = 4096  # elements below which NumPy's own loop is as fast as several programs
_FEW_BINS = 4096
_BLOCK = 65536  # of so many elements NumPy adds the weights, and then the sums
_FLOAT64 = np.dtype(np.float64)
_WEIGHTS, _WEIGHTS_OF_BINS = "?bBhHiIlLqQefd", "ilqfd"  # dtypes of weights that a device adds


def _is_countable(a: Any) -> bool:
    """Whether NumPy would count them: it takes no uint64."""
    return bool(a.dtype.kind in "iu" and a.dtype != np.uint64 and a.size)


def _counted(x: Any, weights: Any, minlength: int) -> np.ndarray:
    """np.bincount under jit, where it is safe and as long as `minlength` says."""
    numbers = np.asarray(x)
    if _is_countable(numbers):
        _core.expect_counts(int(np.min(numbers)), int(np.max(numbers)), operator.index(minlength))
    return np.bincount(x, weights, minlength)


def _sums(place: ndarray, weights: ndarray, length: int) -> ndarray | None:
    """The sums of the weights that have the same place, in an order of their own; None where NumPy adds them.

    Where the device has no operation for it, the host sees how many each place has, and nothing else.
    """
    doubles = as_dtype_of(weights, _FLOAT64)
    at_once = _core.offered_at_once("weighted_counts", 0, 0, (place, doubles), (((length,), _FLOAT64),))
    if at_once is not None:
        return at_once[0]
    if length > _SMALL + 4 * place.size:  # most have none
        return None
    found = sorted_there(place, 0)
    if found is None:
        return None
    counts = _core.to_numpy_view(_core.bincount(place, length), False)
    return Groups(counts, None, place).sums(take(doubles, found[1]), _FLOAT64)


def _adds_there(a: ndarray, weights: Any, dtypes: str) -> bool:
    """Whether a device holds elements and their weights."""
    return (
        isinstance(weights, ndarray) and weights.shape == a.shape and weights.dtype.char in dtypes and a.size > 0
        and lies_on_device(a) and weights._device_name == a._device_name and not _core.tracing()
    )


@public
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    made = _core.bincount_now(x, weights, minlength)
    if made is not None:
        return made
    if _core.tracing():
        return host(_counted, x, weights, minlength)
    a = asarray(x)
    added = weights is not None and _adds_there(a, weights, _WEIGHTS)
    simple = (added or (weights is None and a.size >= _SMALL)) and a.ndim == 1
    simple = simple and _is_countable(a) and type(minlength) is not bool
    if not simple or operator.index(minlength) < 0:
        if _is_countable(a):
            _core.expect_counts(0, int(_core.reduce("maximum", a.dtype, a, None, False)))
        return host(np.bincount, x, weights, minlength)
    low, high = _core.reduce("minimum", a.dtype, a, (0,), False), _core.reduce("maximum", a.dtype, a, (0,), False)
    _core.expect_counts(int(low), int(high))
    index = a if a.dtype == _INTP else _core.cast(a, _INTP)
    length = max(int(high) + 1, operator.index(minlength))
    made = _sums(index, weights, length) if added else _core.bincount(index, length)  # type: ignore[arg-type]
    return host(np.bincount, x, weights, minlength) if made is None else made


def _plain(bins: Any) -> Any:
    """Bins as NumPy takes them."""
    if isinstance(bins, (list, tuple)):
        return [_plain(one) for one in bins]
    return numpy_view(bins)


def _ours(edges: np.ndarray, bins: Any) -> ndarray:
    """The edges that NumPy gives, the bins themselves where those are given as an array of edges."""
    return bins if isinstance(bins, ndarray) and bins.ndim else asarray(edges)


def _edges(a: ndarray, bins: Any, range: Any) -> np.ndarray:
    """np.histogram_bin_edges of a flat array: NumPy judges the bins and the range, and rounds."""
    bins = _plain(bins)
    given = range is not None or np.ndim(bins) or not a.size
    return np.histogram_bin_edges(np.zeros(min(a.size, 1), a.dtype) if given else _extremes(a), bins, range)


def _countable(a: ndarray, bins: Any, weights: Any) -> bool:
    """Whether the bins follow from the smallest and the largest element, and NumPy's own loop would not be quicker."""
    large = (a.size >= _SMALL or lies_on_device(a)) and not _core.tracing()  # it looks at the extremes
    counted = weights is None or _adds_there(a, weights, _WEIGHTS_OF_BINS)
    return large and counted and not isinstance(bins, str) and a.dtype.char in _COUNTED


@public
def histogram_bin_edges(a: ArrayLike, bins: Any = 10, range: Any = None, weights: ArrayLike | None = None) -> ndarray:
    a = asarray(a)
    if _countable(a, bins, weights):
        return _ours(_edges(ravel(a), bins, range), bins)
    return host(np.histogram_bin_edges, a, bins, range, weights)


def _extremes(a: ndarray) -> np.ndarray:
    """The smallest and the largest element of a flat array."""
    found = [_core.reduce(name, a.dtype, a, (0,), False) for name in ("minimum", "maximum")]
    return np.stack([_core.to_numpy_view(one, False) for one in found])


def _edge_rule(edges: np.ndarray) -> tuple[np.dtype, Any, Any] | None:
    """Type, first edge and step by which arithmetic gives every edge but the last exactly as NumPy rounded it."""
    count = edges.size - 1
    for kind in dict.fromkeys((edges.dtype, np.dtype(np.float64))):
        first, last = edges[0].astype(kind), edges[-1].astype(kind)
        step = (last - first) / kind.type(count)
        if np.array_equal((np.arange(count, dtype=kind) * step + first).astype(edges.dtype), edges[:-1]):
            return kind, float(first), float(step)
    return None


def _among_equal(a: ndarray, edges: np.ndarray) -> ndarray | None:
    """In which of these equal bins the elements of a flat array lie, the number of bins where in none.

    The bin is computed, then set right by the edges as they were rounded.
    """
    if not max(abs(float(edges[0])), abs(float(edges[-1]))) < 2.0**52:  # where float64 no longer tells integers apart
        return None
    kind, first, last, bins = edges.dtype, float(edges[0]), float(edges[-1]), edges.size - 1
    source = as_dtype_of(a, kind)
    inside = greater_equal(source, first) & less_equal(source, last)
    scaled = multiply(subtract(source, first), bins / float(edges[-1] - edges[0]))
    place = minimum(_core.cast(select_where(inside, scaled, 0, kind), _INTP), bins - 1)
    rule = _edge_rule(edges)

    def edge(index: ndarray, table: np.ndarray) -> ndarray:
        if rule is None:
            return take(table, place)
        made = add(multiply(_core.cast(index, rule[0]), rule[2]), rule[1])
        return as_dtype_of(made, kind)

    below = less(source, edge(place, edges[:-1]))
    above = greater_equal(source, edge(add(place, 1), edges[1:])) & less(place, bins - 1)
    return select_where(inside, subtract(add(place, above), below), bins, _INTP)


def _among_edges(a: ndarray, edges: np.ndarray) -> ndarray | None:
    """The same of bins between any edges that rise; None where NumPy has to find them."""
    if edges.ndim != 1 or edges.size < 2 or np.isnan(edges).any():
        return None
    before = places_there(asarray(edges), a, left=False)  # NaN lies beyond all of them
    if before is None:
        return None
    bins = edges.size - 1
    place = subtract(before, 1)
    place = select_where(equal(a, asarray(edges[-1:])), bins - 1, place, _INTP)
    return select_where(less(place, 0), bins, place, _INTP)


def _by_value(a: ndarray, *args: Any) -> tuple[ndarray, ndarray]:
    """np.histogram of a dtype with 256 values: each is counted, then NumPy puts the values into bins."""
    lowest = 0 if a.dtype == bool else int(np.iinfo(a.dtype).min)
    index = _core.cast(a, _INTP)
    counts = _core.to_numpy_view(_core.bincount(subtract(index, lowest) if lowest else index, 256), False)
    present = np.flatnonzero(counts)
    bins, range, density = args
    values = (present + lowest).astype(a.dtype)
    counted, edges = np.histogram(values, _plain(bins), range, density, counts[present])
    return asarray(counted), _ours(edges, bins)


def _by_bins(
    a: ndarray, bins: Any, range: Any, density: Any, weights: ndarray | None = None,
) -> tuple[ndarray, ndarray] | None:
    """np.histogram of a flat array by the place of each element; None where NumPy has to look at them."""
    edges = _edges(a, bins, range)
    place = _among_edges(a, edges) if np.ndim(bins) else _among_equal(a, edges)
    if place is None:
        return None
    made = _core.bincount(place, edges.size) if weights is None else _sums(place, weights, edges.size)
    if made is None:
        return None
    counted = made[:edges.size - 1]
    if weights is not None:
        counted = as_dtype_of(counted, weights.dtype)
    if density:
        counted = divide(divide(counted, asarray(np.diff(edges).astype(float))), counted.sum())
    return counted, _ours(edges, bins)


def _equal_edges(line: ndarray, bins: int, range: Any) -> ndarray:
    """The edges of so many equal bins; under jit NumPy makes them at each call where they depend on values."""
    if range is not None or not _core.tracing():
        return asarray(_edges(line, bins, range))
    extremes = [_core.reduce(name, line.dtype, line, (0,), True) for name in ("minimum", "maximum")]
    return host(np.histogram_bin_edges, concatenate(extremes), bins)


def _by_places(a: ndarray, bins: Any, range: Any, density: Any, weights: Any) -> tuple[ndarray, ndarray] | None:
    """np.histogram of floats in equal bins, by one look at each; None where NumPy, or several programs, are better."""
    if type(bins) is not int or not 0 < bins <= _FEW_BINS or a.dtype.char not in "fd" or not a.size:
        return None
    if not a._host_visible or (weights is None and a.size >= _SMALL and not _core.tracing()):
        return None
    if weights is not None and (
        density or not isinstance(weights, ndarray) or weights.dtype.char != "d" or weights.shape != a.shape
    ):
        return None
    line = ravel(a)
    edges = _equal_edges(line, bins, range)
    place = _core.bin_places(line, edges) if edges.dtype == a.dtype else None
    if place is None:
        return None
    if weights is None:
        counted = bincount(place, None, bins + 1)[:bins]
    else:
        lines = ravel(weights)
        sums = [bincount(place[at:at + _BLOCK], lines[at:at + _BLOCK], bins + 1)[:bins]
                for at in builtins.range(0, a.size, _BLOCK)]
        counted = functools.reduce(add, sums)
    if density:
        counted = divide(divide(counted, _core.cast(subtract(edges[1:], edges[:-1]), np.dtype(float))), counted.sum())
    return counted, edges


@public
def histogram(
    a: ArrayLike, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None,
) -> tuple[ndarray, ndarray]:
    a = asarray(a)
    made: Any = _by_places(a, bins, range, density, weights)
    if made is None and a.size and _countable(a, bins, weights):
        if weights is not None:
            made = _by_bins(ravel(a), bins, range, density, ravel(weights))
        else:
            made = (_by_value if a.dtype.itemsize == 1 else _by_bins)(ravel(a), bins, range, density)
    if made is None:
        made = host_result(np.histogram, a, bins, range, density, weights)
    return made  # type: ignore[no-any-return]


def _columns(sample: Any) -> list[ndarray] | None:
    """The coordinates of np.histogramdd's sample, where a device has one of them."""
    if lies_on_device(sample):
        columns = [sample] if sample.ndim == 1 else list(sample.T) if sample.ndim == 2 else []
    elif isinstance(sample, (list, tuple)) and any(map(lies_on_device, sample)):
        lines = [asarray(one) for one in sample]
        dtype = np.result_type(*[one.dtype for one in lines])
        columns = [as_dtype_of(one, dtype) for one in lines]
    else:
        return None
    usable = all(one.ndim == 1 and one.shape == columns[0].shape and one.dtype.char in _COUNTED for one in columns)
    return columns if usable and columns and columns[0].size else None


def _in_space(
    columns: list[ndarray], bins: Any, range: Any, density: Any, weights: Any,
) -> tuple[ndarray, Any] | None:
    """np.histogramdd of these coordinates; None where NumPy has to look at them."""
    # NumPy judges the bins and the ranges, and rounds the edges
    edges = np.histogramdd(np.stack([_extremes(one) for one in columns], 1), _plain(bins), range)[1]
    each = list(bins) if np.iterable(bins) else [bins] * len(columns)
    places = [(_among_edges if np.ndim(kind) else _among_equal)(one, line)
              for one, kind, line in zip(columns, each, edges, strict=True)]
    lengths = tuple(line.size - 1 for line in edges)
    total = math.prod(lengths)
    number: ndarray = asarray(0)
    outside: ndarray = asarray(False)
    for place, length in zip(places, lengths, strict=True):
        if place is None:
            return None
        number = add(multiply(number, length), place)
        outside = outside | equal(place, length)
    number = select_where(outside, total, number, _INTP)
    counted = _core.bincount(number, total + 1) if weights is None else _sums(number, weights, total + 1)
    if counted is None:
        return None
    made = as_dtype_of(counted[:total].reshape(lengths), _FLOAT64)
    if density:
        every = made.sum()
        for axis, line in enumerate(edges):
            made = divide(made, asarray(np.diff(line).reshape((-1,) + (1,) * (len(edges) - 1 - axis))))
        made = divide(made, every)
    lines = [_ours(line, kind) for line, kind in zip(edges, each, strict=True)]
    return made, lines if isinstance(edges, list) else tuple(lines)


@public
def histogram2d(
    x: ArrayLike, y: ArrayLike, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    if any(map(lies_on_device, (x, y))) and np.shape(x) == np.shape(y):
        alike = np.iterable(bins) and len(bins) not in (1, 2)  # type: ignore[arg-type]
        counted, edges = histogramdd([x, y], [bins, bins] if alike else bins, range, density, weights)  # type: ignore[arg-type]
        return counted, *edges  # type: ignore[return-value]
    made: tuple[ndarray, ndarray, ndarray] = host_result(np.histogram2d, x, y, bins, range, density, weights)
    return made


@public
def histogramdd(
    sample: ArrayLike, bins: Any = 10, range: Any = None, density: bool | None = None, weights: ArrayLike | None = None,
) -> tuple[ndarray, tuple[ndarray, ...]]:
    columns = _columns(sample)
    if columns is not None and weights is not None and not _adds_there(columns[0], weights, _WEIGHTS):
        columns = None
    made: Any = None if columns is None else _in_space(columns, bins, range, density, weights)
    if made is None:
        made = host_result(np.histogramdd, sample, bins, range, density, weights)
    return made  # type: ignore[no-any-return]
