"""Norms of vectors and matrices, composed of array operations: all that need no singular values fuse."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy._types import ArrayLike, Axes, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.linalg._singular import svdvals
from asnumpy.manipulation.shapes import moveaxis, ravel
from asnumpy.ufunc.functions import absolute, add, conjugate, maximum, minimum, multiply, not_equal, power, sqrt

_DIRECT = (np.dtype(np.float64), np.dtype(np.float32))
_FROBENIUS = (None, "fro", "f")


def _inexact(x: Any) -> ndarray:
    a = asarray(x)
    return a if issubclass(a.dtype.type, np.inexact) else _core.cast_alike(a, np.dtype(float))


def _real_dtype(a: ndarray) -> np.dtype:
    dtype: np.dtype = a.dtype
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def _squares(a: ndarray) -> ndarray:
    """|a|^2 without the detour of a root."""
    if a.dtype.kind != "c":
        return multiply(a, a)
    product = multiply(conjugate(a), a)
    if a.dtype.char == "G":
        return product.real
    # the row, unlike the attribute, is no view into memory and fuses
    return _core.apply("real", (a.dtype, _real_dtype(a)), [product])


def _euclidean(a: ndarray, axes: tuple[int, ...], keepdims: bool) -> ndarray:
    if a.dtype in _DIRECT and axes:
        return sqrt(_core.reduce("add", a.dtype, multiply(a, a), axes, keepdims))
    return sqrt(add.reduce(_squares(a), axis=axes, keepdims=keepdims))


def _of_everything(a: ndarray, keepdims: bool) -> ndarray:
    """The root of the sum of all squares, by `dot`, which sums 16-bit squares before it rounds them."""
    if a.dtype.char in "edf" and (a._host_visible or a.dtype != np.float64):  # of which no device has products
        flat = a if a.ndim == 1 else ravel(a, "K")
        squared = _core.dot(flat, flat)
        if squared is not None:
            total = sqrt(squared)
            return total.reshape((1,) * a.ndim) if keepdims else total
    return _euclidean(a, tuple(range(a.ndim)), keepdims)


def _vector(a: ndarray, order: Any, axes: tuple[int, ...], keepdims: bool) -> ndarray:
    """The norm over the axes taken together as one vector."""
    if isinstance(order, str):
        raise ValueError(f"linalg.norm: Invalid norm order '{order}' for vectors; expected None or a number")
    if order is None or order == 2:
        return _euclidean(a, axes, keepdims)
    if order == 0:
        return _core.cast_alike(not_equal(a, 0), _real_dtype(a)).sum(axis=axes, keepdims=keepdims)
    size = _core.asarray(absolute(a))
    if order == np.inf:
        return maximum.reduce(size, axis=axes, keepdims=keepdims, initial=0)
    if order == -np.inf:
        return minimum.reduce(size, axis=axes, keepdims=keepdims)
    if order == 1:
        return add.reduce(size, axis=axes, keepdims=keepdims)
    power(size, order, out=size)  # in place, so that the order does not widen the dtype
    total = add.reduce(size, axis=axes, keepdims=keepdims)
    root = np.reciprocal(np.asarray(order), dtype=total.dtype)
    return _core.cast_alike(total ** root[()], total.dtype)


def _matrix(a: ndarray, order: Any, axes: tuple[int, int], keepdims: bool) -> ndarray:
    row, column = (normalize_axis_index(axis, a.ndim) for axis in axes)
    if row == column:
        raise ValueError(f"linalg.norm: Duplicate axes given, {axes} for {a.ndim} dimensions")
    if isinstance(order, str) or order is None:
        if order in _FROBENIUS:
            return _euclidean(a, (row, column), keepdims)
        if order != "nuc":
            raise ValueError(f"linalg.norm: Invalid norm order for matrices. (got {order!r})")
        made = _singular_values(a, row, column).sum(axis=-1)
    elif order in (2, -2):
        values = _singular_values(a, row, column)
        made = maximum.reduce(values, axis=-1, initial=0) if order == 2 else minimum.reduce(values, axis=-1)
    elif order in (1, -1, np.inf, -np.inf):
        summed, left = (row, column) if abs(order) == 1 else (column, row)
        sums = add.reduce(absolute(a), axis=summed, keepdims=True)
        made = maximum.reduce(sums, axis=left, keepdims=True, initial=0) if order > 0 else minimum.reduce(
            sums, axis=left, keepdims=True)
        made = _core.returned(made.reshape(tuple(n for axis, n in enumerate(made.shape) if axis not in (row, column))))
    else:
        raise ValueError(f"linalg.norm: Invalid norm order for matrices. (got {order!r})")
    if keepdims:
        return made.reshape(tuple(1 if axis in (row, column) else n for axis, n in enumerate(a.shape)))
    return made


def _singular_values(a: ndarray, row: int, column: int) -> ndarray:
    return svdvals(moveaxis(a, (row, column), (-2, -1)))


@public_in(np.linalg)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> ndarray:
    a = _inexact(x)
    if axis is None:
        if ord is None or (a.ndim == 2 and ord in ("fro", "f")) or (a.ndim == 1 and ord == 2):
            return _of_everything(a, keepdims)
        axis = tuple(range(a.ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError(
                f"linalg.norm: 'axis' must be None, an integer or a tuple of integers, got {axis!r}"
            ) from error
    if len(axis) == 1:
        return _vector(a, ord, normalize_axis_tuple(axis, a.ndim), keepdims)
    if len(axis) == 2:
        return _matrix(a, ord, axis, keepdims)
    raise ValueError(
        f"linalg.norm: Improper number of dimensions to norm. Expected one axis or two, got {len(axis)}; "
        "vector_norm takes any number"
    )


@public_in(np.linalg)
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = False, ord: Any = "fro") -> ndarray:
    return norm(x, ord, (-2, -1), keepdims)


@public_in(np.linalg)
def vector_norm(x: ArrayLike, /, *, axis: Axes | None = None, keepdims: bool = False, ord: Any = 2) -> ndarray:
    a = _inexact(x)
    if axis is None:
        axes = tuple(range(a.ndim))
    elif isinstance(axis, tuple):
        axes = normalize_axis_tuple(tuple(map(index, axis)), a.ndim)
    else:
        return norm(a, ord, axis, keepdims)
    return _vector(a, ord, axes, keepdims)
