"""Products of vectors and matrices: all that contracts at least one axis runs as a matrix product."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import EXACT, ArrayLike, DTypeLike, ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.dtypes.dtype import is_extended, is_narrow
from asnumpy.host.door import host
from asnumpy.manipulation.shapes import ravel
from asnumpy.ufunc.functions import conjugate, multiply

_BOOL = np.dtype(bool)
_FLOAT32 = np.dtype(np.float32)


def product_dtype(*arrays: ndarray) -> np.dtype:
    first: np.dtype = arrays[0].dtype
    for a in arrays[1:]:
        if a.dtype != first:
            return np.result_type(*(a.dtype for a in arrays))
    return first


def sum_products(a: ndarray, axes: tuple[int, ...]) -> ndarray:
    """The sum in the array's own dtype, as products are summed: bool by `or`, half precision in float32."""
    if not axes:
        return a
    if a.dtype == _BOOL:
        return _core.reduce("logical_or", _BOOL, a, axes, False)
    if a.dtype.kind in "fV" and a.dtype.itemsize == 2:
        return _core.cast(_core.reduce("add", _FLOAT32, a, axes, False), a.dtype)
    if a.dtype.char in "gG":
        return a.sum(axis=axes)
    return _core.reduce("add", a.dtype, a, axes, False)


def gemm(a: ndarray, b: ndarray) -> ndarray:
    """(..., m, k) by (..., k, n), of one dtype; what the core has no product for goes to NumPy."""
    if is_narrow(a.dtype):
        return host(np.dot if a.ndim == b.ndim == 2 else np.matmul, a, b)
    return host(np.matmul, a, b) if a.dtype.char in "gG" else _core.matmul(a, b)


def _vectors(a: ndarray, b: ndarray) -> ndarray:
    """The inner product of two vectors of one dtype: by the BLAS, integers multiplied and summed in one pass."""
    made = _core.dot(a, b)
    if made is not None:
        return made
    if is_extended(a.dtype):
        return gemm(a.reshape(1, -1), b.reshape(-1, 1))[0, 0]
    return sum_products(multiply(a, b), (0,))


def _write(out: Any, made: ndarray) -> ndarray:
    if out is None:
        return made
    if not isinstance(out, ndarray):
        raise TypeError("'out' must be an array")
    if out.shape != made.shape or out.dtype != made.dtype or not out._flags_c_contiguous:
        raise ValueError("output array is not acceptable (must have the right datatype, number of dimensions, and be "
                         "a C-Array)")
    _core.assign(out, made)
    return out


def _misaligned(a: ndarray, b: ndarray, axis_a: int, axis_b: int) -> ValueError:
    def text(shape: tuple[int, ...]) -> str:
        return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"

    return ValueError(
        f"shapes {text(a.shape)} and {text(b.shape)} not aligned: {a.shape[axis_a]} (dim {axis_a}) != "
        f"{b.shape[axis_b]} (dim {axis_b})"
    )


