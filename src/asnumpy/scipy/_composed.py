"""How a function of SciPy's is written as a composition of array operations: what it does not cover is SciPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import as_numpy, numpy_view
from asnumpy.host.numpys import derived
from asnumpy.scipy._host import on_host

FLOAT64 = np.dtype(np.float64)
_FLOATS = frozenset({np.dtype(np.float32), FLOAT64})
_NUMBERS = _FLOATS | {np.dtype(np.complex64), np.dtype(np.complex128)}

Body = Callable[..., Any]


def covered(
    theirs: ModuleType, name: str, known: tuple[str, ...], needed: frozenset[str], body: Callable[[dict[str, Any]], Any]
) -> Any:
    """The function of that name in a module of SciPy's, of which `body` computes calls with known parameters.

    `body` gets them as a dict, with all those that are needed; it gives NotImplemented for what it leaves to SciPy.
    """
    function = getattr(theirs, name)
    whole = on_host(function, f"{theirs.__name__}.{name}")

    def call(*args: Any, **kwargs: Any) -> Any:
        made = NotImplemented
        if len(args) <= len(known) and not (kwargs and kwargs.keys() & set(known[: len(args)])):
            given = {**dict(zip(known, args, strict=False)), **kwargs}
            if needed <= given.keys() <= set(known):
                made = body(given)
        return whole(*args, **kwargs) if made is NotImplemented else made

    functools.update_wrapper(call, function)
    call.__module__ = f"asnumpy.{theirs.__name__}"
    return beside(call, function)


def composed_in(theirs: ModuleType) -> Callable[[Body], Any]:
    """Marks a composition, whose parameters have SciPy's names, order and defaults."""

    def mark(body: Body) -> Any:
        known = body.__code__.co_varnames[: body.__code__.co_argcount]
        needed = frozenset(known[: len(known) - len(body.__defaults__ or ())])
        shown: Any = covered(theirs, body.__name__, known, needed, lambda given: body(**given))
        shown.body = body  # for compositions that use it
        return shown

    return mark


def numbers(value: Any) -> ndarray | None:
    """The value as an array of floats or complex numbers, integers as float64; None where SciPy is to see it."""
    if derived(value) or isinstance(value, (str, bytes, dict)) or value is None:
        return None
    a = asarray(value)
    if a.dtype.kind in "iu":
        a = _core.cast(a, FLOAT64)
    return a if a.dtype in _NUMBERS and a.size and a.ndim else None


def values_of(value: Any) -> np.ndarray | None:
    """Finite numbers that a composition has to know, such as a filter's; None where SciPy is to see them.

    While a function is recorded an array of ours has no values, and the call of SciPy's function is recorded.
    """
    if isinstance(value, ndarray) and _core.tracing():
        return None
    values = as_numpy(numpy_view(value))
    return values if values.dtype.kind in "iufc" and np.isfinite(values).all() else None


def floats(value: Any) -> ndarray | None:
    """The same for floats alone."""
    a = numbers(value)
    return a if a is not None and a.dtype in _FLOATS else None


def axis_of(a: ndarray, axis: Any) -> int | None:
    """The axis counted from the front; None where it is no integer or not there."""
    if type(axis) is not int or not -a.ndim <= axis < a.ndim:
        return None
    return axis % a.ndim


def along(ndim: int, axis: int, part: slice) -> tuple[slice, ...]:
    """An index that takes a part along an axis."""
    return (*[slice(None)] * axis, part, *[slice(None)] * (ndim - axis - 1))


def is_number(value: Any) -> bool:
    """Whether it is a plain number, real and no bool."""
    return type(value) in (int, float) or isinstance(value, (np.floating, np.integer))


def few_on_host(a: ndarray, least: int) -> bool:
    """Whether there are so few elements on the host that SciPy has done with them before a program begins."""
    return a._host_visible and a.size < least
