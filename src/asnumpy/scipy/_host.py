"""SciPy's own functions through the host door: arrays of ours go in, and come out of whatever holds the results."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from asnumpy._public import beside
from asnumpy.host.door import host_result, name_function, numpy_view


class _Apart(NamedTuple):
    """A result of a class of SciPy's, taken apart for the door, which knows tuples."""

    kind: type
    items: tuple[Any, ...]
    names: tuple[Any, ...]
    values: tuple[Any, ...]


def _apart(value: Any) -> Any:
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([_apart(one) for one in value])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        further: dict[str, Any] = getattr(value, "__dict__", {})  # what SciPy's named tuples hold besides their fields
        return _Apart(kind, tuple(map(_apart, value)), tuple(further), tuple(further.values()))
    if isinstance(value, dict):
        return _Apart(kind, (), tuple(value), tuple(map(_apart, value.values())))
    return value


def _together(value: Any) -> Any:
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([_together(one) for one in value])
    if kind is not _Apart:
        return value
    further = dict(zip(value.names, map(_together, value.values), strict=True))
    if issubclass(value.kind, dict):
        made = value.kind.__new__(value.kind)  # not by its __init__, which may want arguments
        made.update(further)
        return made
    whole: Any = tuple.__new__(value.kind, map(_together, value.items))  # not by its __init__, which takes more
    if further:
        whole.__dict__.update(further)
    return whole


def _plainly(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """The function with results that the door knows."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return _apart(theirs(*args, **kwargs))

    return function


def named(theirs: Callable[..., Any], name: str) -> Any:
    """SciPy's function for the door, which counts it under `name`."""
    if isinstance(theirs, np.ufunc):
        name_function(theirs, name)
        return theirs
    function: Any = _plainly(theirs)
    function.__module__, _, function.__name__ = name.rpartition(".")
    return function


def through(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What such a function gives for arrays of ours."""
    return _together(host_result(function, *args, **kwargs))


def called(call: Any, theirs: Any, name: str) -> Any:
    """What a program gets for a function of SciPy's that `call` computes."""
    module, _, short = name.rpartition(".")
    functools.update_wrapper(call, theirs)
    try:
        inspect.signature(theirs)
    except (TypeError, ValueError):  # ufuncs of older NumPys have none
        del call.__wrapped__
    call.__module__, call.__name__, call.__qualname__ = f"asnumpy.{module}", short, short
    return beside(call, theirs)


def on_host(theirs: Callable[..., Any], name: str) -> Any:
    """SciPy's function for arrays of ours, counted under `name`."""
    function = named(theirs, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return through(function, args, kwargs)

    return called(call, theirs, name)


class Distribution:
    """A distribution of SciPy's, plain or with its parameters, whose methods take and give arrays of ours.

    `own` has the methods that are composed of array operations.
    """

    def __init__(
        self, theirs: Any, name: str, own: dict[str, Any] | None = None, given: tuple[Any, Any] | None = None
    ) -> None:
        self._theirs, self._name, self._own, self._given = theirs, name, own or {}, given
        self.__doc__ = theirs.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Distribution:
        frozen = self._theirs(*map(numpy_view, args), **{key: numpy_view(one) for key, one in kwargs.items()})
        return Distribution(frozen, self._name, self._own, (args, kwargs))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        own = self._own.get(name)
        if own is not None:
            made = own if self._given is None else functools.partial(_with, own, *self._given)
        else:
            made = getattr(self._theirs, name)
            if callable(made) and not isinstance(made, type):
                made = on_host(made, f"{self._name}.{name}")
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return dir(self._theirs)

    def __reduce__(self) -> Any:
        return _found, (self._name, self._given)

    def __repr__(self) -> str:
        return f"<asnumpy.{self._name}{'' if self._given is None else ', frozen'}>"


def _found(name: str, given: tuple[Any, Any] | None) -> Any:
    module, _, short = name.rpartition(".")
    plain = getattr(importlib.import_module(f"asnumpy.{module}"), short)
    return plain if given is None else plain(*given[0], **given[1])


def _with(own: Any, args: tuple[Any, ...], kwargs: dict[str, Any], x: Any) -> Any:
    return own(x, *args, **kwargs)


def shown(theirs: Any, name: str) -> Any:
    """What a program gets for a public name of SciPy's: functions by the door; classes and constants as they are."""
    if isinstance(theirs, type) or not callable(theirs):
        return theirs
    return Distribution(theirs, name) if hasattr(theirs, "rvs") else on_host(theirs, name)
