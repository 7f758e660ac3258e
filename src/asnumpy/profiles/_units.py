"""Events of the trace as units of work: each with its own time, and with bytes and arithmetic where these are known."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asnumpy.running._report import Event, operations, own_times

SHAPE = re.compile(r"\(([\d, ]*)\)")
STEPS = re.compile(r"(\d+) steps:")
PROGRAMS = ("program", "programs", "graph")


@dataclass
class Unit:
    """One program, operation, copy or call, with what ran within it and is no unit of its own."""

    kind: str               # program, operation, copy, host, fallback, or queue: what finds and begins programs
    name: str
    thread: Any
    start: int              # nanoseconds, of the monotonic clock
    end: int
    own: int                # nanoseconds without the units within it
    detail: str
    lines: str              # of the program that recorded it
    bytes: int | None       # read and written; None: the trace does not tell
    arithmetic: int | None  # operations on elements; None: the trace does not tell
    dtype: str = ""         # of a product, whose arithmetic has a limit of its own


@dataclass
class Row:
    """Units of the same kind, name and lines together."""

    kind: str
    name: str
    lines: str
    dtype: str
    calls: int = 0
    own: int = 0
    bytes: int | None = 0
    arithmetic: int | None = 0
    shapes: dict[str, None] = field(default_factory=dict)

    def add(self, unit: Unit) -> None:
        self.calls += 1
        self.own += unit.own
        self.bytes = None if self.bytes is None or unit.bytes is None else self.bytes + unit.bytes
        known = self.arithmetic is not None and unit.arithmetic is not None
        self.arithmetic = self.arithmetic + unit.arithmetic if known else None  # type: ignore[operator]
        if found := SHAPE.match(unit.detail):
            self.shapes[found[0]] = None

    @property
    def shape(self) -> str:
        """Of what it ran over: the only one, or how many there were."""
        return next(iter(self.shapes), "") if len(self.shapes) < 2 else f"{len(self.shapes)} shapes"

    def rate(self, amount: int | None) -> float | None:
        """So much in a second; None where the amount is not known, or nothing, or how it is used is NumPy's affair."""
        return amount / self.own * 1e9 if amount and self.own and self.kind != "host" else None


def _sides(shape: re.Match[str]) -> list[int]:
    return [int(side) for side in shape[1].split(",") if side.strip()]


def _elements(detail: str) -> int | None:
    found = SHAPE.match(detail)
    return math.prod(_sides(found)) if found else None


def _of_program(detail: str) -> int | None:
    """Each step and each reduction is one operation on every element of the program's space."""
    elements, steps = _elements(detail), STEPS.search(detail)
    return None if elements is None or steps is None else elements * (int(steps[1]) + detail.count("reduce:"))


def _of_product(detail: str, nbytes: int) -> tuple[int | None, str]:
    """Additions and multiplications of a product, and its dtype.

    The trace tells the shape of the first matrices, and the bytes of all three: these give the third side.
    """
    found = SHAPE.match(detail)
    dtype = detail[found.end():].strip() if found else ""
    try:
        size = np.dtype(dtype).itemsize if dtype else 0
    except TypeError:  # not one of NumPy's
        size = 0
    if not found or not size:
        return None, ""
    *batch, m, k = [1, 1, *_sides(found)]
    matrices = math.prod(batch)
    if not matrices * (m + k):
        return None, ""
    n, rest = divmod(nbytes // size // matrices - m * k, m + k)
    return (2 * matrices * m * k * n, dtype) if n > 0 and not rest else (None, "")


def _unit(event: Event, own: int, lines: str) -> Unit | None:
    category, name, detail = event["category"], event["name"], event["detail"]
    nbytes: int | None = event["bytes"] or None
    arithmetic = None
    if category == "pool" or category == "pinned" or (category == "fallback" and not event["duration_ns"]):
        return None
    if name in PROGRAMS and category == "run":
        kind = "program"
        name = " ".join(operations(event)) if name != "graph" else f"graph of {detail.removesuffix(' by one call')}"
        name = "copy" if name == "program" else name  # elements are moved, nothing is computed
        arithmetic = _of_program(detail)
    elif name in ("flush", "replay") and category == "run":
        kind = "queue"
    else:
        kind = "operation" if category in ("structured", "run") else category
    start = event["start_ns"]
    return Unit(kind, name, event.get("thread"), start, start + event["duration_ns"], own, detail, lines, nbytes,
                arithmetic)


def _within(inner: Unit, outer: Unit) -> bool:
    """Whether it is the same work, noted a second time by the backend that does it."""
    same = (inner.kind, outer.kind) == ("copy", "copy") or (
        (inner.kind, outer.kind) == ("operation", "operation") and inner.name == outer.name
    )
    return same and inner.thread == outer.thread and outer.start <= inner.start and inner.end <= outer.end


def units(events: Iterable[Event]) -> list[Unit]:
    """In the order in which they began."""
    found: list[Unit] = []
    for event, own, lines in own_times(events):
        unit = _unit(event, own, lines)
        if unit is None:
            continue
        if found and _within(unit, found[-1]):
            outer = found[-1]
            outer.own += own
            outer.detail = outer.detail or unit.detail
            outer.bytes = outer.bytes or unit.bytes
        else:
            found.append(unit)
    for unit in found:
        if unit.name == "matmul" and unit.bytes:
            unit.arithmetic, unit.dtype = _of_product(unit.detail, unit.bytes)
    return sorted(found, key=lambda one: one.start)


def rows(found: Iterable[Unit]) -> list[Row]:
    """The units together, the longest first."""
    together: dict[tuple[str, str, str, str], Row] = {}
    for unit in found:
        key = unit.kind, unit.name, unit.lines, unit.dtype
        together.setdefault(key, Row(*key)).add(unit)
    return sorted(together.values(), key=lambda row: -row.own)


def memory(events: Iterable[Event], at_end: int) -> Iterator[tuple[int, int]]:
    """When the pools' blocks in use changed, and to how many bytes, in order; known from what is in use at the end."""
    changes = [
        (event["start_ns"], {"allocate": 1, "deallocate": -1}[event["name"]] * event["bytes"])
        for event in events if event["category"] == "pool" and event["name"] in ("allocate", "deallocate")
    ]
    changes.sort(key=lambda one: one[0])
    in_use = at_end - sum(change for _, change in changes)
    for at, change in changes:
        in_use += change
        yield at, in_use
