"""Functions whose results leave the real numbers where they must: sqrt(-1) is 1j."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray as _asarray
from asnumpy.ufunc import functions as _functions

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]

# As NumPy chooses: these become complex64, the rest, float16 among it, complex128.
_SMALL = frozenset(np.dtype(kind) for kind in "fbBhHF")


def _complex(a: ndarray) -> ndarray:
    return _core.cast(a, np.dtype(np.complex64 if a.dtype in _SMALL else np.complex128))


def _any(mask: Any) -> bool:
    return bool(mask.any())


def _from_negative(x: Any) -> ndarray:
    """Complex if there is a negative number: this reads the values, which ends the deferral."""
    a = _asarray(x)
    if a.dtype.kind in "buc":
        return a
    return _complex(a) if _any(_functions.less(a, 0)) else a


def _from_beyond_one(x: Any) -> ndarray:
    a = _asarray(x)
    if a.dtype.kind in "bc":
        return a
    return _complex(a) if _any(_functions.greater(_functions.absolute(a), 1)) else a


def sqrt(x: Any) -> ndarray:
    return _functions.sqrt(_from_negative(x))


def log(x: Any) -> ndarray:
    return _functions.log(_from_negative(x))


def log10(x: Any) -> ndarray:
    return _functions.log10(_from_negative(x))


def log2(x: Any) -> ndarray:
    return _functions.log2(_from_negative(x))


def logn(n: Any, x: Any) -> ndarray:
    return _functions.divide(_functions.log(_from_negative(x)), _functions.log(_from_negative(n)))


def power(x: Any, p: Any) -> ndarray:
    base, exponent = _from_negative(x), _asarray(p)
    if exponent.dtype.kind == "i" and _any(_functions.less(exponent, 0)):
        exponent = _functions.multiply(exponent, 1.0)  # integers have no negative powers, their floats have
    return _functions.power(base, exponent)


def arccos(x: Any) -> ndarray:
    return _functions.arccos(_from_beyond_one(x))


def arcsin(x: Any) -> ndarray:
    return _functions.arcsin(_from_beyond_one(x))


def arctanh(x: Any) -> ndarray:
    return _functions.arctanh(_from_beyond_one(x))


for _name in __all__:
    globals()[_name].__doc__ = getattr(np.lib.scimath, _name).__doc__
