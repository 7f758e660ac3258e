"""Sums, products, extremes and truth over axes, and their running forms, as functions and methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside, public
from asnumpy._types import ArrayLike, Axes, DTypeLike, ndarray
from asnumpy.creation.arrays import empty_ordered
from asnumpy.creation.convert import asarray
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.folds import NO_VALUE, accumulate, accumulate_at_once, default_dtypes, plan, reduce
from asnumpy.ufunc.functions import add, logical_and, logical_or, maximum, minimum, multiply
from asnumpy.ufunc.ufunc import ufunc

_core_reduce, _cast = _core.reduce, _core.cast_alike


class Reduction:
    """A ufunc that reduces, and for each dtype how the core does it where nothing is asked for but an axis.

    `redirected` is what computes it, as a function and as a method, while a rule of the user's names it.
    """

    __slots__ = ("plans", "redirected", "ufunc")

    def __init__(self, ufunc: ufunc) -> None:
        self.ufunc = ufunc
        self.redirected: Callable[..., Any] | None = None
        self.plans: dict[np.dtype, tuple[np.dtype, np.dtype | None, bool, bool]] = {}

    def plan(self, dtype: np.dtype) -> tuple[np.dtype, np.dtype | None, bool, bool]:
        found = self.plans[dtype] = plan(self.ufunc, dtype)
        return found


def reduced(
    by: Reduction, a: ndarray, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any,
) -> ndarray:
    """What the functions and the methods do: over all axes or one, else by default, they go to the core at once."""
    if by.redirected is not None:
        given = {"axis": axis, "dtype": dtype, "out": out, "keepdims": NO_VALUE if keepdims is False else keepdims,
                 "initial": initial, "where": NO_VALUE if where is True else where}  # fmt: skip
        asked = {key: value for key, value in given.items() if value is not None and value is not NO_VALUE}
        return by.redirected(a, **asked)  # type: ignore[no-any-return]  # whatever the rule's operator gives
    if keepdims is NO_VALUE:
        keepdims = False
    if dtype is None and out is None and initial is NO_VALUE and (where is True or where is NO_VALUE):
        wide, narrow, possible, needs_elements = by.plans.get(a.dtype) or by.plan(a.dtype)
        ndim = a.ndim
        if possible and ndim and not (needs_elements and a.size == 0) and not watching():
            if axis is None or (type(axis) is int and -ndim <= axis < ndim):
                made = _core_reduce(by.ufunc.name, wide, a, axis if axis is None else (axis,), bool(keepdims))
                return made if narrow is None else _cast(made, narrow)
    return _long_way(by.ufunc, a, axis, dtype, out, keepdims, initial, True if where is NO_VALUE else where)


_long_way = beside(reduce)
SUM, PRODUCT = Reduction(add), Reduction(multiply)
LARGEST, SMALLEST = Reduction(maximum), Reduction(minimum)
ALL, ANY = Reduction(logical_and), Reduction(logical_or)
REDUCTIONS = {"sum": SUM, "prod": PRODUCT, "max": LARGEST, "min": SMALLEST, "all": ALL, "any": ANY}


def redirect(by: Reduction, asking: Callable[[Callable[..., Any]], Callable[..., Any]] | None) -> None:
    """Let the function and the method be what `asking` makes of them; None: what they are."""
    plain = Reduction(by.ufunc)

    def body(
        a: ndarray, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> ndarray:
        return reduced(plain, a, axis, dtype, out, keepdims, initial, where)

    by.redirected = None if asking is None else asking(body)


@public
def sum(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = NO_VALUE,
    initial: Any = NO_VALUE, where: ArrayLike = NO_VALUE,
) -> ndarray:
    return reduced(SUM, asarray(a), axis, dtype, out, keepdims, initial, where)


@public
def prod(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = NO_VALUE,
    initial: Any = NO_VALUE, where: ArrayLike = NO_VALUE,
) -> ndarray:
    return reduced(PRODUCT, asarray(a), axis, dtype, out, keepdims, initial, where)


@public
def max(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, keepdims: bool = NO_VALUE, initial: Any = NO_VALUE,
    where: ArrayLike = NO_VALUE,
) -> ndarray:
    return reduced(LARGEST, asarray(a), axis, None, out, keepdims, initial, where)


@public
def min(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, keepdims: bool = NO_VALUE, initial: Any = NO_VALUE,
    where: ArrayLike = NO_VALUE,
) -> ndarray:
    return reduced(SMALLEST, asarray(a), axis, None, out, keepdims, initial, where)


amax, amin = max, min


@public
def all(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, keepdims: bool = NO_VALUE, *, where: ArrayLike = NO_VALUE,
) -> ndarray:
    return reduced(ALL, asarray(a), axis, None, out, keepdims, NO_VALUE, where)


@public
def any(
    a: ArrayLike, axis: Axes | None = None, out: Any = None, keepdims: bool = NO_VALUE, *, where: ArrayLike = NO_VALUE,
) -> ndarray:
    return reduced(ANY, asarray(a), axis, None, out, keepdims, NO_VALUE, where)


def _running(ufunc: ufunc, a: ndarray, axis: Any, dtype: Any, out: Any) -> ndarray:
    if axis is None:
        if a.ndim != 1:
            a = a.reshape(-1)
        axis = 0
    elif a.ndim == 0:
        a = a.reshape((1,))
    if dtype is None and out is None and (made := accumulate_at_once(ufunc, a, axis)) is not None:
        return made
    return accumulate(ufunc, a, axis, dtype, out)


@public
def cumsum(a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None) -> ndarray:
    return _running(add, asarray(a), axis, dtype, out)


@public
def cumprod(a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None) -> ndarray:
    return _running(multiply, asarray(a), axis, dtype, out)


def _cumulative(
    ufunc: ufunc, x: ArrayLike, axis: int | None, dtype: Any, out: Any, include_initial: bool,
) -> ndarray:
    a = asarray(x)
    if a.ndim == 0:
        a = a.reshape((1,))
    if axis is None:
        if a.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if not include_initial:
        return _running(ufunc, a, axis, dtype, out)
    axis = axis + a.ndim if axis < 0 else axis
    kind = default_dtypes(ufunc, a.dtype)[0] if dtype is None else np.dtype(dtype)
    shape = a.shape[:axis] + (a.shape[axis] + 1,) + a.shape[axis + 1 :]
    running = accumulate(ufunc, a, axis, kind, None)
    made = empty_ordered(shape, kind, "K", running) if out is None else out
    before = (slice(None),) * axis
    made[(*before, slice(0, 1))] = ufunc.numpy.identity
    made[(*before, slice(1, None))] = running
    return made


@public
def cumulative_sum(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None,
    include_initial: bool = False,
) -> ndarray:
    return _cumulative(add, x, axis, dtype, out, include_initial)


@public
def cumulative_prod(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, out: Any = None,
    include_initial: bool = False,
) -> ndarray:
    return _cumulative(multiply, x, axis, dtype, out, include_initial)
