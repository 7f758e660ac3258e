"""Hermite series, the probabilists'."""

from __future__ import annotations

from typing import Any

import numpy.polynomial.hermite_e as _numpy

from asnumpy.creation.convert import asarray
from asnumpy.polynomial._series import Series, functions_of
from asnumpy.ufunc.functions import exp

__all__ = list(_numpy.__all__)


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


def hermeweight(x: Any) -> Any:
    x = asarray(x)
    return exp(-0.5 * x**2)


globals().update(functions_of(_numpy, "herme", _clenshaw, _fill, __name__, hermeweight))


class HermiteE(Series, functions=globals(), prefix="herme"):
    __doc__ = _numpy.HermiteE.__doc__
    _original = _numpy.HermiteE
