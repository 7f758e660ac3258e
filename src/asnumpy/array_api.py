"""asnumpy.array_api: the namespace that the array API standard describes, asnumpy's but where NumPy departs from it.

`a.__array_namespace__()` gives it, and one for an earlier edition where that is asked for. docs/array-api.md lists what
differs.
"""

from __future__ import annotations

import sys as _sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import asnumpy as _asnumpy
from asnumpy._types import ndarray

_FIRST_WITH_TUPLES = "2025.12"


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
    return _FloatInfo(_asnumpy.finfo(type))


def floor_divide(x1: Any, x2: Any, /) -> ndarray:
    """As asnumpy.floor_divide, but an infinity divided by a finite number is an infinity, not NaN."""
    quotient = _asnumpy.floor_divide(x1, x2)
    if quotient.dtype.kind in "biu":
        return quotient
    made: ndarray = _asnumpy.where(_asnumpy.isinf(x1), _asnumpy.divide(x1, x2), quotient)
    return made.astype(quotient.dtype, copy=False)


def expm1(x: Any, /) -> ndarray:
    """As asnumpy.expm1, but complex numbers with infinite or NaN parts give what exp gives, less one."""
    made = _asnumpy.expm1(x)
    if made.dtype.kind != "c":
        return made
    chosen: ndarray = _asnumpy.where(_asnumpy.isfinite(made) & _asnumpy.isfinite(x), made, _asnumpy.exp(x) - 1)
    return chosen


def clip(x: Any, /, min: Any = None, max: Any = None) -> ndarray:
    """Each element, but at least `min` and at most `max`; either bound may be missing."""
    return _asnumpy.clip(x, min, max)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> ndarray:
    """The indices that sort an array; equal elements keep their order, unless `stable` is false."""
    return _asnumpy.argsort(x, axis, descending=descending, stable=stable)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> ndarray:
    """A sorted copy; equal elements keep their order, unless `stable` is false."""
    return _asnumpy.sort(x, axis, descending=descending, stable=stable)


def _complex(a: ndarray) -> ndarray:
    return a if a.dtype.kind == "c" else a.astype(_asnumpy.result_type(a.dtype, _asnumpy.complex64))


def _eig(x: Any, /) -> Any:
    """As asnumpy.linalg.eig, but complex whatever the eigenvalues are."""
    made = _asnumpy.linalg.eig(x)
    return type(made)(*(_complex(part) for part in made))


def _eigvals(x: Any, /) -> ndarray:
    """As asnumpy.linalg.eigvals, but complex whatever the eigenvalues are."""
    return _complex(_asnumpy.linalg.eigvals(x))


_linalg = ModuleType(f"{__name__}.linalg", _asnumpy.linalg.__doc__)
vars(_linalg).update(vars(_asnumpy.linalg) | {"__name__": f"{__name__}.linalg", "eig": _eig, "eigvals": _eigvals})


def _listed(function: Callable[..., Any]) -> Callable[..., list[ndarray]]:
    def listed(*arrays: Any, **kwargs: Any) -> list[ndarray]:
        return list(function(*arrays, **kwargs))

    listed.__name__ = listed.__qualname__ = function.__name__
    listed.__doc__ = f"As asnumpy.{function.__name__}, but a list."
    return listed


_OWN: dict[str, Any] = {one.__name__: one for one in (finfo, floor_divide, expm1, clip, argsort, sort)}
_OWN["linalg"] = _linalg
_LISTS = {name: _listed(getattr(_asnumpy, name)) for name in ("broadcast_arrays", "meshgrid")}
_earlier: dict[str, ModuleType] = {}


def _names() -> dict[str, Any]:
    every = vars(_asnumpy).items()
    return {name: value for name, value in every if not name.startswith("_") or name.startswith("__array")}


def of_edition(edition: str) -> ModuleType:
    """The namespace as an edition of the standard has it."""
    if edition >= _FIRST_WITH_TUPLES:
        return _this
    if edition not in _earlier:
        made = ModuleType(__name__, __doc__)
        vars(made).update(_names() | _OWN | _LISTS | {"__array_api_version__": edition, "__getattr__": __getattr__})
        _earlier[edition] = made
    return _earlier[edition]


def __getattr__(name: str) -> Any:
    return getattr(_asnumpy, name)


def __dir__() -> list[str]:
    return sorted({*dir(_asnumpy), *_OWN})


_this = _sys.modules[__name__]
globals().update(_names() | _OWN)
