"""Arrays of ours within what a task gives: found, evaluated, measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import asnumpy as ap

_SEQUENCES = (tuple, list)
_LOOKED_THROUGH = 1000  # items: longer lists hold numbers and words, of which there may be millions


def arrays_in(value: Any) -> Iterator[ap.ndarray]:
    """Those of a value: itself, or what lists, tuples and dicts hold."""
    if isinstance(value, ap.ndarray):
        yield value
    elif type(value) in _SEQUENCES and len(value) <= _LOOKED_THROUGH:
        for one in value:
            yield from arrays_in(one)
    elif type(value) is dict and len(value) <= _LOOKED_THROUGH:
        yield from arrays_in(list(value.values()))


def replaced(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change(one)` in the place of everything that is no list, tuple or dict."""
    if type(value) in _SEQUENCES:
        return type(value)(replaced(one, change) for one in value)
    if type(value) is dict:
        return {key: replaced(one, change) for key, one in value.items()}
    return change(value)


def evaluated(value: Any) -> Any:
    """The value, of which nothing is pending any more: what a task has recorded runs at its end, in one go."""
    arrays = tuple(arrays_in(value))
    if arrays:
        ap.eval(*arrays)
    return value


def device_bytes(value: Any) -> int:
    """What the arrays in it that lie on a device take there."""
    return sum(array.nbytes for array in arrays_in(value) if array.device.kind != "cpu")


def held_bytes(array: ap.ndarray) -> int:
    """What the elements take, where those of an axis without steps are one."""
    if 0 not in array.strides:
        return int(array.nbytes)
    once = array[tuple(slice(None) if step else slice(1) for step in array.strides)]
    return int(once.nbytes)
