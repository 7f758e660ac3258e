"""Functions whose results leave the real numbers where they must: sqrt(-1) is 1j."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.ufunc import functions

# As NumPy chooses: these become complex64, the rest, float16 among it, complex128.
_SMALL = frozenset(np.dtype(kind) for kind in "fbBhHF")


def _complex(a: ndarray) -> ndarray:
    return _core.cast(a, np.dtype(np.complex64 if a.dtype in _SMALL else np.complex128))


def _any(mask: Any) -> bool:
    return bool(mask.any())


def _from_negative(x: Any) -> ndarray:
    """Complex if there is a negative number: this reads the values, which ends the deferral."""
    a = asarray(x)
    if a.dtype.kind in "buc":
        return a
    return _complex(a) if _any(functions.less(a, 0)) else a


def _from_beyond_one(x: Any) -> ndarray:
    a = asarray(x)
    if a.dtype.kind in "bc":
        return a
    return _complex(a) if _any(functions.greater(functions.absolute(a), 1)) else a


@public_in(np.lib.scimath)
def sqrt(x: Any) -> ndarray:
    return functions.sqrt(_from_negative(x))


@public_in(np.lib.scimath)
def log(x: Any) -> ndarray:
    return functions.log(_from_negative(x))


@public_in(np.lib.scimath)
def log10(x: Any) -> ndarray:
    return functions.log10(_from_negative(x))


@public_in(np.lib.scimath)
def log2(x: Any) -> ndarray:
    return functions.log2(_from_negative(x))


@public_in(np.lib.scimath)
def logn(n: Any, x: Any) -> ndarray:
    return functions.divide(functions.log(_from_negative(x)), functions.log(_from_negative(n)))


@public_in(np.lib.scimath)
def power(x: Any, p: Any) -> ndarray:
    base, exponent = _from_negative(x), asarray(p)
    if exponent.dtype.kind == "i" and _any(functions.less(exponent, 0)):
        exponent = functions.multiply(exponent, 1.0)  # integers have no negative powers, their floats have
    return functions.power(base, exponent)


@public_in(np.lib.scimath)
def arccos(x: Any) -> ndarray:
    return functions.arccos(_from_beyond_one(x))


@public_in(np.lib.scimath)
def arcsin(x: Any) -> ndarray:
    return functions.arcsin(_from_beyond_one(x))


@public_in(np.lib.scimath)
def arctanh(x: Any) -> ndarray:
    return functions.arctanh(_from_beyond_one(x))
