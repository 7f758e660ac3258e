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


def names_of(
    namespace: dict[str, Any], show: Callable[[Any, str], Any] = shown,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A module's `__getattr__` and `__dir__`; called at its end, with its globals().

    Its `__all__` has the names that are composed, and gets the others of the SciPy that is installed. Those are made
    when they are asked for, by `show`.
    """
    here = namespace["__name__"]
    theirs = importlib.import_module(here.removeprefix("asnumpy."))
    exported: list[str] = namespace["__all__"]
    _composed[here] = frozenset(exported)
    others = [name for name in _public(theirs) if name not in _composed[here]]
    exported += others

    def get(name: str) -> Any:
        if name not in others:
            raise AttributeError(f"module {here!r} has no attribute {name!r}")
        made = namespace[name] = show(getattr(theirs, name), f"{theirs.__name__}.{name}")
        return made

    def listed() -> list[str]:
        return sorted({*exported, *(name for name in namespace if name.startswith("__"))})

    return get, listed


def kind_of(module: ModuleType, name: str) -> str:
    """How a public name is computed: 'device', 'host', or 'SciPy' for classes and constants, which stay SciPy's."""
    if name in _composed[module.__name__]:
        return "device"
    value = getattr(module, name)
    return "SciPy" if isinstance(value, type) or not callable(value) else "host"
