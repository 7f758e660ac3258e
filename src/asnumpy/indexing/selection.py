"""Elements chosen by condition or by position: where, nonzero, take and what is made of them."""

from __future__ import annotations

import contextlib
import inspect
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._axes import axis_of
from asnumpy._public import public
from asnumpy._types import ArrayLike, Axes, Order, Shape, ndarray
from asnumpy.creation.arrays import zeros_like
from asnumpy.creation.convert import asarray, lies_on_device, positions
from asnumpy.host.door import host, host_result
from asnumpy.host.numpys import expect_target
from asnumpy.host.stand_ins import judged
from asnumpy.manipulation.shapes import ravel
from asnumpy.ufunc.functions import (
    add,
    equal,
    floor_divide,
    logical_not,
    maximum,
    minimum,
    multiply,
    not_equal,
    remainder,
)

_WEAK = (bool, int, float, complex)
_MISSING: Any = object()
_BOOL = np.dtype(bool)
_INTP = np.dtype(np.intp)
_where_dtypes: set[np.dtype] = set()
_result_types: dict[tuple[Any, Any], np.dtype] = {}


def selectable(dtype: np.dtype) -> bool:
    """Whether the row `where` has a loop of this dtype (extended precision has none)."""
    if not _where_dtypes:
        (row,) = (row for row in _core.rows() if row["name"] == "where")
        _where_dtypes.update(loop[1][0] for loop in row["loops"])
    return dtype in _where_dtypes


def select_where(mask: ndarray, x: Any, y: Any, dtype: np.dtype) -> ndarray:
    """x where the mask is true, else y; arrays of another dtype are cast, scalars have been cast by fill_scalar."""
    if selectable(dtype):
        return _core.apply("where", (_BOOL, dtype, dtype, dtype), (mask, x, y))
    return host(np.where, mask, *(one.astype(dtype) if isinstance(one, ndarray) else dtype.type(one) for one in (x, y)))


@public
def where(condition: Any, x: Any = _MISSING, y: Any = _MISSING, /) -> Any:
    if x is _MISSING and y is _MISSING:
        return nonzero(condition)
    if x is _MISSING or y is _MISSING:
        raise ValueError("either both or neither of x and y should be given")
    mask = asarray(condition)
    x = x if type(x) in _WEAK else asarray(x)
    y = y if type(y) in _WEAK else asarray(y)
    if isinstance(x, ndarray) and isinstance(y, ndarray) and x.dtype == y.dtype:
        dtype = x.dtype
    else:
        keys = (type(x) if type(x) in _WEAK else x.dtype, type(y) if type(y) in _WEAK else y.dtype)
        known = _result_types.get(keys)
        if known is None:
            known = _result_types[keys] = np.result_type(*(key(0) if isinstance(key, type) else key for key in keys))
        dtype = known
        x = x if isinstance(x, ndarray) else _wrapped(x, dtype)
        y = y if isinstance(y, ndarray) else _wrapped(y, dtype)
    return asarray(select_where(mask, x, y, dtype))  # an array also where it has no axes


# None is a value, not what is left out.
with contextlib.suppress(ValueError):  # before NumPy 2.4 its own function does not tell
    where.__signature__ = inspect.signature(np.where)  # type: ignore[attr-defined]


def _wrapped(value: Any, dtype: np.dtype) -> Any:
    """A Python number as an element of dtype; unlike in ufuncs, an int that does not fit wraps around."""
    if type(value) is float and dtype.kind == "f":
        return value
    return np.asarray(value).astype(dtype).item()


# --- positions of what is true: their number depends on data, so these run at once ---


def truth(a: ArrayLike) -> ndarray:
    a = asarray(a)
    return a if a.dtype == _BOOL else not_equal(a, 0) if a.dtype.kind != "V" else _core.cast(a, _BOOL)


@public
def nonzero(a: ArrayLike) -> tuple[ndarray, ...]:
    mask = truth(a)
    if mask.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. If the context "
            "of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`."
        )
    if mask.ndim == 1:
        return (_core.flatnonzero(mask),)
    flat = _core.flatnonzero(ravel(mask))
    found = []
    for length in mask.shape[:0:-1]:
        found.append(remainder(flat, length))
        flat = floor_divide(flat, length)
    return (flat, *reversed(found))


@public
def flatnonzero(a: ArrayLike) -> ndarray:
    return _core.flatnonzero(ravel(truth(a)))


@public
def argwhere(a: ArrayLike) -> ndarray:
    a = asarray(a)
    if a.ndim == 0:
        return _core.empty((int(bool(a)), 0), _INTP)
    found = nonzero(a)
    out = _core.empty((found[0].size, a.ndim), _INTP)
    for place, line in enumerate(found):
        _core.assign(out[:, place], line)
    return out


