"""Other libraries' functions over arrays of ours: in go NumPy's, out come ours.

For libraries whose compiled code asks for NumPy's class. A call without an array or number of ours stays what it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import chain
from typing import Any

from asnumpy import _core
from asnumpy.host.door import host_result
from asnumpy.host.keys import numpys

__all__ = ["changing_arguments", "giving_ours", "holds_ours", "numpys_within", "taking_numpys"]

_DEPTH = 3  # of lists in lists: polygons of points of coordinates
_NESTED = frozenset({tuple, list, dict})


def holds_ours(value: Any, depth: int = _DEPTH) -> bool:
    """Whether it is an array or a number of ours, or one is in it, a list, tuple or dict, also some levels down."""
    level = [value]
    for _ in range(depth + 1):
        kinds = set(map(type, level))
        if any(issubclass(kind, _core.Array) for kind in kinds):
            return True
        if kinds.isdisjoint(_NESTED):
            return False
        nested = (one for one in level if type(one) in _NESTED)
        level = list(chain.from_iterable(one.values() if type(one) is dict else one for one in nested))
    return False


def numpys_within(value: Any, depth: int = _DEPTH) -> Any:
    """The value with arrays of NumPy's, and its scalars, in place of ours; itself where it holds none."""
    if type(value) not in _NESTED:
        return numpys(value)
    if not holds_ours(value, depth):
        return value
    if type(value) is dict:
        return {key: numpys_within(one, depth - 1) for key, one in value.items()}
    return type(value)([numpys_within(one, depth - 1) for one in value])


def changing_arguments(change: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Of a function or method one whose arguments are changed before it gets them; its result is what it gives."""

    def changing(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def calling(*args: Any, **kwargs: Any) -> Any:
            return function(*map(change, args), **{name: change(value) for name, value in kwargs.items()})

        return calling

    return changing


taking_numpys = changing_arguments(numpys_within)  # for which what is ours is NumPy's


def giving_ours(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function or method, whose arrays come out as ours where something of ours goes in.

    What it writes to is written in ours, also on a device; the call is counted as one on the host.
    """

    @functools.wraps(function)
    def giving(*args: Any, **kwargs: Any) -> Any:
        if holds_ours(args) or (kwargs and holds_ours(kwargs)):
            return host_result(function, *args, **kwargs)
        return function(*args, **kwargs)

    return giving
