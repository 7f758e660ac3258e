"""Linear algebra with NumPy's interface: decompositions and solvers go through the host door, products are our own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._array import ndarray
from asnumpy._convert import asarray
from asnumpy._difference import cross as _cross
from asnumpy._host import host
from asnumpy._linear import outer as _outer
from asnumpy._linear import tensordot as _tensordot
from asnumpy._linear import trace as _trace
from asnumpy._manipulation import diagonal as _diagonal
from asnumpy._manipulation import matrix_transpose as _matrix_transpose
from asnumpy._ufunc import matmul as _matmul
from asnumpy._ufunc import vecdot as _vecdot

LinAlgError = np.linalg.LinAlgError


def _door(function: Callable[..., Any]) -> Callable[..., Any]:
    """The NumPy function of this name, called on arrays of ours: signature and docstring are its own."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return host(function, *args, **kwargs)

    call.__module__ = __name__
    return call


cholesky = _door(np.linalg.cholesky)
cond = _door(np.linalg.cond)
det = _door(np.linalg.det)
eig = _door(np.linalg.eig)
eigh = _door(np.linalg.eigh)
eigvals = _door(np.linalg.eigvals)
eigvalsh = _door(np.linalg.eigvalsh)
inv = _door(np.linalg.inv)
lstsq = _door(np.linalg.lstsq)
matrix_norm = _door(np.linalg.matrix_norm)
matrix_power = _door(np.linalg.matrix_power)
matrix_rank = _door(np.linalg.matrix_rank)
multi_dot = _door(np.linalg.multi_dot)
norm = _door(np.linalg.norm)
pinv = _door(np.linalg.pinv)
qr = _door(np.linalg.qr)
slogdet = _door(np.linalg.slogdet)
solve = _door(np.linalg.solve)
svd = _door(np.linalg.svd)
svdvals = _door(np.linalg.svdvals)
tensorinv = _door(np.linalg.tensorinv)
tensorsolve = _door(np.linalg.tensorsolve)
vector_norm = _door(np.linalg.vector_norm)


def matmul(x1: Any, x2: Any, /) -> ndarray:
    return _matmul(x1, x2)


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    return _vecdot(x1, x2) if axis == -1 else _vecdot(x1, x2, axis=axis)


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> ndarray:
    return _tensordot(x1, x2, axes)


def outer(x1: Any, x2: Any, /) -> ndarray:
    a, b = asarray(x1), asarray(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={a.ndim!r} and x2.ndim={b.ndim!r}.")
    return _outer(a, b)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> ndarray:
    a, b = asarray(x1), asarray(x2)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[axis]} and {b.shape[axis]} dimensional instead."
        )
    return _cross(a, b, axis=axis)


def diagonal(x: Any, /, *, offset: int = 0) -> ndarray:
    return _diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> ndarray:
    return _trace(x, offset, -2, -1, dtype)


def matrix_transpose(x: Any, /) -> ndarray:
    return _matrix_transpose(x)


__all__ = sorted(name for name in np.linalg.__all__ if name in globals())
for _name in __all__:
    if globals()[_name].__doc__ is None:
        globals()[_name].__doc__ = getattr(np.linalg, _name).__doc__
