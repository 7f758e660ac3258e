"""Numbers: 0-d arrays that act as numbers, where NumPy gives a scalar; one class for each kind of dtype."""

from __future__ import annotations

import functools
import importlib
import math
import numbers
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import EXACT
from asnumpy.array.ndarray import ndarray


def _restored(value: np.generic) -> Any:
    return _core.number(value)


def _plain(number: Any) -> Any:
    """The value as a number that has Python's methods: NumPy's scalar, Python's for a dtype that others define."""
    scalar = number._numpy_scalar()
    return scalar if isinstance(scalar, (np.number, np.bool)) else number.item()


def _ours(value: Any) -> Any:
    return _core.number(value) if isinstance(value, np.generic) else value


@_core.number_class
class Number(ndarray):
    """A number in an array's place: what a full reduction, a full index, or a function of numbers gives.

    It is a 0-d array whose value is computed when it is needed, and does what NumPy's scalars do: no operator changes
    it, it has a hash, rounds, formats and converts as a number. `Number(value)` makes one of the dtype that NumPy gives
    the value.
    """

    __slots__ = ()

    # A number is no sequence, although arrays are.
    __iter__ = None  # type: ignore[assignment]
    __len__ = None  # type: ignore[assignment]
    __contains__ = None  # type: ignore[assignment]
    mT = None  # type: ignore[assignment]
    dot = None  # type: ignore[assignment]

    __array_priority__ = -1000000.0

    def __array__(self, dtype: Any = None, /, *, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested: a number shares no memory")
        return np.array(self._numpy_scalar(), dtype=dtype)

    def __repr__(self) -> str:
        return repr(self._numpy_scalar())

    def __str__(self) -> str:
        return str(self._numpy_scalar())

    def __format__(self, spec: str, /) -> str:
        return format(self._numpy_scalar(), spec)

    def __reduce__(self) -> Any:
        return _restored, (self._numpy_scalar(),)

    def __reduce_ex__(self, protocol: Any, /) -> Any:
        return _restored, (self._numpy_scalar(),)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self)

    def _sympy_(self) -> Any:
        """What sympy.sympify() takes: without it, it would see an array."""
        return importlib.import_module("sympy").sympify(self._numpy_scalar())

    def _mpmath_(self, precision: Any, rounding: Any) -> Any:
        """What mpmath takes, and sympy's numbers with it."""
        return importlib.import_module("mpmath").mpmathify(self.item())

    def byteswap(self, inplace: bool = False) -> Any:
        """The number whose bytes are in the opposite order."""
        return _ours(self._numpy_scalar().byteswap(inplace))  # type: ignore[arg-type]

    def getfield(self, dtype: Any, offset: int = 0) -> Any:
        """The number of another dtype that some of the bytes are."""
        return _ours(self._numpy_scalar().getfield(dtype, offset))

    def fill(self, value: Any) -> None:
        """NumPy's scalars take it and stay as they are."""

    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """NumPy's scalars take it and stay as they are."""

    def setflags(self, /, *, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """NumPy's scalars take it and stay as they are."""


def _round(self: Any, ndigits: Any = None) -> Any:
    return _ours(_plain(self).__round__(ndigits))


def _trunc(self: Any) -> int:
    whole: int = math.trunc(self.item())
    return whole


def _floor(self: Any) -> int:
    whole: int = math.floor(self.item())
    return whole


def _ceil(self: Any) -> int:
    whole: int = math.ceil(self.item())
    return whole


def _is_integer(self: Any) -> bool:
    """Whether the value is a whole number."""
    return bool(_plain(self).is_integer())


def _kind(kind: str) -> Any:
    return functools.partial(_core.number_class, kind=kind)


@_kind("boolean")
class BoolNumber(Number):
    """A Number of dtype bool."""

    __slots__ = ()


@_kind("integer")
class IntegerNumber(Number):
    """A Number of an integer dtype: a numbers.Integral, which may be an index, a length or a count."""

    __slots__ = ()

    __round__, __trunc__, __floor__, __ceil__ = _round, _trunc, _floor, _ceil
    is_integer = _is_integer

    @property
    def numerator(self) -> Any:
        """The number itself."""
        return self

    @property
    def denominator(self) -> int:
        """1."""
        return 1

    def bit_count(self) -> int:
        """How many bits of the absolute value are 1."""
        return int(self.item()).bit_count()


@_kind("floating")
class FloatNumber(Number):
    """A Number of a real floating dtype: a numbers.Real."""

    __slots__ = ()

    __round__, __trunc__, __floor__, __ceil__ = _round, _trunc, _floor, _ceil
    is_integer = _is_integer

    def as_integer_ratio(self) -> tuple[int, int]:
        """The pair of integers whose quotient is the value."""
        numerator, denominator = _plain(self).as_integer_ratio()
        return numerator, denominator

    def hex(self) -> str:
        """The value in hexadecimal, as float.hex."""
        return float(self).hex()


@_kind("complex")
class ComplexNumber(Number):
    """A Number of a complex dtype: a numbers.Complex."""

    __slots__ = ()


EXACT.update((BoolNumber, IntegerNumber, FloatNumber, ComplexNumber))
numbers.Integral.register(IntegerNumber)
numbers.Real.register(FloatNumber)
numbers.Complex.register(ComplexNumber)
