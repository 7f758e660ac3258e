"""The line of the program that records an operation is noted for as long as somebody asks for it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from asnumpy import _core

_lock = threading.Lock()
_asking = 0


def _ask(more: int) -> None:
    global _asking
    with _lock:
        _asking += more
        _core.set_origins(_asking > 0)


def keep_origins() -> None:
    """From now on, until a `leave_origins` for each call of this."""
    _ask(1)


def leave_origins() -> None:
    """Ends what one `keep_origins` began."""
    _ask(-1)


@contextlib.contextmanager
def origins_kept() -> Iterator[None]:
    """Within the block."""
    keep_origins()
    try:
        yield
    finally:
        leave_origins()
