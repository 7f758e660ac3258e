"""Where the array API standard departs from NumPy: its functions that are not asnumpy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import asnumpy as ap
from asnumpy._types import ndarray


class _FloatInfo:
    """finfo whose limits are Python's floats for every dtype."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self.bits: int = int(given.bits)
        self.eps, self.max, self.min = float(given.eps), float(given.max), float(given.min)
        self.smallest_normal = float(given.smallest_normal)
        self.dtype = given.dtype

    def __getattr__(self, name: str) -> Any:
        return getattr(self._given, name)

    def __repr__(self) -> str:
        return repr(self._given)


def finfo(type: Any, /) -> Any:
    """The limits of a floating-point dtype; eps, max, min and smallest_normal are floats."""
    return _FloatInfo(ap.finfo(type))


def floor_divide(x1: Any, x2: Any, /) -> ndarray:
    """As asnumpy.floor_divide, but an infinity divided by a finite number is an infinity, not NaN."""
    quotient = ap.floor_divide(x1, x2)
    if quotient.dtype.kind in "biu":
        return quotient
    made: ndarray = ap.where(ap.isinf(x1), ap.divide(x1, x2), quotient)
    return made.astype(quotient.dtype, copy=False)


def expm1(x: Any, /) -> ndarray:
    """As asnumpy.expm1, but complex numbers with infinite or NaN parts give what exp gives, less one."""
    made = ap.expm1(x)
    if made.dtype.kind != "c":
        return made
    chosen: ndarray = ap.where(ap.isfinite(made) & ap.isfinite(x), made, ap.exp(x) - 1)
    return chosen


def clip(x: Any, /, min: Any = None, max: Any = None) -> ndarray:
    """Each element, but at least `min` and at most `max`; either bound may be missing."""
    return ap.clip(x, min, max)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> ndarray:
    """The indices that sort an array; equal elements keep their order, unless `stable` is false."""
    return ap.argsort(x, axis, descending=descending, stable=stable)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> ndarray:
    """A sorted copy; equal elements keep their order, unless `stable` is false."""
    return ap.sort(x, axis, descending=descending, stable=stable)


def _complex(a: ndarray) -> ndarray:
    return a if a.dtype.kind == "c" else a.astype(ap.result_type(a.dtype, ap.complex64))


def eig(x: Any, /) -> Any:
    """As asnumpy.linalg.eig, but complex whatever the eigenvalues are."""
    made = ap.linalg.eig(x)
    return type(made)(*(_complex(part) for part in made))


def eigvals(x: Any, /) -> ndarray:
    """As asnumpy.linalg.eigvals, but complex whatever the eigenvalues are."""
    return _complex(ap.linalg.eigvals(x))


def as_list(function: Callable[..., Any]) -> Callable[..., list[ndarray]]:
    def listed(*arrays: Any, **kwargs: Any) -> list[ndarray]:
        return list(function(*arrays, **kwargs))

    listed.__name__ = listed.__qualname__ = function.__name__
    listed.__doc__ = f"As asnumpy.{function.__name__}, but a list."
    return listed
