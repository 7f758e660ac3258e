"""Where the core's wish for machine code goes: to what writes and compiles it, loaded at the first such wish."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import ModuleType

from asnumpy import _core

# `compiled` gives the package that writes code (asnumpy.compiled). The package says it.
offered: dict[str, Callable[[], ModuleType]] = {}


def compiled() -> ModuleType:
    """The package that writes code."""
    return offered["compiled"]()


def _compile(wait: bool) -> None:
    # A program that does not wait has not asked for it either, and goes on without.
    with contextlib.nullcontext() if wait else contextlib.suppress(Exception):
        compiled().compile(wait)


_core.set_hooks({"compile": _compile})