@public
def count_nonzero(a: ArrayLike, axis: Axes | None = None, *, keepdims: bool = False) -> ndarray:
    found = truth(a)
    return found.sum() if axis is None and not keepdims else found.sum(axis=axis, dtype=_INTP, keepdims=keepdims)


# --- taking ---


def clip_mode(mode: Any) -> str:
    name = str(mode).lower()
    if name not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")
    return name


def within(index: ndarray, length: int, name: str) -> ndarray:
    if name == "raise" or not length:
        return index
    return remainder(index, length) if name == "wrap" else minimum(maximum(index, 0), length - 1)


@public
def take(
    a: ArrayLike, indices: ArrayLike, axis: int | None = None, out: ndarray | None = None, mode: str = "raise",
) -> ndarray:
    a, mode = asarray(a), clip_mode(mode)
    if axis is None:
        a, axis = ravel(a), 0
    else:
        if a.ndim == 0:
            a = a.reshape(1)
        axis = axis_of(axis, a.ndim)
    index = positions(indices)
    length = a.shape[axis]
    if not length and index.size:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    index = within(index, length, mode)
    if not a.size:  # nothing is read, so nothing is out of range
        made = _core.empty(a.shape[:axis] + index.shape + a.shape[axis + 1:], a.dtype)
    else:
        made = _core.take(a, index if index.ndim == 1 else ravel(index), axis)
    if index.ndim != 1 and a.size:
        made = made.reshape(a.shape[:axis] + index.shape + a.shape[axis + 1:])
    if out is None and made.ndim == 0:
        return made[()]  # a scalar
    return made if out is None else write_out(out, made, "output array does not match result of ndarray.take")


def write_out(out: ndarray, made: ndarray, mismatch: str) -> ndarray:
    """Stores a result that is already computed into an out= array of the same shape that can hold it."""
    expect_target(out, "out")
    if out.shape != made.shape:
        raise ValueError(mismatch)
    if not np.can_cast(out.dtype, made.dtype):  # the buffer that NumPy would use is cast back
        raise TypeError(
            f"Cannot cast array data from {out.dtype!r} to {made.dtype!r} according to the rule 'safe'"
        )
    _core.assign(out, made)
    return out


def along(shape: tuple[int, ...], indices: Any, axis: int) -> tuple[Any, ...]:
    """The index that pairs `indices` along one axis with every position of the others."""
    index = asarray(indices)
    if index.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if len(shape) != index.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    lines: list[Any] = []
    for place, length in enumerate(shape):
        if place == axis:
            lines.append(index)
        else:
            lines.append(np.arange(length).reshape((1,) * place + (length,) + (1,) * (len(shape) - place - 1)))
    return tuple(lines)


@public
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None = -1) -> ndarray:
    a = asarray(arr)
    if axis is None:
        index = asarray(indices)
        if index.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        a, axis = ravel(a), 0
    axis = normalize_axis_index(axis, a.ndim)
    return a[along(a.shape, indices, axis)]


@public
def compress(condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: ndarray | None = None) -> ndarray:
    mask = truth(condition)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    a = asarray(a)
    if axis is None:
        a, axis = ravel(a), 0
    if out is None and a.ndim == 1 and a.shape == mask.shape:
        normalize_axis_index(axis, 1)
        return _core.compress(a, mask)
    return take(a, _core.flatnonzero(mask), axis, out)


@public
def extract(condition: ArrayLike, arr: ArrayLike) -> ndarray:
    a, mask = ravel(asarray(arr)), ravel(truth(condition))
    if a.size == mask.size:
        return _core.compress(a, mask)
    return take(a, _core.flatnonzero(mask))


def _all_within(index: ndarray, length: int) -> bool:
    return index.dtype.kind in "biu" and index.size > 0 and int(index.min()) >= 0 and int(index.max()) < length


def _chosen(index: ndarray, choices: list[Any]) -> ndarray | None:
    """np.choose by one selection after the other; None on the CPU, and where NumPy takes weak numbers or refuses."""
    if index._host_visible or not index.ndim or not all(isinstance(one, ndarray) for one in choices):
        return None
    try:
        shape = np.broadcast_shapes(index.shape, *[one.shape for one in choices])
    except ValueError:
        return None
    dtype = np.result_type(*[one.dtype for one in choices]) if choices else _BOOL
    if len(choices) > 32 or not selectable(dtype) or not _all_within(index, len(choices)):
        return None
    made = choices[0]
    for place, one in enumerate(choices[1:], 1):
        made = select_where(equal(index, place), one, made, dtype)
    return made if made.shape == shape and len(choices) > 1 else _core.cast(_core.broadcast_to(made, shape), dtype)


