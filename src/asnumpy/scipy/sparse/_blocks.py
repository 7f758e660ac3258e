"""Products and sums of two of SciPy's compressed arrays in blocks of rows, which threads share.

SciPy's loops let go of the lock. A block is an object of SciPy's over slices of the same arrays, and its rows have
SciPy's bits.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from asnumpy import _core
from asnumpy.host.blocks import in_blocks, threads_for

_theirs: Any = scipy.sparse

STORED = "?bBhHiIlLqQfdFDgG"  # the dtypes that SciPy stores
_EACH = 1 << 17  # stored values that are multiplied: for fewer another thread is not worth its awakening
_SPARSE_PRODUCT = 8  # as many times as long a product with a sparse array takes for each of them
_MOST = np.iinfo(np.int32).max

Method = Callable[..., Any]


def _compressed(a: Any) -> bool:
    return _theirs.issparse(a) and a.format in ("csr", "csc") and a.ndim == 2


def _threads(work: int, overhead: int = 0) -> int:
    """How many are worth their awakening, and what each does that one alone would do once."""
    return threads_for(work, _EACH, most=work // (4 * overhead) if overhead else None)


def _pieces(count: int, work: int) -> int:
    """More blocks than threads, where they are long enough: a thread that begins late then takes fewer."""
    return max(count, min(4 * count, work // _EACH)) if count > 1 else 1


def _lines(a: Any) -> int:
    return len(a.indptr) - 1


def _cuts(pointers: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Where blocks of lines with about as many values each begin and end."""
    wanted = int(pointers[-1]) * np.arange(1, count) // count
    inner = np.searchsorted(pointers, wanted).tolist()
    edges = sorted({0, *inner, len(pointers) - 1})
    return list(itertools.pairwise(edges))


def _with(a: Any, shape: tuple[int, int], data: np.ndarray, indices: np.ndarray, pointers: np.ndarray) -> Any:
    """An object like `a` over these arrays, which are taken as they are."""
    made = copy.copy(a)
    made.data, made.indices, made.indptr = data, indices, pointers
    made._shape = shape
    return made


def _block(a: Any, first: int, last: int) -> Any:
    """Some rows, or columns where these are what is compressed."""
    begin, end = int(a.indptr[first]), int(a.indptr[last])
    shape = (last - first, a.shape[1]) if a.format == "csr" else (a.shape[0], last - first)
    return _with(a, shape, a.data[begin:end], a.indices[begin:end], a.indptr[first:last + 1] - a.indptr[first])


def _joined(parts: list[Any], shape: tuple[int, int]) -> Any:
    """The blocks of a result as one."""
    ends = np.cumsum([0, *(part.indptr[-1] for part in parts)])
    index = parts[0].indices.dtype if ends[-1] <= _MOST else np.dtype(np.int64)
    lines = np.cumsum([0, *map(_lines, parts)])
    data, indices = _memory((int(ends[-1]),), parts[0].dtype), _memory((int(ends[-1]),), index)
    pointers = np.zeros(int(lines[-1]) + 1, index)

    def place(number: int) -> None:
        part, (begin, end) = parts[number], ends[number:number + 2]
        data[begin:end], indices[begin:end] = part.data[:end - begin], part.indices[:end - begin]
        np.add(part.indptr[1:], begin, out=pointers[lines[number] + 1:lines[number + 1] + 1], casting="same_kind")

    in_blocks(place, len(parts))
    return type(parts[0])((data, indices, pointers), shape=shape)


def _memory(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Of the pool, which has been written before, where the core knows the dtype."""
    if not _core.dtype_supported(dtype):
        return np.empty(shape, dtype)
    made: np.ndarray = _core.to_numpy_view(_core.empty(shape, dtype, "C", "cpu"))
    return made


def _times_sparse(method: Method, a: Any, other: Any) -> Any:
    """a @ other; None as above."""
    inner, columns = a.shape[1], other.shape[1]
    if other.ndim != 2 or other.shape[0] != inner or not inner:
        return None
    work = _SPARSE_PRODUCT * max(a.nnz, other.nnz, a.nnz * other.nnz // inner)
    count = _threads(work, columns if a.format == "csr" else a.shape[0])
    if count < 2:
        return None
    whole = type(a)(other)  # in the same format, once
    cut = a if a.format == "csr" else whole
    cuts = _cuts(cut.indptr, _pieces(count, work))
    parts: list[Any] = [None] * len(cuts)

    def work_on(number: int) -> None:
        block = _block(cut, *cuts[number])
        parts[number] = method(block, whole) if cut is a else method(a, block)

    in_blocks(work_on, len(cuts))
    return _joined(parts, (a.shape[0], columns))


def _matmul(method: Method, a: Any, other: Any) -> Any:
    made = _times_sparse(method, a, other) if _compressed(a) and _theirs.issparse(other) else None
    return method(a, other) if made is None else made


def _same_places(a: Any, other: Any) -> bool:
    """Whether both have one value at each of the same places, in order: to see that takes less than to merge them."""
    return (
        a.nnz == other.nnz and a.indices.dtype == other.indices.dtype and a.indptr.dtype == other.indptr.dtype
        and (a.indptr is other.indptr or np.array_equal(a.indptr, other.indptr))
        and (a.indices is other.indices or np.array_equal(a.indices[:a.nnz], other.indices[:a.nnz]))
        and a.has_canonical_format
    )


def _value_by_value(ufunc: np.ufunc, a: Any, other: Any) -> Any:
    """The sum or difference of arrays with the same places; None where a value becomes zero, which is not stored."""
    count, dtype = a.nnz, np.result_type(a.dtype, other.dtype)
    if dtype.kind == "b":
        return None
    data = ufunc(a.data[:count], other.data[:count], out=_memory((count,), dtype))
    return None if not data.all() else _with(a, a.shape, data, a.indices[:count].copy(), a.indptr.copy())


def _added(ufunc: np.ufunc, method: Method, a: Any, other: Any) -> Any:
    """a + other, or a - other."""
    if not _compressed(a) or type(other) is not type(a) or other.shape != a.shape or a.nnz + other.nnz > _MOST:
        return method(a, other)
    if a.nnz + other.nnz >= _EACH and _same_places(a, other):
        made = _value_by_value(ufunc, a, other)
        if made is not None:
            return made
    count = _threads(a.nnz + other.nnz)
    if count < 2:
        return method(a, other)
    cuts = _cuts(a.indptr.astype(np.int64) + other.indptr, count)
    parts: list[Any] = [None] * len(cuts)

    def work(number: int) -> None:
        parts[number] = method(_block(a, *cuts[number]), _block(other, *cuts[number]))

    in_blocks(work, len(cuts))
    return _joined(parts, a.shape)


_SHARED: dict[str, Callable[..., Any]] = {
    "__matmul__": _matmul, "dot": _matmul,
    "__add__": functools.partial(_added, np.add), "__sub__": functools.partial(_added, np.subtract),
}


def shared(method: Method, name: str) -> Method:
    """SciPy's method of this name, in blocks where it has one of those above and there is enough to do."""
    in_parts = _SHARED.get(name)
    return method if in_parts is None else functools.partial(in_parts, method)
