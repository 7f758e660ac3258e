"""Singular values and vectors, and what is read from them: by a device that offers them, else by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._public import public_in
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import eye
from asnumpy.host.whole import door
from asnumpy.indexing.grids import tril
from asnumpy.linalg._offered import adjoint, epsilon, inverse_of, matrices_there, offered, qr_there, squares_there
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.functions import absolute, add, isfinite, maximum, subtract

_svd = door(np.linalg.svd, "asnumpy.linalg")
_svdvals: Callable[..., ndarray] = door(np.linalg.svdvals, "asnumpy.linalg")
_cond: Callable[..., ndarray] = door(np.linalg.cond, "asnumpy.linalg")
_matrix_rank: Callable[..., ndarray] = door(np.linalg.matrix_rank, "asnumpy.linalg")
_pinv: Callable[..., ndarray] = door(np.linalg.pinv, "asnumpy.linalg")
_eigvalsh: Callable[..., ndarray] = door(np.linalg.eigvalsh, "asnumpy.linalg")


def values_there(a: Any) -> ndarray | None:
    """The singular values of a stack of real matrices in falling order; None where no device has them."""
    x = matrices_there(a)
    return None if x is None else _values_of(x)


def _values_of(x: ndarray) -> ndarray | None:
    """The same of matrices that lie there."""
    if x.dtype.kind != "f":
        return None
    *stack, rows, columns = x.shape
    width = min(rows, columns)
    # the vectors are not asked for: their signs are LAPACK's choice, which shows in what programs make of them
    made = offered("svd", 0, (x,), (*stack, width), (*stack, rows, width), (*stack, columns, width))
    # what does not converge NumPy looks at again
    return made[0] if made is not None and bool(isfinite(made[0]).all()) else None


def noise(shape: tuple[int, ...], values: ndarray) -> ndarray:
    """Below it, a value may be zero: what follows from it is for NumPy to say."""
    return values[..., :1] * (max(shape[-2:]) * epsilon(values))


@public_in(np.linalg)
def svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    values = None if compute_uv or hermitian else values_there(a)
    return _svd(a, full_matrices, compute_uv, hermitian) if values is None else values


@public_in(np.linalg)
def svdvals(x: ArrayLike, /) -> ndarray:
    made = values_there(x)
    return _svdvals(x) if made is None else made


@public_in(np.linalg)
def cond(x: ArrayLike, p: Any = None) -> ndarray:
    values = values_there(x) if p is None or (isinstance(p, int) and p == 2) else None
    if values is not None and bool((values[..., -1:] > noise(np.shape(x), values)).all()):
        return values[..., 0] / values[..., -1]
    return _cond(x, p)


@public_in(np.linalg)
def matrix_rank(A: ArrayLike, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> ndarray:
    values = values_there(A) if tol is None and rtol is None and not hermitian else None
    if values is not None:
        return (values > noise(np.shape(A), values)).sum(axis=-1)
    return _matrix_rank(A, tol, hermitian, rtol=rtol)


@public_in(np.linalg)
def pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> ndarray:
    x = matrices_there(a) if rcond is None and rtol is NO_VALUE and not hermitian else None
    values = None if x is None else _values_of(x)
    if x is not None and values is not None and bool((values[..., -1:] > noise(x.shape, values)).all()):
        wide = x.shape[-1] > x.shape[-2]
        factors = qr_there(adjoint(x) if wide else x, 0)
        made = None if factors is None else inverse_of(factors)
        if made is not None:
            return adjoint(made) if wide else made
    return _pinv(a, rcond, hermitian, rtol=rtol)


def _mirrored(a: ndarray, triangle: str) -> ndarray:
    """The symmetric matrices of which one triangle is given."""
    lower = tril(a if triangle == "L" else adjoint(a))
    return add(lower, adjoint(tril(lower, -1)))


def _spectrum(a: Any, triangle: Any) -> ndarray | None:
    """The eigenvalues of real symmetric matrices in rising order; None where no device has them.

    They are the singular values of the matrices plus a bound of their norm, which have no negative eigenvalues.
    """
    x = squares_there(a) if isinstance(triangle, str) and triangle.upper() in ("L", "U") else None
    if x is None or x.dtype.kind != "f":
        return None
    whole = _mirrored(x, triangle.upper())
    bound = maximum.reduce(absolute(whole).sum(axis=-1), axis=-1)
    values = values_there(add(whole, bound[..., None, None] * eye(x.shape[-1], dtype=x.dtype)))
    return None if values is None else subtract(values, bound[..., None])[..., ::-1]


@public_in(np.linalg)
def eigvalsh(a: ArrayLike, UPLO: Any = "L") -> ndarray:
    made = _spectrum(a, UPLO)
    return _eigvalsh(a, UPLO) if made is None else made
