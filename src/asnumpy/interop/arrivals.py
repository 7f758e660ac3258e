"""Modules of ours that go with another library's: loaded when both are there, in whichever order they are imported."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

_IMMUTABLE = 1 << 8  # CPython's flag of such types


class _Loader:
    """Another module's loader, which loads ours after it."""

    def __init__(self, loader: Any, waiting: Waiting, name: str) -> None:
        self._loader = loader
        self._waiting = waiting
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._waiting.arrived(self._name)


class Waiting:
    """A finder that finds nothing by itself: it notices the import of some modules, and is gone after the last one."""

    def __init__(self) -> None:
        self.ours: dict[str, str | Callable[[], object]] = {}  # by theirs: a module, or a function of one

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        if name not in self.ours:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self, name)
                return spec
        return None

    def arrived(self, theirs: str) -> None:
        """Loads ours, or calls it. A version of theirs that it does not know must not end the import of theirs."""
        ours = self.ours.pop(theirs, None)
        if not self.ours and self in sys.meta_path:
            sys.meta_path.remove(self)
        try:
            if callable(ours):
                ours()
            elif ours is not None:
                importlib.import_module(ours)
        except Exception as error:
            name = ours if isinstance(ours, str) else ours.__module__
            warnings.warn(f"{name} could not be loaded for {theirs}: {error!r}", RuntimeWarning, stacklevel=2)


_waiting = Waiting()


def put(package: str, name: str, before: Any, after: Any) -> None:
    """Puts `after` wherever a module of their package has `before` under its name."""
    for module_name, module in list(sys.modules.items()):
        if f"{module_name}.".startswith(f"{package}.") and vars(module).get(name) is before:
            setattr(module, name, after)


def change(package: str, module: Any, names: Iterable[str], how: Callable[[Any], Any]) -> None:
    """Puts `how(function)` in the place of each of these functions of a module, wherever their package has it."""
    for name in names:
        theirs = getattr(module, name)
        put(package, name, theirs, how(theirs))


def change_methods(kind: Any, names: Iterable[str], how: Callable[[Any], Any]) -> None:
    """Puts `how(method)` in the place of each of these methods of a class."""
    for name in names:
        setattr(kind, name, how(getattr(kind, name)))


def is_fixed(kind: type) -> bool:
    """Whether a class lets no method be changed, as compiled ones of some versions do not."""
    return bool(kind.__flags__ & _IMMUTABLE)


def together(theirs: str, ours: str | Callable[[], object]) -> None:
    """Imports the module `ours`, or calls the function, once `theirs` has been imported: now, or when that happens."""
    _waiting.ours[theirs] = ours
    if theirs in sys.modules:
        _waiting.arrived(theirs)
    elif _waiting not in sys.meta_path:
        sys.meta_path.insert(0, _waiting)
