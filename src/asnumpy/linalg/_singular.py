"""Singular values and what is read from them: by a device that offers them, else by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._public import public_in
from asnumpy._types import ArrayLike, ndarray
from asnumpy.host.whole import door
from asnumpy.linalg._offered import lies_there, offered
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.functions import isfinite, matmul

_svdvals: Callable[..., ndarray] = door(np.linalg.svdvals, "asnumpy.linalg")
_cond: Callable[..., ndarray] = door(np.linalg.cond, "asnumpy.linalg")
_matrix_rank: Callable[..., ndarray] = door(np.linalg.matrix_rank, "asnumpy.linalg")
_pinv: Callable[..., ndarray] = door(np.linalg.pinv, "asnumpy.linalg")
_FLOAT32 = np.dtype(np.float32)
_EPSILON = float(np.finfo(np.float32).eps)


def _factored(a: Any, vectors: bool) -> tuple[ndarray, ndarray, ndarray] | None:
    """Values in falling order, left and right vectors in columns (nothing unless asked for), of real matrices."""
    if not lies_there(a) or a.dtype != _FLOAT32:
        return None
    *stack, rows, columns = a.shape
    width = min(rows, columns)
    made = offered("svd", 2 * vectors, (a,), (*stack, width), (*stack, rows, width), (*stack, columns, width))
    # what does not converge NumPy looks at again
    return (made[0], made[1], made[2]) if made is not None and bool(isfinite(made[0]).all()) else None


def _noise(a: ndarray, values: ndarray) -> ndarray:
    """Below it, a value may be zero: NumPy, in double precision, knows it better."""
    return values[..., :1] * (max(a.shape[-2:]) * _EPSILON)


@public_in(np.linalg)
def svdvals(x: ArrayLike, /) -> ndarray:
    made = _factored(x, False)
    return _svdvals(x) if made is None else made[0]


@public_in(np.linalg)
def cond(x: ArrayLike, p: Any = None) -> ndarray:
    made = _factored(x, False) if p is None or (isinstance(p, int) and p == 2) else None
    if made is not None and isinstance(x, ndarray) and bool((made[0][..., -1:] > _noise(x, made[0])).all()):
        return made[0][..., 0] / made[0][..., -1]
    return _cond(x, p)


@public_in(np.linalg)
def matrix_rank(A: ArrayLike, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> ndarray:
    made = _factored(A, False) if tol is None and rtol is None and not hermitian else None
    if made is not None and isinstance(A, ndarray):
        return (made[0] > _noise(A, made[0])).sum(axis=-1)
    return _matrix_rank(A, tol, hermitian, rtol=rtol)


@public_in(np.linalg)
def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> ndarray:
    made = _factored(a, True) if rcond is None and rtol is NO_VALUE and not hermitian else None
    if made is not None and isinstance(a, ndarray):
        values, left, right = made
        if bool((values[..., -1:] > _noise(a, values)).all()):
            return matmul(right / values[..., None, :], left.swapaxes(-1, -2))
    return _pinv(a, rcond, hermitian, rtol=rtol)
