"""Products and sums of SciPy's compressed arrays in blocks of rows, which threads share: its loops let go of the lock.

A block is an object of SciPy's over slices of the same arrays. What rows give by themselves has SciPy's bits; where
rows are added to each other (x @ A), those of a block are added first.
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
from asnumpy.host.blocks import in_blocks
from asnumpy.runtime import get_num_threads

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
    count = min(get_num_threads(), work // _EACH)
    return max(1, min(count, work // (4 * overhead)) if overhead else count)


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


@functools.cache
def _dense_loops() -> Any:
    """SciPy's loops that add a product to an array that is given: its operators make one for every block. None where
    the installed SciPy has them not, or not as they are called here."""
    try:
        from scipy.sparse import _sparsetools  # type: ignore[attr-defined, unused-ignore]

        made = np.zeros(8)
        for name, further, part in (
            ("csr_matvec", (), made[:2]), ("csc_matvec", (), made[2:4]),
            ("csr_matvecs", (1,), made[4:6]), ("csc_matvecs", (1,), made[6:]),
        ):
            pointers, indices, data = np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([1.0, 2.0, 4.0])
            getattr(_sparsetools, name)(2, 2, *further, pointers, indices, data, np.array([1.0, 3.0]), part)
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
    return _sparsetools if made.tolist() == [7.0, 12.0, 1.0, 14.0] * 2 else None


def _add_product(a: Any, first: int, last: int, dense: np.ndarray, made: np.ndarray) -> None:
    """Adds what some lines of the array give; `dense` and `made` have the result's dtype."""
    begin, end = int(a.indptr[first]), int(a.indptr[last])
    arrays = (a.indptr[first:last + 1] - a.indptr[first], a.indices[begin:end], a.data[begin:end])
    shape = (last - first, a.shape[1]) if a.format == "csr" else (a.shape[0], last - first)
    if dense.ndim == 1:
        getattr(_dense_loops(), f"{a.format}_matvec")(*shape, *arrays, dense, made)
    else:
        getattr(_dense_loops(), f"{a.format}_matvecs")(*shape, dense.shape[1], *arrays, dense.ravel(), made.ravel())


def _memory(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Of the pool, which has been written before, where the core knows the dtype."""
    if not _core.dtype_supported(dtype):
        return np.empty(shape, dtype)
    made: np.ndarray = _core.to_numpy_view(_core.empty(shape, dtype, "C", "cpu"))
    return made


def _by_lines(a: Any, dense: np.ndarray, made: np.ndarray, count: int) -> None:
    """Each line of a result is that of one line of the array."""
    cuts = _cuts(a.indptr, count)

    def work(number: int) -> None:
        first, last = cuts[number]
        part = made[first:last]
        part[...] = 0
        _add_product(a, first, last, dense, part)

    in_blocks(work, len(cuts))


def _added_up(a: Any, dense: np.ndarray, made: np.ndarray, count: int) -> None:
    """Each line of the array adds to all of a result: the sums of blocks, added in their order."""
    cuts = _cuts(a.indptr, count)
    sums = [made, *(_memory(made.shape, made.dtype) for _ in cuts[1:])]

    def work(number: int) -> None:
        first, last = cuts[number]
        sums[number][...] = 0
        _add_product(a, first, last, dense[first:last], sums[number])

    in_blocks(work, len(cuts))
    for other in sums[1:]:
        made += other


def _times_dense(a: Any, dense: np.ndarray) -> Any:
    """a @ dense; None where one thread is as quick, or SciPy is to refuse it."""
    if dense.ndim not in (1, 2) or dense.shape[0] != a.shape[1] or not {a.dtype.char, dense.dtype.char} <= set(STORED):
        return None
    columns = dense.shape[1] if dense.ndim == 2 else 1
    by_lines = a.format == "csr"
    count = _threads(a.nnz * columns, 0 if by_lines else a.shape[0] * columns)
    if count < 2 or _dense_loops() is None:
        return None
    dtype = np.result_type(a.dtype, dense.dtype)
    made = _memory((a.shape[0], *dense.shape[1:]), dtype)
    dense = np.ascontiguousarray(dense, dtype)
    if by_lines:
        _by_lines(a, dense, made, _pieces(count, a.nnz * columns))
    else:
        _added_up(a, dense, made, count)
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
    made = None
    if _compressed(a):
        if type(other) is np.ndarray:
            made = _times_dense(a, other)
        elif _theirs.issparse(other):
            made = _times_sparse(method, a, other)
    return method(a, other) if made is None else made


def _rmatmul(method: Method, a: Any, other: Any) -> Any:
    """other @ a, which SciPy computes as the product of both turned around."""
    if _compressed(a) and type(other) is np.ndarray and other.ndim in (1, 2):
        turned = a.transpose()
        made = _times_dense(turned, other.transpose())
        if made is not None:
            return made.transpose()
    return method(a, other)


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


def _sum(method: Method, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    within = {"csr": (1, -1), "csc": (0, -2)}
    if (
        not _compressed(a) or not isinstance(a, _theirs.sparray) or out is not None or type(axis) is not int
        or axis not in within[a.format] or (count := _threads(a.nnz)) < 2
    ):
        return method(a, axis=axis, dtype=dtype, out=out)
    cuts = _cuts(a.indptr, _pieces(count, a.nnz))
    wanted = np.add.reduce(np.empty(0, a.dtype), dtype=dtype).dtype
    made = _memory((_lines(a),), wanted)

    def work(number: int) -> None:
        first, last = cuts[number]
        made[first:last] = method(_block(a, first, last), axis=axis, dtype=dtype)

    in_blocks(work, len(cuts))
    return made


_SHARED: dict[str, Callable[..., Any]] = {
    "__matmul__": _matmul, "dot": _matmul, "__rmatmul__": _rmatmul, "sum": _sum,
    "__add__": functools.partial(_added, np.add), "__sub__": functools.partial(_added, np.subtract),
}


def shared(method: Method, name: str) -> Method:
    """SciPy's method of this name, in blocks where it has one of those above and there is enough to do."""
    in_parts = _SHARED.get(name)
    return method if in_parts is None else functools.partial(in_parts, method)
