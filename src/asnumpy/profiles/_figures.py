"""What was seen within a profile: units of work, memory, what fell back, as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import asnumpy as ap
from asnumpy import _core, cannsim
from asnumpy.profiles import _limits, _tasks
from asnumpy.profiles._exports import DEVICES, HOST
from asnumpy.profiles._units import Row, Unit, memory, rows, units
from asnumpy.running._report import Event, own_times

_FALLBACK = ("kind", "function", "dtypes", "device", "reason")
OTHERS = 1000  # the first number of Python's threads of which the core's number is not known


def _use_of_devices() -> list[int]:
    """Changes with any work on a device."""
    return [figure for number, device in enumerate(_tasks.devices()) for figure in (
        _core.memory_info(device)["requests"], sum(one[0] for one in _core.cann_call_counts(number).values()),
    )]


def _in_use() -> int:
    return sum(ap.memory_info(device)["in_use"] for device in ap.devices())


def _left_out_counts() -> dict[tuple[str, ...], tuple[int, int]]:
    return {tuple(one[name] for name in _FALLBACK): (one["count"], one["bytes"]) for one in ap.fallbacks()}


def _modelled() -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in cannsim.report()["tasks"]} if _tasks.simulated() else {}


class Before:
    """Counts of the process when a profile begins."""

    def __init__(self) -> None:
        self.fallbacks = _left_out_counts()
        self.devices = _use_of_devices()
        self.in_use = _in_use()
        self.modelled = _modelled()


class Seen:
    """What a profile has when it has ended."""

    def __init__(
        self, events: list[Event], begun: int, ended: int, thread: int, before: Before, tasks: _tasks.Watch,
        lost: int,
    ) -> None:
        self.begun, self.ended, self.lost = begun, ended, lost
        self.seconds = (ended - begun) / 1e9
        self.events = _threaded(events, thread)
        self.units: list[Unit] = units(self.events)
        self.rows: list[Row] = rows(self.units)
        self.device = str(_core.default_device())
        self.threads = ap.get_num_threads()
        self.used_devices = _use_of_devices() != before.devices
        self.tasks = [task for task in tasks.found if self.used_devices and task.end >= begun]
        self.streams = dict(tasks.streams)
        for task in self.tasks:  # of a stream that the program made; with one device there is no other
            self.streams.setdefault(task.stream, _tasks.devices()[0] if len(_tasks.devices()) == 1 else "a device")
        self.uncertain = tasks.uncertain
        self.modelled = _since(before.modelled, _modelled()) if self.tasks else []
        self.slow = {one["name"] for one in self.modelled if one["aicpu"]}
        self.in_use = before.in_use, _in_use()
        self.memory = list(memory(self.events, self.in_use[1]))
        self.peak = max([*self.in_use, *(size for _, size in self.memory)])
        self.fallbacks = self._fallbacks(before)
        self.tracks: dict[int, dict[Any, str]] = {
            HOST: {key: _title(key) for key in sorted({event["thread"] for event in self.events})},
            DEVICES: {key: f"{self.streams[key]}, stream {key}" for key in sorted({one.stream for one in self.tasks})},
        }

    def _fallbacks(self, before: Before) -> list[dict[str, Any]]:
        lines: dict[str, dict[str, None]] = {}
        for event, _, where in own_times(self.events):
            if event["category"] in ("host", "fallback") and where:
                lines.setdefault(event["name"], {})[where] = None
        found = []
        for key, (count, nbytes) in _left_out_counts().items():
            known = before.fallbacks.get(key, (0, 0))
            known = known if known[0] <= count else (0, 0)  # they have been forgotten meanwhile
            if count > known[0]:
                one: dict[str, Any] = dict(zip(_FALLBACK, key, strict=True))
                where = "; ".join(lines.get(one["function"], ()))
                found.append({**one, "count": count - known[0], "bytes": nbytes - known[1], "lines": where})
        return found

    @property
    def work(self) -> float:
        """Seconds of asnumpy's own work, all threads together."""
        return sum(unit.own for unit in self.units) / 1e9

    @property
    def limits(self) -> _limits.Limits | None:
        """Of this machine. None where a device took part: the times are those of beginning its work."""
        return None if self.used_devices else _limits.limits()

    def rates(self, row: Row) -> tuple[float | None, float | None]:
        """Bytes and operations a second; None where they are not known, or a device took part."""
        return (None, None) if self.used_devices else (row.rate(row.bytes), row.rate(row.arithmetic))

    def shares(self, row: Row) -> tuple[float | None, float | None]:
        """Of bandwidth and of arithmetic, as parts of what the machine reaches; None where it is not known."""
        limits = self.limits if row.kind in ("program", "operation") else None
        if limits is None:
            return None, None
        moved, computed = self.rates(row)
        reached = limits.products.get(row.dtype) if row.dtype else limits.arithmetic
        return (
            None if moved is None else moved / limits.bandwidth,
            None if computed is None or not reached else computed / reached,
        )


