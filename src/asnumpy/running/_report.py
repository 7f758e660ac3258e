"""`run --report`: what a program did, as a page of HTML that needs nothing beside it."""

from __future__ import annotations

import atexit
import contextlib
import linecache
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import asnumpy as ap
from asnumpy import _core, cannsim
from asnumpy.check._page import document, table
from asnumpy.profiler import record
from asnumpy.runtime import cann_search

EVENTS = 1 << 17  # that are kept: some 60 MB while the program runs
MOST = 60         # rows of a table
MORE = """
.bar { background: #4a7fb5; height: .8em; display: inline-block; } code { font-size: 13px; white-space: pre; }
svg { border: 1px solid #ddd; }
"""
OF_LINES = """Of asnumpy's work, by the line that recorded it; lines that were fused share a program's time. Python's
own time, and operations on few elements, which are computed as they are called, are not in it."""
OF_PROGRAMS = """Each row is a program: its operations run together over tiles that stay in cache. An operation that
stands alone (a product, a scan, a sort) is a row of its own."""
OF_THE_FORECAST = """<b>Modelled, not measured: nothing here ran on hardware.</b> The simulator's clock adds up
launches, and bytes over bandwidth or operations over rate. It rests on public figures of the chip and on estimates of
what a launch and a link cost; how far it is off is not known. Trust the order of what takes long more than the figures,
and those of large arrays more than those of small ones. The host's calls are not in it, nor Python's time.
CANNSIM_PROFILE takes costs that <code>python -m asnumpy check</code> has measured on a machine."""
Event = dict[str, Any]


@dataclass
class Line:
    """What the work of one line of the program took."""

    nanoseconds: float = 0.0
    operations: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def begin(path: Path, program: str) -> None:
    """Records from now on, and writes the page when the process ends."""
    ap.devices()  # CANN starts now, so that it ends after the page is written
    recording = contextlib.ExitStack()
    trace = recording.enter_context(record(EVENTS))
    start = time.perf_counter()

    def end() -> None:
        lost = _core.trace_lost()
        seconds = time.perf_counter() - start
        with contextlib.suppress(RuntimeError, MemoryError):  # what fails now, nobody has asked for
            recording.close()
        try:
            path.write_text(page(trace.events, program, seconds, lost), encoding="utf-8")
        except OSError as error:
            print(f"asnumpy run: cannot write the report: {error}", file=sys.stderr)
        else:
            print(f"asnumpy run: the report is in {path}", file=sys.stderr)

    atexit.register(end)


def own_times(events: Iterable[Event]) -> Iterator[tuple[Event, int, str]]:
    """Each event, its time less that of the events within it, and its lines: its own, or those of what is around it."""
    threads: dict[Any, list[Event]] = defaultdict(list)
    listed = list(events)
    main = listed[0].get("thread", 0) if listed else 0
    for event in listed:
        threads[event.get("thread", main)].append(event)  # what NumPy computed is noted by the interpreter's thread
    for mine in threads.values():
        mine.sort(key=lambda event: (event["start_ns"], -event["duration_ns"]))
        left = [event["duration_ns"] for event in mine]
        lines = [event["lines"] for event in mine]
        around: list[int] = []
        for place, event in enumerate(mine):
            while around and event["start_ns"] >= mine[around[-1]]["start_ns"] + mine[around[-1]]["duration_ns"]:
                around.pop()
            if around:
                left[around[-1]] -= event["duration_ns"]
                lines[place] = lines[place] or lines[around[-1]]
            around.append(place)
        yield from zip(mine, (max(one, 0) for one in left), lines, strict=True)


def lines_in(text: str) -> list[tuple[str, int]]:
    """`a.py:1,2; b.py:3` as pairs; what was cut off at its end is left out."""
    found = []
    for part in text.split("; "):
        name, _, numbers = part.rpartition(":")
        found += [(name, int(number)) for number in numbers.split(",") if name and number.isdigit()]
    return found


def operations(event: Event) -> list[str]:
    """The names of what an event did; a program's are the steps that were fused."""
    if event["name"] in ("program", "programs"):
        return event["detail"].partition(":")[2].split() or ["program"]
    return [event["name"]]


def by_line(events: Iterable[Event]) -> dict[tuple[str, int], Line]:
    """The time of each line; what several have recorded together is shared among them."""
    found: dict[tuple[str, int], Line] = defaultdict(Line)
    for event, nanoseconds, text in own_times(events):
        if event["category"] == "pool" or not (nanoseconds or event["lines"]):
            continue
        places = lines_in(text) or [("", 0)]
        for place in places:
            found[place].nanoseconds += nanoseconds / len(places)
            if event["name"] not in ("flush", "replay"):
                for name in operations(event):
                    found[place].operations[name] += 1
    return found


def milliseconds(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.3f}"


def shown_place(place: tuple[str, int]) -> str:
    if not place[1]:
        return "<i>no line is known</i>"
    name = os.path.relpath(place[0]) if os.path.isabs(place[0]) else place[0]
    name = place[0] if name.startswith("..") else name
    return f"{escape(name)}:{place[1]} <code>{escape(linecache.getline(*place).strip()[:100])}</code>"


