"""`ap.profile()`: records a block or the calls of a function, and keeps what was seen."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import asnumpy as ap
from asnumpy import _core
from asnumpy.host import door
from asnumpy.profiler import _recording
from asnumpy.profiles import _exports, _figures, _tasks
from asnumpy.runtime.origins import origins_kept

EVENTS = 1 << 16
_STATES = {
    "new": "it has not begun: write `with ap.profile() as p:`",
    "running": "it has not ended: read it after its block",
    "failed": "it could not begin",
}


class Profile:
    """What a block did: `with ap.profile() as p: ...`, then `print(p)`, `p.save("profile.html")`.

    A notebook shows its page. Reading it before its block has ended is a RuntimeError.
    """

    def __init__(self, *, save: str | os.PathLike[str] | None = None, events: int = EVENTS) -> None:
        if isinstance(events, bool) or not isinstance(events, int) or events < 1:
            raise ValueError(f"profile: expected a number of events to keep, at least 1, got {events!r}")
        self._save = save
        self._events = events
        self._state = "new"
        self._ends = contextlib.ExitStack()
        self._seen: _figures.Seen | None = None

    def __enter__(self) -> Profile:
        if self._state != "new":
            raise RuntimeError("profile: it has begun once; make another one by ap.profile()")
        if door.listener is not None:
            raise RuntimeError("profile: a recording, or a profile, is already running; profiles do not nest")
        self._state = "failed"
        with contextlib.ExitStack() as ends:
            ends.enter_context(origins_kept())
            self._tasks = _tasks.Watch()
            ends.callback(self._tasks.end)
            self._before = _figures.Before()
            self._trace = ends.enter_context(_recording.record(self._events))
            self._ends = ends.pop_all()
        self._state = "running"
        self._thread = threading.get_ident()
        self._begun = time.perf_counter_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                ap.synchronize()  # what devices still do belongs to the block
        finally:
            ended = time.perf_counter_ns()
            try:
                self._ends.__exit__(kind, error, traceback)
            finally:
                self._seen = _figures.Seen(
                    self._trace.events, self._begun, ended, self._thread, self._before, self._tasks, _core.trace_lost(),
                )
                self._state = "ended"
        if self._save is not None:
            with contextlib.suppress(*([] if kind is None else [OSError])):  # the block's error says more
                self.save(self._save)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, of which each call has a profile of its own: `function.profile` is the latest one's."""
        if not callable(function):
            raise TypeError(f"profile: expected a function, got {type(function).__name__}; a path goes to save=")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError(
                f"profile: {getattr(function, '__name__', function)} runs after its call has returned; "
                "use `with ap.profile():` around what runs it"
            )
        running = threading.Lock()

        @functools.wraps(function)
        def profiled(*arguments: Any, **named: Any) -> Any:
            if not running.acquire(blocking=False):  # it calls itself, or another thread calls it: part of the first
                return function(*arguments, **named)
            try:
                with Profile(save=self._save, events=self._events) as mine:
                    shown.profile = mine
                    return function(*arguments, **named)
            finally:
                running.release()

        shown: Any = profiled
        shown.profile = None
        return profiled

    def __repr__(self) -> str:
        if self._seen is None:
            return f"<asnumpy profile, {self._state}>"
        return f"<asnumpy profile of {self._seen.seconds:.3f} s, {len(self._seen.units)} pieces of work>"

    def _ended(self, what: str) -> _figures.Seen:
        if self._seen is None:
            raise RuntimeError(f"profile.{what}: {_STATES[self._state]}")
        return self._seen

    def __str__(self) -> str:
        from asnumpy.profiles import _text

        return _text.text(self._ended("__str__"))

    def html(self) -> str:
        """The page: time line, programs, memory, what fell back; it needs nothing beside it, and no network."""
        from asnumpy.profiles import _page

        return _page.page(self._ended("html"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def _repr_html_(self) -> str | None:
        from asnumpy.profiles import _page

        return None if self._seen is None else _page.framed(self.html())

    def to_dict(self, table: str = "work") -> dict[str, list[Any]]:
        """One of the tables, by columns, as `pandas.DataFrame` takes it; None is what the trace does not tell.

        Parameters: table, "work" (each program, operation, copy and call), "programs" (these together, longest first),
        "tasks" (of devices, on the simulator), "memory" or "fallbacks". ValueError for another.
        """
        return _figures.columns(self._ended("to_dict"), table)

    def to_chrome(self, path: str | os.PathLike[str]) -> None:
        """Writes a file for chrome://tracing and Perfetto: rows by thread and stream, memory as a curve."""
        seen = self._ended("to_chrome")
        events = _exports.names(seen.tracks)
        events += [_recording.chrome_event(event, _exports.HOST, event["thread"]) for event in seen.events
                   if event["category"] != "pool"]
        events += [*_exports.task_events(seen.tasks), *_exports.counter_events(seen.memory)]
        _recording.write_chrome(path, events)

    def to_msprof(self, path: str | os.PathLike[str]) -> None:
        """Writes a file with the columns of msprof's op_summary: the tasks of devices, or the CPU's programs.

        RuntimeError where a device took part and nobody tells when its tasks ran, as an NPU: there msprof itself does.
        """
        seen = self._ended("to_msprof")
        if seen.used_devices and not seen.tasks:
            raise RuntimeError(
                "profile.to_msprof: when the device's tasks ran is not known here, only on the simulator; "
                "`msprof python program.py` records them on an NPU"
            )
        work = [unit for unit in seen.units if unit.kind in ("program", "operation")]
        text = _exports.summary(seen.tasks, seen.streams, seen.slow, work)
        Path(path).write_text(text, encoding="utf-8")


def profile(
    function: Callable[..., Any] | None = None, /, *, save: str | os.PathLike[str] | None = None, events: int = EVENTS,
) -> Any:
    """Records what a block or a function does with arrays: `with ap.profile() as p:`, or `@ap.profile(save="p.html")`.

    It shows what ran when on which thread and stream, programs with their time and how near they come to what this
    machine reaches, memory, and what fell back and where.

    Parameters: function, as a decorator: each of its calls has a profile, the latest one is `function.profile`. save, a
    path: the page is written there at the end. events, how many events are kept, the newest. Gives a Profile, complete
    when the block has ended. RuntimeError inside of another profile or recording.
    """
    made = Profile(save=save, events=events)
    return made if function is None else made(function)


Profile.__module__ = "asnumpy.profiles"
profile.__module__ = "asnumpy"
