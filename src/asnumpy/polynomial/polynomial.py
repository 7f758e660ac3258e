"""Power series: sums of powers of x."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.polynomial as _numpy

from asnumpy._array import ndarray
from asnumpy._convert import asarray
from asnumpy._dtype import supported
from asnumpy._host import host
from asnumpy.polynomial._series import (
    Series,
    at_points,
    constants_of,
    evaluated,
    names_of,
    on_grid,
    plain,
    through_door,
    vandermonde,
    vandermonde_product,
)

__all__ = list(_numpy.__all__)
_COMPOSED = """
polyval polyval2d polyval3d polygrid2d polygrid3d polyvander polyvander2d polyvander3d
polyvalfromroots
""".split()
globals().update(constants_of(_numpy))
globals().update(through_door(_numpy, names_of(_numpy, _COMPOSED), __name__))


def _horner(x: Any, c: list[Any]) -> Any:
    value = c[-1] + x * 0
    for one in reversed(c[:-1]):
        value = one + value * x
    return value


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * x


def polyval(x: Any, c: Any, tensor: bool = True) -> Any:
    return evaluated(_horner, _numpy.polyval, x, c, tensor)


def polyval2d(x: Any, y: Any, c: Any) -> Any:
    return at_points(polyval, _numpy.polyval2d, c, x, y)


def polyval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return at_points(polyval, _numpy.polyval3d, c, x, y, z)


def polygrid2d(x: Any, y: Any, c: Any) -> Any:
    return on_grid(polyval, _numpy.polygrid2d, c, x, y)


def polygrid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return on_grid(polyval, _numpy.polygrid3d, c, x, y, z)


def polyvander(x: Any, deg: Any) -> ndarray:
    return vandermonde(x, deg, _fill)


def polyvander2d(x: Any, y: Any, deg: Any) -> ndarray:
    return vandermonde_product(polyvander, (x, y), deg)


def polyvander3d(x: Any, y: Any, z: Any, deg: Any) -> ndarray:
    return vandermonde_product(polyvander, (x, y, z), deg)


def polyvalfromroots(x: Any, r: Any, tensor: bool = True) -> Any:
    if isinstance(x, (tuple, list, np.ndarray)):
        x = asarray(x)
    roots = np.array(plain(r), ndmin=1, copy=None)
    if not isinstance(x, ndarray) or not supported(roots.dtype):
        return host(_numpy.polyvalfromroots, x, r, tensor)
    zeros = asarray(roots.astype(np.double) if roots.dtype.kind in "biu" else roots)
    if tensor:
        zeros = zeros.reshape(zeros.shape + (1,) * x.ndim)
    elif x.ndim >= zeros.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - zeros).prod(axis=0)


for _name in _COMPOSED:
    globals()[_name].__doc__ = getattr(_numpy, _name).__doc__


class Polynomial(Series, functions=globals(), prefix="poly"):
    __doc__ = _numpy.Polynomial.__doc__
    _original = _numpy.Polynomial
