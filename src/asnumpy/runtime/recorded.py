"""The trace under way in this thread, and the bit generators that the traced function draws from.

Each call of what was recorded takes new words of the generators.
"""

from __future__ import annotations

import threading
from typing import Any


class Recording:
    """A trace, and what the function drew."""

    def __init__(self, trace: Any, around: Recording | None) -> None:
        self.trace, self.around = trace, around
        self.draws: dict[int, list[Any]] = {}  # by id: the generator, and how many words so far

    def drawn(self) -> list[tuple[Any, int]]:
        """The generators in the order of their first draws, and how many words each gave."""
        return [(generator, words) for generator, words in self.draws.values()]


class _Local(threading.local):
    current: Recording | None = None


_local = _Local()


def begin(trace: Any) -> Recording:
    """Starts to collect for a trace; what was collected before goes on after `end`."""
    _local.current = Recording(trace, _local.current)
    return _local.current


def end() -> None:
    """Ends what began last."""
    assert _local.current is not None
    _local.current = _local.current.around


def current_trace() -> Any:
    """The trace under way."""
    assert _local.current is not None
    return _local.current.trace


def reserve(generator: Any, words: int) -> tuple[int, int, int]:
    """In place of a stream's key and place: which of the generators it is, and the place from the start of the call."""
    assert _local.current is not None
    draws = _local.current.draws
    entry = draws.setdefault(id(generator), [generator, 0])
    first = entry[1]
    entry[1] = first + words
    return list(draws).index(id(generator)), first, 0