def time_by_line(events: list[Event]) -> Iterator[str]:
    found = sorted(by_line(events).items(), key=lambda item: -item[1].nanoseconds)
    total = sum(line.nanoseconds for _, line in found) or 1.0
    yield f"<h2>Time by line</h2><p>{OF_LINES}</p>"
    yield table(["line", "ms", "", "operations"], (
        [shown_place(place), milliseconds(line.nanoseconds),
         f'<span class="bar" style="width:{line.nanoseconds / total * 120:.0f}px"></span>',
         escape(", ".join(f"{name} {count}" if count > 1 else name for name, count in line.operations.items()))]
        for place, line in found[:MOST]
    ))


def _fused(events: list[Event]) -> Iterator[str]:
    programs: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0, 0, 0])
    for event, nanoseconds, _ in own_times(events):
        if event["name"] in ("program", "programs") or event["category"] == "structured":
            row = programs[event["name"], " ".join(operations(event)), event["lines"]]
            row[0], row[1], row[2] = row[0] + 1, row[1] + nanoseconds, row[2] + event["bytes"]
    if programs:
        yield f"<h2>What was fused</h2><p>{OF_PROGRAMS}</p>"
        ordered = sorted(programs.items(), key=lambda item: -item[1][1])[:MOST]
        yield table(["operations", "lines", "times", "ms"], (
            [escape(names), "<br>".join(map(shown_place, lines_in(lines))), f"{row[0]:.0f}", milliseconds(row[1])]
            for (_, names, lines), row in ordered
        ))


def _fallbacks() -> Iterator[str]:
    rows = ap.fallbacks()
    yield "<h2>What fell back to the host or to NumPy</h2>"
    yield table(["function", "kind", "dtypes", "device", "why", "times", "bytes"], (
        [escape(one["function"]), one["kind"], escape(one["dtypes"]), escape(one["device"]), escape(one["reason"]),
         str(one["count"]), f"{one['bytes']:,}"] for one in rows[:MOST]
    )) if rows else "<p>Nothing.</p>"


def _memory(events: list[Event]) -> Iterator[str]:
    yield "<h2>Memory</h2>" + table(["device", "peak, bytes", "in use at the end", "kept for reuse"], (
        [str(device), *(f"{figures[name]:,}" for name in ("peak", "in_use", "cached"))]
        for device in ap.devices() for figures in [ap.memory_info(device)]
    ))
    in_use, points = 0, []
    for event in sorted((one for one in events if one["category"] == "pool"), key=lambda one: one["start_ns"]):
        in_use += {"allocate": 1, "deallocate": -1}.get(event["name"], 0) * event["bytes"]
        points.append((event["start_ns"], in_use))
    if len(points) > 1:
        first, last = points[0][0], points[-1][0]
        most = max(1, *(size for _, size in points))
        step = max(1, len(points) // 1000)
        line = " ".join(f"{(at - first) / max(last - first, 1) * 700:.1f},{120 - max(size, 0) / most * 115:.1f}"
                        for at, size in points[::step])
        yield (f'<p>What the arrays held over the time of the program, up to {most:,} bytes, all devices together:</p>'
               f'<svg width="700" height="122"><polyline points="{line}" fill="none" stroke="#4a7fb5"/></svg>')


def _forecast() -> Iterator[str]:
    if not (any(device != "cpu" for device in ap.devices()) and cann_search.search().simulated):
        return
    seen = cannsim.report()
    tasks = sorted(seen["tasks"], key=lambda one: -one["modelled_seconds"])
    total = sum(one["modelled_seconds"] for one in [*tasks, *seen["copies"]])
    yield f"<h2>Forecast for an {escape(str(seen['chip']))}: {total * 1e3:.3f} ms of the device's time</h2>"
    yield f"<p>{OF_THE_FORECAST}</p>"
    yield table(["task", "times", "MB", "modelled ms"], (
        [escape(one["name"]), str(one["count"]), f"{one['bytes'] / 1e6:.2f}", f"{one['modelled_seconds'] * 1e3:.3f}"]
        for one in [*tasks[:MOST], *seen["copies"]]
    ))


def page(events: list[Event], program: str, seconds: float, lost: int) -> str:
    """The whole page."""
    def parts() -> Iterator[str]:
        yield f"<h1>{escape(program)}</h1>"
        work = sum(took for event, took, _ in own_times(events) if event["category"] != "pool")
        facts = {
            "command": " ".join(sys.argv), "seconds": f"{seconds:.3f}", "of these asnumpy's work": f"{work / 1e9:.3f}",
            "device": _core.default_device(), "threads": ap.get_num_threads(), "asnumpy": ap.__version__,
            "python": sys.version.partition(" ")[0],
        }
        yield table(["", ""], ([name, escape(str(value))] for name, value in facts.items()))
        if lost:
            yield f"<p><b>{lost:,} events are lost</b>: figures are of the newest {EVENTS:,} alone.</p>"
        yield from time_by_line(events)
        yield from _fused(events)
        yield from _fallbacks()
        yield from _memory(events)
        yield from _forecast()

    return document(re.sub(r".*/", "", program) + ": asnumpy", parts(), MORE)
