"""Sums, products, extremes and truth over axes, and their running forms, as functions and methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy.array.ndarray import method, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.folds import NO_VALUE, accumulate, default_dtypes, reduce
from asnumpy.ufunc.ufunc import add, logical_and, logical_or, maximum, minimum, multiply

_core_reduce, _cast = _core.reduce, _core.cast


def _directly(ufunc: Any, plans: dict[np.dtype, Any], a: ndarray, axis: Any, keepdims: bool) -> Any:
    """The reduction over all axes or one, else by default: the short way to the core. None: take the long way."""
    plan = plans.get(a.dtype)
    if plan is None:
        kind, wide = default_dtypes(ufunc, a.dtype)
        possible = ufunc.has_loop((wide, wide, wide)) and ufunc.has_loop((kind, kind, kind))
        plan = plans[a.dtype] = (wide, None if wide == kind else kind, possible, ufunc.numpy.identity is None)
    wide, narrow, possible, needs_elements = plan
    ndim = a.ndim
    if not possible or ndim == 0 or (needs_elements and a.size == 0) or watching():
        return None
    if axis is not None:
        if type(axis) is not int or not -ndim <= axis < ndim:
            return None
        axis = (axis,)
    result = _core_reduce(ufunc.name, wide, a, axis, keepdims)
    return result if narrow is None else _cast(result, narrow)


def _no_value(keepdims: Any) -> Any:
    return False if keepdims is NO_VALUE else keepdims


def _define(ufunc: Any, name: str, aliases: tuple[str, ...], typed: bool, start: bool) -> None:
    """The function and the method `name`: np.sum and np.prod take `dtype`, all but any and all take `initial`."""
    plans: dict[np.dtype, Any] = {}

    if typed:

        def function(
            a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE,
            initial: Any = NO_VALUE, where: Any = NO_VALUE,
        ) -> ndarray:
            return attached(
                a if isinstance(a, ndarray) else asarray(a), axis, dtype, out, _no_value(keepdims), initial,
                True if where is NO_VALUE else where,
            )

        def attached(
            self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
            initial: Any = NO_VALUE, where: Any = True,
        ) -> ndarray:
            if dtype is None and out is None and initial is NO_VALUE and where is True:
                result = _directly(ufunc, plans, self, axis, bool(keepdims))
                if result is not None:
                    return result
            return reduce(ufunc, self, axis, dtype, out, keepdims, initial, where)

    elif start:

        def function(  # type: ignore[misc]
            a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, initial: Any = NO_VALUE,
            where: Any = NO_VALUE,
        ) -> ndarray:
            return attached(
                a if isinstance(a, ndarray) else asarray(a), axis, out, _no_value(keepdims), initial,
                True if where is NO_VALUE else where,
            )

        def attached(  # type: ignore[misc]
            self: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = NO_VALUE,
            where: Any = True,
        ) -> ndarray:
            if out is None and initial is NO_VALUE and where is True:
                result = _directly(ufunc, plans, self, axis, bool(keepdims))
                if result is not None:
                    return result
            return reduce(ufunc, self, axis, None, out, keepdims, initial, where)

    else:

        def function(  # type: ignore[misc]
            a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE,
        ) -> ndarray:
            return attached(
                a if isinstance(a, ndarray) else asarray(a), axis, out, _no_value(keepdims),
                where=True if where is NO_VALUE else where,
            )

        def attached(  # type: ignore[misc]
            self: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True,
        ) -> ndarray:
            if out is None and where is True:
                result = _directly(ufunc, plans, self, axis, bool(keepdims))
                if result is not None:
                    return result
            return reduce(ufunc, self, axis, None, out, keepdims, NO_VALUE, where)

    function.__name__ = function.__qualname__ = attached.__name__ = name
    attached.__qualname__ = f"ndarray.{name}"
    attached.__module__ = "asnumpy"
    public(name=name, alias=aliases)(function)
    method(attached)
    globals()[name] = function


_define(add, "sum", (), True, True)
_define(multiply, "prod", (), True, True)
_define(maximum, "max", ("amax",), False, True)
_define(minimum, "min", ("amin",), False, True)
_define(logical_and, "all", (), False, False)
_define(logical_or, "any", (), False, False)


def _running(ufunc: Any, a: ndarray, axis: Any, dtype: Any, out: Any) -> Any:
    if axis is None:
        if a.ndim != 1:
            a = a.reshape(-1)
        axis = 0
    elif a.ndim == 0:
        a = a.reshape((1,))
    if dtype is None and out is None and type(axis) is int and -a.ndim <= axis < a.ndim and not watching():
        kind, _ = default_dtypes(ufunc, a.dtype)
        if ufunc.has_loop((kind, kind, kind)):
            return _core.scan(ufunc.name, a if kind == a.dtype else _cast(a, kind), axis)
    return accumulate(ufunc, a, axis, dtype, out)


@public
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> ndarray:
    return _running(add, asarray(a), axis, dtype, out)


@public
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> ndarray:
    return _running(multiply, asarray(a), axis, dtype, out)


@method(name="cumsum")
def _cumsum(self: ndarray, axis: Any = None, dtype: Any = None, out: Any = None) -> ndarray:
    return _running(add, self, axis, dtype, out)


@method(name="cumprod")
def _cumprod(self: ndarray, axis: Any = None, dtype: Any = None, out: Any = None) -> ndarray:
    return _running(multiply, self, axis, dtype, out)


def _cumulative(
    ufunc: Any, name: str, x: Any, axis: int | None, dtype: Any, out: Any, include_initial: bool,
) -> ndarray:
    a = asarray(x)
    if a.ndim == 0:
        a = a.reshape((1,))
    if axis is None:
        if a.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if not include_initial:
        return accumulate(ufunc, a, axis, dtype, out)
    axis = axis + a.ndim if axis < 0 else axis
    kind = default_dtypes(ufunc, a.dtype)[0] if dtype is None else np.dtype(dtype)
    shape = a.shape[:axis] + (a.shape[axis] + 1,) + a.shape[axis + 1 :]
    made = _core.empty(shape, kind) if out is None else out
    before = (slice(None),) * axis
    made[(*before, slice(0, 1))] = ufunc.numpy.identity
    made[(*before, slice(1, None))] = accumulate(ufunc, a, axis, kind, None)
    return made


@public
def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False,
) -> ndarray:
    return _cumulative(add, "cumulative_sum", x, axis, dtype, out, include_initial)


@public
def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False,
) -> ndarray:
    return _cumulative(multiply, "cumulative_prod", x, axis, dtype, out, include_initial)


if TYPE_CHECKING:
    sum: Callable[..., ndarray]
    prod: Callable[..., ndarray]
    max: Callable[..., ndarray]
    min: Callable[..., ndarray]
    all: Callable[..., ndarray]
    any: Callable[..., ndarray]
