"""Shapes and axes: functions that give another view of the same elements, or lay them out anew."""

from __future__ import annotations

import sys
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import EXACT, ArrayLike, Order, Shape, ndarray
from asnumpy.creation.arrays import empty_ordered, normal_shape
from asnumpy.creation.convert import asarray

_ALL = slice(None)


@public
def shape(a: Any) -> tuple[int, ...]:
    known: tuple[int, ...] = a.shape if hasattr(a, "shape") else asarray(a).shape
    return known


@public
def ndim(a: Any) -> int:
    known: int = a.ndim if hasattr(a, "ndim") else asarray(a).ndim
    return known


@public
def size(a: Any, axis: Any = None) -> int:
    if axis is None:
        known: int = a.size if hasattr(a, "size") else asarray(a).size
        return known
    lengths = shape(a)
    total = 1
    for one in normalize_axis_tuple(axis, len(lengths)):
        total *= lengths[one]
    return total


def _own(a: Any) -> ndarray:
    """What the method is taken of: NumPy's scalars have it too, and remain scalars."""
    if type(a) in EXACT:  # as mostly, and quicker than what follows
        return a  # type: ignore[no-any-return]
    if isinstance(a, (np.number, np.bool)):
        return _core.number(a)
    return a if _core.is_number(a) else asarray(a)


@public
def reshape(
    a: ArrayLike, /, shape: Shape, order: Literal["C", "F", "A"] | None = "C", *, copy: bool | None = None,
) -> ndarray:
    return _own(a).reshape(shape, order=order, copy=copy)


@public
def transpose(a: ArrayLike, axes: Any = None) -> ndarray:
    return _own(a).transpose(axes)


permute_dims = transpose


@public
def matrix_transpose(x: ArrayLike, /) -> ndarray:
    a = asarray(x)
    if a.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {a.ndim}")
    return a.mT


@public
def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> ndarray:
    return asarray(a).swapaxes(axis1, axis2)


@public
def moveaxis(a: ArrayLike, source: Any, destination: Any) -> ndarray:
    a = asarray(a)
    origins = normalize_axis_tuple(source, a.ndim, "source")
    places = normalize_axis_tuple(destination, a.ndim, "destination")
    if len(origins) != len(places):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    axes = [axis for axis in range(a.ndim) if axis not in origins]
    for place, origin in sorted(zip(places, origins, strict=True)):
        axes.insert(place, origin)
    return _core.transpose(a, tuple(axes))


@public
def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> ndarray:
    a = asarray(a)
    axis = normalize_axis_index(axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise np.exceptions.AxisError(
            f"start arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in")
    place = start + a.ndim if start < 0 else start
    axes = list(range(a.ndim))
    axes.remove(axis)
    axes.insert(place - 1 if axis < place else place, axis)
    return a.transpose(axes)


@public
def expand_dims(a: ArrayLike, axis: Any) -> ndarray:
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    total = a.ndim + len(axes)
    new = normalize_axis_tuple(axes, total)
    return a[tuple(None if place in new else _ALL for place in range(total))] if total else a


@public
def squeeze(a: ArrayLike, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None) -> ndarray:
    own = _own(a)
    return own.squeeze() if axis is None else own.squeeze(axis)  # a subclass may know no axis


@public
def atleast_1d(*arys: Any) -> Any:
    if len(arys) != 1:
        return tuple(map(atleast_1d, arys))
    a = asarray(arys[0])
    return a if a.ndim else a.reshape(1)


@public
def atleast_2d(*arys: Any) -> Any:
    if len(arys) != 1:
        return tuple(map(atleast_2d, arys))
    a = asarray(arys[0])
    ndim = a.ndim
    return a if ndim > 1 else a[None] if ndim else a.reshape(1, 1)


@public
def atleast_3d(*arys: Any) -> Any:
    if len(arys) != 1:
        return tuple(map(atleast_3d, arys))
    a = asarray(arys[0])
    ndim = a.ndim
    return a if ndim > 2 else a[..., None] if ndim == 2 else a[None, :, None] if ndim else a.reshape(1, 1, 1)


@public
def broadcast_to(array: ArrayLike, shape: Shape, subok: bool = False) -> ndarray:
    lengths = normal_shape(shape)
    if any(length < 0 for length in lengths):
        raise ValueError("all elements of broadcast shape must be non-negative")
    return _core.broadcast_to(asarray(array), lengths)


@public
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[ndarray, ...]:
    arrays = [asarray(a) for a in args]
    lengths = np.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == lengths else _spread(a, lengths) for a in arrays)


def _spread(a: ndarray, lengths: tuple[int, ...]) -> ndarray:
    """Unlike broadcast_to's, these views may be written, as in NumPy."""
    view = _core.broadcast_to(a, lengths)
    return _core.as_strided(a, view.shape, view.strides, 0, a._flags_writeable) if a.size else view


@public
def ravel(a: ArrayLike, order: Order | None = "C") -> ndarray:
    return asarray(a).ravel(order)


def _memory_order(a: ndarray) -> tuple[int, ...]:
    """The axes by falling stride; one whose elements all lie in one place stays beside its neighbours, as in NumPy."""
    strides = [0 if n == 1 else step for n, step in zip(a.shape, a.strides, strict=True)]
    inner_first: list[int] = []
    for axis in reversed(range(len(strides))):
        place = at = len(inner_first)
        while at and (not (strides[axis] and strides[inner_first[at - 1]])
                      or abs(strides[inner_first[at - 1]]) > abs(strides[axis])):
            at -= 1
            if strides[axis] and strides[inner_first[at]]:
                place = at
        inner_first.insert(place, axis)
    return tuple(reversed(inner_first))


