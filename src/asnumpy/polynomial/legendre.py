"""Legendre series."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.legendre as _numpy

from asnumpy.creation.convert import asarray
from asnumpy.polynomial._series import Series, functions_of

__all__ = list(_numpy.__all__)


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


def legweight(x: Any) -> Any:
    x = asarray(x)
    return x * 0.0 + 1.0


globals().update(functions_of(_numpy, "leg", _clenshaw, _fill, __name__, legweight))


class Legendre(Series, functions=globals(), prefix="leg"):
    __doc__ = _numpy.Legendre.__doc__
    _original = _numpy.Legendre
