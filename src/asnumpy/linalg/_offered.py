"""What devices offer for matrices: operations of whole arrays, asked for by the functions of this room.

A device computes the regular case. Where it has no such operation, where the arguments are others than stacks of
matrices in single precision, or where what came out is not to be trusted (singular matrices, NaN), NumPy computes
through the host door, and says what is wrong in its own words.
"""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray

_SINGLE = frozenset({np.dtype(np.float32), np.dtype(np.complex64)})


def lies_there(a: Any) -> TypeGuard[ndarray]:
    """Whether it is a stack of matrices, not empty and in single precision, in the memory of a device."""
    return (
        isinstance(a, ndarray) and not a._host_visible and a.dtype in _SINGLE and a.ndim >= 2 and a.size > 0
    )


def squares_lie_there(a: Any) -> TypeGuard[ndarray]:
    return lies_there(a) and a.shape[-1] == a.shape[-2]


def offered(row: str, option: int, inputs: tuple[ndarray, ...], *shapes: tuple[int, ...]) -> tuple[ndarray, ...] | None:
    """The row's outputs, of these shapes; None where the device has none."""
    dtype = inputs[0].dtype
    return _core.offered_at_once(row, -1, option, inputs, tuple((shape, dtype) for shape in shapes))


def adjoint(a: ndarray) -> ndarray:
    turned = a.swapaxes(-1, -2)
    return turned.conj() if a.dtype.kind == "c" else turned


def qr_there(a: ndarray, option: int) -> tuple[ndarray, ndarray] | None:
    """Q and R; option 0: reduced, 1: complete, 2: R alone (Q is not to be read)."""
    *stack, rows, columns = a.shape
    width = rows if option == 1 else min(rows, columns)
    made = offered("qr", option, (a,), (*stack, rows, width), (*stack, width, columns))
    return None if made is None else (made[0], made[1])


def solve_triangular(matrix: ndarray, right: ndarray, upper: bool) -> ndarray | None:
    """x of matrix @ x = right, of the same leading axes; only that triangle is read."""
    made = offered("triangular_solve", int(upper), (matrix, right), right.shape)
    return None if made is None else made[0]
