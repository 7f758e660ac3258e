"""Measurements of an array's parts: of all elements, of those with a label, of those of each label."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import select_where, take
from asnumpy.scipy.ndimage._borders import doubles
from asnumpy.scipy.ndimage._calls import Left, composed, constant, number, plain
from asnumpy.sorting.order import lexsort
from asnumpy.sorting.search import searchsorted
from asnumpy.statistics.histogram import bincount
from asnumpy.statistics.histogram import histogram as counted
from asnumpy.statistics.quantiles import median as middle
from asnumpy.ufunc.functions import add, divide, greater, less, multiply, sqrt, subtract

_INTP = np.dtype(np.intp)


class _Parts(NamedTuple):
    """What is to be measured: `whole` as one, or the elements of each label of `wanted`."""

    whole: ndarray | None
    values: ndarray
    labels: ndarray
    wanted: np.ndarray


def _scalar(value: Any) -> bool:
    return np.isscalar(value) or _core.is_number(value)


def _parts(input: Any, labels: Any, index: Any) -> _Parts:
    a = plain(input)
    if labels is None:
        return _Parts(a, a, a, np.empty(0, int))
    if _core.tracing():  # how many have a label depends on values
        raise Left
    marks = plain(labels)
    if marks.shape != a.shape or marks.dtype.kind not in "iu" or marks.dtype == np.uint64:
        raise Left
    if index is None or _scalar(index):
        chosen = a[greater(marks, 0)] if index is None else a[marks == index]
        if not chosen.size:
            raise Left
        return _Parts(chosen, a, marks, np.empty(0, int))
    wanted = constant(index)
    if wanted.dtype.kind not in "iu" or not wanted.size:
        raise Left
    return _Parts(None, a.ravel(), marks.ravel(), wanted.astype(np.int64))


class _Sums(NamedTuple):
    """Of each label up to the largest: how many elements it has, and their sum."""

    marks: ndarray
    counts: ndarray
    sums: ndarray


def _sums(parts: _Parts, values: ndarray) -> _Sums:
    least, most = (int(fold) for fold in (parts.labels.min(), parts.labels.max()))
    if least < 0 or most > parts.labels.size:
        raise Left
    marks = parts.labels if parts.labels.dtype == _INTP else _core.cast(parts.labels, _INTP)
    return _Sums(marks, bincount(marks), bincount(marks, weights=doubles(values)))


def _at(parts: _Parts, table: ndarray) -> ndarray:
    """What a table by label has for the index; 0 for labels that are not there."""
    found = (parts.wanted >= 0) & (parts.wanted < table.size)
    made = take(table, asarray(np.where(found, parts.wanted, 0)))
    return made if found.all() else select_where(asarray(found), made, _zero(table.dtype), table.dtype)


def _zero(dtype: np.dtype) -> Any:
    return dtype.type(0).item()


def _sum_labels(input: Any, labels: Any, index: Any) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is not None:
        return parts.whole.sum()
    return _at(parts, _sums(parts, parts.values).sums)


@composed
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    return _sum_labels(input, labels, index)


@composed
def sum(input: Any, labels: Any = None, index: Any = None) -> Any:
    return _sum_labels(input, labels, index)


@composed
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is not None:
        return divide(doubles(parts.whole.sum()), float(parts.whole.size))
    made = _sums(parts, parts.values)
    return divide(_at(parts, made.sums), doubles(_at(parts, made.counts)))


def _variance(input: Any, labels: Any, index: Any) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is not None:
        apart = subtract(parts.whole, parts.whole.mean())
        return divide(doubles(multiply(apart, apart).sum()), float(parts.whole.size))
    made = _sums(parts, parts.values)
    apart = subtract(parts.values, take(divide(made.sums, doubles(made.counts)), made.marks))
    return divide(_at(parts, bincount(made.marks, weights=multiply(apart, apart))), doubles(_at(parts, made.counts)))


@composed
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    return _variance(input, labels, index)


@composed
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    return sqrt(_variance(input, labels, index))


# --- by order ---


class _Runs(NamedTuple):
    """The elements by label and value, and where those of each label of the index begin and end."""

    values: ndarray
    first: ndarray
    end: ndarray


def _runs(parts: _Parts) -> _Runs:
    order = lexsort((parts.values, parts.labels))
    marks = take(parts.labels, order)
    index = asarray(parts.wanted)
    return _Runs(take(parts.values, order), searchsorted(marks, index), searchsorted(marks, index, side="right"))


def _or_zero(runs: _Runs, place: ndarray) -> ndarray:
    made = take(runs.values, place, mode="clip")
    return select_where(less(runs.first, runs.end), made, _zero(made.dtype), made.dtype)


@composed
def minimum(input: Any, labels: Any = None, index: Any = None) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is not None:
        return parts.whole.min()
    runs = _runs(parts)
    return _or_zero(runs, runs.first)


@composed
def maximum(input: Any, labels: Any = None, index: Any = None) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is not None:
        return parts.whole.max()
    runs = _runs(parts)
    return _or_zero(runs, subtract(runs.end, 1))


@composed
def median(input: Any, labels: Any = None, index: Any = None) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is not None:
        return middle(parts.whole)
    runs = _runs(parts)
    if not bool(less(runs.first, runs.end).all()):
        raise Left
    last = subtract(runs.end, 1)
    half = subtract(last, runs.first) // 2
    low, high = take(runs.values, add(runs.first, half)), take(runs.values, subtract(last, half))
    if low.dtype.kind != "f":
        low, high = doubles(low), doubles(high)
    return divide(add(low, high), 2.0)


# --- places and counts ---


@composed
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    a = plain(input)
    parts = _parts(a, labels, index)
    total = _sum_labels(a, labels, index)
    found = []
    for axis, length in enumerate(a.shape):
        places = asarray(np.arange(length, dtype=np.float64).reshape((-1,) + (1,) * (a.ndim - axis - 1)))
        found.append(divide(_sum_labels(multiply(a, places), labels, index), total))
    if parts.whole is not None:
        return tuple(found)
    return [tuple(one) for one in np.array([_core.to_numpy_view(line, False) for line in found]).T]


@composed
def histogram(input: Any, min: Any, max: Any, bins: Any, labels: Any = None, index: Any = None) -> Any:
    parts = _parts(input, labels, index)
    if parts.whole is None or (labels is None and index is not None):
        raise Left
    return counted(parts.whole.ravel(), np.linspace(number(min), number(max), bins + 1))[0]
