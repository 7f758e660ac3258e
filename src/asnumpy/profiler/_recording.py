"""Where the time went: `with profiler.record() as trace: ...`, then `print(trace.table())`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from asnumpy import _core
from asnumpy.host import door


class Trace:
    """The events of one recording: launches, copies, allocations, flushes, calls of NumPy."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def table(self, limit: int = 30) -> str:
        """The events by name: calls, total and mean time, bytes; the longest total first."""
        rows: dict[tuple[str, str], list[int]] = {}
        for event in self.events:
            row = rows.setdefault((event["category"], event["name"]), [0, 0, 0])
            row[0] += 1
            row[1] += int(event["duration_ns"])
            row[2] += int(event["bytes"])
        ordered = sorted(rows.items(), key=lambda item: -item[1][1])[:limit]
        width = max([4, *(len(name) for (_, name), _ in ordered)])
        lines = [f"{'category':<10} {'name':<{width}} {'calls':>8} {'total ms':>10} {'mean us':>10} {'MB':>10}"]
        for (category, name), (calls, time, size) in ordered:
            figures = f"{calls:>8} {time / 1e6:>10.3f} {time / calls / 1e3:>10.2f} {size / 1e6:>10.2f}"
            lines.append(f"{category:<10} {name:<{width}} {figures}")
        return "\n".join(lines)

    def save_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the events as a file that chrome://tracing and Perfetto open."""
        write_chrome(path, [chrome_event(event, os.getpid(), event["category"]) for event in self.events])


def chrome_event(event: dict[str, Any], process: int, row: Any) -> dict[str, Any]:
    """An event as Chrome's viewer takes it, in a row of a process."""
    return {
        "name": event["name"], "cat": event["category"], "ph": "X", "ts": event["start_ns"] / 1e3,
        "dur": event["duration_ns"] / 1e3, "pid": process, "tid": row,
        "args": {"bytes": event["bytes"], "detail": event["detail"], "lines": event["lines"]},
    }


def write_chrome(path: str | os.PathLike[str], events: list[dict[str, Any]]) -> None:
    """Writes such events as a file for Chrome's viewer."""
    import json  # only here: it would cost the import of asnumpy several milliseconds

    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events, "displayTimeUnit": "ms"}, file)


@contextlib.contextmanager
def record(capacity: int = 1 << 16) -> Iterator[Trace]:
    """Records what runs inside the `with` block, and runs what is pending at its end.

    Parameters: capacity, how many events are kept, the newest. Gives a Trace, complete when the block has ended.
    RuntimeError inside of another recording or a profile.
    """
    if door.listener is not None:
        raise RuntimeError("profiler.record: a recording, or a profile, is already running; recordings do not nest")
    trace = Trace()
    calls: list[dict[str, Any]] = []
    _core.flush()
    _core.trace_start(capacity)
    door.listener = calls
    _core.watch_host_calls("recording", True)
    try:
        yield trace
        _core.flush()
    finally:
        door.listener = None
        _core.watch_host_calls("recording", False)
        trace.events = sorted([*_core.trace_stop(), *calls], key=lambda event: event["start_ns"])


Trace.__module__ = record.__module__ = "asnumpy.profiler"
