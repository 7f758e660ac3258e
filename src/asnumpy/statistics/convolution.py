"""Convolution and correlation of lines: on a device by matrix products, else by NumPy, a long line on several threads.

A block of outputs is a window of the longer line times a matrix whose columns are the shorter line, each a place
further down. Zeros stand in that matrix and around the longer line, so infinite values and NaN are left to NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import as_dtype_of, asarray, lies_on_device
from asnumpy.host.blocks import in_blocks, parts_of, threads_for
from asnumpy.host.door import host, name_function
from asnumpy.manipulation.joining import concatenate
from asnumpy.ufunc.functions import add, conjugate, isfinite

_TERMS = 512  # the most of one product: of a longer line several are added
_BLOCK = 64  # the fewest outputs of one, which keep a cube core busy
_MULTIPLIED = "?bhilqBHILQefF"  # dtypes that devices multiply as matrices
_FLOAT32 = np.dtype(np.float32)
_EACH = 1 << 20  # products of a part on the host: for fewer another thread is not worth its awakening
_BESIDE = 32  # as many products take the time that NumPy needs besides for each output


def _windows(a: ndarray, count: int, length: int, step: int) -> ndarray:
    return _core.as_strided(a, (count, length), (step * a.itemsize, a.itemsize), 0, False)


def _products(a: ndarray, v: ndarray, start: int, count: int, block: int) -> ndarray:
    """The sums of v[m] a[start + i + m] for each i below the count, which a block divides."""
    ends = zeros(block - 1, v.dtype)
    span = block + v.size - 1
    places = _windows(concatenate((ends, v, ends)), block, span, 1)[::-1]
    return _core.matmul(_windows(a[start:], count // block, span, block), places.T).reshape(-1)


def _sliding(a: ndarray, v: ndarray, mode: str) -> ndarray:
    """The sums of products of v with what lies beneath it as it slides over a, which is not shorter."""
    first = {"full": 0, "same": (v.size - 1) // 2, "valid": v.size - 1}[mode]
    count = {"full": a.size + v.size - 1, "same": a.size, "valid": a.size - v.size + 1}[mode]
    block = max(min(v.size, _TERMS), _BLOCK)
    whole = -(-count // block) * block
    behind = max(first + whole - a.size, 0)
    padded = concatenate((zeros(v.size - 1, a.dtype), a, zeros(behind, a.dtype)))
    made = _products(padded, v[:_TERMS], first, whole, block)
    for start in range(_TERMS, v.size, _TERMS):
        made = add(made, _products(padded, v[start:start + _TERMS], first + start, whole, block))
    return made[:count]


def _multiplied(a: ndarray, v: ndarray) -> tuple[ndarray, ndarray, np.dtype] | None:
    """Both in the dtype in which their products are summed, and the result's; None where NumPy has to look at them."""
    dtype = np.promote_types(a.dtype, v.dtype)
    if not (a.ndim == v.ndim == 1 and a.size and v.size and dtype.char in _MULTIPLIED):
        return None
    if dtype.kind in "fc" and not bool(isfinite(a).all() & isfinite(v).all()):
        return None
    wide = _FLOAT32 if dtype.char == "e" else dtype
    return as_dtype_of(a, wide), as_dtype_of(v, wide), dtype


def _there(a: Any, v: Any, mode: Any, turned: bool) -> ndarray | None:
    """np.convolve (turned) or np.correlate; None where no device has the lines, or NumPy has to look at them."""
    if mode not in ("full", "same", "valid") or not (lies_on_device(a) or lies_on_device(v)):
        return None
    both = _multiplied(asarray(a), asarray(v))
    if both is None:
        return None
    a, v, dtype = both
    swapped = v.size > a.size
    if turned:
        made = _sliding(*((v, a[::-1]) if swapped else (a, v[::-1])), mode)
    else:
        v = conjugate(v) if dtype.kind == "c" else v
        made = _sliding(v, a, mode)[::-1] if swapped else _sliding(a, v, mode)
    return _core.cast(made, dtype)


def _in_parts(theirs: Callable[..., Any], a: Any, v: Any, mode: Any) -> Any:
    """NumPy's function on parts of a long line, which threads share; each output is the sum that it is in the whole."""
    shapes, known = (np.shape(a), np.shape(v)), mode in ("full", "same", "valid")
    if not known or any(len(shape) != 1 or not shape[0] for shape in shapes) or shapes[0] < shapes[1]:
        return theirs(a, v, mode)
    (length,), (taps,) = shapes
    count = threads_for(length * (taps + _BESIDE), _EACH, most=length // (4 * taps))
    if count < 2:
        return theirs(a, v, mode)
    first = {"full": 0, "same": (taps - 1) // 2, "valid": taps - 1}[mode]
    whole = {"full": length + taps - 1, "same": length, "valid": length - taps + 1}[mode]
    made = np.empty(whole, np.promote_types(a.dtype, v.dtype))
    parts = parts_of(whole, count)

    def work(number: int) -> None:
        begin, end = parts[number][0] + first, parts[number][1] + first  # among the outputs of mode "full"
        start = max(begin - taps + 1, 0)
        some = theirs(a[start:min(end, length)], v, "full")
        made[parts[number][0]:parts[number][1]] = some[begin - start:end - start]

    in_blocks(work, count)
    return made


def _convolve_in_parts(a: Any, v: Any, mode: Any) -> Any:
    return _in_parts(np.convolve, a, v, mode)


def _correlate_in_parts(a: Any, v: Any, mode: Any) -> Any:
    return _in_parts(np.correlate, a, v, mode)


name_function(_convolve_in_parts, "numpy.convolve")
name_function(_correlate_in_parts, "numpy.correlate")


@public
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ndarray:
    made = _there(a, v, mode, True)
    return host(_convolve_in_parts, asarray(a), asarray(v), mode) if made is None else made


@public
def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ndarray:
    made = _there(a, v, mode, False)
    return host(_correlate_in_parts, asarray(a), asarray(v), mode) if made is None else made
