"""Arrays joined, split, repeated, extended: a new array whose parts are assigned as views."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._axes import axis_of
from asnumpy._public import public
from asnumpy._types import ArrayLike, Casting, DTypeLike, ndarray
from asnumpy.creation.convert import asarray, positions
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.host.numpys import expect_target
from asnumpy.manipulation.shapes import atleast_1d, atleast_2d, atleast_3d, moveaxis, ravel

_ALL = slice(None)
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_WEAK = (bool, int, float, complex)


def _joined_dtype(parts: list[ndarray], given: Any, dtype: Any, out: Any, casting: Casting) -> np.dtype:
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    first: np.dtype = parts[0].dtype
    if out is not None:
        wanted: np.dtype = out.dtype
    elif dtype is not None:
        if np.dtype(dtype).subdtype is not None:
            raise TypeError(f"The dtype `{np.dtype(dtype)!r}` is not a valid dtype for concatenation since it is a "
                            "subarray dtype (the subarray dimensions would be added as array dimensions).")
        wanted = as_dtype(dtype, "concatenate")
    elif all(part.dtype == first for part in parts):
        return first
    else:
        wanted = np.result_type(
            *(one if type(one) in _WEAK else part.dtype for one, part in zip(given, parts, strict=True))
        )
    for part in parts:
        if part.dtype != wanted and not np.can_cast(part.dtype, wanted, casting):
            raise TypeError(
                f"Cannot cast array data from {part.dtype!r} to {wanted!r} according to the rule '{casting}'")
    return wanted


def _check_out(out: Any, lengths: tuple[int, ...], function: str) -> None:
    expect_target(out, function)
    if out.shape != lengths:
        raise ValueError(f"Output array is the wrong shape: expected {lengths}, got {out.shape}")


@public
def concatenate(
    arrays: Any, /, axis: int | None = 0, out: ndarray | None = None, *, dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> ndarray:
    if type(axis) is int and out is None and dtype is None and casting == "same_kind":
        made = _core.join(arrays, axis)
        if made is not None:
            return made
    if isinstance(arrays, ndarray) and arrays.ndim == 0:
        raise TypeError("The first input argument needs to be a sequence")
    given = list(arrays)
    if casting not in _CASTINGS:
        raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got {casting!r})")
    if not given:
        raise ValueError("need at least one array to concatenate")
    parts = [asarray(one) for one in given]
    if axis is None:
        parts, axis = [ravel(part) for part in parts], 0
    first = parts[0]
    if first.ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = axis_of(axis, first.ndim)
    before, after = first.shape[:axis], first.shape[axis + 1:]
    for place, part in enumerate(parts):
        shape = part.shape
        if len(shape) == first.ndim and shape[:axis] == before and shape[axis + 1:] == after:
            continue
        if part.ndim != first.ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at "
                f"index 0 has {first.ndim} dimension(s) and the array at index {place} has "
                f"{part.ndim} dimension(s)"
            )
        for dimension in range(first.ndim):
            if dimension != axis and part.shape[dimension] != first.shape[dimension]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {dimension}, the array at index 0 has size {first.shape[dimension]} and the array at "
                    f"index {place} has size {part.shape[dimension]}"
                )
    lengths = (*before, sum(part.shape[axis] for part in parts), *after)
    wanted = _joined_dtype(parts, given, dtype, out, casting)
    if out is None:
        return _core.join(parts, axis, wanted)
    _check_out(out, lengths, "concatenate")
    start = 0
    front = (_ALL,) * axis
    for part in parts:
        end = start + part.shape[axis]
        _core.assign(out[(*front, slice(start, end))], part)
        start = end
    return out


concat = concatenate


def _sequence(arrays: Any) -> Any:
    if not hasattr(arrays, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return arrays


@public
def stack(
    arrays: Any, axis: int = 0, out: ndarray | None = None, *, dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> ndarray:
    given = list(_sequence(arrays))
    if not given:
        raise ValueError("need at least one array to stack")
    parts = [asarray(one) for one in given]
    if any(part.shape != parts[0].shape for part in parts):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, parts[0].ndim + 1)
    before = (_ALL,) * axis
    return concatenate([part[(*before, None)] for part in parts], axis, out, dtype=dtype, casting=casting)


def _several(arrays: Any, grow: Any) -> list[ndarray]:
    made = grow(*_sequence(arrays))
    return list(made) if isinstance(made, tuple) else [made]


@public
def hstack(tup: Any, *, dtype: DTypeLike | None = None, casting: Casting = "same_kind") -> ndarray:
    parts = _several(tup, atleast_1d)
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@public
def vstack(tup: Any, *, dtype: DTypeLike | None = None, casting: Casting = "same_kind") -> ndarray:
    return concatenate(_several(tup, atleast_2d), 0, dtype=dtype, casting=casting)


row_stack = vstack


@public
def dstack(tup: Any) -> ndarray:
    return concatenate(_several(tup, atleast_3d), 2)


@public
def column_stack(tup: Any) -> ndarray:
    parts = [asarray(one) for one in _sequence(tup)]
    return concatenate([part if part.ndim >= 2 else part.reshape(-1, 1) for part in parts], 1)


@public
def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    a = asarray(x)
    if a.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(a, axis, 0))


@public
def block(arrays: Any) -> ndarray:
    empty: list[str] = []

    def depth(nested: Any, path: str) -> int:
        if type(nested) is tuple:
            raise TypeError(f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow "
                            "implicit conversion from tuple to ndarray.")
        if type(nested) is not list:
            return 0
        if not nested:
            empty.append(path)
            return 1
        levels = [depth(one, f"{path}[{place}]") for place, one in enumerate(nested)]
        if len(set(levels)) != 1:
            raise ValueError(f"List depths are mismatched. First element was at depth {levels[0] + 1}, but there is an "
                             f"element at another depth in {path}")
        return levels[0] + 1

    levels = depth(arrays, "arrays")
    if empty:
        raise ValueError(f"List at {empty[0]} cannot be empty")

    def widest(nested: Any) -> int:
        return max(widest(one) for one in nested) if type(nested) is list else asarray(nested).ndim

    total = max(levels, widest(arrays))

    def join(nested: Any, level: int) -> ndarray:
        if type(nested) is not list:
            part = asarray(nested)
            part = part.reshape((1,) * (total - part.ndim) + part.shape)
            return part if levels else _core.cast(part, part.dtype)
        return concatenate([join(one, level + 1) for one in nested], level - levels)

    return join(arrays, 0)


# --- splitting: views ---


@public
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    a = asarray(ary)
    axis_length = a.shape[axis]
    if hasattr(indices_or_sections, "__len__") and getattr(indices_or_sections, "ndim", 1) > 0:
        points = [0, *(int(point) for point in indices_or_sections), axis_length]
        bounds: list[tuple[int, int | None]] = list(itertools.pairwise(points))
        last = len(bounds) - 1
        bounds = [(low, None if place == last else high) for place, (low, high) in enumerate(bounds)]
    else:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, extra = divmod(axis_length, sections)
        ends = np.cumsum([0] + extra * [each + 1] + (sections - extra) * [each]).tolist()
        bounds = list(itertools.pairwise(ends))
    before = (_ALL,) * normalize_axis_index(axis, a.ndim)
    return [a[(*before, slice(low, high))] for low, high in bounds]


@public
def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[ndarray]:
    a = asarray(ary)
    if not hasattr(indices_or_sections, "__len__"):
        if a.shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(a, indices_or_sections, axis)


@public
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    a = asarray(ary)
    if a.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(a, indices_or_sections, 1 if a.ndim > 1 else 0)


@public
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    a = asarray(ary)
    if a.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(a, indices_or_sections, 0)


@public
def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[ndarray]:
    a = asarray(ary)
    if a.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(a, indices_or_sections, 2)


# --- repeating ---


@public
def tile(A: Any, reps: Any) -> ndarray:
    a = asarray(A)
    counts = tuple(int(one) for one in np.atleast_1d(reps)) if not isinstance(reps, (tuple, list)) else tuple(reps)
    total = max(len(counts), a.ndim)
    counts = (1,) * (total - len(counts)) + tuple(int(np.intp(index(one))) for one in counts)
    lengths = (1,) * (total - a.ndim) + a.shape
    out = _core.empty(tuple(n * count for n, count in zip(lengths, counts, strict=True)), a.dtype)
    # one broadcast assignment: each repeated axis is seen as (count, length)
    inner: list[int] = []
    outer: list[int] = []
    for n, count in zip(lengths, counts, strict=True):
        if count != 1:
            inner, outer = [*inner, 1], [*outer, count]
        inner, outer = [*inner, n], [*outer, n]
    _core.assign(out.reshape(tuple(outer)), a.reshape(tuple(inner)))
    return out


@public
def repeat(a: ArrayLike, repeats: ArrayLike, axis: int | None = None) -> ndarray:
    a = asarray(a)
    if axis is None:
        a, axis = ravel(a), 0
    elif a.ndim == 0:
        a = a.reshape(1)
    axis = normalize_axis_index(axis, a.ndim)
    length = a.shape[axis]
    if type(repeats) is int and repeats.bit_length() < 63:
        count = repeats
    else:
        counts = np.asarray(positions(repeats, "safe"))
        if counts.size != 1:
            if counts.ndim > 1:
                raise ValueError("object too deep for desired array")
            if np.add.reduce(counts, dtype=float) > 2.0**59:  # NumPy itself does not look
                raise ValueError("repeat: the counts add up to more elements than an array can have")
            return a.take(np.repeat(np.arange(length), counts), axis)
        count = int(counts.reshape(())[()])
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    out = _core.empty((*a.shape[:axis], length * count, *a.shape[axis + 1:]), a.dtype)
    spread = out.reshape((*a.shape[:axis], length, count, *a.shape[axis + 1:]))
    _core.assign(spread, a[(_ALL,) * (axis + 1) + (None,)])
    return out


@public
def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: Any) -> ndarray:
    values = asarray(a)
    ndim = values.ndim
    for one in (axes,) if np.ndim(axes) == 0 else axes:
        axis = axis_of(one, ndim)
        made: ndarray = _core.call_back(func, (values, axis), {})
        if made.ndim != ndim:
            made = made[(_ALL,) * axis + (None,)]
            if made.ndim != ndim:
                raise ValueError("function is not returning an array of the correct shape")
        values = made
    return values
