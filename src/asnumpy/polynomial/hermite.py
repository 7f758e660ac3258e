"""Hermite series, the physicists'."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.hermite as _numpy

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
hermval hermval2d hermval3d hermgrid2d hermgrid3d hermvander hermvander2d hermvander3d
hermweight
""".split()
globals().update(constants_of(_numpy))
globals().update(through_door(_numpy, names_of(_numpy, _COMPOSED), __name__))


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


def hermval(x: Any, c: Any, tensor: bool = True) -> Any:
    return evaluated(_clenshaw, _numpy.hermval, x, c, tensor)


def hermval2d(x: Any, y: Any, c: Any) -> Any:
    return at_points(hermval, _numpy.hermval2d, c, x, y)


def hermval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return at_points(hermval, _numpy.hermval3d, c, x, y, z)


def hermgrid2d(x: Any, y: Any, c: Any) -> Any:
    return on_grid(hermval, _numpy.hermgrid2d, c, x, y)


def hermgrid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return on_grid(hermval, _numpy.hermgrid3d, c, x, y, z)


def hermvander(x: Any, deg: Any) -> ndarray:
    return vandermonde(x, deg, _fill)


def hermvander2d(x: Any, y: Any, deg: Any) -> ndarray:
    return vandermonde_product(hermvander, (x, y), deg)


def hermvander3d(x: Any, y: Any, z: Any, deg: Any) -> ndarray:
    return vandermonde_product(hermvander, (x, y, z), deg)


def hermweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-(x**2))


for _name in _COMPOSED:
    globals()[_name].__doc__ = getattr(_numpy, _name).__doc__


class Hermite(Series, functions=globals(), prefix="herm"):
    __doc__ = _numpy.Hermite.__doc__
    _original = _numpy.Hermite
