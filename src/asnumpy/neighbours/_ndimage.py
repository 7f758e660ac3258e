"""SciPy's image functions fill the arrays of ours that they are given.

By itself SciPy fills NumPy's copy of what lies on a device; and where it asks for NumPy's class it takes an array of
ours, wherever that lies, for none.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage

from asnumpy import _core
from asnumpy.creation.arrays import asarray
from asnumpy.host.door import numpy_view
from asnumpy.neighbours._scipy import put_known

_FILLED = ("output", "distances", "indices")  # what these functions call an array that they write to


def _is_ours(value: Any) -> bool:
    return isinstance(value, _core.Array)


def _numpys(value: Any) -> Any:
    """An argument whose arrays, those in lists and tuples too, are NumPy's."""
    if isinstance(value, list | tuple):
        return type(value)(map(_numpys, value))
    return numpy_view(value)


def _filling(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which fills arrays of ours; a call without one among those that it fills is SciPy's as it is."""
    signature = inspect.signature(function)
    filled = [name for name in _FILLED if name in signature.parameters]
    first = min(list(signature.parameters).index(name) for name in filled)

    @functools.wraps(function)
    def fills(*args: Any, **kwargs: Any) -> Any:
        if not any(map(_is_ours, args[first:])) and not any(_is_ours(kwargs.get(name)) for name in filled):
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        given = {name: bound.arguments[name] for name in filled if _is_ours(bound.arguments.get(name))}
        written = {name: np.array(numpy_view(array)) for name, array in given.items()}
        bound.arguments.update({name: _numpys(value) for name, value in bound.arguments.items()} | written)
        result = function(*bound.args, **bound.kwargs)
        for name, array in given.items():
            array[...] = written[name]
        theirs = {id(written[name]): array for name, array in given.items()}
        return tuple(_ours(one, theirs) for one in result) if isinstance(result, tuple) else _ours(result, theirs)

    return fills


def _ours(result: Any, theirs: dict[int, Any]) -> Any:
    """A result: the array that was given where SciPy wrote to it, any other array as one of ours."""
    if id(result) in theirs:
        return theirs[id(result)]
    return asarray(result) if isinstance(result, np.ndarray) else result


def _put_all() -> None:
    for name in scipy.ndimage.__all__:
        theirs = getattr(scipy.ndimage, name)
        # Some names are of modules, which the functions once had.
        if callable(theirs) and any(filled in inspect.signature(theirs).parameters for filled in _FILLED):
            put_known("scipy.ndimage", name, theirs, _filling(theirs))


_put_all()
