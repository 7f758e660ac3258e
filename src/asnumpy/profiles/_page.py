"""A profile as a page of HTML that needs nothing beside it, and no network."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from html import escape

import asnumpy as ap
from asnumpy.check._page import document, table
from asnumpy.profiles import _text, _timeline
from asnumpy.profiles._figures import Seen
from asnumpy.running._report import MORE, lines_in, milliseconds, shown_place, time_by_line

MOST = 60       # rows of a table
HIGH = 720      # pixels of the page within a notebook
OF_TASKS = """What the simulated device's operators took. <b>Modelled, not measured: nothing here ran on hardware.</b>
Times on the time line are those of the simulation on this machine's processor."""
OF_PROGRAMS = """The same work from the same lines is one row; operations that were fused are one program."""
STYLE = """
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; } .whole { white-space: nowrap; }
.scroll { overflow-x: auto; } body { max-width: 84em; } .names { font: 13px/1.4 ui-monospace, monospace; }
.warn { border-left: 4px solid #b3121d; padding-left: .8em; }
"""


def _cells(values: list[str]) -> list[str]:
    """Right-aligned."""
    return [f'<div class="number">{value}</div>' for value in values]


def _places(lines: str) -> str:
    return "<br>".join(map(shown_place, lines_in(lines)))


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    bar = f'<span class="bar" style="width:{min(share, 1) * 50:.0f}px"></span>'
    return f'<span class="whole">{bar} {_text.percent(share)}</span>'


def _facts(seen: Seen) -> Iterator[str]:
    facts = {
        "seconds": f"{seen.seconds:.4f}", "asnumpy's work, all threads": f"{seen.work:.4f}", "device": seen.device,
        "threads": seen.threads, "asnumpy": ap.__version__, "python": platform.python_version(),
    }
    yield table(["", ""], ([name, escape(str(value))] for name, value in facts.items()))
    if seen.lost:
        yield (f'<p class="warn"><b>{seen.lost:,} events are lost</b>: figures are of the newest alone; '
               "<code>ap.profile(events=...)</code> keeps more.</p>")


def _line(seen: Seen) -> Iterator[str]:
    data = _timeline.drawn(seen.units, seen.tasks, seen.memory, seen.tracks, seen.begun, seen.ended)
    yield "<h2>Time line</h2>" + _timeline.element(data)
    if data["left_out"]:
        yield f"<p>The {_timeline.MOST:,} longest spans are drawn, {data['left_out']:,} are not.</p>"
    if seen.tasks:
        yield (f"<p>Streams of the simulated device by the host's clock, to within {seen.uncertain / 1e3:,.0f} us.</p>")
    elif seen.used_devices:
        yield "<p>When a device's tasks ran is not known here; msprof tells it.</p>"


def _programs(seen: Seen) -> Iterator[str]:
    total = sum(row.own for row in seen.rows) or 1
    about = escape(f"{_text.about_limits(seen)}. {_text.UNKNOWN_ARITHMETIC}.")
    yield f"<h2>Programs</h2><p>{OF_PROGRAMS} {about}</p>"
    yield '<div class="scroll">' + table(
        ["", "operations", "shape", "calls", "ms", "of the work", "MB", "GB/s", "of the most", "Gop/s", "of the most",
         "lines"],
        ([
            row.kind, f'<span class="names">{escape(row.name)}</span>',
            f'<span class="whole">{escape(row.shape)}</span>',
            *_cells([f"{row.calls:,}", milliseconds(row.own)]), _bar(row.own / total),
            *_cells([_text.size(row.bytes), _text.rate(bandwidth)]), _bar(moved),
            *_cells([_text.rate(arithmetic)]), _bar(computed), _places(row.lines),
        ] for row in seen.rows[:MOST]
            for (bandwidth, arithmetic), (moved, computed) in [(seen.rates(row), seen.shares(row))]),
    ) + "</div>"
    if len(seen.rows) > MOST:
        yield f"<p>{len(seen.rows) - MOST:,} more take less time.</p>"


def _tasks(seen: Seen) -> Iterator[str]:
    if seen.modelled:
        yield f"<h2>Tasks of the simulated device</h2><p>{OF_TASKS}</p>"
        yield table(["operator", "times", "MB", "modelled ms", "modelled GB/s"], (
            [escape(one["name"]), *_cells([
                str(one["count"]), _text.size(one["bytes"]), f"{one['modelled_seconds'] * 1e3:.4f}",
                _text.rate(one["bytes"] / one["modelled_seconds"] if one["modelled_seconds"] else None),
            ])] for one in seen.modelled[:MOST]
        ))


def _memory(seen: Seen) -> Iterator[str]:
    begun, ended = seen.in_use
    yield "<h2>Memory</h2>" + table(["bytes that arrays hold, all devices together", ""], [
        [name, *_cells([f"{value:,}"])]
        for name, value in (("at the beginning", begun), ("at most", seen.peak), ("at the end", ended))
    ])


def _fallbacks(seen: Seen) -> Iterator[str]:
    yield "<h2>What the host or NumPy did</h2>"
    yield table(["function", "kind", "dtypes", "device", "why", "times", "bytes", "lines"], (
        [escape(one["function"]), one["kind"], escape(one["dtypes"]), escape(one["device"]), escape(one["reason"]),
         *_cells([f"{one['count']:,}", f"{one['bytes']:,}"]), _places(one["lines"])] for one in seen.fallbacks[:MOST]
    )) if seen.fallbacks else "<p>Nothing.</p>"


def page(seen: Seen) -> str:
    """The whole page."""
    def parts() -> Iterator[str]:
        yield "<h1>asnumpy profile</h1>"
        for part in (_facts, _line, _programs, _tasks):
            yield from part(seen)
        yield from time_by_line(seen.events)
        yield from _memory(seen)
        yield from _fallbacks(seen)

    return document("asnumpy profile", parts(), MORE + _timeline.STYLE + STYLE)


def framed(html: str) -> str:
    """The page within a notebook's, where neither's style and scripts touch the other's."""
    return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{HIGH}px;border:1px solid #ddd" '
            f'srcdoc="{escape(html)}"></iframe>')
