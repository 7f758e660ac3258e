"""Power series: sums of powers of x."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.polynomial as _numpy

from asnumpy._public import public_in
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import host, numpy_view
from asnumpy.host.whole import door
from asnumpy.polynomial._series import Series, composed

_MODULE = "asnumpy.polynomial.polynomial"


def _horner(x: Any, c: list[Any]) -> Any:
    value = c[-1] + x * 0
    for one in reversed(c[:-1]):
        value = one + value * x
    return value


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * x


@public_in(_numpy)
def polyvalfromroots(x: Any, r: Any, tensor: bool = True) -> Any:
    if isinstance(x, (tuple, list, np.ndarray)):
        x = asarray(x)
    roots = np.array(numpy_view(r), ndmin=1, copy=None)
    if not isinstance(x, ndarray) or not supported(roots.dtype):
        return host(_numpy.polyvalfromroots, x, r, tensor)
    zeros = asarray(roots.astype(np.double) if roots.dtype.kind in "biu" else roots)
    if tensor:
        zeros = zeros.reshape(zeros.shape + (1,) * x.ndim)
    elif x.ndim >= zeros.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - zeros).prod(axis=0)


(
    polyval, polyval2d, polyval3d, polygrid2d, polygrid3d, polyvander, polyvander2d, polyvander3d,
) = composed(_numpy, "poly", _horner, _fill, _MODULE)

polyzero = asarray(_numpy.polyzero)
polyone = asarray(_numpy.polyone)
polyx = asarray(_numpy.polyx)
polydomain = asarray(_numpy.polydomain)

polyline = door(_numpy.polyline, _MODULE)
polyadd = door(_numpy.polyadd, _MODULE)
polysub = door(_numpy.polysub, _MODULE)
polymulx = door(_numpy.polymulx, _MODULE)
polymul = door(_numpy.polymul, _MODULE)
polydiv = door(_numpy.polydiv, _MODULE)
polypow = door(_numpy.polypow, _MODULE)
polyder = door(_numpy.polyder, _MODULE)
polyint = door(_numpy.polyint, _MODULE)
polyfromroots = door(_numpy.polyfromroots, _MODULE)
polyfit = door(_numpy.polyfit, _MODULE)
polytrim = door(_numpy.polytrim, _MODULE)
polyroots = door(_numpy.polyroots, _MODULE)
polycompanion = door(_numpy.polycompanion, _MODULE)


@public_in(_numpy)
class Polynomial(Series):
    _original = _numpy.Polynomial
    _add = staticmethod(polyadd)
    _sub = staticmethod(polysub)
    _mul = staticmethod(polymul)
    _div = staticmethod(polydiv)
    _pow = staticmethod(polypow)
    _val = staticmethod(polyval)
    _int = staticmethod(polyint)
    _der = staticmethod(polyder)
    _fit = staticmethod(polyfit)
    _line = staticmethod(polyline)
    _roots = staticmethod(polyroots)
    _fromroots = staticmethod(polyfromroots)
    domain, window = polydomain.copy(), polydomain.copy()
    basis_name = _numpy.Polynomial.basis_name

