"""What the benchmark scripts share: cases, interleaved timing beside NumPy and other libraries, tables."""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import _core
from asnumpy.demo.measure import Check, as_numpy, close, interleave, settle

ROUNDS = 9
SHORT_SECONDS = 0.005  # a round of short calls lasts this long

COLUMNS = ("work", "size", "NumPy ms", "asnumpy ms", "ratio", "at least", "cold ratio", "spread", "others", "agreement")


@dataclass
class Case:
    """One claim: the work, written once for any array library, its inputs, and the ratio it must reach."""

    name: str
    size: str
    least: float
    work: Callable[..., Any]                      # work(xp, *inputs)
    make: Callable[[], Sequence[Any]]             # NumPy arrays
    check: Check = field(default_factory=lambda: close(1e-5))
    # name of another library -> a function of the inputs that returns what to time
    others: dict[str, Callable[..., Callable[[], Any]]] = field(default_factory=dict)
    headline: bool = False                        # one of the few that the READMEs show
    # Short work is timed without the frames that serve all cases: functions of the inputs that return what to time.
    on_numpy: Callable[..., Callable[[], Any]] | None = None
    on_asnumpy: Callable[..., Callable[[], Any]] | None = None


def direct(on_numpy: Callable[..., Any], on_asnumpy: Callable[..., Any], forced: bool = True) -> dict[str, Any]:
    """How a Case times short work: functions of the inputs, called without the frames that serve all cases."""

    def bound(function: Callable[..., Any], inputs: tuple[Any, ...], forced: bool) -> Callable[[], Any]:
        evaluate = _core.eval
        if len(inputs) == 1:  # named, since unpacking would be part of what is timed
            (x,) = inputs
            return (lambda: evaluate(function(x))) if forced else (lambda: function(x))
        x, y = inputs
        return (lambda: evaluate(function(x, y))) if forced else (lambda: function(x, y))

    return {
        "on_numpy": lambda *inputs: bound(on_numpy, inputs, False),
        "on_asnumpy": lambda *inputs: bound(on_asnumpy, inputs, forced),
    }


@dataclass
class Row:
    """What was measured for one case; a ratio is NumPy's time divided by asnumpy's."""

    name: str
    size: str
    least: float
    numpy_ms: float
    asnumpy_ms: float
    ratio: float
    cold_ratio: float
    spread: float
    others: dict[str, float]
    agrees: bool
    agreement: str
    unit: str = "ms"
    headline: bool = False

    @property
    def reached(self) -> bool:
        return self.agrees and self.ratio >= self.least

    def cells(self) -> tuple[str, ...]:
        others = ", ".join(f"{name} {ratio:.2f}" for name, ratio in self.others.items())
        unit = "" if self.unit == "ms" else f" {self.unit}"
        return (
            self.name, self.size, f"{self.numpy_ms:.4g}{unit}", f"{self.asnumpy_ms:.4g}{unit}",
            f"{self.ratio:.2f}" + ("" if self.reached else " (below)"), f"{self.least:.3g}",
            f"{self.cold_ratio:.2f}" if self.cold_ratio else "", f"{100 * self.spread:.0f} %" if self.spread else "",
            others, self.agreement if self.agrees else f"WRONG: {self.agreement}",
        )


def measure(case: Case, rounds: int = ROUNDS) -> Row:
    """Time a case: the first call of each library cold, those results compared, then rounds in turns."""
    inputs = list(case.make())
    arrays = [ap.from_numpy(x) if isinstance(x, np.ndarray) else x for x in inputs]
    on_numpy = case.on_numpy(*inputs) if case.on_numpy else lambda: case.work(np, *inputs)
    on_asnumpy = case.on_asnumpy(*arrays) if case.on_asnumpy else lambda: settle(case.work(ap, *arrays))
    cold = interleave([on_numpy, on_asnumpy], 0)
    expected = case.work(np, *inputs)
    got = settle(case.work(ap, *arrays))
    agrees, agreement = case.check(expected, got)
    others: dict[str, Callable[[], Any]] = {}
    for name, prepare in case.others.items():
        try:
            others[name] = prepare(*inputs)
        except ImportError:
            continue
        same, how = close(1e-4)(as_numpy(expected), as_numpy(others[name]()))
        if not same:
            print(f"{case.name}: {name} computes something else ({how})", file=sys.stderr)
            del others[name]
    del expected, got
    timings = interleave([on_numpy, on_asnumpy, *others.values()], rounds, SHORT_SECONDS)
    base, ours = timings[0].median, timings[1].median
    return Row(
        case.name, case.size, case.least, base * 1e3, ours * 1e3, base / ours, cold[0].cold / cold[1].cold,
        max(t.spread for t in timings[:2]),
        {name: base / t.median for name, t in zip(others, timings[2:], strict=True)}, bool(agrees), agreement,
        headline=case.headline,
    )


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Return the lines, which have as many cells each, with columns of one width."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def text(rows: Iterable[Row]) -> str:
    """Return the rows as aligned columns."""
    return aligned([COLUMNS, *(row.cells() for row in rows)])


def markdown(rows: Iterable[Row]) -> str:
    """Return the rows as a table for the documentation."""
    lines = [COLUMNS, tuple("---" for _ in COLUMNS), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def load(path: Path) -> list[Row]:
    return [Row(**entry) for entry in json.loads(path.read_text())]


def main(cases: Callable[[], Iterable[Case]] | None, rows: Callable[[], Iterable[Row]] | None = None) -> int:
    """The command line of every script: measure its cases, print the table, write it as JSON if asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--threads", type=int, default=min(2, ap.config.num_threads))
    parser.add_argument("--only", default="", help="only work whose name or size contains this text")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    ap.set_num_threads(options.threads)
    measured = list(rows()) if rows else []
    for case in cases() if cases else ():
        if options.only not in f"{case.name} {case.size}":
            continue
        measured.append(measure(case, options.rounds))
        print(f"{case.name}, {case.size}: {measured[-1].ratio:.2f}", file=sys.stderr, flush=True)
        del case
        gc.collect()
        ap.free_all_blocks()
    print(text(measured))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in measured]))
    return 0 if all(row.agrees for row in measured) else 1
