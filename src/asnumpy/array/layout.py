"""Copies of an array in a memory order, other views of its bytes, and its memory exchanged for another size."""

from __future__ import annotations

import math
import sys
from operator import index
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import Casting, Order, ndarray
from asnumpy.dtypes.dtype import as_dtype


def _axes_for(a: ndarray, order: Order | None, function: str) -> tuple[int, ...] | None:
    """The axes of `a`, slowest first, in the memory order that `order` asks for; None for C order."""
    name = "K" if order is None else str(order).upper()
    if name not in ("C", "F", "A", "K"):
        raise ValueError(f"{function}: order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    if name == "C" or a.ndim < 2 or (name != "F" and a._flags_c_contiguous):
        return None
    if name == "A" and not a._flags_f_contiguous:
        return None
    if name in "AF" or a._flags_f_contiguous:
        return tuple(reversed(range(a.ndim)))
    strides = a.strides
    axes = tuple(sorted(range(a.ndim), key=lambda axis: -abs(strides[axis])))
    return None if axes == tuple(range(a.ndim)) else axes


def _lies_in(a: ndarray, order: Order | None) -> bool:
    name = "K" if order is None else str(order).upper()
    c, f = a._flags_c_contiguous, a._flags_f_contiguous
    return {"K": True, "C": c, "F": f, "A": c or f}.get(name, False)


def copied(a: ndarray, dtype: np.dtype, order: Order | None, function: str) -> ndarray:
    """A new array with these elements as `dtype`, in this memory order."""
    axes = _axes_for(a, order, function)
    if axes is None:
        return _core.cast(a, dtype)
    made = _core.cast(_core.transpose(a, axes), dtype)
    return _core.transpose(made, tuple(int(axis) for axis in np.argsort(axes)))


def converted(a: ndarray, kind: np.dtype, order: Order | None, casting: Casting, copy: bool) -> ndarray:
    """`astype`: the array itself where that is allowed and fits."""
    if not copy and kind == a.dtype and _lies_in(a, order):
        return a
    if casting != "unsafe" and not np.can_cast(a.dtype, kind, casting):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to {kind!r} according to the rule '{casting}'")
    return copied(a, kind, order, "ndarray.astype")


def field(a: ndarray, dtype: Any, offset: int) -> ndarray:
    """The bytes from `offset` of each element, seen as `dtype`."""
    kind = as_dtype(dtype, "ndarray.getfield")
    if offset < 0 or offset + kind.itemsize > a.itemsize:
        raise ValueError(f"Need 0 <= offset <= {a.itemsize} for requested type but received offset = {offset}")
    parts = _core.as_strided(a, a.shape + (1,), a.strides + (a.itemsize,), 0, a._flags_writeable)
    octets = _core.view_dtype(parts, np.dtype(np.uint8))[..., offset : offset + kind.itemsize]
    return _core.view_dtype(octets, kind)[..., 0]


def resize(a: ndarray, new_shape: tuple[Any, ...], refcheck: bool) -> None:
    """Gives an array that owns its elements another number of them, zeros behind those it keeps."""
    checked = bool(index(refcheck))
    if not new_shape or new_shape == (None,):
        return
    given: Any = new_shape[0] if len(new_shape) == 1 else new_shape
    shape = (index(given),) if hasattr(given, "__index__") else tuple(index(n) for n in given)
    if any(n < 0 for n in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    count = math.prod(shape)
    if count == a.size:
        a.shape = shape
        return
    if a.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    if not (a._flags_c_contiguous or a._flags_f_contiguous):
        raise ValueError("resize only works on single-segment arrays")
    if max(shape) > sys.maxsize:
        raise ValueError("Maximum allowed dimension exceeded")
    if count * a.itemsize > sys.maxsize:
        raise MemoryError(f"ndarray.resize: no memory could hold an array of shape {shape} and data type {a.dtype}")
    made = _core.empty((count,), a.dtype, "C", a._device_name)
    kept = min(count, a.size)
    old = (a if a._flags_c_contiguous else a.T).reshape(-1)
    _core.assign(made[kept:], 0)
    _core.assign(made[:kept], old[:kept])
    del old
    _core.rebind(a, made.reshape(shape), checked)
