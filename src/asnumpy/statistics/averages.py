"""Averages and spread. Sums and squares are recorded and fuse."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import beside, public
from asnumpy._types import ArrayLike, Axes, DTypeLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import as_dtype, bfloat16, is_narrow
from asnumpy.host.door import host
from asnumpy.host.numpys import expect_whole_target
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import transpose
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.functions import conjugate, divide, maximum, minimum, multiply, sqrt, subtract

_FLOAT64 = np.dtype(np.float64)
_FLOAT32 = np.dtype(np.float32)
# What NumPy accumulates a mean in: itself for the wider types, more precision for the narrow ones.
_ACCUMULATOR: dict[np.dtype, np.dtype] = {np.dtype(kind): _FLOAT64 for kind in "?bhilqBHILQ"}
_ACCUMULATOR |= {np.dtype(kind): np.dtype(kind) for kind in "fdFD"}
_ACCUMULATOR |= {np.dtype(np.float16): _FLOAT32, np.dtype(bfloat16): _FLOAT32}
_NARROW = (np.dtype(np.float16), np.dtype(bfloat16))
_FEW = 64  # rows of which each is multiplied with all, before the products on the host are the quicker ones


def _axes(a: ndarray, axis: Any) -> tuple[tuple[int, ...], int]:
    """The reduced axes, and how many elements each result is made of."""
    if axis is None:
        return tuple(range(a.ndim)), a.size
    axes = (normalize_axis_index(axis, a.ndim),) if type(axis) is int else normalize_axis_tuple(axis, a.ndim)
    count = 1
    for one in axes:
        count *= a.shape[one]
    return axes, count


def _holds(out: Any, wide: np.dtype | None, a: ndarray, dtype: Any) -> bool:
    """Whether out= has the result's dtype; NumPy computes in that of out= otherwise."""
    return isinstance(out, ndarray) and out.dtype == (wide if dtype is not None or a.dtype not in _NARROW else a.dtype)


def _keep(keepdims: Any) -> bool:
    return keepdims is not NO_VALUE and bool(keepdims)


def _masked_count(a: ndarray, axes: tuple[int, ...], keepdims: bool, where: Any) -> ndarray:
    mask = _core.broadcast_to(asarray(where), a.shape)
    return mask.sum(axis=axes, dtype=np.intp, keepdims=keepdims)


def store(result: ndarray, out: Any, function: str) -> ndarray:
    """The result, or the out= array that now holds it."""
    if out is None:
        return result
    if isinstance(out, tuple):
        (out,) = out
    target = expect_whole_target(out, function)
    if target.shape != result.shape:
        raise ValueError(
            f"{function}: output parameter has shape {target.shape}, which does not match the result's {result.shape}"
        )
    if not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast {function} output from {result.dtype!r} to {target.dtype!r} with casting rule 'same_kind'"
        )
    _core.assign(target, result)
    return target


@beside
def mean_of(a: ndarray, axis: Any, dtype: Any, out: Any, keepdims: bool, where: Any) -> ndarray:
    if dtype is None:
        wide = _ACCUMULATOR.get(a.dtype)
    else:
        wide = as_dtype(dtype, "mean")
    if out is not None and not _holds(out, wide, a, dtype):
        return host(np.mean, a, axis, dtype, out, keepdims, where=where)
    axes, count = _axes(a, axis)
    if dtype is None and wide is not None and count and where is True and not watching():
        made = _core.reduce("add", wide, a, axes, keepdims) / count
        if a.dtype in _NARROW:
            made = _core.cast_alike(made, a.dtype)
        return made if out is None else store(made, out, "mean")
    divisor: Any = count if where is True else _masked_count(a, axes, keepdims, where)
    if (where is True and not count) or (where is not True and bool((divisor == 0).any())):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=3)
    total = a.sum(axis=axes, dtype=wide, keepdims=keepdims, where=where)
    # Integers divide in float64, and the quotient returns to the type of the sum, as in NumPy.
    made = divide(total, divisor)
    result = a.dtype if dtype is None and a.dtype in _NARROW else total.dtype
    return store(made if made.dtype == result else _core.cast_alike(made, result), out, "mean")


@public
def mean(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = NO_VALUE,
    *, where: ArrayLike = NO_VALUE,
) -> ndarray:
    return mean_of(asarray(a), axis, dtype, out, _keep(keepdims), True if where is NO_VALUE else where)


