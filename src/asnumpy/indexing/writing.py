"""Elements written by condition or by position: put, putmask, place, copyto."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, Casting, ndarray
from asnumpy.creation.arrays import fill_scalar
from asnumpy.creation.convert import asarray, positions
from asnumpy.host.door import host_result
from asnumpy.host.numpys import expect_target
from asnumpy.indexing.selection import along, clip_mode, selectable, truth, within
from asnumpy.manipulation.shapes import ravel, resize
from asnumpy.ufunc.functions import remainder, subtract

_WEAK = (bool, int, float, complex)
_BOOL = np.dtype(bool)


def _target(a: ArrayLike, place: str = "argument 1") -> ndarray:
    a = expect_target(a, place)
    if not a._flags_writeable:
        raise ValueError("assignment destination is read-only")
    return a


def _written(values: Any, dtype: np.dtype) -> ndarray:
    new = asarray(values)
    if new.dtype.kind == "c" and dtype.kind != "c" and not isinstance(values, (ndarray, np.ndarray)):
        raise TypeError(f"{'int' if dtype.kind in 'iu' else 'float'}() argument must be a real number, not 'complex'")
    return new if new.dtype == dtype else _core.cast(new, dtype)


def _safely_written(values: Any, dtype: np.dtype) -> ndarray:
    if isinstance(values, (ndarray, np.ndarray)) and not np.can_cast(values.dtype, dtype):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {dtype!r} according to the rule 'safe'")
    return _written(values, dtype)


@public
def put(a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    a = _target(a)
    index = within(ravel(positions(ind, "safe")), a.size, clip_mode(mode))
    new = ravel(_written(v, a.dtype))
    if not index.size or not new.size:
        return
    if not a.size:
        raise IndexError("cannot replace elements of an empty array")
    if new.size == 1:
        new = _core.broadcast_to(new, index.shape)
    elif new.size != index.size:
        new = resize(new, index.shape)
    flat = None if _core.overlaps_itself(a) else _core.reshape_view(a, (a.size,))
    if flat is not None:
        _core.scatter(flat, index, new, 0)
        return
    flat = ravel(a)
    _core.scatter(flat, index, new, 0)
    _core.assign(a, flat.reshape(a.shape))


@public
def put_along_axis(arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: int | None) -> None:
    arr = _target(arr)
    if axis is None:
        index = asarray(indices)
        if index.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        if index.dtype.kind not in "iu":
            raise IndexError("`indices` must be an integer array")
        new = _written(values, arr.dtype)
        put(arr, index, _core.broadcast_to(new, index.shape))
        return
    arr[along(arr.shape, indices, normalize_axis_index(axis, arr.ndim))] = values


def _overwrite(target: ndarray, mask: ndarray, values: Any) -> None:
    """target[mask] = values, of the target's shape or one that broadcasts to it, without a data-dependent shape."""
    dtype = target.dtype
    if selectable(dtype):
        _core.apply("where", (_BOOL, dtype, dtype, dtype), (mask, values, target), (target,))
    else:
        host_result(np.copyto, target, values, where=mask)


@public
def putmask(a: ArrayLike, /, mask: ArrayLike, values: ArrayLike) -> None:
    a = _target(a, "putmask() argument 1")
    mask = truth(mask)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    new = _safely_written(values, a.dtype)
    if not new.size:
        return
    if new.size != 1 and new.shape != a.shape:
        new = resize(new, a.shape)
    _overwrite(a, mask if mask.shape == a.shape else mask.reshape(a.shape), new if new.size != 1 else new.reshape(()))


@public
def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike) -> None:
    arr = _target(arr)
    mask, new = truth(mask), _safely_written(vals, arr.dtype)
    if not arr._host_visible and arr.size and new.size and mask.shape == arr.shape and not _core.overlaps_itself(arr):
        before = subtract(_core.scan("add", _core.cast(ravel(mask), np.intp), 0), 1)
        _overwrite(arr, mask, _core.take(ravel(new), remainder(before, new.size), 0).reshape(arr.shape))
        return
    host_result(np.place, arr, mask, new)


@public
def copyto(dst: Any, src: Any, casting: Casting = "same_kind", where: ArrayLike = True) -> None:
    dst = _target(dst, "copyto() argument 1")
    if type(src) in _WEAK:
        weak = np.dtype(bool) if type(src) is bool else np.result_type(src, dst.dtype)
        if not np.can_cast(weak, dst.dtype, casting):
            raise TypeError(
                f"Cannot cast scalar from {np.asarray(src).dtype!r} to {dst.dtype!r} according to the rule '{casting}'"
            )
        new: Any = fill_scalar(src, dst.dtype)
    else:
        new = asarray(src)
        if new.dtype != dst.dtype and not np.can_cast(new.dtype, dst.dtype, casting):
            raise TypeError(
                f"Cannot cast array data from {new.dtype!r} to {dst.dtype!r} according to the rule '{casting}'"
            )
    if where is True:
        _core.assign(dst, new)
        return
    mask = asarray(where if isinstance(where, (ndarray, np.ndarray)) else np.array(where, dtype=bool))
    if mask.dtype != _BOOL:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according to the rule 'safe'")
    for operand in (mask, new):
        if isinstance(operand, ndarray) and operand.shape != dst.shape:
            try:
                _core.broadcast_to(operand, dst.shape)
            except ValueError:
                raise ValueError(
                    f"could not broadcast input array from shape {operand.shape} into shape {dst.shape}"
                ) from None
    if _core.overlaps_itself(dst):
        host_result(np.copyto, dst, new, where=mask)  # which writes the chosen elements alone, in an order of its own
    else:
        _overwrite(dst, mask, new)
