"""SciPy's functions that call functions of the program's: those get arrays of ours, and may return them."""

from __future__ import annotations

import copy
import functools
from typing import Any

import numpy as np
import scipy.optimize

from asnumpy import _core
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import numpy_view
from asnumpy.scipy._host import called, named, shown, through

_CONSTRAINTS = (scipy.optimize.Bounds, scipy.optimize.LinearConstraint, scipy.optimize.NonlinearConstraint)
_NO_FUNCTIONS = frozenset({"method", "workers"})  # options that SciPy calls, with functions rather than arrays


class _OfProgram:
    """A function of the program's, as SciPy calls it."""

    def __init__(self, function: Any, known: dict[int, tuple[np.ndarray, Any]]) -> None:
        functools.update_wrapper(self, function)  # SciPy looks at its signature
        self.function, self.known = function, known

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = [self.ours(one) for one in args]
        return numpys(self.function(*given, **{name: self.ours(one) for name, one in kwargs.items()}))

    def ours(self, value: Any) -> Any:
        if isinstance(value, _OfProgram):  # a function among what the program passes on
            return value.function
        if isinstance(value, np.ndarray):
            view, array = self.known.get(id(value), (None, None))
            if view is value:
                return array
            return asarray(value) if supported(value.dtype) else value  # a copy: SciPy writes into its own later
        if type(value) in (tuple, list):
            return type(value)(self.ours(one) for one in value)
        if isinstance(value, dict):
            made = copy.copy(value)
            made.update({name: self.ours(one) for name, one in value.items()})
            return made
        return value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("function", "known"):
            raise AttributeError(name)
        return getattr(self.function, name)

    def __reduce__(self) -> Any:
        return _OfProgram, (self.function, {})


def numpys(value: Any) -> Any:
    """NumPy's views of arrays of ours, alone or in what the program's functions return."""
    kind = type(value)
    if isinstance(value, _core.Array):
        return value._numpy_scalar() if _core.is_number(value) else numpy_view(value)
    if kind is tuple or kind is list:
        return kind(map(numpys, value))
    if isinstance(value, dict):
        made = copy.copy(value)
        made.update({name: numpys(one) for name, one in value.items()})
        return made
    return value


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, np.random.Generator, np.random.RandomState))


def _wrapped(value: Any, known: dict[int, tuple[np.ndarray, Any]]) -> Any:
    """The value with functions of the program's as SciPy is to call them."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(_wrapped(one, known) for one in value)
    if kind is dict:
        return {name: one if name in _NO_FUNCTIONS else _wrapped(one, known) for name, one in value.items()}
    if _is_function(value):
        return _OfProgram(value, known)
    if kind in _CONSTRAINTS:
        made = copy.copy(value)
        for name, one in vars(value).items():
            setattr(made, name, _wrapped(numpys(one), known))
        return made
    return value


def _note(value: Any, view: Any, known: dict[int, tuple[np.ndarray, Any]]) -> None:
    """Which of NumPy's views is which of our arrays: functions get back what the program gave."""
    if isinstance(value, _core.Array):
        if isinstance(view, np.ndarray):
            known[id(view)] = (view, value)
    elif type(value) in (tuple, list):
        for one, other in zip(value, view, strict=True):
            _note(one, other, known)
    elif type(value) is dict:
        for name, one in value.items():
            _note(one, view[name], known)


def with_functions(theirs: Any, name: str) -> Any:
    """What a program gets for a public name of a module whose functions take functions."""
    if isinstance(theirs, type) or not callable(theirs):
        return shown(theirs, name)
    function = named(theirs, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        def inner(*views: Any, **options: Any) -> Any:
            known: dict[int, tuple[np.ndarray, Any]] = {}
            _note(args, views, known)
            _note(kwargs, options, known)
            return function(*_wrapped(views, known), **_wrapped(options, known))

        inner.__module__, inner.__name__ = function.__module__, function.__name__
        return through(inner, args, kwargs)

    return called(call, theirs, name)