def _squares(deviation: ndarray) -> ndarray:
    if deviation.dtype.kind == "c":
        return multiply(deviation, conjugate(deviation)).real
    return multiply(deviation, deviation)


def _var(
    a: ndarray, axis: Any, dtype: Any, ddof: Any, keepdims: bool, where: Any, mean: Any, correction: Any,
) -> ndarray:
    """The variance in NumPy's two passes, in the type that it is computed in (float32 for float16)."""
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if dtype is None:
        wide: np.dtype = _ACCUMULATOR[a.dtype] if a.dtype in _ACCUMULATOR else a.dtype
    else:
        wide = as_dtype(dtype, "var")
        if wide.kind not in "fcV":
            return host(np.var, a, axis, dtype, None, ddof, keepdims, where=where, **_given(mean, NO_VALUE))
    axes, count = _axes(a, axis)
    masked = where is not True
    divisor: Any = _masked_count(a, axes, True, where) if masked else count
    freedom: Any = _masked_count(a, axes, keepdims, where) if masked else count
    if (not masked and ddof >= count) or (masked and bool((freedom <= ddof).any())):
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
    source = _core.cast_alike(a, wide) if a.dtype in _NARROW and wide != a.dtype else a
    if mean is NO_VALUE and not masked and count == source.size and source.dtype == wide and not watching():
        spread = _core.deviations(source)  # in one pass over memory, where the device and the layout allow it
        if spread is not None:
            left = (1,) * (a.ndim if keepdims else a.ndim - len(axes))
            return divide(spread.reshape(left) if left else spread, max(freedom - ddof, 0))
    if mean is not NO_VALUE:
        center = asarray(mean)
    elif masked:
        center = divide(a.sum(axis=axes, dtype=wide, keepdims=True, where=where), divisor)
    elif count:
        center = _total(source, wide, axes, True) / count
    else:
        center = divide(_total(source, wide, axes, True), count)
    center = center if center.dtype == wide or mean is not NO_VALUE else _core.cast_alike(center, wide)
    squares = _squares(subtract(source, center))
    real: np.dtype = squares.dtype if dtype is None else wide
    if masked:
        total = squares.sum(axis=axes, dtype=real, keepdims=keepdims, where=where)
        made = divide(total, maximum(freedom - ddof, 0))
        return made if made.dtype == real else _core.cast_alike(made, real)
    return divide(_total(squares, real, axes, keepdims), max(freedom - ddof, 0))


def _total(a: ndarray, dtype: np.dtype, axes: tuple[int, ...], keepdims: bool) -> ndarray:
    if dtype in _ACCUMULATOR:
        return _core.reduce("add", dtype, a, axes, keepdims)
    return a.sum(axis=axes, dtype=dtype, keepdims=keepdims)


def _given(mean: Any, correction: Any) -> dict[str, Any]:
    return {name: value for name, value in (("mean", mean), ("correction", correction)) if value is not NO_VALUE}


def _holds_real(out: Any, a: ndarray, dtype: Any) -> bool:
    kind = np.dtype(dtype) if dtype is not None else a.real.dtype if a.dtype.kind in "fcV" else _FLOAT64
    return isinstance(out, ndarray) and out.dtype == kind


def _spread(
    theirs: Callable[..., Any], a: ndarray, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any, where: Any,
    mean: Any, correction: Any,
) -> ndarray:
    """The variance, or its root where NumPy's function is `std`."""
    mask, keep = True if where is NO_VALUE else where, _keep(keepdims)
    if is_narrow(a.dtype) or (out is not None and not _holds_real(out, a, dtype)):
        return host(theirs, a, axis, dtype, out, ddof, keep, where=mask, **_given(mean, correction))
    made = _var(a, axis, dtype, ddof, keep, mask, mean, correction)
    kind = None if dtype is None else np.dtype(dtype)
    if theirs is np.std:
        made = sqrt(made)
    if kind is None and a.dtype in _NARROW:
        made = _core.cast_alike(made, a.dtype)
    elif kind is not None and made.dtype != kind and (kind.kind == "f" or (theirs is np.std and kind.kind in "iub")):
        made = _core.cast_alike(made, kind)
    return made if out is None else store(made, out, theirs.__name__)


