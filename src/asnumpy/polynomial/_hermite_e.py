"""Hermite series, the probabilists'."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.hermite_e as _numpy

from asnumpy._public import public_in
from asnumpy.creation.convert import asarray
from asnumpy.host.whole import door
from asnumpy.polynomial._series import Series, composed
from asnumpy.ufunc.functions import exp

_MODULE = "asnumpy.polynomial.hermite_e"


def _clenshaw(x: Any, c: list[Any]) -> Any:
    if len(c) == 1:
        first, second = c[0], 0
    else:
        first, second = c[-2], c[-1]
    n = len(c)
    for i in range(3, len(c) + 1):
        n -= 1
        first, second = c[-i] - second * (n - 1), first + second * x
    return first + second * x


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * x - values[i - 2] * (i - 1)


@public_in(_numpy)
def hermeweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-0.5 * x**2)


(
    hermeval, hermeval2d, hermeval3d, hermegrid2d, hermegrid3d, hermevander, hermevander2d, hermevander3d,
) = composed(_numpy, "herme", _clenshaw, _fill, _MODULE)

hermezero = asarray(_numpy.hermezero)
hermeone = asarray(_numpy.hermeone)
hermex = asarray(_numpy.hermex)
hermedomain = asarray(_numpy.hermedomain)

hermeline = door(_numpy.hermeline, _MODULE)
hermeadd = door(_numpy.hermeadd, _MODULE)
hermesub = door(_numpy.hermesub, _MODULE)
hermemulx = door(_numpy.hermemulx, _MODULE)
hermemul = door(_numpy.hermemul, _MODULE)
hermediv = door(_numpy.hermediv, _MODULE)
hermepow = door(_numpy.hermepow, _MODULE)
hermeder = door(_numpy.hermeder, _MODULE)
hermeint = door(_numpy.hermeint, _MODULE)
herme2poly = door(_numpy.herme2poly, _MODULE)
poly2herme = door(_numpy.poly2herme, _MODULE)
hermefromroots = door(_numpy.hermefromroots, _MODULE)
hermefit = door(_numpy.hermefit, _MODULE)
hermetrim = door(_numpy.hermetrim, _MODULE)
hermeroots = door(_numpy.hermeroots, _MODULE)
hermecompanion = door(_numpy.hermecompanion, _MODULE)
hermegauss = door(_numpy.hermegauss, _MODULE)


@public_in(_numpy)
class HermiteE(Series):
    _original = _numpy.HermiteE
    _add = staticmethod(hermeadd)
    _sub = staticmethod(hermesub)
    _mul = staticmethod(hermemul)
    _div = staticmethod(hermediv)
    _pow = staticmethod(hermepow)
    _val = staticmethod(hermeval)
    _int = staticmethod(hermeint)
    _der = staticmethod(hermeder)
    _fit = staticmethod(hermefit)
    _line = staticmethod(hermeline)
    _roots = staticmethod(hermeroots)
    _fromroots = staticmethod(hermefromroots)
    domain, window = hermedomain.copy(), hermedomain.copy()
    basis_name = _numpy.HermiteE.basis_name

