"""Other libraries' functions over arrays of ours: in go NumPy's, out come ours.

For libraries whose compiled code asks for NumPy's class. A call without an array or number of ours stays what it was.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import islice
from typing import Any

from asnumpy import _core
from asnumpy.host.door import host_result
from asnumpy.host.keys import numpys

__all__ = ["giving_ours", "holds_ours", "numpys_within", "taking_numpys"]

_DEPTH = 3  # of lists in lists: polygons of points of coordinates
_FIRST = 64  # items of a list that are looked at: long ones are of one kind
_NESTED = frozenset({tuple, list, dict})


def holds_ours(value: Any, depth: int = _DEPTH) -> bool:
    """Whether it is an array or a number of ours, or one is among the first in it, a list, tuple or dict."""
    if isinstance(value, _core.Array):
        return True
    if depth == 0 or type(value) not in _NESTED:
        return False
    first = list(islice(value.values() if type(value) is dict else value, _FIRST))
    nested = False
    for kind in set(map(type, first)):
        if issubclass(kind, _core.Array):
            return True
        nested = nested or kind in _NESTED
    return nested and any(holds_ours(one, depth - 1) for one in first)


def numpys_within(value: Any, depth: int = _DEPTH) -> Any:
    """The value with arrays of NumPy's, and its scalars, in place of ours; itself where it holds none."""
    if type(value) not in _NESTED:
        return numpys(value)
    if not holds_ours(value, depth):
        return value
    if type(value) is dict:
        return {key: numpys_within(one, depth - 1) for key, one in value.items()}
    return type(value)([numpys_within(one, depth - 1) for one in value])


def taking_numpys(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function or method, for which what is ours is NumPy's; its result is what it gives."""

    @functools.wraps(function)
    def taking(*args: Any, **kwargs: Any) -> Any:
        return function(*map(numpys_within, args), **{name: numpys_within(value) for name, value in kwargs.items()})

    return taking


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
