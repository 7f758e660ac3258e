"""Floating-point errors: errstate and its kin over NumPy's own state, which the core looks at before it records."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy._core import umath

from asnumpy import _core
from asnumpy._public import public

T = TypeVar("T", bound=Callable[..., Any])
_CATEGORIES = ("divide", "over", "under", "invalid")
_MISSING: Any = object()
_state: contextvars.ContextVar[Any] = umath._extobj_contextvar  # where NumPy keeps its state, an opaque object
_start: Any = contextvars.Context().run(_state.get)  # with which it begins
_at_start: dict[str, Any] = dict(contextvars.Context().run(lambda: np.geterr()))

# Of states that were made here, which categories they want reported: NumPy's own do not tell whether somebody asked for
# 'warn' or only left it as it was.
_wanted: dict[int, tuple[Any, frozenset[str]]] = {}


def _wanted_by(state: Any) -> frozenset[str]:
    """The categories that a state wants reported; it is the current one."""
    if state is _start:
        return frozenset()
    known = _wanted.get(id(state))
    if known is not None:
        return known[1]
    return frozenset(category for category, how in np.geterr().items() if how not in ("ignore", _at_start[category]))


# Whether this context wants errors reported: then NumPy computes, which knows how to.
watching = _core.errors_are_watched
_core.set_error_state(_state, _start, lambda state: bool(_wanted_by(state)))


def _changed(before: frozenset[str], given: dict[str, Any], quiet: tuple[str, ...]) -> frozenset[str]:
    wanted = set(before)
    for category in _CATEGORIES:
        how = given.get(category) or given.get("all")
        if how is not None:
            (wanted.discard if how in quiet else wanted.add)(category)
    return frozenset(wanted)


@public
class errstate(np.errstate):
    """Context manager (and decorator) for floating-point errors. The state is NumPy's: numpy.errstate does the same.

    Differs from NumPy: what the state asks for at the start, warnings, is not given, because deferred operations run
    when their call is long past: results are NumPy's (inf, NaN). Inside a block that sets a category to anything but
    'ignore', ufuncs, their methods, operators, sums, casts and matrix products run at once, by NumPy through the host
    door, and report as NumPy does: `with errstate(divide="raise")` raises FloatingPointError at the very operation.
    """

    def __init__(
        self, *, call: Any = _MISSING, all: str | None = None, divide: str | None = None, over: str | None = None,
        under: str | None = None, invalid: str | None = None,
    ) -> None:
        self._given: dict[str, Any] = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        self._also: dict[str, Any] = {} if call is _MISSING else {"call": call}
        super().__init__(**self._also, **self._given)

    def __enter__(self) -> None:
        before = _wanted_by(_state.get())
        super().__enter__()
        state = _state.get()
        _wanted[id(state)] = state, _changed(before, self._given, ("ignore",))
        self._own = state

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        _wanted.pop(id(self._own), None)

    def __call__(self, func: T) -> T:
        own: Any = func

        @functools.wraps(own)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with errstate(**self._also, **self._given):
                return own(*args, **kwargs)

        return cast("T", inside)


@public
def seterr(
    all: str | None = None, divide: str | None = None, over: str | None = None, under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    """Sets how floating-point errors are handled from now on. The state is NumPy's.

    Differs from NumPy: 'warn', which is how NumPy begins, does not make operations look for errors (`errstate` says
    what does); 'raise', 'call', 'print' and 'log' do, and every ufunc then runs at once through the host door.
    """
    given: dict[str, Any] = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    replaced = _state.get()
    wanted = _changed(_wanted_by(replaced), given, ("ignore", "warn"))
    old = np.seterr(**given)
    state = _state.get()
    _wanted.pop(id(replaced), None)
    if wanted != _wanted_by(state):
        _wanted[id(state)] = state, wanted
    return cast("dict[str, str]", old)


geterr, seterrcall, geterrcall = np.geterr, np.seterrcall, np.geterrcall
