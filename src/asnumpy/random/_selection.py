"""Random order: choosing from, shuffling and permuting arrays."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from math import prod
from operator import index
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray, held
from asnumpy.host.door import numpy_view
from asnumpy.indexing.selection import take, take_along_axis
from asnumpy.manipulation.shapes import moveaxis
from asnumpy.random._integers import draw_integers
from asnumpy.random._source import INT64, Source, size_shape, stored
from asnumpy.sorting.search import searchsorted


def _normal_axis(axis: int, ndim: int) -> int:
    number = index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number % ndim


def _check_probabilities(p: Any, population: int) -> np.ndarray:
    given = np.asarray(numpy_view(p))
    tolerance = np.sqrt(np.finfo(np.float64).eps)
    if given.dtype.kind == "f":
        tolerance = max(tolerance, np.sqrt(np.finfo(given.dtype).eps))
    values = given.astype(np.float64, casting="unsafe" if given.dtype == object else "safe", copy=False)
    if values.ndim != 1:
        raise ValueError("choice: p must be 1-dimensional")
    if values.size != population:
        raise ValueError("choice: a and p must have same size")
    total = values.sum()
    if np.isnan(total):
        raise ValueError("choice: Probabilities contain NaN")
    if (values < 0).any():
        raise ValueError("choice: Probabilities are not non-negative")
    if abs(total - 1) > tolerance:
        raise ValueError("choice: Probabilities do not sum to 1. See Notes section of docstring for more information.")
    return values


def choose_places(source: Source, population: int, size: Any, replace: bool, p: Any) -> Any:
    """Places below `population`: an int where size is None, else an int64 array of that shape."""
    shape = () if size is None else size_shape(size)
    count = prod(shape)
    if p is None and replace:
        if population == 0:  # and nothing is wanted
            return _core.empty(shape, INT64)
        made = draw_integers(source, "choice", 0, population, shape, np.int64, False)
    elif p is None:
        if count > population:
            raise ValueError("choice: Cannot take a larger sample than population when replace is False")
        made = source.fill("choice", _core.empty((count,), INT64), option=population).reshape(shape)
    else:
        values = _check_probabilities(p, population)
        if replace:
            cumulative = values.cumsum()
            cumulative /= cumulative[-1]
            uniform = source.fill("random", _core.empty((count,), np.dtype(np.float64)))
            made = searchsorted(asarray(cumulative), uniform, "right").reshape(shape)
        else:
            if count > population:
                raise ValueError("choice: Cannot take a larger sample than population when replace is False")
            if np.count_nonzero(values) < count:
                raise ValueError("choice: Fewer non-zero entries in p than size")
            # The order in which exponential times with these rates end is that of drawing one after another.
            times = _core.empty((population,), np.dtype(np.float64))
            source.draw("exponential", None, ("scale", 1.0, None), out=times)
            with np.errstate(divide="ignore"):
                ends = _core.to_numpy_view(times, False) / values
            chosen = np.arange(population)[:count]
            if 0 < count < population:
                chosen = np.argpartition(ends, count - 1)[:count]
            made = asarray(chosen[np.argsort(ends[chosen], kind="stable")].astype(np.int64)).reshape(shape)
    return made.item() if size is None else made


def chosen(array: Any, places: Any, axis: int = 0) -> Any:
    """The elements, or subarrays along the axis, at an int or an array of places: of a 0-d one, a 0-d array."""
    if isinstance(places, ndarray) and places.ndim == 0:
        return take(array, places.reshape(1), axis).squeeze(axis)
    return take(array, places, axis)


def permutation_of(source: Source, count: int) -> ndarray:
    return source.fill("choice", _core.empty((count,), INT64), option=count)


def permute(source: Source, x: Any, axis: int = 0) -> ndarray:
    """`permutation`: the numbers below an int in random order, or the subarrays along an axis."""
    if isinstance(x, numbers.Integral):
        return permutation_of(source, max(int(x), 0))
    along = _normal_axis(axis, x.ndim if isinstance(x, ndarray) else np.ndim(x))
    array = held(x)
    if isinstance(array, ndarray):
        array = _core.as_plain(array)  # whatever its class
    return take(array, permutation_of(source, array.shape[along]), along)


def shuffle_in_place(source: Source, x: Any, axis: int = 0) -> None:
    """`shuffle`: our arrays and NumPy's along an axis, other mutable sequences element by element."""
    if isinstance(x, (ndarray, np.ndarray)):
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        along = _normal_axis(axis, x.ndim)
        if isinstance(x, ndarray):
            _core.assign(x, _core.take(x, permutation_of(source, x.shape[along]), along))
        else:
            order = permutation_of(source, x.shape[along])
            x[...] = np.take(x, _core.to_numpy_view(order, False), along)
        return
    length = len(x)
    if axis != 0:
        raise NotImplementedError("Axis argument is only supported on ndarray objects")
    items = [x[place] for place in permutation_of(source, length).tolist()]
    for place, value in enumerate(items):
        x[place] = value


def permute_lines(source: Source, x: Any, axis: Any, out: Any) -> Any:
    """`permuted`: every line along the axis in an order of its own; all elements together for axis None."""
    array = held(x)
    if out is not None:
        if not isinstance(out, (ndarray, np.ndarray)):
            raise TypeError("permuted: out must be an array")
        if tuple(out.shape) != array.shape:
            raise ValueError("permuted: out must have the same shape as x")
        if not np.can_cast(array.dtype, out.dtype, "safe"):
            raise TypeError(f"permuted: Cannot cast {array.dtype!r} to {out.dtype!r} according to the rule 'safe'")
    if axis is None:
        if array.ndim == 0 and out is None:
            raise TypeError("len() of unsized object")
        flat = array.reshape(-1)
        made = take(flat, permutation_of(source, flat.size), 0).reshape(array.shape)
    else:
        along = _normal_axis(axis, array.ndim)
        lines = moveaxis(array, along, -1)
        order = source.fill("choice", _core.empty(lines.shape, INT64), option=array.shape[along])
        made = moveaxis(take_along_axis(lines, order, -1), -1, along)
        made = made.copy()
    return stored(out, made)


def population_of(a: Any, measure: Callable[[Any], int], too_small: str, empty: str, size: Any) -> tuple[Any, int]:
    """`choice`'s first argument: (array or None, how many there are)."""
    nothing = size is not None and prod(size_shape(size)) == 0
    plain = a if isinstance(a, ndarray) else np.asarray(a)
    if plain.ndim == 0:
        if isinstance(a, ndarray):
            a = a.item()
        try:
            count = index(a.item() if isinstance(a, np.ndarray) else a)
        except TypeError:
            raise ValueError(f"choice: a must be a sequence or an integer, not {type(a)}") from None
        if count <= 0 and not nothing:
            raise ValueError(f"choice: {too_small}")
        return None, max(count, 0)
    array = held(a)
    count = measure(array)
    if count == 0 and not nothing:
        raise ValueError(f"choice: {empty}")
    return array, count