@public
def var(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, ddof: float = 0,
    keepdims: bool = NO_VALUE, *, where: ArrayLike = NO_VALUE, mean: Any = NO_VALUE, correction: float = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: float16 is computed in float32 and rounded once."""
    return _spread(np.var, asarray(a), axis, dtype, out, ddof, keepdims, where, mean, correction)


@public
def std(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, ddof: float = 0,
    keepdims: bool = NO_VALUE, *, where: ArrayLike = NO_VALUE, mean: Any = NO_VALUE, correction: float = NO_VALUE,
) -> ndarray:
    """Differs from NumPy: float16 is computed in float32 and rounded once."""
    return _spread(np.std, asarray(a), axis, dtype, out, ddof, keepdims, where, mean, correction)


@public
def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = NO_VALUE,
) -> Any:
    a = asarray(a)
    keep = _keep(keepdims)
    if weights is not None and _core.tracing():  # whether they sum to zero is seen at each call
        return host(np.average, a, axis, weights, returned, keepdims=keep)
    if weights is None:
        made = mean_of(a, axis, None, None, keep, True)
        scale: Any = a.size / made.size if made.size else float("nan")
        scale = _core.returned(asarray(np.asarray(scale, made.dtype)))
    else:
        weight = asarray(weights)
        kind = np.result_type(a.dtype, weight.dtype, *(["f8"] if a.dtype.kind in "iub" else []))
        axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, argname="axis")
        if a.shape != weight.shape:
            if axes is None:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
            if weight.shape != tuple(a.shape[one] for one in axes):
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
            order = sorted(range(len(axes)), key=lambda place: axes[place])
            weight = transpose(weight, tuple(order)).reshape(
                tuple(length if place in axes else 1 for place, length in enumerate(a.shape))
            )
        scale = weight.sum(axis=axes, dtype=kind, keepdims=keep)
        if bool((scale == 0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        made = divide(multiply(a, weight, dtype=kind).sum(axis=axes, keepdims=keep), scale)
    if not returned:
        return made
    return made, scale if scale.shape == made.shape else _core.cast(_core.broadcast_to(scale, made.shape), scale.dtype)


@public
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> ndarray:
    a = asarray(a)
    keep = _keep(keepdims)
    axes = None if axis is None else _axes(a, axis)[0]
    return subtract(maximum.reduce(a, axis=axes, keepdims=keep), minimum.reduce(a, axis=axes, keepdims=keep), out=out)


# --- relations between variables ---


def _products_of_rows(x: ndarray) -> ndarray:
    """x @ x.T, conjugated: one row after the other where a device multiplies no matrices of this dtype."""
    other = conjugate(x) if x.dtype.kind == "c" else x
    if x._host_visible or x.dtype.char not in "dD" or x.shape[0] > _FEW:
        return _core.matmul(x, other.T)
    columns = [_core.reduce("add", x.dtype, multiply(x, row), (1,), True) for row in other]
    return concatenate(columns, 1)


@public
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> ndarray:
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if fweights is not None or aweights is not None or (dtype is not None and np.dtype(dtype).kind in "biu"):
        return host(np.cov, m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
    other = None if y is None else asarray(y)
    if other is not None and other.ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    kind = np.dtype(dtype) if dtype is not None else np.result_type(
        m.dtype, *([other.dtype] if other is not None else []), np.float64)

    def rows(source: ndarray) -> ndarray:
        source = source if source.dtype == kind else _core.cast(source, kind)
        source = source.reshape((1,) * (2 - source.ndim) + source.shape)
        return source.T if not rowvar and source.shape[0] != 1 else source

    x = rows(m)
    if m.ndim == 2 and not rowvar and m.shape[0] == 1:
        x = m.T if m.dtype == kind else _core.cast(m.T, kind)
    if x.shape[0] == 0:
        return _core.cast(_core.empty((0, 0), kind), kind)
    if other is not None:
        x = concatenate((x, rows(other)), axis=0)
    freedom = x.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    if freedom <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        freedom = 0
    _core.empty(x.shape, kind)  # what no memory could hold is refused before its mean is computed
    x = subtract(x, mean_of(x, 1, None, None, True, True))
    return divide(_products_of_rows(x), freedom).squeeze()


@public
def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None,
) -> ndarray:
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return divide(c, c)
    deviation = sqrt(c.diagonal().real)
    c = c / deviation[:, None] / deviation[None, :]
    if c.dtype.kind == "c":
        out = _core.empty(c.shape, c.dtype)
        _core.assign(out.real, minimum(maximum(c.real, -1), 1))
        _core.assign(out.imag, minimum(maximum(c.imag, -1), 1))
        return out
    return minimum(maximum(c, -1), 1)


# --- the same as methods, with np.ndarray's signatures ---


