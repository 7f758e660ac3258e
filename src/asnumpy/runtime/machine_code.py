"""Where the core's wish for machine code goes: to what writes and compiles it, loaded at the first such wish."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import ModuleType

from asnumpy import _core

# `compiled` gives the package that writes code (asnumpy.compiled). The package says it.
offered: dict[str, Callable[[], ModuleType]] = {}


def compiled() -> ModuleType:
    """The package that writes code."""
    return offered["compiled"]()


class Beside:
    """The thread in which code is made while the program goes on: there as long as something is wanted.

    The package that writes code is loaded in it. So the caller's thread runs nothing but what starts a thread, and an
    exception that comes out of that is the program's own, from a handler of a signal.
    """

    def __init__(self) -> None:
        self._starting = threading.RLock()  # a handler of a signal may want code where it came
        self.thread: threading.Thread | None = None
        self.stopped = False

    def start(self) -> None:
        with self._starting:
            if self.stopped or self.thread is not None:
                return
            self.thread = thread = threading.Thread(target=self._work, name="asnumpy-compile", daemon=True)
            try:
                thread.start()
            except BaseException as error:
                begun = thread.ident is not None
                if not begun:
                    self.thread = None
                # the interpreter begins to end, or the system has no thread left; else it is the program's
                if begun or not isinstance(error, (RuntimeError, MemoryError)):
                    raise

    def _work(self) -> None:
        while self._goes_on():
            try:
                make = compiled().make
            except BaseException:  # told once: nothing is wanted a second time
                for number, *_ in _core.programs.take_wanted():
                    _core.programs.refuse(number)
                raise
            make()

    def _goes_on(self) -> bool:
        with self._starting:  # what is wanted after this look finds no thread, and starts one
            more = not self.stopped and _core.programs.anything_wanted()
            if not more:
                self.thread = None
            return more


beside = Beside()


def _compile(wait: bool) -> None:
    if wait:
        compiled().compile()
    else:
        beside.start()


def _forget() -> None:
    """In a forked child, which has no such thread."""
    global beside
    beside = Beside()
    _core.programs.forget_taken()


os.register_at_fork(after_in_child=_forget)
_core.set_hooks({"compile": _compile})