@public
def choose(a: ArrayLike, choices: Any, out: ndarray | None = None, mode: str = "raise") -> ndarray:
    if not isinstance(choices, ndarray):
        choices = [one if type(one) in _WEAK else asarray(one) for one in choices]
    index, name = asarray(a), clip_mode(mode)
    if index.dtype.kind in "iu" and name != "raise":  # NumPy wraps by adding, again and again
        index, mode = within(index, len(choices), name), "raise"
    made = _chosen(index, list(choices)) if mode == "raise" and out is None else None
    return made if made is not None else host(np.choose, index, choices, out=out, mode=mode)


@public
def select(condlist: Any, choicelist: Any, default: Any = 0) -> ndarray:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    choices = [one if type(one) in _WEAK else asarray(one) for one in (*choicelist, default)]
    try:
        dtype = np.result_type(*(one.dtype if isinstance(one, ndarray) else one for one in choices))
    except TypeError as error:
        raise TypeError(f"Choicelist and default value do not have a common dtype: {error}") from None
    masks = [asarray(one) for one in condlist]
    for place, mask in enumerate(masks):
        if mask.dtype != _BOOL:
            raise TypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
    shape = np.broadcast_shapes(*(one.shape for one in (*masks, *choices) if isinstance(one, ndarray)))
    chosen = [one if isinstance(one, ndarray) else _wrapped(one, dtype) for one in choices]
    made = chosen.pop()
    for mask, one in zip(reversed(masks), reversed(chosen), strict=True):
        made = select_where(mask, one, made, dtype)
    return asarray(made) if made.shape == shape else _core.cast(_core.broadcast_to(made, shape), dtype)


@public
def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> ndarray:
    x = asarray(x)
    if np.ndim(condlist) == 0 or (np.ndim(condlist[0]) == 0 and x.ndim != 0):
        condlist = [condlist]
    masks = [truth(one) for one in condlist]
    if len(masks) == len(funclist) - 1:
        remaining = masks[0]
        for mask in masks[1:]:
            remaining = remaining | mask
        masks.append(logical_not(remaining))
    elif len(masks) != len(funclist):
        count = len(masks)
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    out = zeros_like(x)
    for mask, function in zip(masks, funclist, strict=True):
        if not callable(function):
            out[mask] = function
        else:
            values = x[mask]
            if values.size > 0:
                out[mask] = _core.call_back(function, (values, *args), kw)
    return out


# --- positions as numbers ---


@public
def unravel_index(indices: ArrayLike, shape: Shape, order: Order | None = "C") -> tuple[ndarray, ...]:
    if isinstance(indices, ndarray) and not indices._host_visible and indices.ndim and order in ("C", "F"):
        lengths = [operator.index(length) for length in (shape if isinstance(shape, Sequence) else (shape,))]
        if indices.dtype.kind in "iu" and _all_within(indices, math.prod(lengths)):
            flat = positions(indices, "unsafe")
            found: list[ndarray] = []
            for length in lengths if order == "F" else lengths[::-1]:
                found.append(remainder(flat, length))
                flat = floor_divide(flat, length)
            return tuple(found if order == "F" else found[::-1])
    places: tuple[ndarray, ...] = host_result(np.unravel_index, indices, shape, order)
    return places


def _numbered(places: list[ndarray], lengths: Sequence[int], modes: Sequence[str]) -> ndarray | None:
    """The places of elements in an array of these lengths, the last axis' neighbours; None where one is outside."""
    made = None
    for index, length, mode in zip(places, lengths, modes, strict=True):
        if mode == "raise" and not _all_within(index, length):
            return None
        index = within(positions(index), length, mode)
        made = index if made is None else add(multiply(made, length), index)
    return _core.cast(made, _INTP) if made is not None else None


def _numbered_there(multi_index: Any, dims: Any, mode: Any, order: Any) -> ndarray | None:
    """np.ravel_multi_index where a device has some of the places; None where NumPy has to look at them."""
    if not (lies_on_device(multi_index) or (isinstance(multi_index, tuple) and _core.holds_device_values(multi_index))):
        return None
    places = [asarray(one) for one in multi_index]
    modes = list(mode) if isinstance(mode, tuple) else [mode] * len(places)
    if order not in ("C", "F") or not all(one in ("raise", "wrap", "clip") for one in modes):
        return None
    if not all(one.dtype.kind in "biu" for one in places):
        return None
    judged(np.ravel_multi_index, tuple(places), dims, mode, order, length=0)
    lengths = [operator.index(one) for one in (dims if isinstance(dims, Sequence) else (dims,))]
    step = 1 if order == "C" else -1
    return _numbered(places[::step], lengths[::step], modes[::step])


@public
def ravel_multi_index(multi_index: Any, dims: Shape, mode: Any = "raise", order: Order | None = "C") -> ndarray:
    made = _numbered_there(multi_index, dims, mode, order)
    return made if made is not None else host(np.ravel_multi_index, multi_index, dims, mode, order)
