"""Power series: sums of powers of x."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.polynomial as _numpy

from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import host
from asnumpy.polynomial._series import Series, functions_of, plain

__all__ = list(_numpy.__all__)


def _horner(x: Any, c: list[Any]) -> Any:
    value = c[-1] + x * 0
    for one in reversed(c[:-1]):
        value = one + value * x
    return value


def _fill(values: Any, x: Any, degree: int) -> None:
    values[1] = x
    for i in range(2, degree + 1):
        values[i] = values[i - 1] * x


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


globals().update(functions_of(_numpy, "poly", _horner, _fill, __name__, polyvalfromroots))


class Polynomial(Series, functions=globals(), prefix="poly"):
    __doc__ = _numpy.Polynomial.__doc__
    _original = _numpy.Polynomial
