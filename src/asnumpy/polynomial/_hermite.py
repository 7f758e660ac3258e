"""Hermite series, the physicists'."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.hermite as _numpy

from asnumpy._public import public_in
from asnumpy.creation.convert import asarray
from asnumpy.host.whole import door
from asnumpy.polynomial._series import Series, composed
from asnumpy.ufunc.functions import exp

_MODULE = "asnumpy.polynomial.hermite"


def _clenshaw(x: Any, c: list[Any]) -> Any:
    double = x * 2
    if len(c) == 1:
        first, second = c[0], 0
    else:
        first, second = c[-2], c[-1]
    n = len(c)
    for i in range(3, len(c) + 1):
        n -= 1
        first, second = c[-i] - second * (2 * (n - 1)), first + second * double
    return first + second * double


def _fill(values: Any, x: Any, degree: int) -> None:
    double = x * 2
    values[1] = double
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * double - values[i - 2] * (2 * (i - 1))


@public_in(_numpy)
def hermweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-(x**2))


(
    hermval, hermval2d, hermval3d, hermgrid2d, hermgrid3d, hermvander, hermvander2d, hermvander3d,
) = composed(_numpy, "herm", _clenshaw, _fill, _MODULE)

hermzero = asarray(_numpy.hermzero)
hermone = asarray(_numpy.hermone)
hermx = asarray(_numpy.hermx)
hermdomain = asarray(_numpy.hermdomain)

hermline = door(_numpy.hermline, _MODULE)
hermadd = door(_numpy.hermadd, _MODULE)
hermsub = door(_numpy.hermsub, _MODULE)
hermmulx = door(_numpy.hermmulx, _MODULE)
hermmul = door(_numpy.hermmul, _MODULE)
hermdiv = door(_numpy.hermdiv, _MODULE)
hermpow = door(_numpy.hermpow, _MODULE)
hermder = door(_numpy.hermder, _MODULE)
hermint = door(_numpy.hermint, _MODULE)
herm2poly = door(_numpy.herm2poly, _MODULE)
poly2herm = door(_numpy.poly2herm, _MODULE)
hermfromroots = door(_numpy.hermfromroots, _MODULE)
hermfit = door(_numpy.hermfit, _MODULE)
hermtrim = door(_numpy.hermtrim, _MODULE)
hermroots = door(_numpy.hermroots, _MODULE)
hermcompanion = door(_numpy.hermcompanion, _MODULE)
hermgauss = door(_numpy.hermgauss, _MODULE)


@public_in(_numpy)
class Hermite(Series):
    _original = _numpy.Hermite
    _add = staticmethod(hermadd)
    _sub = staticmethod(hermsub)
    _mul = staticmethod(hermmul)
    _div = staticmethod(hermdiv)
    _pow = staticmethod(hermpow)
    _val = staticmethod(hermval)
    _int = staticmethod(hermint)
    _der = staticmethod(hermder)
    _fit = staticmethod(hermfit)
    _line = staticmethod(hermline)
    _roots = staticmethod(hermroots)
    _fromroots = staticmethod(hermfromroots)
    domain, window = hermdomain.copy(), hermdomain.copy()
    basis_name = _numpy.Hermite.basis_name

