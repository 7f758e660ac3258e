"""Chebyshev series of the first kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.chebyshev as _numpy

from asnumpy._public import public_in
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.whole import door
from asnumpy.polynomial._polyutils import mapparms
from asnumpy.polynomial._series import Series, composed, vandermonde
from asnumpy.ufunc.functions import matmul, sqrt

_MODULE = "asnumpy.polynomial.chebyshev"


def _clenshaw(x: Any, c: list[Any]) -> Any:
    double = 2 * x
    if len(c) == 1:
        first, second = c[0], 0
    else:
        first, second = c[-2], c[-1]
    for i in range(3, len(c) + 1):
        first, second = c[-i] - second, first + second * double
    return first + second * x


def _fill(values: Any, x: Any, degree: int) -> None:
    double = 2 * x
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * double - values[i - 2]


@public_in(_numpy)
def chebweight(x: Any) -> Any:
    x = asarray(x)
    return 1.0 / (sqrt(1.0 + x) * sqrt(1.0 - x))


@public_in(_numpy)
def chebinterpolate(func: Any, deg: Any, args: Any = ()) -> ndarray:
    degree = np.asarray(deg)
    if degree.ndim > 0 or degree.dtype.kind not in "iu" or degree.size == 0:
        raise TypeError("deg must be an int")
    if degree < 0:
        raise ValueError("expected deg >= 0")
    order = int(degree) + 1
    points = chebpts1(order)
    c = matmul(vandermonde(points, order - 1, _fill).T, asarray(func(points, *args)))
    c[0] /= order
    c[1:] /= 0.5 * order
    return c


(
    chebval, chebval2d, chebval3d, chebgrid2d, chebgrid3d, chebvander, chebvander2d, chebvander3d,
) = composed(_numpy, "cheb", _clenshaw, _fill, _MODULE)

chebzero = asarray(_numpy.chebzero)
chebone = asarray(_numpy.chebone)
chebx = asarray(_numpy.chebx)
chebdomain = asarray(_numpy.chebdomain)

chebline = door(_numpy.chebline, _MODULE)
chebadd = door(_numpy.chebadd, _MODULE)
chebsub = door(_numpy.chebsub, _MODULE)
chebmulx = door(_numpy.chebmulx, _MODULE)
chebmul = door(_numpy.chebmul, _MODULE)
chebdiv = door(_numpy.chebdiv, _MODULE)
chebpow = door(_numpy.chebpow, _MODULE)
chebder = door(_numpy.chebder, _MODULE)
chebint = door(_numpy.chebint, _MODULE)
cheb2poly = door(_numpy.cheb2poly, _MODULE)
poly2cheb = door(_numpy.poly2cheb, _MODULE)
chebfromroots = door(_numpy.chebfromroots, _MODULE)
chebfit = door(_numpy.chebfit, _MODULE)
chebtrim = door(_numpy.chebtrim, _MODULE)
chebroots = door(_numpy.chebroots, _MODULE)
chebpts1 = door(_numpy.chebpts1, _MODULE)
chebpts2 = door(_numpy.chebpts2, _MODULE)
chebcompanion = door(_numpy.chebcompanion, _MODULE)
chebgauss = door(_numpy.chebgauss, _MODULE)


@public_in(_numpy)
class Chebyshev(Series):
    _original = _numpy.Chebyshev
    _add = staticmethod(chebadd)
    _sub = staticmethod(chebsub)
    _mul = staticmethod(chebmul)
    _div = staticmethod(chebdiv)
    _pow = staticmethod(chebpow)
    _val = staticmethod(chebval)
    _int = staticmethod(chebint)
    _der = staticmethod(chebder)
    _fit = staticmethod(chebfit)
    _line = staticmethod(chebline)
    _roots = staticmethod(chebroots)
    _fromroots = staticmethod(chebfromroots)
    domain, window = chebdomain.copy(), chebdomain.copy()
    basis_name = _numpy.Chebyshev.basis_name

    @classmethod
    def interpolate(cls, func: Any, deg: Any, domain: Any = None, args: Any = ()) -> Chebyshev:
        wanted = cls.domain if domain is None else domain
        offset, scale = mapparms(cls.window, wanted)
        return cls(chebinterpolate(lambda x: func(offset + scale * x, *args), deg), domain=wanted)
