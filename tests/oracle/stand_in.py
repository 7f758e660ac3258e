"""What NumPy's test modules see in place of numpy: asnumpy's functions under NumPy's module names.

A name that asnumpy lacks is never answered by NumPy's function, or NumPy would be testing itself: it raises
AttributeError when it is used. Three kinds of names are NumPy's own objects, because asnumpy uses them too: scalar
types and dtypes, exception classes, and plain constants. So are objects of NumPy's private modules without a public
name: a program that uses them gets NumPy's, and gives them arrays of ours.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import parameters

import asnumpy as ap

# An object with a private name is ours where NumPy's has a public name in one of these, else it is NumPy's own.
_PUBLIC = ("numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks", "numpy.polynomial", "numpy.random")
# Modules of NumPy's about other arrays than ndarray: asnumpy passes them on.
_OUTSIDE = ("ma", "rec", "char", "strings", "ctypeslib", "f2py", "core", "lib.recfunctions", "lib.mixins", "matlib")
_CONSTANTS = (bool, int, float, complex, str, bytes, type(None), types.EllipsisType)
_ASSERTIONS = ("numpy.testing.", "numpy.ma.testutils.")
_KEPT = ("numpy.exceptions", "numpy.dtypes", "numpy.version", "numpy.typing")


class Lacking(AttributeError):
    """A test uses a public name that asnumpy does not have."""


def plain(value: Any) -> Any:
    """The value with arrays of NumPy's in place of ours, for NumPy's assertions: 0-d results become its scalars."""
    if isinstance(value, ap.ndarray):
        view = np.asarray(value)
        return view[()] if isinstance(value, ap.Number) else view
    if type(value) in (list, tuple):
        return type(value)(plain(item) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[plain(item) for item in value])
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value


def _judging(assertion: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(assertion)
    def judge(*args: Any, **kwargs: Any) -> Any:
        return assertion(*[plain(one) for one in args], **{key: plain(one) for key, one in kwargs.items()})

    return judge


def _testing(path: str, original: Any) -> Any:
    """asnumpy's own assertions where it has them; NumPy's, with its arrays in place of ours, for the others."""
    name = path.rpartition(".")[2]
    if path.startswith("numpy.testing.") and hasattr(ap.testing, name):
        return getattr(ap.testing, name)
    compares = name.startswith("assert_") and "raises" not in name and "warn" not in name and "no_gc" not in name
    return _judging(original) if compares and inspect.isfunction(original) else original


def _isinstance(value: Any, classes: Any) -> bool:
    """isinstance() to which the 0-d results of asnumpy's functions are the NumPy scalars that they stand for."""
    if builtins.isinstance(value, classes):
        return True
    return builtins.isinstance(value, ap.Number) and builtins.issubclass(value.dtype.type, classes)


def type_of(value: Any) -> Any:
    """type() to which they are that, too."""
    return value.dtype.type if builtins.isinstance(value, ap.Number) else type(value)


def _ours(path: str) -> Any:
    """asnumpy's object for a path of public names such as numpy.linalg.svd, else None."""
    target: Any = ap
    for part in path.split(".")[1:]:
        target = getattr(target, part, None)
        if target is None:
            try:
                target = importlib.import_module("asnumpy." + ".".join(path.split(".")[1:]))
            except ImportError:
                return None
            return target
    return target


def _is_private(path: str) -> bool:
    return any(part.startswith("_") for part in path.split(".")[1:])


@functools.cache
def _public_names() -> dict[int, str]:
    """The public path of each of NumPy's objects, by its identity."""
    found: dict[int, str] = {}
    for path in _PUBLIC:
        for name, value in vars(importlib.import_module(path)).items():
            if not name.startswith("_") and not isinstance(value, (*_CONSTANTS, types.ModuleType)):
                found.setdefault(id(value), f"{path}.{name}")
    return found


def resolve(path: str, original: Any) -> Any:
    """What stands for NumPy's object `original`, found at `path`. Raises AttributeError where nothing does."""
    if isinstance(original, types.ModuleType):
        return stand_in(original.__name__) if original.__name__.partition(".")[0] == "numpy" else original
    if path.startswith(_ASSERTIONS):
        return _testing(path, original)
    if original is np._NoValue:  # type: ignore[attr-defined]
        return original
    if isinstance(original, type) and issubclass(original, (np.generic, np.dtype, BaseException)):
        return original
    if not _is_private(path) and not path.startswith(tuple(f"numpy.{name}." for name in _OUTSIDE)):
        ours = _ours(path)
        if ours is not None:
            return ours
        if isinstance(original, _CONSTANTS):
            return original
        raise Lacking(f"asnumpy has no {path}")
    twin = _public_names().get(id(original))
    return original if twin is None or twin == path else resolve(twin, original)


class StandIn(types.ModuleType):
    """A module under NumPy's name whose attributes are asnumpy's."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._original = importlib.import_module(path)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """Tests look through a module's names for its ufuncs."""
        found = {}
        for name in vars(self._original):
            with contextlib.suppress(Lacking):
                found[name] = getattr(self, name)
        return found

    def __getattr__(self, name: str) -> Any:
        path = f"{self.__name__}.{name}"
        original = self._original
        if not hasattr(original, name):
            try:
                importlib.import_module(path)
            except ImportError:
                if hasattr(ap, name) and self.__name__ == "numpy":
                    return getattr(ap, name)
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}") from None
        found = resolve(path, getattr(original, name))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted(self.__dict__)


_made: dict[str, types.ModuleType] = {}


def stand_in(path: str) -> types.ModuleType:
    if path.startswith(_KEPT):
        return importlib.import_module(path)
    if path not in _made:
        _made[path] = StandIn(path)
    return _made[path]


class _Imported:
    """What `from numpy.x import a, b` reads its names from: a name that is lacking raises at its use instead."""

    def __init__(self, module: types.ModuleType) -> None:
        self.__dict__["module"] = module

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self.__dict__["module"], name)
        except Lacking as error:
            return parameters.Unmade(error)


def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """`__import__` of the modules under test."""
    if level or name.partition(".")[0] != "numpy":
        return builtins.__import__(name, globals, locals, fromlist, level)
    importlib.import_module(name)
    if fromlist:
        return _Imported(stand_in(name))
    return stand_in("numpy")


def load(source: str, filename: str, name: str) -> types.ModuleType:
    """Executes a test module whose imports of numpy give the stand-ins."""
    module = types.ModuleType(name)
    own = dict(vars(builtins))
    own["__import__"] = importing
    own["isinstance"] = _isinstance
    module.__dict__.update({"__file__": filename, "__builtins__": own, parameters.TYPE_OF: type_of, **parameters.NAMES})
    exec(parameters.compiled(source, filename), module.__dict__)
    return module
