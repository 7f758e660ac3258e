"""Chebyshev series of the first kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.chebyshev as _numpy

from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.polynomial._series import Series, functions_of, vandermonde
from asnumpy.polynomial.polyutils import mapparms
from asnumpy.ufunc.functions import matmul, sqrt

__all__ = list(_numpy.__all__)


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


def chebweight(x: Any) -> Any:
    x = asarray(x)
    return 1.0 / (sqrt(1.0 + x) * sqrt(1.0 - x))


def chebinterpolate(func: Any, deg: Any, args: Any = ()) -> ndarray:
    degree = np.asarray(deg)
    if degree.ndim > 0 or degree.dtype.kind not in "iu" or degree.size == 0:
        raise TypeError("deg must be an int")
    if degree < 0:
        raise ValueError("expected deg >= 0")
    order = int(degree) + 1
    points = globals()["chebpts1"](order)
    c = matmul(vandermonde(points, order - 1, _fill).T, asarray(func(points, *args)))
    c[0] /= order
    c[1:] /= 0.5 * order
    return c


globals().update(functions_of(_numpy, "cheb", _clenshaw, _fill, __name__, chebweight, chebinterpolate))


class Chebyshev(Series, functions=globals(), prefix="cheb"):
    __doc__ = _numpy.Chebyshev.__doc__
    _original = _numpy.Chebyshev

    @classmethod
    def interpolate(cls, func: Any, deg: Any, domain: Any = None, args: Any = ()) -> Chebyshev:
        wanted = cls.domain if domain is None else domain
        offset, scale = mapparms(cls.window, wanted)
        return cls(chebinterpolate(lambda x: func(offset + scale * x, *args), deg), domain=wanted)
