"""How a public definition is marked: it has NumPy's docstring behind its own, and makes arrays beside its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from asnumpy import _core

T = TypeVar("T")

# NumPy leaves these to the method of whatever has one, a table of pandas say; the method's name where it is another.
ANSWERED = dict.fromkeys(
    "all any argmax argmin argpartition argsort choose clip compress cumprod cumsum imag max mean min nonzero prod put "
    "real repeat reshape round searchsorted squeeze std sum swapaxes take transpose var".split()
) | {"amax": "max", "amin": "min", "around": "round", "permute_dims": "transpose"}
_ELEMENTS = ("__getitem__", "__next__")  # special methods that give what a program works with


def _place(theirs: Any, name: str) -> str:
    """Where NumPy has a function or a method: "sum", "linalg.solve", "ndarray.sum"; empty where that is not it."""
    for space in (np, np.ndarray, np.linalg, np.fft):
        if theirs is not None and getattr(space, name, None) is theirs:
            return name if space is np else f"{space.__name__.removeprefix('numpy.')}.{name}"
    return ""


def _shown(definition: Any, theirs: Any, binds: bool) -> Any:
    """The callable that a program gets; `theirs` does the work where the elements are none that a device holds."""
    name = getattr(theirs, "__name__", "")
    place = _place(theirs, name)
    # NumPy's dispatcher looks whether another library answers; the core has looked at the arguments.
    callable_ = _core.Beside(
        definition, binds, place in ANSWERED, place, getattr(theirs, "__wrapped__", theirs),
    )
    shown: Any = functools.update_wrapper(callable_, definition)
    shown.numpy = theirs
    return shown


def beside(definition: T, theirs: Any = None) -> T:
    """A function that makes new arrays on the device of its arguments.

    What the core computes lies there anyhow; this is for arrays that the function makes on its way. Where NumPy's
    function is one of C, it does not become a method as a class's attribute, and neither does this one.
    """
    if not isinstance(definition, FunctionType):
        return definition
    return cast("T", _shown(definition, theirs, not isinstance(theirs, BuiltinFunctionType)))


def public_in(namespace: ModuleType) -> Callable[[T], T]:
    """Marks a function or class that is exported where NumPy has it: in `asnumpy.fft` for numpy.fft.

    A docstring of its own states where it differs from NumPy's and stands before NumPy's; without one, it has NumPy's.
    """

    def mark(definition: T) -> T:
        own: Any = definition
        theirs = getattr(namespace, own.__name__, None)
        text = getattr(theirs, "__doc__", None)
        own.__module__ = f"asnumpy{namespace.__name__.removeprefix('numpy')}"
        if text:
            own.__doc__ = f"{own.__doc__}\n\n{text}" if isinstance(own.__doc__, str) else text
        return beside(definition, theirs)

    return mark


public = public_in(np)  # in `asnumpy` itself


def handed_on(theirs: Callable[..., Any]) -> Callable[[T], T]:
    """A method of its own body that ends in NumPy's where its elements would be none that a device holds."""

    def mark(definition: T) -> T:
        own: Any = definition
        own.__doc__ = own.__doc__ or theirs.__doc__
        return cast("T", _shown(own, theirs, True))

    return mark


def documented(theirs: Any) -> Callable[[T], T]:
    """Gives the methods and attributes of a class that have no docstring that of NumPy's class.

    The methods are functions of the package as others; NumPy's stand behind those of arrays, the only ones it takes.
    """

    def fill(kind: T) -> T:
        for name, value in list(vars(kind).items()):
            numpys = getattr(theirs, name, None)
            if isinstance(value, (FunctionType, property)) and value.__doc__ is None:
                value.__doc__ = getattr(numpys, "__doc__", None)
            if isinstance(value, FunctionType) and (name in _ELEMENTS or not name.startswith("_")):
                setattr(kind, name, _shown(value, numpys if theirs is np.ndarray else None, True))
        return kind

    return fill
