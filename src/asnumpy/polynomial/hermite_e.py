"""Hermite series, the probabilists'."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.hermite_e as _numpy

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
hermeval hermeval2d hermeval3d hermegrid2d hermegrid3d hermevander hermevander2d hermevander3d
hermeweight
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
        first, second = c[-i] - second * (n - 1), first + second * x
    return first + second * x


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * x - values[i - 2] * (i - 1)


def hermeval(x: Any, c: Any, tensor: bool = True) -> Any:
    return evaluated(_clenshaw, _numpy.hermeval, x, c, tensor)


def hermeval2d(x: Any, y: Any, c: Any) -> Any:
    return at_points(hermeval, _numpy.hermeval2d, c, x, y)


def hermeval3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return at_points(hermeval, _numpy.hermeval3d, c, x, y, z)


def hermegrid2d(x: Any, y: Any, c: Any) -> Any:
    return on_grid(hermeval, _numpy.hermegrid2d, c, x, y)


def hermegrid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
    return on_grid(hermeval, _numpy.hermegrid3d, c, x, y, z)


def hermevander(x: Any, deg: Any) -> ndarray:
    return vandermonde(x, deg, _fill)


def hermevander2d(x: Any, y: Any, deg: Any) -> ndarray:
    return vandermonde_product(hermevander, (x, y), deg)


def hermevander3d(x: Any, y: Any, z: Any, deg: Any) -> ndarray:
    return vandermonde_product(hermevander, (x, y, z), deg)


def hermeweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-0.5 * x**2)


for _name in _COMPOSED:
    globals()[_name].__doc__ = getattr(_numpy, _name).__doc__


class HermiteE(Series, functions=globals(), prefix="herme"):
    __doc__ = _numpy.HermiteE.__doc__
    _original = _numpy.HermiteE
