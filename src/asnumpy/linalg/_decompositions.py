"""Linear algebra with NumPy's interface: decompositions and solvers through the host door, all else composed."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy._public import public_in
from asnumpy._types import ArrayLike, DTypeLike, ndarray
from asnumpy.creation.arrays import eye
from asnumpy.creation.convert import asarray
from asnumpy.host.whole import door
from asnumpy.linalg._products import dot as _dot
from asnumpy.linalg._products import outer as _outer
from asnumpy.linalg._products import tensordot as _tensordot
from asnumpy.linalg._products import trace as _trace
from asnumpy.linalg._solvers import inv
from asnumpy.manipulation.shapes import broadcast_to
from asnumpy.manipulation.shapes import diagonal as _diagonal
from asnumpy.manipulation.shapes import matrix_transpose as _matrix_transpose
from asnumpy.statistics.difference import cross as _cross
from asnumpy.ufunc.functions import matmul as _matmul
from asnumpy.ufunc.functions import vecdot as _vecdot

LinAlgError = np.linalg.LinAlgError

cholesky = door(np.linalg.cholesky, "asnumpy.linalg")
eig = door(np.linalg.eig, "asnumpy.linalg")
eigh = door(np.linalg.eigh, "asnumpy.linalg")
eigvals = door(np.linalg.eigvals, "asnumpy.linalg")


@public_in(np.linalg)
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    return _matmul(x1, x2)


@public_in(np.linalg)
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    return _vecdot(x1, x2) if axis == -1 else _vecdot(x1, x2, axis=axis)


@public_in(np.linalg)
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: Any = 2) -> ndarray:
    return _tensordot(x1, x2, axes)


@public_in(np.linalg)
def outer(x1: ArrayLike, x2: ArrayLike, /) -> ndarray:
    a, b = asarray(x1), asarray(x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(
            f"linalg.outer: Input arrays must be one-dimensional, but they are x1.ndim={a.ndim} and x2.ndim={b.ndim}.")
    return _outer(a, b)


@public_in(np.linalg)
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> ndarray:
    a, b = asarray(x1), asarray(x2)
    for one in (a, b):
        normalize_axis_index(axis, one.ndim)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError(
            "linalg.cross: Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[axis]} and {b.shape[axis]} dimensional instead."
        )
    return _cross(a, b, axis=axis)


@public_in(np.linalg)
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> ndarray:
    return _diagonal(x, offset, -2, -1)


@public_in(np.linalg)
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> ndarray:
    return _trace(x, offset, -2, -1, dtype)


@public_in(np.linalg)
def matrix_transpose(x: ArrayLike, /) -> ndarray:
    return _matrix_transpose(x)


@public_in(np.linalg)
def matrix_power(a: ArrayLike, n: int) -> ndarray:
    x = asarray(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise LinAlgError(
            "linalg.matrix_power: Last 2 dimensions of the array must be square, at least 2 dimensions expected "
            f"(came {x.dtype} of shape {x.shape})"
        )
    try:
        exponent = index(n)
    except TypeError as error:
        raise TypeError(f"linalg.matrix_power: exponent must be an integer, got {n!r}") from error
    if exponent == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
    if exponent < 0:
        x, exponent = inv(x), -exponent
    # squares of squares, multiplied where the exponent has a bit
    made: ndarray | None = None
    while True:
        exponent, bit = divmod(exponent, 2)
        if bit:
            made = x if made is None else _matmul(made, x)
        if made is not None and not exponent:
            return made
        x = _matmul(x, x)


def _cheapest(lengths: list[int]) -> list[list[int]]:
    """Of a chain of matrices, where each stretch from i to j is split so that fewest products are formed."""
    count = len(lengths) - 1
    cost = [[0.0] * count for _ in range(count)]
    split = [[0] * count for _ in range(count)]
    for span in range(1, count):
        for i in range(count - span):
            j = i + span
            costs = [
                cost[i][k] + cost[k + 1][j] + lengths[i] * lengths[k + 1] * lengths[j + 1] for k in range(i, j)
            ]
            cost[i][j] = min(costs)
            split[i][j] = i + costs.index(cost[i][j])
    return split


@public_in(np.linalg)
def multi_dot(arrays: Any, *, out: Any = None) -> ndarray:
    chain = [asarray(one) for one in arrays]
    if len(chain) < 2:
        raise ValueError(f"linalg.multi_dot: Expecting at least two arrays, got {len(chain)}.")
    if len(chain) == 2:
        return _dot(chain[0], chain[1], out)
    first, last = chain[0].ndim == 1, chain[-1].ndim == 1
    if first:
        chain[0] = chain[0].reshape(1, -1)
    if last:
        chain[-1] = chain[-1].reshape(-1, 1)
    for one in chain:
        if one.ndim != 2:
            raise LinAlgError(
                f"linalg.multi_dot: {one.ndim}-dimensional array given. Array must be two-dimensional; only the first "
                "and the last may be vectors"
            )
    if len(chain) == 3:  # the usual length, which has two ways
        a, b, c = chain
        (rows, length), (depth, columns) = a.shape, c.shape
        by_two = rows * depth * (length + columns) < length * columns * (rows + depth)
        made = _dot(_dot(a, b), c, out) if by_two else _dot(a, _dot(b, c), out)
    else:
        made = _in_best_order(chain, out)
    if first and last:
        return made[0, 0]
    return made.reshape(-1) if first or last else made


def _in_best_order(chain: list[ndarray], out: Any) -> ndarray:
    split = _cheapest([chain[0].shape[0]] + [one.shape[1] for one in chain])

    def product(i: int, j: int, target: Any = None) -> ndarray:
        if i == j:
            return chain[i]
        return _dot(product(i, split[i][j]), product(split[i][j] + 1, j), target)

    return product(0, len(chain) - 1, out)
