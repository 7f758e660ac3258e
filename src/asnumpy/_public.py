"""What the package exports: a definition is marked where it stands, and the namespace is collected from the marks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType
from typing import Any, TypeVar, cast, overload

import numpy as np

from asnumpy import _core

T = TypeVar("T")

exports: dict[str, Any] = {}


def export(name: str, value: Any) -> None:
    """Adds one name to the namespace; a name has one definition."""
    if exports.setdefault(name, value) is not value:
        raise RuntimeError(f"asnumpy: '{name}' is marked public twice: {exports[name]!r} and {value!r}")


def beside(definition: T, name: str = "") -> T:
    """A function that makes new arrays on the device of its arguments.

    What the core computes lies there anyhow; this is for arrays that the function makes on its way. Where NumPy's
    function of the name is one of C, it does not become a method as a class's attribute, and neither does this one.
    """
    if not isinstance(definition, FunctionType):
        return definition
    binds = not isinstance(getattr(np, name, None), BuiltinFunctionType)
    return cast("T", functools.update_wrapper(_core.Beside(definition, binds), definition))


def numpy_doc(name: str) -> str | None:
    return getattr(getattr(np, name, None), "__doc__", None)


@overload
def public(definition: T, /) -> T: ...
@overload
def public(*, name: str | None = None, alias: Iterable[str] = ()) -> Callable[[T], T]: ...
def public(definition: Any = None, /, *, name: str | None = None, alias: Iterable[str] = ()) -> Any:
    """Marks a function or class as part of `asnumpy`'s namespace.

    Its docstring is NumPy's for the function of the same name; a docstring of its own states the differences and stands
    before NumPy's.
    """

    def mark(definition: T) -> T:
        own: Any = definition
        exported = name or own.__name__
        text = numpy_doc(exported)
        own.__module__ = "asnumpy"
        if text and isinstance(own.__doc__, str):
            own.__doc__ = f"{own.__doc__}\n\n{text}"
        elif text:
            own.__doc__ = f"As numpy.{exported}; arrays that come back are asnumpy's, 0-d ones for scalars.\n\n{text}"
        shown = beside(definition, exported)
        export(exported, shown)
        for other in alias:
            export(other, shown)
        return definition

    return mark if definition is None else mark(definition)
