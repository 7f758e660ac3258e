"""The public names of a module of SciPy's, in ours of the same name: what is written there, and all the rest."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from asnumpy.scipy._host import shown

_composed: dict[str, frozenset[str]] = {}


def _public(module: ModuleType) -> list[str]:
    """Its own list, without the modules that SciPy shows beside functions."""
    return sorted(
        name for name in set(module.__all__)
        if not name.startswith("_") and not isinstance(getattr(module, name, module), ModuleType)
    )


def names_of(namespace: dict[str, Any]) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """A module's `__all__`, `__getattr__` and `__dir__`; called at its end, with its globals().

    What the module has by then under a public name of SciPy's is ours. The others are made when they are asked for, of
    whatever the SciPy that is installed has.
    """
    here = namespace["__name__"]
    theirs = importlib.import_module(here.removeprefix("asnumpy."))
    names = _public(theirs)
    _composed[here] = frozenset(name for name in names if name in namespace)

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {here!r} has no attribute {name!r}")
        made = namespace[name] = shown(getattr(theirs, name), f"{theirs.__name__}.{name}")
        return made

    def listed() -> list[str]:
        return sorted({*names, *(name for name in namespace if name.startswith("__"))})

    return names, get, listed


def kind_of(module: ModuleType, name: str) -> str:
    """How a public name is computed: 'device', 'host', or 'SciPy' for classes and constants, which stay SciPy's."""
    if name in _composed[module.__name__]:
        return "device"
    value = getattr(module, name)
    return "SciPy" if isinstance(value, type) or not callable(value) else "host"
