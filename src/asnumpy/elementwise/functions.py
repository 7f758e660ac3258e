"""Functions that act element by element and are not ufuncs: composed of ufuncs, so that they fuse."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from operator import index
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside, public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import assign_value, empty_ordered, zeros
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import bfloat16, is_narrow
from asnumpy.host.door import host
from asnumpy.host.numpys import expect_target
from asnumpy.indexing.selection import select_where
from asnumpy.statistics.averages import store
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.functions import (
    absolute,
    add,
    arctan2,
    divide,
    equal,
    isfinite,
    isinf,
    isnan,
    less_equal,
    maximum,
    minimum,
    multiply,
    not_equal,
    positive,
    rint,
    signbit,
    sin,
    subtract,
    trunc,
)

_WEAK = (bool, int, float, complex)
_BOOL = np.dtype(bool)
# By kind of dtype, Python's numbers with which it stays the same.
_REALS: defaultdict[str, tuple[type, ...]] = defaultdict(tuple, f=(int, float), i=(int,), u=(int,))


# --- rounding and limits ---


def _kept(a: ndarray) -> ndarray:
    """A copy in the array's own memory order."""
    return _core.cast(a, a.dtype) if a._flags_c_contiguous else assign_value(empty_ordered(a.shape, a.dtype, "K", a), a)


def _rounded(a: ndarray, decimals: int) -> ndarray:
    kind = a.dtype.kind
    if kind == "c":
        made = empty_ordered(a.shape, a.dtype, "K", a)
        _core.assign(made.real, _rounded(a.real, decimals))
        _core.assign(made.imag, _rounded(a.imag, decimals))
        return made
    if decimals == 0:
        return rint(a) if kind in "fVb" else _kept(a)
    if kind in "fV":
        scale = 10.0 ** abs(decimals) if abs(decimals) <= sys.float_info.max_10_exp else math.inf
        if decimals > 0:
            return divide(rint(multiply(a, scale)), scale)
        return multiply(rint(divide(a, scale)), scale)
    return _kept(a)


@public
def round(a: ArrayLike, decimals: int = 0, out: Any = None) -> ndarray:
    a, places = asarray(a), int(np.intc(index(decimals)))
    if (places < 0 and a.dtype.kind in "iu") or (places and a.dtype == _BOOL):
        # tens of integers, with NumPy's detour through float64; it counts up to their exponent, one by one
        return host(np.round, a, min(max(places, -400), 400), out)
    made = _rounded(a, places)
    if made.dtype != a.dtype and a.dtype.kind == "V":  # ufuncs take bfloat16 through float32
        made = _core.cast(made, a.dtype)
    return store(_core.returned(made), out, "round")


around = round


@public
def fix(x: ArrayLike, out: Any = None) -> ndarray:
    return trunc(x, out=out)


def _bound(limit: Any, dtype: np.dtype, upper: bool) -> Any:
    """A Python int beyond the range of the array's integers limits nothing."""
    if type(limit) is int and dtype.kind in "iu":
        info = np.iinfo(dtype)
        if (limit >= info.max) if upper else (limit <= info.min):
            return None
    return limit


