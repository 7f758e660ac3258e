"""Grids, triangles and diagonals: arrays of coordinates and the masks made from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, DTypeLike, Shape, ndarray
from asnumpy.creation.arrays import assign_value, normal_shape, zeros
from asnumpy.creation.convert import asarray
from asnumpy.creation.ranges import arange, computed, computed_result
from asnumpy.dtypes.dtype import new_dtype
from asnumpy.host.numpys import expect_whole_target
from asnumpy.indexing.selection import nonzero
from asnumpy.manipulation.shapes import broadcast_arrays, diagonal, ravel
from asnumpy.ufunc.functions import greater_equal, multiply


@public
def indices(dimensions: Shape, dtype: DTypeLike | None = int, sparse: bool = False) -> Any:
    lengths = normal_shape(dimensions)

    def line(place: int) -> ndarray:
        shape = (1,) * place + (lengths[place],) + (1,) * (len(lengths) - place - 1)
        return arange(lengths[place], dtype=dtype).reshape(shape)

    if sparse:
        return tuple(line(place) for place in range(len(lengths)))
    grid = _core.empty((len(lengths), *lengths), np.dtype(dtype))  # before the lines: it is what may be too large
    for place in range(len(lengths)):
        _core.assign(grid[place], line(place))
    return grid


@public
def fromfunction(
    function: Callable[..., Any], shape: Shape, *, dtype: DTypeLike | None = float, like: Any = None, **kwargs: Any,
) -> Any:
    return _core.call_back(function, tuple(indices(normal_shape(shape), dtype=new_dtype(dtype))), kwargs)


@public
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[ndarray, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    lines = [asarray(x).reshape((1,) * place + (-1,) + (1,) * (count - place - 1)) for place, x in enumerate(xi)]
    if indexing == "xy" and count > 1:
        lines[0] = lines[0].reshape((1, -1) + (1,) * (count - 2))
        lines[1] = lines[1].reshape((-1, 1) + (1,) * (count - 2))
    grids = tuple(lines) if sparse else broadcast_arrays(*lines)
    return tuple(_core.cast(grid, grid.dtype) for grid in grids) if copy else grids


@public
def ix_(*args: Any) -> tuple[ndarray, ...]:
    made = []
    for place, one in enumerate(args):
        line = asarray(one)
        if line.size == 0 and not isinstance(one, (ndarray, np.ndarray)):
            line = _core.cast(line, np.dtype(np.intp))  # an empty list chooses nothing, not nothing of float64
        if line.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if line.dtype == bool:
            line = _core.flatnonzero(line)
        made.append(line.reshape((1,) * place + (line.size,) + (1,) * (len(args) - place - 1)))
    return tuple(made)


# --- triangles ---


def _below(rows: int, columns: int, k: int) -> ndarray:
    """The mask of the elements on and below the k-th diagonal."""
    np.intp(-k)  # OverflowError where it is none
    return greater_equal(arange(rows).reshape(-1, 1), arange(-k, columns - k))


@public
def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = float, *, like: Any = None) -> ndarray:
    columns, wanted = N if M is None else M, np.dtype(new_dtype(dtype))
    _core.empty((int(np.intp(N)), columns), wanted)  # refused before its lines, where it is too large
    mask = _below(N, columns, k)
    return mask if wanted.kind == "b" else _core.cast(mask, wanted)


def _masked(m: Any, k: int, keep_below: bool) -> ndarray:
    a = asarray(m)
    if a.ndim == 1:  # one line stands for a square matrix of equal rows
        a = _core.broadcast_to(a, (a.size, a.size))
    elif a.ndim == 0:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    zero = _core.cast(zeros(()), a.dtype)
    mask = _below(a.shape[-2], a.shape[-1], k if keep_below else k - 1)
    chosen = (mask, a, zero) if keep_below else (mask, zero, a)
    return _core.apply("where", (np.dtype(bool), a.dtype, a.dtype, a.dtype), chosen)


@public
def tril(m: ArrayLike, k: int = 0) -> ndarray:
    return _masked(m, k, True)


@public
def triu(m: ArrayLike, k: int = 0) -> ndarray:
    return _masked(m, k, False)


def _positions(by: Callable[..., Any], *args: Any) -> tuple[ndarray, ...]:
    made: tuple[ndarray, ...] = computed_result(by, *args)
    return made


@public
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    return _positions(np.tril_indices, n, k, m)


@public
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[ndarray, ...]:
    return _positions(np.triu_indices, n, k, m)


@public
def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[ndarray, ...]:
    rows, columns = _matrix_shape(arr)
    return tril_indices(rows, k, columns)


@public
def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[ndarray, ...]:
    rows, columns = _matrix_shape(arr)
    return triu_indices(rows, k, columns)


def _matrix_shape(arr: Any) -> tuple[int, int]:
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    rows, columns = arr.shape
    return rows, columns


@public
def mask_indices(n: int, mask_func: Callable[..., Any], k: Any = 0) -> tuple[ndarray, ...]:
    from_mask = asarray(mask_func(_core.cast(zeros((n, n)) + 1, np.dtype(int)), k))
    return nonzero(from_mask != 0)


# --- diagonals ---


def _written_diagonal(made: ndarray, k: int, values: Any) -> ndarray:
    """Writes the k-th diagonal of a new C-ordered matrix."""
    rows, columns = made.shape
    length = min(rows, columns - k) if k >= 0 else min(rows + k, columns)
    if length > 0:
        down, right = made.strides
        line = _core.as_strided(made, (length,), (down + right,), k * right if k >= 0 else -k * down, True)
        assign_value(line, values)
    return made


@public
def diag(v: ArrayLike, k: int = 0) -> ndarray:
    a = asarray(v)
    if a.ndim == 1:
        n = a.size + abs(k)
        return _written_diagonal(zeros((n, n), a.dtype), k, a)
    if a.ndim == 2:
        return diagonal(a, k)
    raise ValueError("Input must be 1- or 2-d.")


@public
def diagflat(v: ArrayLike, k: int = 0) -> ndarray:
    return diag(ravel(asarray(v)), k)


@public
def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> ndarray:
    a = asarray(x)
    if a.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    columns = a.size if N is None else N
    out = _core.empty((a.size, columns), np.promote_types(a.dtype, int))
    powers = out if increasing else out[:, ::-1]
    if columns > 0:
        _core.assign(powers[:, 0], 1)
    if columns > 1:
        _core.assign(powers[:, 1:], a.reshape(-1, 1))
        _core.assign(powers[:, 1:], multiply.accumulate(powers[:, 1:], axis=1))
    return out


@public
def diag_indices(n: int, ndim: int = 2) -> tuple[ndarray, ...]:
    return (arange(n),) * ndim


@public
def diag_indices_from(arr: Any) -> tuple[ndarray, ...]:
    if not arr.ndim >= 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


@public
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    expect_whole_target(a, "fill_diagonal")
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim == 2:
        step, end = a.shape[1] + 1, None if wrap else a.shape[1] * a.shape[1]
    else:
        if len(set(a.shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        step, end = 1 + sum(a.shape[0] ** power for power in range(1, a.ndim)), None
    flat = _core.reshape_view(a, (a.size,))
    if flat is None:
        flat = _core.reshape_view(_core.cast(a, a.dtype), (a.size,))
    line = flat[:end:step]
    values = ravel(asarray(val))
    if values.size == 0:
        raise ValueError("fill_diagonal: expected at least one value to write, got an empty array")
    if values.size not in (1, line.size):
        repeats = -(-line.size // values.size)
        values = ravel(_core.broadcast_to(values, (repeats, values.size)))[:line.size]
    _core.assign(line, values)
    if not _core.may_share_memory(flat, a):
        _core.assign(a, flat.reshape(a.shape))


# --- windows: small, so NumPy makes them ---


@public
def bartlett(M: Any) -> ndarray:
    return computed(np.bartlett, M)


@public
def blackman(M: Any) -> ndarray:
    return computed(np.blackman, M)


@public
def hamming(M: Any) -> ndarray:
    return computed(np.hamming, M)


@public
def hanning(M: Any) -> ndarray:
    return computed(np.hanning, M)


@public
def kaiser(M: Any, beta: Any) -> ndarray:
    return computed(np.kaiser, M, beta)