def _ravel(a: ndarray, order: Any) -> ndarray:
    """ravel in another order than C: a view only of what lies in that order without gaps."""
    if order == "K" and not a._flags_c_contiguous:
        a = _core.transpose(a, _memory_order(a))
    c, fortran = a._flags_c_contiguous, a._flags_f_contiguous
    lies_so = fortran if order in ("F", "f") else c or fortran if order in ("A", "a") else c
    wanted: Any = "C" if order == "K" else order
    return a.reshape(-1, order=wanted, copy=None if lies_so else True)


_core.set_hooks({"ravel": _ravel})


@public
def flip(m: Any, axis: Any = None) -> ndarray:
    return _core.returned(_core.flip(_own(m), axis))


@public
def fliplr(m: ArrayLike) -> ndarray:
    a = asarray(m)
    if a.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return a[:, ::-1]


@public
def flipud(m: ArrayLike) -> ndarray:
    a = asarray(m)
    if a.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return a[::-1, ...]


@public
def rot90(m: ArrayLike, k: int = 1, axes: Any = (0, 1)) -> ndarray:
    a = asarray(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = (int(axis) for axis in axes)
    if first == second or abs(first - second) == a.ndim:
        raise ValueError("Axes must be different.")
    if not all(-a.ndim <= axis < a.ndim for axis in (first, second)):
        raise ValueError(f"Axes={tuple(axes)} out of range for array of ndim={a.ndim}.")
    k %= 4
    if k == 0:
        return a[...]
    if k == 2:
        return _core.flip(a, (first, second))
    turned = _core.flip(a, second if k == 1 else first)
    return turned.swapaxes(first, second)


@public
def roll(a: Any, shift: Any, axis: Any = None) -> ndarray:
    a = asarray(a)
    if axis is None:
        return roll(ravel(a), shift, 0).reshape(a.shape)
    if type(shift) is int and type(axis) is int:  # what most calls are
        return _rolled(a, {normalize_axis_index(axis, a.ndim): shift})
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    shifts, places = np.broadcast_arrays(np.asarray(shift), np.asarray(axes))
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    total = dict.fromkeys(axes, 0)
    for one, place in zip(shifts.ravel().tolist(), places.ravel().tolist(), strict=True):
        total[place] += int(one)
    return _rolled(a, total)


def _rolled(a: ndarray, total: dict[int, int]) -> ndarray:
    """The array with each axis turned by a number of places."""
    if len(total) == 1 and a.size and (a.ndim == 1 or a._flags_c_contiguous):
        ((place, by),) = total.items()
        if by % a.shape[place]:
            before, cut = (_ALL,) * place, -by % a.shape[place]
            return _core.join([a[(*before, slice(cut, None))], a[(*before, slice(None, cut))]], place)
    # each axis falls into two runs; every combination of runs is one block copied to its new place
    blocks: list[tuple[list[slice], list[slice]]] = [([_ALL] * a.ndim, [_ALL] * a.ndim)]
    for place, by in total.items():
        length = a.shape[place]
        by = by % length if length else 0
        if not by:
            continue
        runs = ((slice(None, -by), slice(by, None)), (slice(-by, None), slice(None, by)))
        blocks = [
            ([*src[:place], run[0], *src[place + 1:]], [*dst[:place], run[1], *dst[place + 1:]])
            for src, dst in blocks for run in runs
        ]
    out = empty_ordered(a.shape, a.dtype, "K", a)
    moves = [(out[(*dst, ...)], a[(*src, ...)]) for src, dst in blocks]
    for to, part in sorted(moves, key=lambda move: -move[1].size):  # the largest first, as where arrays are joined
        _core.assign(to, part)
    return out


@public
def resize(a: ArrayLike, new_shape: Shape) -> ndarray:
    lengths = normal_shape(new_shape)
    total = 1
    for length in lengths:
        if length < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        total *= length
    flat = ravel(a)
    if total > sys.maxsize * max(flat.size, 1):
        raise OverflowError(f"resize: the shape {lengths} has too many elements")
    if total * flat.itemsize > sys.maxsize:
        raise MemoryError(f"resize: no memory could hold an array of shape {lengths} and data type {flat.dtype}")
    out = _core.empty((total,), flat.dtype)
    if flat.size == 0:
        _core.assign(out, 0)
    else:
        whole = total // flat.size
        rest = total - whole * flat.size
        if whole:
            _core.assign(out[:whole * flat.size].reshape(whole, flat.size), flat)
        if rest:
            _core.assign(out[whole * flat.size:], flat[:rest])
    return out.reshape(lengths)


@public
def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
    return asarray(a).diagonal(offset, axis1, axis2)


@public
def isfortran(a: Any) -> bool:
    a = asarray(a)
    return a._flags_f_contiguous and not a._flags_c_contiguous


@public
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    sides = trim.lower()
    if sides not in ("fb", "bf", "b", "f"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    a = asarray(filt)
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim)
    if not axes:
        return filt
    found = np.nonzero(_core.to_numpy_view(a, False))
    key = []
    for place in range(a.ndim):
        low, high = (int(found[place].min()), int(found[place].max()) + 1) if found[place].size else (a.shape[place], 0)
        if place not in axes:
            key.append(_ALL)
        elif not found[place].size:
            key.append(slice(0, 0) if "f" not in sides else slice(a.shape[place], None))
        else:
            key.append(slice(low if "f" in sides else None, high if "b" in sides else None))
    if isinstance(filt, (tuple, list)):  # they come back as what they are
        chosen: Any = key[0] if len(key) == 1 else tuple(key)
        return filt[chosen]
    return a[tuple(key) + (...,)]
