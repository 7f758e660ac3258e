"""Determinants, inverses and systems of equations: by a device that offers their parts, else by NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import as_dtype_of, lies_on_device
from asnumpy.host.whole import door
from asnumpy.linalg._offered import (
    computed_in,
    epsilon,
    inverse_of,
    offered,
    qr_there,
    regular,
    solve_triangular,
    squares_there,
)
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import broadcast_to
from asnumpy.ufunc.functions import absolute, exp, isfinite, maximum, multiply

_inv: Callable[..., ndarray] = door(np.linalg.inv, "asnumpy.linalg")
_solve: Callable[..., ndarray] = door(np.linalg.solve, "asnumpy.linalg")
_slogdet = door(np.linalg.slogdet, "asnumpy.linalg")
_det: Callable[..., ndarray] = door(np.linalg.det, "asnumpy.linalg")
_tensorsolve: Callable[..., ndarray] = door(np.linalg.tensorsolve, "asnumpy.linalg")
_tensorinv: Callable[..., ndarray] = door(np.linalg.tensorinv, "asnumpy.linalg")
_SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))


def _widest_sum(a: ndarray) -> ndarray:
    """The 1-norm of each matrix."""
    return maximum.reduce(absolute(a).sum(axis=-2), axis=-1)


@public_in(np.linalg)
def inv(a: ArrayLike) -> ndarray:
    x = squares_there(a)
    if x is not None:
        whole = offered("inverse", 0, (x,), x.shape)
        made = _inverse(x) if whole is None else whole[0]
        # within rounding of a singular matrix, whether it is one is for NumPy to say
        if made is not None and bool((_widest_sum(x) * _widest_sum(made) * epsilon(x) < 1).all()):
            return made
    return _inv(a) if (there := _core.solve(a)) is None else there


def _stacked(a: Any, b: Any) -> tuple[ndarray, ndarray] | None:
    """Both as stacks of one shape; None where NumPy has to say what they mean, or computes in another precision."""
    dtype = computed_in(a, b) if lies_on_device(b) and squares_there(a) is not None else None
    if dtype is None:
        return None
    right = b.reshape(-1, 1) if b.ndim == 1 else b
    if right.ndim < 2 or not right.size or right.shape[-2] != a.shape[-1]:
        return None
    try:
        stack = np.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    except ValueError:
        return None
    both = as_dtype_of(a, dtype), as_dtype_of(right, dtype)
    return broadcast_to(both[0], stack + a.shape[-2:]), broadcast_to(both[1], stack + right.shape[-2:])


@public_in(np.linalg)
def solve(a: ArrayLike, b: ArrayLike) -> ndarray:
    both = _stacked(a, b)
    made = None if both is None else _by_reflections(*both)
    if made is not None:
        return made.reshape(made.shape[:-1]) if isinstance(b, ndarray) and b.ndim == 1 else made
    return _solve(a, b) if (there := _core.solve(a, b)) is None else there


def _by_reflections(a: ndarray, b: ndarray) -> ndarray | None:
    """R x = Q* b of a = Q R, whose backward error is that of LAPACK's elimination.

    The triangle of both beside each other is that of R beside Q* b, so that nothing is multiplied.
    """
    factors = qr_there(concatenate((a, b), -1), 2)
    if factors is None:
        return None
    n = a.shape[-1]
    triangle, right = factors[1][..., :n], factors[1][..., n:]
    return solve_triangular(triangle, right, upper=True) if regular(triangle) else None


def _inverse(a: ndarray) -> ndarray | None:
    factors = qr_there(a, 0)
    return inverse_of(factors) if factors and regular(factors[1]) else None


@public_in(np.linalg)
def slogdet(a: ArrayLike) -> Any:
    made = _sign_and_logarithm(a)
    return _slogdet(a) if made is None else _SlogdetResult(*made)


def _sign_and_logarithm(a: Any) -> tuple[ndarray, ndarray] | None:
    x = squares_there(a)
    made = None if x is None else offered("slogdet", 0, (x,), x.shape[:-2], x.shape[:-2])
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
    if not (lies_on_device(a) and isinstance(b, ndarray)):
        return _tensorsolve(a, b, axes)
    last = () if axes is None else tuple(axes)
    if a.ndim <= b.ndim or any(axis not in range(a.ndim) for axis in last) or len(set(last)) < len(last):
        return _tensorsolve(a, b, axes)
    matrix = a.transpose([axis for axis in range(a.ndim) if axis not in last] + list(last))
    shape = matrix.shape[-(a.ndim - b.ndim):]
    count = math.prod(shape)
    if not a.size or a.size != count ** 2 or b.size != count:
        return _tensorsolve(a, b, axes)
    return solve(matrix.reshape(count, count), b.reshape(-1)).reshape(shape)


@public_in(np.linalg)
def tensorinv(a: ArrayLike, ind: int = 2) -> ndarray:
    if not (lies_on_device(a) and ind > 0):
        return _tensorinv(a, ind)
    rows = math.prod(a.shape[:ind])
    if not a.size or rows ** 2 != a.size:
        return _tensorinv(a, ind)
    return inv(a.reshape(rows, rows)).reshape(a.shape[ind:] + a.shape[:ind])
