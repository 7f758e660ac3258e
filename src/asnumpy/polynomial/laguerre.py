"""Laguerre series."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.laguerre as _numpy

from asnumpy._array import ndarray
from asnumpy._convert import asarray
from asnumpy._ufunc import exp
from asnumpy.polynomial._series import (
    Series,
    at_points,
    constants_of,
    evaluated,
    names_of,
    on_grid,
    through_door,
    vandermonde,
    vandermonde_product,
)

__all__ = list(_numpy.__all__)
_COMPOSED = """
lagval lagval2d lagval3d laggrid2d laggrid3d lagvander lagvander2d lagvander3d
lagweight
""".split()
globals().update(constants_of(_numpy))
globals().update(through_door(_numpy, names_of(_numpy, _COMPOSED), __name__))


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


def lagval(x: Any, c: Any, tensor: bool = True) -> Any:
    return evaluated(_clenshaw, _numpy.lagval, x, c, tensor)


def lagval2d(x: Any, y: Any, c: Any) -> Any:
    return at_points(lagval, _numpy.lagval2d, c, x, y)


def lagval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return at_points(lagval, _numpy.lagval3d, c, x, y, z)


def laggrid2d(x: Any, y: Any, c: Any) -> Any:
    return on_grid(lagval, _numpy.laggrid2d, c, x, y)


def laggrid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return on_grid(lagval, _numpy.laggrid3d, c, x, y, z)


def lagvander(x: Any, deg: Any) -> ndarray:
    return vandermonde(x, deg, _fill)


def lagvander2d(x: Any, y: Any, deg: Any) -> ndarray:
    return vandermonde_product(lagvander, (x, y), deg)


def lagvander3d(x: Any, y: Any, z: Any, deg: Any) -> ndarray:
    return vandermonde_product(lagvander, (x, y, z), deg)


def lagweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-x)


for _name in _COMPOSED:
    globals()[_name].__doc__ = getattr(_numpy, _name).__doc__


class Laguerre(Series, functions=globals(), prefix="lag"):
    __doc__ = _numpy.Laguerre.__doc__
    _original = _numpy.Laguerre
