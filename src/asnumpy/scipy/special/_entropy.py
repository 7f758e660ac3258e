"""Entropies, and the losses beside them in scipy.special."""

from __future__ import annotations

import numpy as np
import scipy.special as _theirs

from asnumpy._types import ndarray
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._elementwise import elementwise
from asnumpy.ufunc.functions import (
    absolute,
    divide,
    equal,
    expm1,
    greater,
    greater_equal,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    logical_not,
    multiply,
)


@elementwise(_theirs.xlogy)
def xlogy(x: ndarray, y: ndarray) -> ndarray:
    product = multiply(x, log(y))
    return select_where(equal(x, 0.0) & logical_not(isnan(y)), 0.0, product, product.dtype)


@elementwise(_theirs.xlog1py)
def xlog1py(x: ndarray, y: ndarray) -> ndarray:
    product = multiply(x, log1p(y))
    return select_where(equal(x, 0.0) & logical_not(isnan(y)), 0.0, product, product.dtype)


@elementwise(_theirs.entr)
def entr(x: ndarray) -> ndarray:
    product = -multiply(x, log(x))
    made = select_where(less(x, 0.0), -np.inf, product, x.dtype)
    return select_where(equal(x, 0.0), 0.0, made, x.dtype)


def _log_of_quotient(x: ndarray, y: ndarray) -> ndarray:
    """log(x / y) of positive numbers, also where the quotient is near 1, overflows or vanishes."""
    quotient = divide(x, y)
    smallest = float(np.finfo(quotient.dtype).tiny)
    whole = greater(quotient, smallest) & less(quotient, np.inf)
    far = select_where(whole, log(quotient), log(x) - log(y), quotient.dtype)
    near = greater(quotient, 0.5) & less(quotient, 2.0)
    return select_where(near, log1p(divide(x - y, y)), far, quotient.dtype)


def _relative(x: ndarray, y: ndarray, made: ndarray, at_zero: ndarray | float) -> ndarray:
    """`made` of positive numbers, `at_zero` where x is 0 and y not negative; NaN stays, infinity elsewhere."""
    dtype = made.dtype
    rest = select_where(isnan(x) | isnan(y), np.nan, np.inf, dtype)
    made = select_where(greater(x, 0.0) & greater(y, 0.0), made, rest, dtype)
    return select_where(equal(x, 0.0) & greater_equal(y, 0.0), at_zero, made, dtype)


@elementwise(_theirs.rel_entr)
def rel_entr(x: ndarray, y: ndarray) -> ndarray:
    return _relative(x, y, multiply(x, _log_of_quotient(x, y)), 0.0)


@elementwise(_theirs.kl_div, wide=True)
def kl_div(x: ndarray, y: ndarray) -> ndarray:
    return _relative(x, y, multiply(x, log(divide(x, y))) - x + y, y)


@elementwise(_theirs.huber)
def huber(delta: ndarray, r: ndarray) -> ndarray:
    size = absolute(r)
    linear = multiply(delta, size - multiply(delta, 0.5))
    made = select_where(less_equal(size, delta), multiply(multiply(r, r), 0.5), linear, linear.dtype)
    return select_where(less(delta, 0.0), np.inf, made, made.dtype)


@elementwise(_theirs.pseudo_huber, wide=True)
def pseudo_huber(delta: ndarray, r: ndarray) -> ndarray:
    quotient = divide(r, delta)
    made = multiply(multiply(delta, delta), expm1(multiply(log1p(multiply(quotient, quotient)), 0.5)))
    made = select_where(equal(delta, 0.0) | equal(r, 0.0), 0.0, made, made.dtype)
    return select_where(less(delta, 0.0), np.inf, made, made.dtype)
