"""Distributions of scipy.stats whose density, probability and quantile are compositions of array operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.stats as _theirs

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.numpys import derived
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._host import Distribution, on_host
from asnumpy.scipy.special._exponential import expit, logit
from asnumpy.scipy.special._normal import ndtr, ndtri
from asnumpy.ufunc.functions import (
    absolute,
    add,
    arctan2,
    divide,
    exp,
    expm1,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    log1p,
    multiply,
    negative,
    square,
    subtract,
)

_FLOAT64 = np.dtype(np.float64)
_LOG_ROOT = 0.5 * math.log(2 * math.pi)

Function = Callable[[ndarray], ndarray]


@dataclass(frozen=True)
class _Standard:
    """A distribution with location 0 and scale 1: where it lives, and its functions."""

    low: float
    high: float
    pdf: Function | None = None
    logpdf: Function | None = None
    cdf: Function | None = None
    sf: Function | None = None
    ppf: Function | None = None
    isf: Function | None = None


def _half(y: ndarray) -> ndarray:
    """The probability below y of Laplace's distribution."""
    smaller = multiply(exp(negative(absolute(y))), 0.5)
    return select_where(greater(y, 0.0), subtract(1.0, smaller), smaller, y.dtype)


def _laplace_quantile(q: ndarray) -> ndarray:
    return select_where(greater(q, 0.5), negative(log(multiply(subtract(1.0, q), 2.0))), log(multiply(q, 2.0)), q.dtype)


def _logistic(y: ndarray) -> ndarray:
    away = negative(absolute(y))
    return subtract(away, multiply(log1p(exp(away)), 2.0))


_STANDARD = {
    "norm": _Standard(
        -math.inf, math.inf,
        pdf=lambda y: divide(exp(divide(square(y), -2.0)), math.sqrt(2 * math.pi)),
        logpdf=lambda y: subtract(divide(square(y), -2.0), _LOG_ROOT),
        cdf=ndtr, sf=lambda y: ndtr(negative(y)), ppf=ndtri, isf=lambda q: negative(ndtri(q)),
    ),
    "uniform": _Standard(
        0.0, 1.0,
        pdf=lambda y: select_where(greater_equal(y, 0.0), 1.0, y, y.dtype),
        logpdf=lambda y: select_where(greater_equal(y, 0.0), 0.0, y, y.dtype),
        cdf=lambda y: y, sf=lambda y: subtract(1.0, y), ppf=lambda q: q, isf=lambda q: subtract(1.0, q),
    ),
    "expon": _Standard(
        0.0, math.inf,
        pdf=lambda y: exp(negative(y)), logpdf=negative, cdf=lambda y: negative(expm1(negative(y))),
        sf=lambda y: exp(negative(y)), ppf=lambda q: negative(log1p(negative(q))), isf=lambda q: negative(log(q)),
    ),
    "logistic": _Standard(
        -math.inf, math.inf,
        pdf=lambda y: exp(_logistic(y)), logpdf=_logistic, cdf=expit, sf=lambda y: expit(negative(y)), ppf=logit,
        isf=lambda q: negative(logit(q)),
    ),
    "laplace": _Standard(
        -math.inf, math.inf,
        pdf=lambda y: multiply(exp(negative(absolute(y))), 0.5),
        logpdf=lambda y: subtract(negative(absolute(y)), math.log(2.0)),
        cdf=_half, sf=lambda y: _half(negative(y)), ppf=_laplace_quantile,
        isf=lambda q: negative(_laplace_quantile(q)),
    ),
    "cauchy": _Standard(
        -math.inf, math.inf,
        pdf=lambda y: divide(1.0 / math.pi, add(square(y), 1.0)),
        cdf=lambda y: divide(arctan2(1.0, negative(y)), math.pi), sf=lambda y: divide(arctan2(1.0, y), math.pi),
    ),
}


def _between(y: ndarray, made: ndarray, at: _Standard, below: float, above: float) -> ndarray:
    """`made` inside of the support, NaN where y is."""
    if at.low > -math.inf:
        made = select_where(less(y, at.low), below, made, _FLOAT64)
    if at.high < math.inf:
        made = select_where(greater(y, at.high), above, made, _FLOAT64)
    return made


def _of_place(at: _Standard, method: str, x: ndarray, loc: Any, scale: Any) -> ndarray:
    y = divide(subtract(x, loc), scale)
    made = getattr(at, method)(y)
    if method == "pdf":
        return divide(_between(y, made, at, 0.0, 0.0), scale)
    if method == "logpdf":
        return subtract(_between(y, made, at, -math.inf, -math.inf), log(scale))
    return _between(y, made, at, 0.0, 1.0) if method == "cdf" else _between(y, made, at, 1.0, 0.0)


def _of_probability(at: _Standard, method: str, q: ndarray, loc: Any, scale: Any) -> ndarray:
    made = add(multiply(getattr(at, method)(q), scale), loc)
    low, high = ((add(multiply(scale, bound), loc)) for bound in (at.low, at.high))
    least, most = (low, high) if method == "ppf" else (high, low)
    made = select_where(less_equal(q, 0.0), least, made, _FLOAT64)
    made = select_where(greater_equal(q, 1.0), most, made, _FLOAT64)
    return select_where(less(q, 0.0) | greater(q, 1.0), math.nan, made, _FLOAT64)


def _parameter(value: Any) -> Any:
    """A number, or an array of float64; None where SciPy's function is to see it."""
    if type(value) in (int, float):
        return float(value)
    if derived(value):
        return None
    a = asarray(value)
    if a.dtype.kind not in "biuf" or a.dtype.itemsize > 8:
        return None
    return a if a.dtype == _FLOAT64 else _core.cast(a, _FLOAT64)


def _method(distribution: str, method: str) -> Any:
    at = _STANDARD[distribution]
    theirs = getattr(getattr(_theirs, distribution), method)
    whole = on_host(theirs, f"scipy.stats.{distribution}.{method}")
    work = _of_probability if method in ("ppf", "isf") else _of_place

    def call(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        given = [_parameter(value) for value in (x, loc, scale)]
        plain = all(one is not None for one in given) and isinstance(given[0], ndarray)
        if not plain or (isinstance(given[2], float) and not given[2] > 0):
            return whole(x, loc, scale)
        if isinstance(given[2], float):
            made = work(at, method, *given)
        else:
            valid = greater(given[2], 0.0)
            made = select_where(valid, work(at, method, *given), math.nan, _FLOAT64)
        return _core.returned(made) if made.ndim == 0 else made

    call.__name__ = call.__qualname__ = method
    call.__module__, call.__doc__ = f"asnumpy.scipy.stats.{distribution}", theirs.__doc__
    return beside(call, theirs)


def _distribution(name: str) -> Distribution:
    methods = [method for method in ("pdf", "logpdf", "cdf", "sf", "ppf", "isf") if getattr(_STANDARD[name], method)]
    return Distribution(getattr(_theirs, name), f"scipy.stats.{name}", {one: _method(name, one) for one in methods})


cauchy = _distribution("cauchy")
expon = _distribution("expon")
laplace = _distribution("laplace")
logistic = _distribution("logistic")
norm = _distribution("norm")
uniform = _distribution("uniform")
