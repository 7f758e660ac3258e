"""What devices offer for matrices: operations of whole arrays, asked for by the functions of this room.

A device computes the regular case. Where it has no such operation, or where what came out is not to be trusted
(singular matrices, NaN), NumPy computes through the host door, and says what is wrong in its own words. Products of
float64 are no device's: what is composed here does without.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, lies_on_device
from asnumpy.ufunc.functions import absolute

_FLOAT64 = np.dtype(np.float64)


def computed_in(*arrays: ndarray) -> np.dtype | None:
    """The dtype in which NumPy's results are: float64 of integers; None where it has none."""
    dtype = np.result_type(*[_FLOAT64 if one.dtype.kind in "biu" else one.dtype for one in arrays])
    return dtype if dtype.char in "fdFD" else None


def matrices_there(a: Any) -> ndarray | None:
    """The stack of matrices, not empty and in the dtype that is computed in, where a device has it."""
    if not (lies_on_device(a) and a.ndim >= 2 and a.size):
        return None
    dtype = computed_in(a)
    return None if dtype is None else as_dtype_of(a, dtype)


def squares_there(a: Any) -> ndarray | None:
    x = matrices_there(a)
    return x if x is not None and x.shape[-1] == x.shape[-2] else None


def epsilon(a: ndarray) -> float:
    return float(np.finfo(a.dtype).eps)


def offered(row: str, option: int, inputs: tuple[ndarray, ...], *shapes: tuple[int, ...]) -> tuple[ndarray, ...] | None:
    """The row's outputs, of these shapes; None where the device has none."""
    dtype = inputs[0].dtype
    return _core.offered_at_once(row, -1, option, inputs, tuple((shape, dtype) for shape in shapes))


def regular(triangle: ndarray) -> bool:
    """Within rounding of a singular matrix, whether it is one is for NumPy to say."""
    pivots = absolute(triangle.diagonal(0, -2, -1))
    least = pivots.max(axis=-1) * (epsilon(triangle) * triangle.shape[-1])
    return bool((pivots.min(axis=-1) > least).all())


def adjoint(a: ndarray) -> ndarray:
    turned = a.swapaxes(-1, -2)
    return turned.conj() if a.dtype.kind == "c" else turned


def qr_there(a: ndarray, option: int) -> tuple[ndarray, ndarray] | None:
    """Q and R; option 0: reduced, 1: complete, 2: R alone (Q is not to be read)."""
    *stack, rows, columns = a.shape
    width = rows if option == 1 else min(rows, columns)
    made = offered("qr", option, (a,), (*stack, rows, width), (*stack, width, columns))
    return None if made is None else (made[0], made[1])


def inverse_of(factors: tuple[ndarray, ndarray]) -> ndarray | None:
    """R^-1 Q*, what solve_triangular makes of Q and R."""
    return solve_triangular(factors[1], adjoint(factors[0]), upper=True)


def solve_triangular(matrix: ndarray, right: ndarray, upper: bool) -> ndarray | None:
    """x of matrix @ x = right, of the same leading axes; only that triangle is read."""
    made = offered("triangular_solve", int(upper), (matrix, right), right.shape)
    return None if made is None else made[0]
