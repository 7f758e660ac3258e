"""Bars for work that takes a while and has a natural count: tqdm's where that is installed, else a plain one."""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections.abc import Iterator
from typing import Any

from asnumpy import config

SECONDS = 1.0   # work that takes less has no bar
OFTEN = 0.1     # seconds between two looks of the plain bar
LENGTH = 24


class Bar:
    """A bar that shows nothing; the others are like it."""

    def to(self, share: float, text: str = "") -> None:
        """So much of the work is done, from 0 to 1; the text says at what it is."""

    def clear(self) -> None:
        """Takes the bar from the screen, for a line of text; it comes again with the next `to`."""

    def close(self) -> None:
        """The work has ended."""


class _Plain(Bar):
    def __init__(self, what: str) -> None:
        self.what, self.next = what, time.monotonic() + SECONDS
        self.shown = False

    def to(self, share: float, text: str = "") -> None:
        now = time.monotonic()
        if now < self.next:
            return
        self.next, self.shown = now + OFTEN, True
        filled = "#" * int(LENGTH * min(max(share, 0.0), 1.0))
        print(f"\r\x1b[K{self.what} [{filled:<{LENGTH}}] {text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self.shown = False

    def close(self) -> None:
        self.clear()


@functools.cache
def _without_monitor(tqdm: Any) -> Any:
    """tqdm's class without its thread, which would outlive the work."""
    return type("tqdm", (tqdm,), {"monitor_interval": 0})


class _Tqdm(Bar):
    def __init__(self, what: str, tqdm: Any) -> None:
        self.bar = _without_monitor(tqdm)(
            total=1.0, desc=what, delay=SECONDS, leave=False, file=sys.stderr, mininterval=OFTEN, miniters=0,
            bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}",
        )

    def to(self, share: float, text: str = "") -> None:
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update(share - self.bar.n)

    def clear(self) -> None:
        self.bar.clear()

    def close(self) -> None:
        self.bar.close()


def _made(what: str) -> Bar:
    screen = sys.stderr  # None where a process has none
    if screen is None or config.progress == "off" or (config.progress == "auto" and not screen.isatty()):
        return Bar()
    try:
        from tqdm import tqdm
    except ImportError:
        return _Plain(what)
    return _Tqdm(what, tqdm)


@contextlib.contextmanager
def bar(what: str) -> Iterator[Bar]:
    """A bar on the standard error, for the time of a `with` block; `asnumpy.config.progress` says whether there is one.

    It comes after a second, and leaves nothing behind.
    """
    made = _made(what)
    try:
        yield made
    finally:
        made.close()
