"""Least squares: by a device that reflects matrices and knows their singular values, else by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import as_dtype_of, lies_on_device
from asnumpy.host.whole import door
from asnumpy.linalg._offered import computed_in, qr_there, solve_triangular
from asnumpy.linalg._singular import noise, values_there
from asnumpy.manipulation.joining import concatenate
from asnumpy.ufunc.functions import maximum, multiply

_lstsq = door(np.linalg.lstsq, "asnumpy.linalg")
_INT32 = np.dtype(np.int32)


def _of_full_rank(a: ndarray, b: ndarray, rcond: Any) -> tuple[ndarray, ndarray, ndarray, ndarray] | None:
    """np.linalg.lstsq of a matrix and columns of one real dtype; None where the rank may be less than the columns."""
    rows, columns = a.shape
    values = values_there(a)
    if values is None:
        return None
    least = noise(a.shape, values)
    least = least if rcond is None else maximum(least, values[:1] * rcond)
    factors = qr_there(concatenate((a, b), 1), 2) if bool((values[-1:] > least).all()) else None
    if factors is None:
        return None
    triangle = factors[1]  # R beside Q* b, and below the rest of b, whose norms are those of the residuals
    solution = solve_triangular(triangle[:columns, :columns], triangle[:columns, columns:], upper=True)
    if solution is None:
        return None
    rest = triangle[columns:, columns:]
    residuals = multiply(rest, rest).sum(axis=0) if rows > columns else zeros(0, a.dtype)
    return solution, residuals, _core.cast((values > least).sum(), _INT32), values


def _fitted(a: Any, b: Any, rcond: Any) -> tuple[ndarray, ...] | None:
    known = rcond is None or isinstance(rcond, (int, float))
    if not (known and lies_on_device(a) and lies_on_device(b) and a.ndim == 2 and b.ndim in (1, 2) and b.size):
        return None
    dtype = computed_in(a, b)
    if dtype is None or dtype.kind != "f" or not 0 < a.shape[1] <= a.shape[0] == b.shape[0]:
        return None
    columns = b.reshape(-1, 1) if b.ndim == 1 else b
    made = _of_full_rank(as_dtype_of(a, dtype), as_dtype_of(columns, dtype), rcond)
    return (made[0].reshape(-1), *made[1:]) if made is not None and b.ndim == 1 else made


@public_in(np.linalg)
def lstsq(a: ArrayLike, b: ArrayLike, rcond: Any = None) -> Any:
    made = _fitted(a, b, rcond)
    return _lstsq(a, b, rcond) if made is None else made
