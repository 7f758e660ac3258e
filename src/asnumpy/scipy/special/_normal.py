"""The error function, the normal distribution, and their inverses."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as _theirs

from asnumpy._types import ndarray
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._elementwise import elementwise, row
from asnumpy.ufunc.functions import (
    absolute,
    add,
    copysign,
    divide,
    equal,
    greater,
    less_equal,
    log,
    maximum,
    minimum,
    multiply,
    sqrt,
    subtract,
)

# Wichura (1988), algorithm AS 241: the normal quantile as quotients of polynomials of degree 7, near the centre of
# q = p - 1/2, in the tails of the root of -log of the tail's probability. The constant terms come last.
_CENTRE = (
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
    1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
), (
    5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
    687.1870074920579083, 42.313330701600911252, 1.0,
)
_TAIL = (
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
    3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
), (
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0,
)
_FAR = (
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
), (
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0,
)


_MANY = 1 << 12  # elements from which the quantile's sixty operations are quicker than SciPy's function


def _polynomial(x: ndarray, coefficients: tuple[float, ...]) -> ndarray:
    made = add(multiply(x, coefficients[0]), coefficients[1])
    for one in coefficients[2:]:
        made = add(multiply(made, x), one)
    return made


def _quotient(x: ndarray, both: tuple[tuple[float, ...], tuple[float, ...]]) -> ndarray:
    return divide(_polynomial(x, both[0]), _polynomial(x, both[1]))


def _quantile(q: ndarray, tail: ndarray) -> ndarray:
    """Where the normal distribution has the probability q above 1/2; `tail` is that of the smaller side.

    Negative tails give NaN.
    """
    dtype = q.dtype
    central = minimum(absolute(q), 0.425)
    near = multiply(q, _quotient(0.180625 - multiply(central, central), _CENTRE))
    root = sqrt(-log(tail))
    # each within the range of its polynomials: others overflow
    beyond = select_where(
        less_equal(root, 5.0), _quotient(minimum(root, 5.0) - 1.6, _TAIL),
        _quotient(minimum(maximum(root, 5.0), 40.0) - 5.0, _FAR), dtype,
    )
    beyond = select_where(equal(tail, 0.0), np.inf, beyond, dtype)
    made = select_where(less_equal(absolute(q), 0.425), near, copysign(beyond, q), dtype)
    return select_where(greater(absolute(q), 0.5), np.nan, made, dtype)


@elementwise(_theirs.erf)
def erf(x: ndarray) -> ndarray:
    return row("erf", x)


@elementwise(_theirs.erfc)
def erfc(x: ndarray) -> ndarray:
    return row("erfc", x)


@elementwise(_theirs.ndtr, wide=True)
def ndtr(x: ndarray) -> ndarray:
    return multiply(row("erfc", multiply(x, -math.sqrt(0.5))), 0.5)


@elementwise(_theirs.ndtri, wide=True, least=_MANY)
def ndtri(y: ndarray) -> ndarray:
    return _quantile(subtract(y, 0.5), minimum(y, subtract(1.0, y)))


@elementwise(_theirs.erfinv, wide=True, least=_MANY)
def erfinv(y: ndarray) -> ndarray:
    return multiply(_quantile(multiply(y, 0.5), multiply(subtract(1.0, absolute(y)), 0.5)), math.sqrt(0.5))


@elementwise(_theirs.erfcinv, wide=True, least=_MANY)
def erfcinv(y: ndarray) -> ndarray:
    tail = multiply(minimum(y, subtract(2.0, y)), 0.5)
    return multiply(_quantile(multiply(subtract(1.0, y), 0.5), tail), math.sqrt(0.5))
