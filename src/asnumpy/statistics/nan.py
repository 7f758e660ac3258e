"""The functions that pass over NaN: the plain ones, on arrays in which NaN has been replaced."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, Axes, DTypeLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host
from asnumpy.host.numpys import expect_whole_target
from asnumpy.indexing.selection import select_where
from asnumpy.reduction.reductions import cumprod, cumsum, prod, sum
from asnumpy.sorting.order import argmax, argmin
from asnumpy.statistics.averages import mean as plain_mean
from asnumpy.statistics.averages import std as plain_std
from asnumpy.statistics.averages import store
from asnumpy.statistics.averages import var as plain_var
from asnumpy.statistics.quantiles import nanmedian_there, nanquantile_there, percentile, quantile
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.functions import conjugate, divide, fmax, fmin, isnan, logical_not, multiply, sqrt, subtract


def _given(**named: Any) -> dict[str, Any]:
    return {name: value for name, value in named.items() if value is not NO_VALUE}


def _has_nan(a: ndarray) -> bool:
    return a.dtype.kind in "fcV"


def _replaced(a: Any, value: float) -> tuple[ndarray, ndarray | None]:
    """The array with `value` in place of NaN, and the mask of the NaN (None where there can be none)."""
    a = asarray(a)
    if not _has_nan(a):
        return a, None
    mask = isnan(a)
    return select_where(mask, value, a, a.dtype), mask


def _to_fold(a: ArrayLike, value: Any, out: Any, function: str) -> ndarray:
    if isinstance(out, ndarray):
        expect_whole_target(out, function)
    return _replaced(a, value)[0]


@public
def nansum(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = NO_VALUE,
    initial: Any = NO_VALUE, where: ArrayLike = NO_VALUE,
) -> ndarray:
    filled = _to_fold(a, 0, out, "nansum")
    return sum(filled, axis=axis, dtype=dtype, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


@public
def nanprod(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = NO_VALUE,
    initial: Any = NO_VALUE, where: ArrayLike = NO_VALUE,
) -> ndarray:
    filled = _to_fold(a, 1, out, "nanprod")
    return prod(filled, axis=axis, dtype=dtype, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


@public
def nancumsum(a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None) -> ndarray:
    return cumsum(_to_fold(a, 0, out, "nancumsum"), axis=axis, dtype=dtype, out=out)


@public
def nancumprod(a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None) -> ndarray:
    return cumprod(_to_fold(a, 1, out, "nancumprod"), axis=axis, dtype=dtype, out=out)


# fmax and fmin pass over NaN by themselves. To know of slices that are all NaN would end the deferral.


@public
def nanmax(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, keepdims: bool = NO_VALUE, initial: Any = NO_VALUE,
    where: ArrayLike = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: no warning is given for slices without numbers; the NaN in the result says the same."""
    return fmax.reduce(asarray(a), axis=axis, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


@public
def nanmin(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, keepdims: bool = NO_VALUE, initial: Any = NO_VALUE,
    where: ArrayLike = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: no warning is given for slices without numbers; the NaN in the result says the same."""
    return fmin.reduce(asarray(a), axis=axis, out=out, **_given(keepdims=keepdims, initial=initial, where=where))


def _nan_position(
    search: Callable[..., ndarray], a: ArrayLike, worst: float, axis: Any, out: Any, keepdims: Any,
) -> ndarray:
    filled, mask = _replaced(a, worst)
    if mask is not None and mask.size and bool(mask.all(axis=axis).any()):
        raise ValueError("All-NaN slice encountered")
    return search(filled, axis=axis, out=out, **_given(keepdims=keepdims))


@public
def nanargmax(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = NO_VALUE) -> ndarray:
    return _nan_position(argmax, a, -np.inf, axis, out, keepdims)


@public
def nanargmin(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = NO_VALUE) -> ndarray:
    return _nan_position(argmin, a, np.inf, axis, out, keepdims)


@public
def nanmean(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = NO_VALUE,
    *, where: ArrayLike = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: no warning is given for slices without numbers; the NaN in the result says the same."""
    filled, mask = _replaced(a, 0)
    if mask is None:
        return plain_mean(filled, axis=axis, dtype=dtype, out=out, **_given(keepdims=keepdims, where=where))
    if dtype is not None and np.dtype(dtype).kind not in "fcV":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and out.dtype.kind not in "fcV":
        raise TypeError("If a is inexact, then out must be inexact")
    count = sum(logical_not(mask), axis=axis, dtype=np.intp, **_given(keepdims=keepdims, where=where))
    total = sum(filled, axis=axis, dtype=dtype, **_given(keepdims=keepdims, where=where))
    if 0 in filled.shape and total.size:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    made = divide(total, count)
    return store(made if made.dtype == total.dtype else _core.cast_alike(made, total.dtype), out, "nanmean")


def _nan_var(
    a: ndarray, axis: Any, dtype: Any, ddof: Any, keepdims: Any, where: Any, mean: Any, correction: Any,
) -> ndarray:
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if dtype is not None and np.dtype(dtype).kind not in "fcV":
        raise TypeError("If a is inexact, then dtype must be inexact")
    filled, mask = _replaced(a, 0)
    assert mask is not None  # the callers leave arrays without NaN to the plain functions
    valid = logical_not(mask)
    chosen = _given(where=where)
    if mean is NO_VALUE:
        counts = sum(valid, axis=axis, dtype=np.intp, keepdims=True, **chosen)
        total = sum(filled, axis=axis, dtype=dtype, keepdims=True, **chosen)
        center = divide(total, counts)
        center = center if center.dtype == total.dtype else _core.cast_alike(center, total.dtype)
    else:
        center = asarray(mean)
    deviation = subtract(filled, center)
    deviation = select_where(valid, deviation, 0, deviation.dtype)
    if deviation.dtype.kind == "c":
        squares = multiply(deviation, conjugate(deviation)).real
    else:
        squares = multiply(deviation, deviation)
    kept = _given(keepdims=keepdims)
    spread = sum(squares, axis=axis, dtype=dtype, **kept, **chosen)
    freedom = subtract(sum(valid, axis=axis, dtype=np.intp, **kept, **chosen), ddof)
    made = divide(spread, freedom)
    made = made if made.dtype == spread.dtype else _core.cast_alike(made, spread.dtype)
    # too few values give NaN, not a division by zero or by a negative count
    return select_where(freedom <= 0, np.nan, made, made.dtype)


@public
def nanvar(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, ddof: float = 0,
    keepdims: bool = NO_VALUE, *, where: ArrayLike = NO_VALUE, mean: Any = NO_VALUE, correction: float = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: no warning is given for slices without numbers; the NaN in the result says the same."""
    a = asarray(a)
    if not _has_nan(a):
        return plain_var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    return store(_nan_var(a, axis, dtype, ddof, keepdims, where, mean, correction), out, "nanvar")


@public
def nanstd(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, ddof: float = 0,
    keepdims: bool = NO_VALUE, *, where: ArrayLike = NO_VALUE, mean: Any = NO_VALUE, correction: float = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: no warning is given for slices without numbers; the NaN in the result says the same."""
    a = asarray(a)
    if not _has_nan(a):
        return plain_std(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    return store(sqrt(_nan_var(a, axis, dtype, ddof, keepdims, where, mean, correction)), out, "nanstd")


@public
def nanmedian(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = NO_VALUE,
) -> ndarray:
    a = asarray(a)
    if not a._host_visible and out is None:
        made = nanmedian_there(a, axis, keepdims is not NO_VALUE and bool(keepdims))
        if made is not None:
            return made
    return host(np.nanmedian, a, axis, out, False, **_given(keepdims=keepdims))


@public
def nanpercentile(
    a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = NO_VALUE, *, weights: ArrayLike | None = None,
) -> ndarray:
    return _nan_quantile(np.nanpercentile, a, q, axis, out, method, keepdims, weights)


@public
def nanquantile(
    a: ArrayLike, q: ArrayLike, axis: Axes | None = None, out: Any = None, overwrite_input: bool = False,
    method: str = "linear", keepdims: bool = NO_VALUE, *, weights: ArrayLike | None = None,
) -> ndarray:
    return _nan_quantile(np.nanquantile, a, q, axis, out, method, keepdims, weights)


def _nan_quantile(
    function: Any, a: Any, q: Any, axis: Any, out: Any, method: str, keepdims: Any, weights: Any,
) -> ndarray:
    a = asarray(a)
    if not a._host_visible and a.ndim and weights is None and out is None:
        keep = keepdims is not NO_VALUE and bool(keepdims)
        if a.dtype.kind in "biu":  # none is NaN
            plain = percentile if function is np.nanpercentile else quantile
            return plain(a, q, axis, None, False, method, keep)
        made = nanquantile_there(function, a, q, axis, method, keep)
        if made is not None:
            return made
    extra = {} if weights is None else {"weights": weights}
    return host(function, a, q, axis, out, False, method, **_given(keepdims=keepdims), **extra)