def _threaded(events: list[Event], profiled: int) -> list[Event]:
    """Every event with a thread: the core numbers its own, NumPy's calls know Python's."""
    first = next((event["thread"] for event in events if "thread" in event), 0)
    known = {profiled: first}
    threaded = []
    for event in events:
        if "thread" not in event:
            mine = event.get("python_thread", profiled)
            event = {**event, "thread": known.setdefault(mine, OTHERS + len(known))}
        threaded.append(event)
    return threaded


def _title(thread: int) -> str:
    return f"thread {thread}" if thread < OTHERS else f"calls, thread {thread - OTHERS + 1}"


def _since(before: dict[str, dict[str, Any]], now: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The simulator's sums by operator, of what ran between two reports of it."""
    found = []
    for name, one in now.items():
        earlier = before.get(name, {})
        earlier = earlier if earlier.get("count", 0) <= one["count"] else {}  # it has been cleared meanwhile
        if one["count"] > earlier.get("count", 0):
            counted = {key: value - earlier.get(key, 0) for key, value in one.items() if key != "name"}
            found.append({"name": name, **counted})
    return sorted(found, key=lambda one: -one["modelled_seconds"])


def _work(seen: Seen) -> dict[str, list[Any]]:
    columns: dict[str, Callable[[Unit], Any]] = {
        "start_us": lambda one: (one.start - seen.begun) / 1e3, "duration_us": lambda one: (one.end - one.start) / 1e3,
        "own_us": lambda one: one.own / 1e3, "kind": lambda one: one.kind, "name": lambda one: one.name,
        "thread": lambda one: one.thread, "bytes": lambda one: one.bytes, "operations": lambda one: one.arithmetic,
        "detail": lambda one: one.detail, "lines": lambda one: one.lines,
    }
    return {name: [value(unit) for unit in seen.units] for name, value in columns.items()}


def _programs(seen: Seen) -> dict[str, list[Any]]:
    total = sum(row.own for row in seen.rows) or 1
    shares = [seen.shares(row) for row in seen.rows]
    columns: dict[str, Callable[[Row], Any]] = {
        "kind": lambda row: row.kind, "name": lambda row: row.name, "shape": lambda row: row.shape,
        "calls": lambda row: row.calls, "seconds": lambda row: row.own / 1e9, "share": lambda row: row.own / total,
        "bytes": lambda row: row.bytes, "bytes_per_second": lambda row: row.rate(row.bytes),
        "operations": lambda row: row.arithmetic, "operations_per_second": lambda row: row.rate(row.arithmetic),
    }
    return {
        **{name: [value(row) for row in seen.rows] for name, value in columns.items()},
        "bandwidth_share": [one for one, _ in shares], "arithmetic_share": [one for _, one in shares],
        "lines": [row.lines for row in seen.rows],
    }


def _of_tasks(seen: Seen) -> dict[str, list[Any]]:
    return {
        "start_us": [(task.start - seen.begun) / 1e3 for task in seen.tasks],
        "duration_us": [(task.end - task.start) / 1e3 for task in seen.tasks],
        "name": [task.name for task in seen.tasks], "device": [seen.streams[task.stream] for task in seen.tasks],
        "stream": [task.stream for task in seen.tasks],
    }


def _of_memory(seen: Seen) -> dict[str, list[Any]]:
    return {"at_us": [(at - seen.begun) / 1e3 for at, _ in seen.memory], "bytes": [size for _, size in seen.memory]}


def _of_fallbacks(seen: Seen) -> dict[str, list[Any]]:
    return {name: [one[name] for one in seen.fallbacks] for name in (*_FALLBACK, "count", "bytes", "lines")}


_TABLES: dict[str, Callable[[Seen], dict[str, list[Any]]]] = {
    "work": _work, "programs": _programs, "tasks": _of_tasks, "memory": _of_memory, "fallbacks": _of_fallbacks,
}


def columns(seen: Seen, table: str) -> dict[str, list[Any]]:
    """A table by its columns."""
    if table not in _TABLES:
        raise ValueError(f"profile.to_dict: expected one of {', '.join(_TABLES)}, got {table!r}")
    return _TABLES[table](seen)
