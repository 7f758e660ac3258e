"""Determinants, inverses and systems of equations: by a device that offers their parts, else by NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._public import public_in
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import eye
from asnumpy.host.whole import door
from asnumpy.linalg._offered import (
    adjoint,
    lies_there,
    offered,
    qr_there,
    solve_triangular,
    squares_lie_there,
)
from asnumpy.manipulation.shapes import broadcast_to
from asnumpy.ufunc.functions import absolute, exp, isfinite, matmul, maximum, multiply

_inv: Callable[..., ndarray] = door(np.linalg.inv, "asnumpy.linalg")
_solve: Callable[..., ndarray] = door(np.linalg.solve, "asnumpy.linalg")
_slogdet = door(np.linalg.slogdet, "asnumpy.linalg")
_det: Callable[..., ndarray] = door(np.linalg.det, "asnumpy.linalg")
_tensorsolve: Callable[..., ndarray] = door(np.linalg.tensorsolve, "asnumpy.linalg")
_tensorinv: Callable[..., ndarray] = door(np.linalg.tensorinv, "asnumpy.linalg")
_SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))
_EPSILON = float(np.finfo(np.float32).eps)


def _widest_sum(a: ndarray) -> ndarray:
    """The 1-norm of each matrix."""
    return maximum.reduce(absolute(a).sum(axis=-2), axis=-1)


@public_in(np.linalg)
def inv(a: ArrayLike) -> ndarray:
    if squares_lie_there(a):
        whole = offered("inverse", 0, (a,), a.shape)
        made = _by_reflections(a, broadcast_to(eye(a.shape[-1], dtype=a.dtype), a.shape)) if whole is None else whole[0]
        # within rounding of a singular matrix, whether it is one is for NumPy to say
        if made is not None and bool((_widest_sum(a) * _widest_sum(made) * _EPSILON < 1).all()):
            return made
    return _inv(a)


def _stacked(a: Any, b: Any) -> tuple[ndarray, ndarray] | None:
    """Both as stacks of one shape; None where NumPy has to say what they mean, or computes in another precision."""
    if not (squares_lie_there(a) and isinstance(b, ndarray) and not b._host_visible and b.dtype == a.dtype):
        return None
    right = b.reshape(-1, 1) if b.ndim == 1 else b
    if right.ndim < 2 or not right.size or right.shape[-2] != a.shape[-1]:
        return None
    try:
        stack = np.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    except ValueError:
        return None
    return broadcast_to(a, stack + a.shape[-2:]), broadcast_to(right, stack + right.shape[-2:])


@public_in(np.linalg)
def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    both = _stacked(a, b)
    made = None if both is None else _by_reflections(*both)
    if made is not None:
        return made.reshape(made.shape[:-1]) if isinstance(b, ndarray) and b.ndim == 1 else made
    return _solve(a, b)


def _by_reflections(a: ndarray, b: ndarray) -> ndarray | None:
    """R x = Q* b of a = Q R, whose backward error is that of LAPACK's elimination."""
    factors = qr_there(a, 0)
    if factors is None:
        return None
    q, r = factors
    pivots = absolute(r.diagonal(0, -2, -1))
    # within rounding of a singular matrix, whether it is one is for NumPy to say
    least = pivots.max(axis=-1) * (_EPSILON * a.shape[-1])
    if not bool((pivots.min(axis=-1) > least).all()):
        return None
    return solve_triangular(r, matmul(adjoint(q), b), upper=True)


@public_in(np.linalg)
def slogdet(a: ArrayLike) -> Any:
    made = _sign_and_logarithm(a)
    return _slogdet(a) if made is None else _SlogdetResult(*made)


def _sign_and_logarithm(a: Any) -> tuple[ndarray, ndarray] | None:
    made = offered("slogdet", 0, (a,), a.shape[:-2], a.shape[:-2]) if squares_lie_there(a) else None
    if made is None:
        return None
    sign, logarithm = made
    if not bool(isfinite(sign).all()):
        return None  # of NaN, of which NumPy warns
    return sign, logarithm.real.copy() if logarithm.dtype.kind == "c" else logarithm


@public_in(np.linalg)
def det(a: ArrayLike) -> ndarray:
    made = _sign_and_logarithm(a)
    return _det(a) if made is None else multiply(made[0], exp(made[1]))


@public_in(np.linalg)
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Any = None) -> ndarray:
    if not (lies_there(a) and isinstance(b, ndarray)):
        return _tensorsolve(a, b, axes)
    last = () if axes is None else tuple(axes)
    if any(axis not in range(a.ndim) for axis in last) or len(set(last)) < len(last):
        return _tensorsolve(a, b, axes)
    matrix = a.transpose([axis for axis in range(a.ndim) if axis not in last] + list(last))
    shape = matrix.shape[-(a.ndim - b.ndim):]
    count = math.prod(shape)
    if a.size != count ** 2 or b.size != count:
        return _tensorsolve(a, b, axes)
    return solve(matrix.reshape(count, count), b.reshape(-1)).reshape(shape)


@public_in(np.linalg)
def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    if not (lies_there(a) and ind > 0):
        return _tensorinv(a, ind)
    rows = math.prod(a.shape[:ind])
    if rows ** 2 != a.size:
        return _tensorinv(a, ind)
    return inv(a.reshape(rows, rows)).reshape(a.shape[ind:] + a.shape[:ind])
