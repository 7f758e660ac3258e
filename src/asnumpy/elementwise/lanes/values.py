"""What stands for a variable of a scalar function when all elements are computed at once: numbers in lanes.

A lane is one element. Which lanes are meant is a mask: True, False, or an array of truths. A value has one of Python's
kinds of numbers; where lanes differ in it (0 here, 0.5 there), they are kept apart, as Python computes by the kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.indexing.selection import where
from asnumpy.ufunc.functions import logical_and, logical_not, logical_or

SMALLEST, LARGEST = -(2**63), 2**63 - 1
KINDS = "bifc"  # in the order in which Python converts them
_DTYPES = {"b": np.dtype(np.bool), "i": np.dtype(np.int64), "f": np.dtype(np.float64)}
_TYPES: dict[type, str] = {bool: "b", int: "i", float: "f", complex: "c"}
TINY = 1e-300  # below that a relative error says nothing


class Fallback(Exception):
    """The function has to be called with each element."""


class Value:
    """Numbers of one kind, one for each lane; what lies in lanes that are not meant is of no account.

    `data` is Python's number where all lanes have the same one, otherwise an array; of complex numbers a pair. An int
    lies between `low` and `high`; of a float `low` only says, if it is 0, that none is negative. `error` bounds the
    relative error of what is not the float that Python would have. `numpy`: Python has a scalar of NumPy's there.
    """

    __slots__ = ("data", "error", "high", "kind", "low", "numpy", "scalar")

    def __init__(
        self, kind: str, data: Any, low: int = SMALLEST, high: int = LARGEST, error: float = 0.0,
    ) -> None:
        self.kind, self.data, self.low, self.high, self.error = kind, data, low, high, error
        self.numpy = False
        if kind == "c":
            self.scalar = not (isinstance(data[0], ndarray) or isinstance(data[1], ndarray))
        else:
            self.scalar = not isinstance(data, ndarray)

    @property
    def number(self) -> Any:
        """The number of a scalar."""
        return complex(*self.data) if self.kind == "c" else self.data


class Mixed:
    """Values of different kinds, each with its lanes."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[tuple[Any, Value]]) -> None:
        self.parts = parts


UNBOUND = Value("u", None)  # no number: a variable without a value, the end of a function without `return`


def constant(number: Any) -> Value:
    kind = _TYPES.get(type(number))
    if kind is None:
        raise Fallback
    if kind == "c":
        return Value("c", (number.real, number.imag))
    if kind == "f":
        return Value(kind, number, 0 if number >= 0 else SMALLEST)
    return Value(kind, number, int(number), int(number))


def truths(data: Any) -> Value:
    return Value("b", data, 0, 1)


def both(one: Any, other: Any) -> Any:
    if one is True or other is False:
        return other
    if other is True or one is False:
        return one
    return one if one is other else logical_and(one, other)


def either(one: Any, other: Any) -> Any:
    if one is False or other is True:
        return other
    if other is False or one is True:
        return one
    return one if one is other else logical_or(one, other)


def negated(mask: Any) -> Any:
    return not mask if isinstance(mask, bool) else logical_not(mask)


def cast(data: Any, kind: str) -> Any:
    if not isinstance(data, ndarray):
        return {"b": bool, "i": int, "f": float}[kind](data)
    return data if data.dtype == _DTYPES[kind] else _core.cast(data, _DTYPES[kind])


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, ndarray) or isinstance(other, ndarray):
        return False
    return repr(one) == repr(other)


def _chosen(mask: Any, one: Any, other: Any) -> Any:
    if _same(one, other):
        return one
    for number in (one, other):
        if type(number) is int and not SMALLEST <= number <= LARGEST:
            raise Fallback
    return where(mask, one, other)


