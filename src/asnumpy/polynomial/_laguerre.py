"""Laguerre series."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.laguerre as _numpy

from asnumpy._public import public_in
from asnumpy.creation.convert import asarray
from asnumpy.host.whole import door
from asnumpy.polynomial._series import Series, composed
from asnumpy.ufunc.functions import exp

_MODULE = "asnumpy.polynomial.laguerre"


def _clenshaw(x: Any, c: list[Any]) -> Any:
    if len(c) == 1:
        first, second = c[0], 0
    else:
        first, second = c[-2], c[-1]
    n = len(c)
    for i in range(3, len(c) + 1):
        n -= 1
        first, second = c[-i] - second * (n - 1) / n, first + second * (2 * n - 1 - x) / n
    return first + second * (1 - x)


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = 1 - x
    for i in range(2, degree + 1):
        values[i] = (values[i - 1] * (2 * i - 1 - x) - values[i - 2] * (i - 1)) / i


@public_in(_numpy)
def lagweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-x)


(
    lagval, lagval2d, lagval3d, laggrid2d, laggrid3d, lagvander, lagvander2d, lagvander3d,
) = composed(_numpy, "lag", _clenshaw, _fill, _MODULE)

lagzero = asarray(_numpy.lagzero)
lagone = asarray(_numpy.lagone)
lagx = asarray(_numpy.lagx)
lagdomain = asarray(_numpy.lagdomain)

lagline = door(_numpy.lagline, _MODULE)
lagadd = door(_numpy.lagadd, _MODULE)
lagsub = door(_numpy.lagsub, _MODULE)
lagmulx = door(_numpy.lagmulx, _MODULE)
lagmul = door(_numpy.lagmul, _MODULE)
lagdiv = door(_numpy.lagdiv, _MODULE)
lagpow = door(_numpy.lagpow, _MODULE)
lagder = door(_numpy.lagder, _MODULE)
lagint = door(_numpy.lagint, _MODULE)
lag2poly = door(_numpy.lag2poly, _MODULE)
poly2lag = door(_numpy.poly2lag, _MODULE)
lagfromroots = door(_numpy.lagfromroots, _MODULE)
lagfit = door(_numpy.lagfit, _MODULE)
lagtrim = door(_numpy.lagtrim, _MODULE)
lagroots = door(_numpy.lagroots, _MODULE)
lagcompanion = door(_numpy.lagcompanion, _MODULE)
laggauss = door(_numpy.laggauss, _MODULE)


@public_in(_numpy)
class Laguerre(Series):
    _original = _numpy.Laguerre
    _add = staticmethod(lagadd)
    _sub = staticmethod(lagsub)
    _mul = staticmethod(lagmul)
    _div = staticmethod(lagdiv)
    _pow = staticmethod(lagpow)
    _val = staticmethod(lagval)
    _int = staticmethod(lagint)
    _der = staticmethod(lagder)
    _fit = staticmethod(lagfit)
    _line = staticmethod(lagline)
    _roots = staticmethod(lagroots)
    _fromroots = staticmethod(lagfromroots)
    domain, window = lagdomain.copy(), lagdomain.copy()
    basis_name = _numpy.Laguerre.basis_name

