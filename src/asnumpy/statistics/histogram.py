"""Counting into bins. Equal bins are found by arithmetic and counted on the device, others on the host."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host, host_result
from asnumpy.indexing.selection import select_where, take
from asnumpy.manipulation.shapes import ravel
from asnumpy.ufunc.functions import add, greater_equal, less, less_equal, minimum, multiply, subtract

_INTP = np.dtype(np.intp)
_SMALL = 4096  # elements below which NumPy's own loop is as fast as several programs


def _expect_countable(largest: Any) -> None:
    if int(largest) == np.iinfo(np.int64).max:  # NumPy counts one more than it and writes where that leads
        raise ValueError(f"bincount: a count for each integer up to {int(largest)} is larger than an array can be")


@public
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> ndarray:
    a = asarray(x)
    simple = weights is None and a.ndim == 1 and a.size >= _SMALL and a.dtype.kind in "iu" and a.dtype != np.uint64
    if not simple or operator.index(minlength) < 0:
        if a.dtype.kind in "iu" and a.size:
            _expect_countable(_core.reduce("maximum", a.dtype, a, None, False))
        return host(np.bincount, x, weights, minlength)
    low, high = _core.reduce("minimum", a.dtype, a, (0,), False), _core.reduce("maximum", a.dtype, a, (0,), False)
    if a.dtype.kind == "i" and int(low) < 0:
        raise ValueError("'list' argument must have no negative elements")
    _expect_countable(high)
    index = a if a.dtype == _INTP else _core.cast(a, _INTP)
    return _core.bincount(index, max(int(high) + 1, operator.index(minlength)))


@public
def histogram_bin_edges(a: ArrayLike, bins: Any = 10, range: Any = None, weights: ArrayLike | None = None) -> ndarray:
    return host(np.histogram_bin_edges, asarray(a), bins, range, weights)


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


def _equal_bins(a: ndarray, bins: int, edges: np.ndarray) -> ndarray:
    """Counts of a flat array in equal bins: the bin is computed, then set right by the edges as they were rounded."""
    kind, first, last = edges.dtype, float(edges[0]), float(edges[-1])
    source = a if a.dtype == kind else _core.cast(a, kind)
    inside = greater_equal(source, first) & less_equal(source, last)
    scaled = multiply(subtract(source, first), bins / float(edges[-1] - edges[0]))
    # what lies outside, NaN included, is counted in a bin of its own beyond the last
    place = minimum(_core.cast(select_where(inside, scaled, 0, kind), _INTP), bins - 1)
    rule = _edge_rule(edges)

    def edge(index: ndarray, table: np.ndarray) -> ndarray:
        if rule is None:
            return take(table, place)
        made = add(multiply(_core.cast(index, rule[0]), rule[2]), rule[1])
        return made if rule[0] == kind else _core.cast(made, kind)

    below = less(source, edge(place, edges[:-1]))
    above = greater_equal(source, edge(add(place, 1), edges[1:])) & less(place, bins - 1)
    place = select_where(inside, subtract(add(place, above), below), bins, _INTP)
    return _core.bincount(place, bins + 1)[:bins]


def _by_numpy(a: ndarray, *args: Any) -> tuple[ndarray, ndarray]:
    made: tuple[ndarray, ndarray] = host_result(np.histogram, a, *args)
    return made


@public
def histogram(
    a: ArrayLike, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None,
) -> tuple[ndarray, ndarray]:
    a = asarray(a)
    plain = weights is None and not density and a.size >= _SMALL and a.dtype.char in "bhilBHIfd"
    if not plain or isinstance(bins, str) or np.ndim(bins):
        return _by_numpy(a, bins, range, density, weights)
    flat = ravel(a)
    if a.dtype.itemsize == 1:  # 256 values: each is counted, then NumPy puts the values into bins
        lowest = int(np.iinfo(a.dtype).min)
        index = _core.cast(flat, _INTP)
        counts = _core.to_numpy_view(_core.bincount(subtract(index, lowest) if lowest else index, 256), False)
        present = np.flatnonzero(counts)
        values = (present + lowest).astype(a.dtype)
        counted, edges = np.histogram(values, bins, range, weights=counts[present])
        return asarray(counted), asarray(edges)
    # NumPy judges the number of bins and the range, and rounds the edges
    edges = np.histogram_bin_edges(_extremes(flat) if range is None else np.zeros(1, a.dtype), bins, range)
    if not max(abs(float(edges[0])), abs(float(edges[-1]))) < 2.0**52:  # where float64 no longer tells integers apart
        return _by_numpy(a, bins, range, density, weights)
    return _equal_bins(flat, operator.index(bins), edges), asarray(edges)


@public
def histogram2d(
    x: ArrayLike, y: ArrayLike, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, ndarray, ndarray]:
    made: tuple[ndarray, ndarray, ndarray] = host_result(np.histogram2d, x, y, bins, range, density, weights)
    return made


@public
def histogramdd(
    sample: ArrayLike, bins: Any = 10, range: Any = None, density: bool | None = None, weights: ArrayLike | None = None,
) -> tuple[ndarray, tuple[ndarray, ...]]:
    made: tuple[ndarray, tuple[ndarray, ...]] = host_result(np.histogramdd, sample, bins, range, density, weights)
    return made
