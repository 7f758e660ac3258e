"""Where the core's wish for machine code goes: to what writes and compiles it, loaded at the first such wish."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from asnumpy import _core

# `compiled` gives the package that writes code (asnumpy.compiled). The package says it.
offered: dict[str, Callable[[], ModuleType]] = {}


def compiled() -> ModuleType:
    """The package that writes code."""
    return offered["compiled"]()


def _compile(wait: bool) -> None:
    if wait:
        compiled().compile(True)
        return
    try:
        compiled().compile(False)
    except TimeoutError:  # the program's own, from a handler of a signal, as is all that the next line does not name
        raise
    except (ImportError, MemoryError, OSError):  # who does not wait has not asked for code either, and goes on without
        pass


_core.set_hooks({"compile": _compile})
