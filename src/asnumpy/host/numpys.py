"""Calls that only NumPy can answer: elements are text, objects, dates or records, or NumPy's array gets the result.

The one place that decides. Whatever meets such elements raises UnsupportedDtype, wherever it is by then; the outermost
of the package's functions ends here (core/python/beside.cpp), and NumPy's function of that name does the whole work.
"""

from __future__ import annotations

import inspect
from types import MethodDescriptorType
from typing import Any

import numpy as np

from asnumpy import _core, config
from asnumpy._public import ANSWERED
from asnumpy._types import ndarray
from asnumpy.host.door import function_name, host_result, take_over
from asnumpy.runtime.fallbacks import allow_call, count_call

_MAKERS = (np.array, np.asarray, np.asanyarray)


class _Target(_core.UnsupportedDtype):
    """NumPy's own array is to be written."""


def expect_target(value: Any, function: str) -> ndarray:
    """`value`, which is to be written, if it is an array of ours; one of NumPy's is left to NumPy's function."""
    if isinstance(value, ndarray):
        return value
    kind = _Target if isinstance(value, np.ndarray) else TypeError
    raise kind(f"{function}: expected an asnumpy.ndarray or a numpy.ndarray to write to, got {type(value).__name__}")


def expect_whole_target(value: Any, function: str) -> ndarray:
    """The same for a function of several steps, which NumPy takes in the target: they show in one that overlaps itself,
    so that NumPy does the work there."""
    target = expect_target(value, function)
    if _core.overlaps_itself(target):
        raise _Target(f"{function}: the elements of the array to write to overlap each other")
    return target


def derived(value: Any) -> bool:
    """Whether it is an array of a class made from NumPy's (a matrix, a masked array), which NumPy's functions keep."""
    kind = type(value)
    return kind is not np.ndarray and issubclass(kind, np.ndarray) and not issubclass(kind, np.memmap)


def _answered(theirs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the first argument's own method gives, called as NumPy does; NotImplemented where it has none."""
    name = theirs.__name__
    if not hasattr(args[0], ANSWERED[name] or name):
        return NotImplemented
    made = theirs.__wrapped__(*args, **kwargs)
    return take_over(made) if type(made) is np.ndarray else made


def made_like(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], like: Any) -> Any:
    """What `like` makes of the call, in its `__array_function__`; the plain call where that is NumPy's."""
    kind = type(like)
    protocol = getattr(kind, "__array_function__", None)
    if protocol is None:
        raise TypeError("The `like` argument must be an array-like that implements the `__array_function__` protocol.")
    if protocol is np.ndarray.__array_function__:
        return function(*args, **kwargs)
    made = protocol(like, function.numpy, (kind,), args, kwargs)
    if made is NotImplemented:
        raise TypeError(f"no implementation found for 'numpy.{function.__name__}' on types that implement "
                        f"__array_function__: {[kind]}")
    return made


def _of_objects(dtype: Any = None, **_: Any) -> bool:
    """Whether the elements of the lists that `array` is given are taken for objects."""
    return dtype is None or np.dtype(dtype) == object


def on_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Any) -> Any:
    """The result of NumPy's function for one of ours.

    `error` says what ours met; it is None where `like` was given, and for an `out` of NumPy's.
    NotImplemented asks whether the first argument, which is another library's, answers the call.
    """
    if error is None and kwargs.get("like") is not None:
        if "like" not in inspect.signature(function).parameters:
            return function.__wrapped__(*args, **kwargs)  # which says so
        return made_like(function, args, kwargs, kwargs.pop("like"))
    theirs = getattr(function, "numpy", None)
    if error is NotImplemented:
        return _answered(theirs, args, kwargs)
    if isinstance(theirs, MethodDescriptorType) and args and _core.is_number(args[0]):
        theirs = getattr(np.generic, theirs.__name__)  # a method of scalars
    refused = config.unsupported == "error" and not isinstance(error, _Target)
    if error is not None and (theirs is None or refused):
        raise error
    if theirs is None:
        return function.__wrapped__(*args, **kwargs)
    if kwargs.get("device") is None:
        kwargs.pop("device", None)
    elif error is not None:
        error.args = (f"{error.args[0]}; without device= the result would be a numpy.ndarray",)
        raise error
    try:
        if theirs in _MAKERS and args and isinstance(args[0], (list, tuple)) and _of_objects(*args[1:2], **kwargs):
            allow_call(function_name(theirs))
            count_call(function_name(theirs))
            return theirs(*args, **kwargs)  # arrays of ours within a list are objects like others
        return host_result(theirs, *args, **kwargs)
    except Exception as refusal:  # NumPy's judgement, whatever it is
        raise refusal from None


_core.set_hooks({"on_numpy": on_numpy})
