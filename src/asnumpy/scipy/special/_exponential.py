"""Exponentials, logarithms and powers of scipy.special."""

from __future__ import annotations

import scipy.special as _theirs

from asnumpy._types import ndarray
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._elementwise import elementwise
from asnumpy.ufunc import functions as _numpys
from asnumpy.ufunc.functions import absolute, divide, equal, exp, greater, less, log, minimum, multiply, power, sin

_LARGEST = 709.78  # SciPy's: exponents up to it do not overflow

cbrt = elementwise(_theirs.cbrt)(_numpys.cbrt)
exp2 = elementwise(_theirs.exp2)(_numpys.exp2)
expm1 = elementwise(_theirs.expm1)(_numpys.expm1)
log1p = elementwise(_theirs.log1p)(_numpys.log1p)


@elementwise(_theirs.exp10)
def exp10(x: ndarray) -> ndarray:
    return power(10.0, x)


@elementwise(_theirs.cosm1)
def cosm1(x: ndarray) -> ndarray:
    half = sin(multiply(x, 0.5))
    return multiply(multiply(half, half), -2.0)


@elementwise(_theirs.expit)
def expit(x: ndarray) -> ndarray:
    return divide(1.0, 1.0 + exp(-x))


@elementwise(_theirs.log_expit)
def log_expit(x: ndarray) -> ndarray:
    return minimum(x, 0.0) - _numpys.log1p(exp(-absolute(x)))


@elementwise(_theirs.logit)
def logit(x: ndarray) -> ndarray:
    # near 1/2 the quotient would lose what the distance from it says
    away = 2.0 * (x - 0.5)
    near = _numpys.log1p(away) - _numpys.log1p(-away)
    return select_where(less(absolute(x - 0.475), 0.175), near, log(divide(x, 1.0 - x)), x.dtype)


@elementwise(_theirs.exprel, wide=True)
def exprel(x: ndarray) -> ndarray:
    made = select_where(less(absolute(x), 1e-16), 1.0, divide(_numpys.expm1(x), x), x.dtype)
    return select_where(greater(x, 717.0), float("inf"), made, x.dtype)


def _raised(logarithm: ndarray, power_: ndarray) -> ndarray:
    """(exp(power * logarithm) - 1) / power, and the logarithm itself for power 0."""
    exponent = multiply(power_, logarithm)
    usual = divide(_numpys.expm1(exponent), power_)
    # one over the power counts no more where the exponential nearly overflows
    large = multiply(_numpys.sign(power_), exp(exponent - log(absolute(power_)))) - divide(1.0, power_)
    made = select_where(less(exponent, _LARGEST), usual, large, usual.dtype)
    return select_where(less(absolute(power_), 1e-19), logarithm, made, usual.dtype)


@elementwise(_theirs.boxcox, wide=True)
def boxcox(x: ndarray, lmbda: ndarray) -> ndarray:
    return _raised(log(x), lmbda)


@elementwise(_theirs.boxcox1p, wide=True)
def boxcox1p(x: ndarray, lmbda: ndarray) -> ndarray:
    logarithm = _numpys.log1p(x)
    small = less(absolute(logarithm), 1e-289) & less(absolute(lmbda), 1e273)
    made = _raised(logarithm, lmbda)
    return select_where(small, logarithm, made, made.dtype)


@elementwise(_theirs.inv_boxcox, wide=True)
def inv_boxcox(x: ndarray, lmbda: ndarray) -> ndarray:
    made = exp(divide(_numpys.log1p(multiply(lmbda, x)), lmbda))
    return select_where(equal(lmbda, 0.0), exp(x), made, made.dtype)


@elementwise(_theirs.inv_boxcox1p, wide=True)
def inv_boxcox1p(x: ndarray, lmbda: ndarray) -> ndarray:
    product = multiply(lmbda, x)
    made = _numpys.expm1(divide(_numpys.log1p(product), lmbda))
    made = select_where(less(absolute(product), 1e-154), x, made, made.dtype)
    return select_where(equal(lmbda, 0.0), _numpys.expm1(x), made, made.dtype)
