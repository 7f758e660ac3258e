"""Legendre series."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.legendre as _numpy

from asnumpy._public import public_in
from asnumpy.creation.convert import asarray
from asnumpy.host.whole import door
from asnumpy.polynomial._series import Series, composed

_MODULE = "asnumpy.polynomial.legendre"


def _clenshaw(x: Any, c: list[Any]) -> Any:
    if len(c) == 1:
        first, second = c[0], 0
    else:
        first, second = c[-2], c[-1]
    n = len(c)
    for i in range(3, len(c) + 1):
        n -= 1
        first, second = c[-i] - second * ((n - 1) / n), first + second * x * ((2 * n - 1) / n)
    return first + second * x


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = (values[i - 1] * x * (2 * i - 1) - values[i - 2] * (i - 1)) / i


@public_in(_numpy)
def legweight(x: Any) -> Any:
    x = asarray(x)
    return x * 0.0 + 1.0


(
    legval, legval2d, legval3d, leggrid2d, leggrid3d, legvander, legvander2d, legvander3d,
) = composed(_numpy, "leg", _clenshaw, _fill, _MODULE)

legzero = asarray(_numpy.legzero)
legone = asarray(_numpy.legone)
legx = asarray(_numpy.legx)
legdomain = asarray(_numpy.legdomain)

legline = door(_numpy.legline, _MODULE)
legadd = door(_numpy.legadd, _MODULE)
legsub = door(_numpy.legsub, _MODULE)
legmulx = door(_numpy.legmulx, _MODULE)
legmul = door(_numpy.legmul, _MODULE)
legdiv = door(_numpy.legdiv, _MODULE)
legpow = door(_numpy.legpow, _MODULE)
legder = door(_numpy.legder, _MODULE)
legint = door(_numpy.legint, _MODULE)
leg2poly = door(_numpy.leg2poly, _MODULE)
poly2leg = door(_numpy.poly2leg, _MODULE)
legfromroots = door(_numpy.legfromroots, _MODULE)
legfit = door(_numpy.legfit, _MODULE)
legtrim = door(_numpy.legtrim, _MODULE)
legroots = door(_numpy.legroots, _MODULE)
legcompanion = door(_numpy.legcompanion, _MODULE)
leggauss = door(_numpy.leggauss, _MODULE)


@public_in(_numpy)
class Legendre(Series):
    _original = _numpy.Legendre
    _add = staticmethod(legadd)
    _sub = staticmethod(legsub)
    _mul = staticmethod(legmul)
    _div = staticmethod(legdiv)
    _pow = staticmethod(legpow)
    _val = staticmethod(legval)
    _int = staticmethod(legint)
    _der = staticmethod(legder)
    _fit = staticmethod(legfit)
    _line = staticmethod(legline)
    _roots = staticmethod(legroots)
    _fromroots = staticmethod(legfromroots)
    domain, window = legdomain.copy(), legdomain.copy()
    basis_name = _numpy.Legendre.basis_name