@public
def dot(a: Any, b: Any, out: Any = None) -> ndarray:
    if out is None and (made := _core.dot(a, b)) is not None:
        return made
    a, b = asarray(a), asarray(b)
    if out is None and a.ndim <= 2 and b.ndim <= 2 and (made := _core.product(a, b)) is not None:
        return made
    if a.ndim == 0 or b.ndim == 0:
        return _write(out, multiply(a, b))
    meeting = max(b.ndim - 2, 0)
    if a.shape[-1] != b.shape[meeting]:
        raise _misaligned(a, b, a.ndim - 1, meeting)
    dtype = product_dtype(a, b)
    a, b = as_dtype_of(a, dtype), as_dtype_of(b, dtype)
    if a.ndim == 1 and b.ndim == 1:
        return _write(out, _vectors(a, b))
    if a.ndim == 2 and b.ndim == 2:
        return _write(out, gemm(a, b))
    shape = a.shape[:-1] + b.shape[:meeting] + b.shape[meeting + 1:]
    depth = a.shape[-1]
    left = a.reshape(math.prod(a.shape[:-1]), depth)
    front = (meeting, *range(meeting), *range(meeting + 1, b.ndim))
    right = _core.transpose(b, front).reshape(depth, b.size // depth if depth else math.prod(shape[a.ndim - 1:]))
    return _write(out, gemm(left, right).reshape(shape))


@public
def vdot(a: Any, b: Any, /) -> ndarray:
    if type(a) in EXACT and a.dtype.kind == "f" and (made := _core.dot(a, b)) is not None:
        return made
    a, b = asarray(a).ravel(), asarray(b).ravel()
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape ({a.size},)")
    dtype = product_dtype(a, b)
    a, b = as_dtype_of(a, dtype), as_dtype_of(b, dtype)
    return _vectors(conjugate(a) if dtype.kind == "c" else a, b)


@public
def inner(a: Any, b: Any, /) -> ndarray:
    made = _core.dot(a, b)
    if made is not None:
        return made
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise _misaligned(a, b, a.ndim - 1, b.ndim - 1)
    return _core.returned(tensordot(a, b, (-1, -1)))


@public
def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> ndarray:
    return multiply(ravel(asarray(a)).reshape(-1, 1), ravel(asarray(b)), out=out)


@public
def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    a, b = asarray(a), asarray(b)
    if hasattr(axes, "__iter__"):
        first, second = axes
        axes_a = tuple(first) if hasattr(first, "__iter__") else (first,)
        axes_b = tuple(second) if hasattr(second, "__iter__") else (second,)
    else:
        axes_a, axes_b = tuple(range(-axes, 0)), tuple(range(axes))
    made = _core.contraction(a, b, axes_a, axes_b)
    if made is not None:
        return made
    if len(axes_a) != len(axes_b) or any(
        a.shape[one] != b.shape[other] for one, other in zip(axes_a, axes_b, strict=True)
    ):
        raise ValueError("shape-mismatch for sum")
    axes_a, axes_b = normalize_axis_tuple(axes_a, a.ndim), normalize_axis_tuple(axes_b, b.ndim)
    free_a = tuple(axis for axis in range(a.ndim) if axis not in axes_a)
    free_b = tuple(axis for axis in range(b.ndim) if axis not in axes_b)
    shape = tuple(a.shape[axis] for axis in free_a) + tuple(b.shape[axis] for axis in free_b)
    depth = math.prod(a.shape[axis] for axis in axes_a)
    dtype = product_dtype(a, b)
    a, b = as_dtype_of(a, dtype), as_dtype_of(b, dtype)
    left = _core.transpose(a, free_a + axes_a).reshape(math.prod(shape[:len(free_a)]), depth)
    right = _core.transpose(b, axes_b + free_b).reshape(depth, math.prod(shape[len(free_a):]))
    if not shape:
        return asarray(_vectors(left.reshape(depth), right.reshape(depth)))  # 0-d where NumPy reshapes
    return gemm(left, right).reshape(shape)


@public
def kron(a: Any, b: Any) -> ndarray:
    a, b = asarray(a), asarray(b)
    ndim = max(a.ndim, b.ndim)
    lengths_a, lengths_b = (1,) * (ndim - a.ndim) + a.shape, (1,) * (ndim - b.ndim) + b.shape
    # each axis is seen as (length of a, length of b); one broadcast product fills all of it
    left = a.reshape(tuple(n for length in lengths_a for n in (length, 1)))
    right = b.reshape(tuple(n for length in lengths_b for n in (1, length)))
    return multiply(left, right).reshape(tuple(m * n for m, n in zip(lengths_a, lengths_b, strict=True)))


@public
def trace(
    a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None, out: Any = None,
) -> ndarray:
    return asarray(a).diagonal(offset, axis1, axis2).sum(axis=-1, dtype=dtype, out=out)


