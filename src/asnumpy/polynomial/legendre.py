"""Legendre series."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.legendre as _numpy

from asnumpy._array import ndarray
from asnumpy._convert import asarray
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
legval legval2d legval3d leggrid2d leggrid3d legvander legvander2d legvander3d
legweight
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
        first, second = c[-i] - second * ((n - 1) / n), first + second * x * ((2 * n - 1) / n)
    return first + second * x


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = (values[i - 1] * x * (2 * i - 1) - values[i - 2] * (i - 1)) / i


def legval(x: Any, c: Any, tensor: bool = True) -> Any:
    return evaluated(_clenshaw, _numpy.legval, x, c, tensor)


def legval2d(x: Any, y: Any, c: Any) -> Any:
    return at_points(legval, _numpy.legval2d, c, x, y)


def legval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return at_points(legval, _numpy.legval3d, c, x, y, z)


def leggrid2d(x: Any, y: Any, c: Any) -> Any:
    return on_grid(legval, _numpy.leggrid2d, c, x, y)


def leggrid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return on_grid(legval, _numpy.leggrid3d, c, x, y, z)


def legvander(x: Any, deg: Any) -> ndarray:
    return vandermonde(x, deg, _fill)


def legvander2d(x: Any, y: Any, deg: Any) -> ndarray:
    return vandermonde_product(legvander, (x, y), deg)


def legvander3d(x: Any, y: Any, z: Any, deg: Any) -> ndarray:
    return vandermonde_product(legvander, (x, y, z), deg)


def legweight(x: Any) -> Any:
    x = asarray(x)
    return x * 0.0 + 1.0


for _name in _COMPOSED:
    globals()[_name].__doc__ = getattr(_numpy, _name).__doc__


class Legendre(Series, functions=globals(), prefix="leg"):
    __doc__ = _numpy.Legendre.__doc__
    _original = _numpy.Legendre