def merge(mask: Any, new: Any, old: Any) -> Any:
    """`new` in these lanes, `old` in all others."""
    if mask is True or new is old:
        return new
    if mask is False:
        return old
    if isinstance(new, tuple) or isinstance(old, tuple):
        if not (isinstance(new, tuple) and isinstance(old, tuple) and len(new) == len(old)):
            raise Fallback
        return tuple(merge(mask, one, other) for one, other in zip(new, old, strict=True))
    found: dict[str, tuple[Any, Value]] = {}
    rest = negated(mask)
    for within, value in ((mask, new), (rest, old)):
        for lanes, part in value.parts if isinstance(value, Mixed) else [(True, value)]:
            here = both(within, lanes)
            if part.kind not in found:
                found[part.kind] = here, part
                continue
            lanes_before, before = found[part.kind]
            found[part.kind] = either(lanes_before, here), _joined(lanes_before, before, part)
    if len(found) == 1:
        return next(iter(found.values()))[1]
    return Mixed(list(found.values()))


def _joined(mask: Any, one: Value, other: Value) -> Value:
    if one is other:
        return one
    low, high, error = min(one.low, other.low), max(one.high, other.high), max(one.error, other.error)
    if one.kind == "c":
        made = Value("c", tuple(_chosen(mask, x, y) for x, y in zip(one.data, other.data, strict=True)), error=error)
    else:
        made = Value(one.kind, _chosen(mask, one.data, other.data), low, high, error)
    made.numpy = one.numpy or other.numpy
    return made


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """A value with each of its arrays changed, masks too."""
    def apply(one: Any) -> Any:
        return change(one) if isinstance(one, ndarray) else one

    if isinstance(value, tuple):
        return tuple(mapped(change, one) for one in value)
    if isinstance(value, Mixed):
        return Mixed([(apply(mask), mapped(change, part)) for mask, part in value.parts])
    if not isinstance(value, Value):
        return value
    data = tuple(apply(one) for one in value.data) if value.kind == "c" else apply(value.data)
    made = Value(value.kind, data, value.low, value.high, value.error)
    made.numpy = value.numpy
    return made


class Lanes:
    """All lanes, which of them are meant at the moment, and which have to be computed by Python after all."""

    def __init__(self, shape: tuple[int, ...], live: Any = True) -> None:
        self.shape, self.live, self.lost = shape, live, False

    lost: Any

    def fail(self, mask: Any = True) -> None:
        """Leaves these of the live lanes to Python: it would raise there, or have a value that is not known."""
        self.lost = either(self.lost, both(self.live, mask))
        if self.lost is True:
            raise Fallback

    def require(self, fine: Any) -> None:
        self.fail(negated(fine))


def spread(lanes: Lanes, function: Callable[..., Any], *values: Any) -> Any:
    """`function` of values of one kind each, for each kind that these values have in some lane."""
    for place, value in enumerate(values):
        if isinstance(value, Mixed):
            live, made = lanes.live, None
            for mask, part in value.parts:
                lanes.live = both(live, mask)
                if lanes.live is False:
                    continue
                one = spread(lanes, function, *values[:place], part, *values[place + 1:])
                made = one if made is None else merge(mask, one, made)
            lanes.live = live
            return UNBOUND if made is None else made
        if not isinstance(value, Value):
            raise Fallback
        if value.kind == "u":
            lanes.fail()
            return UNBOUND
    made = function(lanes, *values)
    if any(value.numpy for value in values):
        for one in made if isinstance(made, tuple) else (made,):
            if one is not UNBOUND:
                one.numpy = True
    return made


def from_numpy(value: Any) -> bool:
    """Whether Python has a scalar of NumPy's in some lane."""
    if isinstance(value, Mixed):
        return any(part.numpy for _, part in value.parts)
    return isinstance(value, Value) and value.numpy


def own_numbers(*values: Value) -> None:
    """Refuses to compute with truths and complex numbers of NumPy's, which has other rules for them than Python."""
    if any(value.numpy for value in values) and any(value.kind in "bc" for value in values):
        raise Fallback
