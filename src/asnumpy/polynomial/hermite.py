"""Hermite series, the physicists'."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.hermite as _numpy

from asnumpy.creation.convert import asarray
from asnumpy.polynomial._series import Series, functions_of
from asnumpy.ufunc.functions import exp

__all__ = list(_numpy.__all__)


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


def hermweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-(x**2))


globals().update(functions_of(_numpy, "herm", _clenshaw, _fill, __name__, hermweight))


class Hermite(Series, functions=globals(), prefix="herm"):
    __doc__ = _numpy.Hermite.__doc__
    _original = _numpy.Hermite