@beside
def clipped(a: ndarray, /, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> ndarray:
    low, high = _bound(min, a.dtype, False), _bound(max, a.dtype, True)
    if kwargs or (isinstance(out, ndarray) and _core.overlaps_itself(out)):  # which is written in NumPy's order
        return host(np.clip, a, min, max, out, **kwargs)
    if out is None and type(low) in _REALS[a.dtype.kind] and type(high) in _REALS[a.dtype.kind]:
        return minimum(maximum(a, low), high)
    if low is None and high is None:
        return positive(a, out=out)
    if low is None:
        return minimum(a, high, out=out)
    if high is None:
        return maximum(a, low, out=out)
    low = low if type(low) in _WEAK else asarray(low)
    high = high if type(high) in _WEAK else asarray(high)
    dtype = np.result_type(a.dtype, *(one.dtype if isinstance(one, ndarray) else one for one in (low, high)))
    source = a if a.dtype == dtype else _core.cast(a, dtype)
    return minimum(maximum(source, low), high, out=out)


@public
def clip(
    a: ArrayLike, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, out: Any = None, *, min: Any = NO_VALUE,
    max: Any = NO_VALUE, **kwargs: Any,
) -> ndarray:
    if a_min is NO_VALUE and a_max is NO_VALUE:
        a_min = None if min is NO_VALUE else min
        a_max = None if max is NO_VALUE else max
    elif a_min is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_min'")
    elif a_max is NO_VALUE:
        raise TypeError("clip() missing 1 required positional argument: 'a_max'")
    elif min is not NO_VALUE or max is not NO_VALUE:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    return clipped(asarray(a), a_min, a_max, out, **kwargs)


def _without_nan(a: ndarray, nan: Any, high: Any, low: Any) -> ndarray:
    info = np.finfo(a.dtype) if a.dtype != bfloat16 else _bfloat16_limits()
    high = float(info.max) if high is None else high
    low = float(info.min) if low is None else low
    scalars = [one if type(one) in _WEAK else asarray(one) for one in (nan, high, low)]
    infinite = isinf(a)
    below = signbit(a)
    ends = select_where(_core.broadcast_to(below, a.shape), scalars[2], scalars[1], a.dtype)
    made = select_where(infinite, ends, a, a.dtype)
    return select_where(isnan(a), scalars[0], made, a.dtype)


def _bfloat16_limits() -> Any:
    import ml_dtypes

    return ml_dtypes.finfo(bfloat16)


@public
def nan_to_num(
    x: ArrayLike, copy: bool | None = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None,
) -> ndarray:
    a = expect_target(x, "nan_to_num") if not copy and isinstance(x, np.ndarray) else asarray(x)
    if a.dtype.kind in "biu":
        made = _core.cast(a, a.dtype) if copy else a
        return made if made.ndim else made[()]
    if is_narrow(a.dtype):
        return host(np.nan_to_num, a, copy, nan, posinf, neginf)
    if a.dtype.kind == "c":
        made = _core.empty(a.shape, a.dtype)
        _core.assign(made.real, _without_nan(a.real, nan, posinf, neginf))
        _core.assign(made.imag, _without_nan(a.imag, nan, posinf, neginf))
    else:
        made = _without_nan(a, nan, posinf, neginf)
    if not copy:
        _core.assign(a, made)
        made = a
    return made if made.ndim else made[()]  # a scalar, as NumPy


# --- comparison within a tolerance ---


def _close(a: Any, b: Any, rtol: Any, atol: Any, equal_nan: bool) -> ndarray:
    # Python numbers adapt to the dtype of what they are compared with
    x, y = (one if type(one) in (int, float, complex) else asarray(one) for one in (a, b))
    if not isinstance(y, ndarray):
        y = float(y) if type(y) is int else y
        x = asarray(x)
    elif y.dtype.kind in "biu":
        y = _core.cast(y, np.result_type(y.dtype, 1.0))
    size = absolute(y) if isinstance(y, ndarray) else abs(y)
    within = atol + rtol * size if all(type(one) in (int, float) for one in (atol, rtol, size)) else None
    near = less_equal(absolute(subtract(x, y)), add(atol, multiply(rtol, size)) if within is None else within)
    made = (near & isfinite(y)) | equal(x, y)
    return made | (isnan(x) & isnan(y)) if equal_nan else made


@public
def isclose(a: ArrayLike, b: ArrayLike, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> ndarray:
    return _close(a, b, rtol, atol, equal_nan)


@public
def allclose(a: ArrayLike, b: ArrayLike, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> bool:
    return bool(_close(a, b, rtol, atol, equal_nan).all())


@public
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> bool:
    try:
        x, y = asarray(a1), asarray(a2)
    except _core.UnsupportedDtype:
        raise
    except (TypeError, ValueError):
        return False
    if x.shape != y.shape:
        return False
    same = equal(x, y)
    if equal_nan and x.dtype.kind in "fcV" and y.dtype.kind in "fcV":
        same = same | (isnan(x) & isnan(y))
    return bool(same.all())


@public
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    try:
        x, y = asarray(a1), asarray(a2)
        np.broadcast_shapes(x.shape, y.shape)
    except _core.UnsupportedDtype:
        raise
    except (TypeError, ValueError):
        return False
    return bool(equal(x, y).all())


# --- parts of complex numbers ---


@public
def real(val: Any) -> Any:
    try:
        return val.real
    except AttributeError:
        return asarray(val).real


@public
def imag(val: Any) -> Any:
    try:
        return val.imag
    except AttributeError:
        return asarray(val).imag


@public
def angle(z: ArrayLike, deg: bool = False) -> ndarray:
    a = asarray(z)
    made = arctan2(a.imag, a.real) if a.dtype.kind == "c" else arctan2(0, a)
    return multiply(made, 180 / math.pi) if deg else made


@public
def iscomplex(x: ArrayLike) -> ndarray:
    a = asarray(x)
    return not_equal(a.imag, 0) if a.dtype.kind == "c" else _core.returned(zeros(a.shape, bool))


@public
def isreal(x: ArrayLike) -> ndarray:
    a = asarray(x)
    return equal(a.imag, 0) if a.dtype.kind == "c" else _core.cast(zeros(a.shape) + 1, _BOOL)


@public
def iscomplexobj(x: ArrayLike) -> bool:
    dtype: Any = getattr(x, "dtype", None)
    return bool((dtype if hasattr(dtype, "kind") else asarray(x).dtype).kind == "c")


@public
def isrealobj(x: ArrayLike) -> bool:
    return not iscomplexobj(x)


@public
def real_if_close(a: ArrayLike, tol: Any = 100) -> ndarray:
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    limit = tol * np.finfo(a.dtype.type).eps if tol > 1 else tol
    return a.real if bool((absolute(a.imag) < limit).all()) else a


def _infinite(x: Any, out: Any, negative: bool, name: str) -> ndarray:
    a = asarray(x)
    if a.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {a.dtype} values because it would be ambiguous.")
    if a.dtype.kind in "biu":
        return store(_core.returned(zeros(a.shape, bool)), out, name)
    return equal(a, -math.inf if negative else math.inf, out=out)


@public
def isposinf(x: ArrayLike, out: Any = None) -> ndarray:
    return _infinite(x, out, False, "isposinf")


@public
def isneginf(x: ArrayLike, out: Any = None) -> ndarray:
    return _infinite(x, out, True, "isneginf")


# --- special functions ---


@public
def sinc(x: ArrayLike) -> ndarray:
    a = multiply(math.pi, asarray(x))
    tiny = float(np.finfo(a.dtype).eps) if a.dtype.kind == "f" else 1e-20
    y = select_where(not_equal(a, 0), a, tiny, a.dtype)
    return divide(sin(y), y)

