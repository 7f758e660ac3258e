"""Floating-point errors: errstate and its kin, which look for errors only where a program asks for it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public

_CATEGORIES = ("divide", "over", "under", "invalid")
_MISSING: Any = object()

# The categories whose errors this context wants to hear of.
_watched: ContextVar[frozenset[str]] = ContextVar("asnumpy_watched_errors", default=frozenset())
_watchers = 0  # contexts that watch; while there are any, the core gives every ufunc call to Python
_lock = threading.Lock()


def watching() -> bool:
    """Whether this context wants errors reported: then NumPy computes, which knows how to."""
    return _watchers > 0 and bool(_watched.get())


def _count(before: frozenset[str], after: frozenset[str]) -> None:
    global _watchers
    if bool(before) != bool(after):
        with _lock:
            _watchers += 1 if after else -1
            _core.watch_ufuncs(_watchers > 0)


def _wanted(before: frozenset[str], given: dict[str, Any], quiet: tuple[str, ...]) -> frozenset[str]:
    wanted = set(before)
    for category in _CATEGORIES:
        how = given.get(category) or given.get("all")
        if how is not None:
            (wanted.discard if how in quiet else wanted.add)(category)
    return frozenset(wanted)


@public
class errstate:
    """Context manager (and decorator) for floating-point errors.

    Differs from NumPy: outside of such a block nothing is reported, whatever `geterr()` says: results are NumPy's (inf,
    NaN), warnings are not given, because deferred operations run when their call is long past. Inside a block that
    sets a category to anything but 'ignore', ufuncs, their methods, operators, sums and their like run at once, by
    NumPy through the host door, and report as NumPy does: `with errstate(divide="raise")` raises FloatingPointError at
    the very operation. Matrix products and what else the device computes by itself report nothing.
    """

    def __init__(
        self, *, call: Any = _MISSING, all: str | None = None, divide: str | None = None, over: str | None = None,
        under: str | None = None, invalid: str | None = None,
    ) -> None:
        self._given: dict[str, Any] = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        self._call: dict[str, Any] = {} if call is _MISSING else {"call": call}
        self._numpy: Any = np.errstate(**self._call, **self._given)
        self._before: frozenset[str] = frozenset()

    def __enter__(self) -> None:
        self._numpy.__enter__()
        self._before = _watched.get()
        after = _wanted(self._before, self._given, ("ignore",))
        _count(self._before, after)
        _watched.set(after)

    def __exit__(self, *exception: Any) -> None:
        _count(_watched.get(), self._before)
        _watched.set(self._before)
        self._numpy.__exit__(*exception)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with errstate(**self._call, **self._given):
                return func(*args, **kwargs)

        return inside


@public
def seterr(
    all: str | None = None, divide: str | None = None, over: str | None = None, under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    """Sets how floating-point errors are handled from now on.

    Differs from NumPy: 'warn', which is how NumPy begins, does not make operations look for errors (`errstate` says
    what does); 'raise', 'call', 'print' and 'log' do, and every ufunc then runs at once through the host door.
    """
    given: dict[str, Any] = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    old: Any = np.seterr(**given)
    before = _watched.get()
    after = _wanted(before, given, ("ignore", "warn"))
    _count(before, after)
    _watched.set(after)
    return old


geterr, seterrcall, geterrcall = np.geterr, np.seterrcall, np.geterrcall
