"""Floating-point errors: where a program asks to hear of them, its ufuncs run on the host, as NumPy's own, which tell.

The device's loops raise no flags, so NumPy's default, a warning at the first division by zero, is not given. A program that
asks by `errstate` or `seterr` pays for the answer: until it stops asking, each ufunc of its thread runs at once.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public

_DEFAULTS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_NOT_GIVEN: Any = object()
# False until a program first asks, so that those that never do are not delayed.
_ever_asked = False


class _Thread(threading.local):
    """What the thread asks for, kind of error: treatment; NumPy keeps the treatments themselves."""

    def __init__(self) -> None:
        self.asked: dict[str, str] = {}


_thread = _Thread()


def watched() -> bool:
    """Whether this thread wants to hear of floating-point errors."""
    return _ever_asked and any(treatment != "ignore" for treatment in _thread.asked.values())


def _ask(asked: dict[str, str]) -> None:
    global _ever_asked
    _thread.asked = asked
    _ever_asked = _ever_asked or bool(asked)
    _core.watch_errors(watched())


def _by_kind(given: dict[str, Any]) -> dict[str, str]:
    everything = given.get("all")
    kinds = {kind: given.get(kind) or everything for kind in _DEFAULTS}
    return {kind: treatment for kind, treatment in kinds.items() if treatment is not None}


@public
class errstate:
    """Context manager and decorator: how floating-point errors are treated, as `numpy.errstate`.

    Inside it, ufuncs run on the host and at once if any kind of error is to be treated otherwise than by "ignore".
    Outside of it no error is reported, whatever NumPy's default says.
    """

    def __init__(
        self, *, call: Any = _NOT_GIVEN, all: str | None = None, divide: str | None = None, over: str | None = None,
        under: str | None = None, invalid: str | None = None,
    ) -> None:
        given: dict[str, Any] = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        self._given = given if call is _NOT_GIVEN else given | {"call": call}
        self._numpy: Any = None

    def __enter__(self) -> None:
        if self._numpy is not None:
            raise TypeError("Cannot enter `np.errstate` twice.")
        numpy = np.errstate(**self._given)
        numpy.__enter__()
        self._numpy, self._outer = numpy, _thread.asked
        _ask(self._outer | _by_kind(self._given))

    def __exit__(self, *error: Any) -> None:
        _ask(self._outer)
        self._numpy.__exit__(*error)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def inner(*args: Any, **kwargs: Any) -> Any:
            with type(self)(**self._given):
                return func(*args, **kwargs)

        return inner


@public
def seterr(
    all: str | None = None, divide: str | None = None, over: str | None = None, under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    given = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    old = np.seterr(**given)  # type: ignore[arg-type]
    asked = _thread.asked | _by_kind(given)
    # `seterr(**old)` gives NumPy's defaults back: nobody has asked then
    _ask({kind: treatment for kind, treatment in asked.items() if treatment != _DEFAULTS[kind]})
    return old
