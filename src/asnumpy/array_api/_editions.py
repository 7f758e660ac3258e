"""The namespaces of the standard's editions: all of asnumpy's names, some with what `_departures` has for them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import asnumpy as ap
from asnumpy.array_api import _departures as own

_NAME = "asnumpy.array_api"
_FIRST_WITH_TUPLES = "2025.12"
_earlier: dict[str, ModuleType] = {}


def _linalg() -> ModuleType:
    made = ModuleType(f"{_NAME}.linalg", ap.linalg.__doc__)
    vars(made).update(vars(ap.linalg) | {"__name__": made.__name__, "eig": own.eig, "eigvals": own.eigvals})
    return made


_OWN: dict[str, Any] = {
    one.__name__: one for one in (own.finfo, own.floor_divide, own.expm1, own.clip, own.argsort, own.sort)
}
_OWN["linalg"] = _linalg()
_LISTS = {name: own.as_list(getattr(ap, name)) for name in ("broadcast_arrays", "meshgrid")}


def names() -> dict[str, Any]:
    """The latest edition's namespace."""
    every = vars(ap).items()
    return {name: value for name, value in every if not name.startswith("_") or name.startswith("__array")} | _OWN


def of_edition(edition: str) -> ModuleType:
    """The namespace as an edition of the standard has it."""
    if edition >= _FIRST_WITH_TUPLES:
        return sys.modules[_NAME]
    if edition not in _earlier:
        made = ModuleType(_NAME, sys.modules[_NAME].__doc__)
        vars(made).update(names() | _LISTS | {"__array_api_version__": edition, "__getattr__": __getattr__})
        _earlier[edition] = made
    return _earlier[edition]


def __getattr__(name: str) -> Any:
    return getattr(ap, name)


def __dir__() -> list[str]:
    return sorted({*dir(ap), *_OWN})
