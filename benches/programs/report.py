"""Tables of what was measured: by program, geometric means by size, and what loses."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable
from pathlib import Path

from .causes import cause
from .contest import Result, Work
from .program import SIZES

__all__ = ["load", "markdown", "summary", "text"]

Key = tuple[str, str]
STARTS = {"after a pause": False, "warm": True}
COLUMNS = ("program", "family", "size", "NumPy ms, memory kept", "asnumpy ms", "ratio", "warm", "memory fresh", "jit",
           "jit, warm", "numba", "flushes", "programs", "host calls", "agreement")


def paired(results: Iterable[Result]) -> dict[Key, dict[str, Result]]:
    """The results of each program and size by state of the allocator."""
    rows: dict[Key, dict[str, Result]] = {}
    for result in results:
        rows.setdefault((result.program, result.size), {})[result.state] = result
    return rows


def ratio(states: dict[str, Result], state: str, contender: str, warm: bool = False) -> str:
    value = states[state].ratio(contender, warm) if state in states else None
    return "" if value is None else f"{value:.2f}"


def cells(states: dict[str, Result]) -> tuple[str, ...]:
    first = states.get("kept") or next(iter(states.values()))
    wrong = [r.agreement for r in states.values() if not r.agrees]
    host = ", ".join(f"{count} {name}" for name, count in first.work.host_calls.items())
    return (
        first.program, first.family, f"{first.size}: {' x '.join(map(str, first.shape))}",
        f"{first.ms['numpy']:.4g}", f"{first.ms['asnumpy']:.4g}", ratio(states, "kept", "asnumpy"),
        ratio(states, "kept", "asnumpy", warm=True), ratio(states, "fresh", "asnumpy"), ratio(states, "kept", "jit"),
        ratio(states, "kept", "jit", warm=True), ratio(states, "kept", "numba"),
        str(first.work.flushes), str(first.work.programs), host, f"WRONG: {wrong[0]}" if wrong else first.agreement,
    )


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(results: list[Result]) -> list[tuple[str, ...]]:
    """Geometric means of NumPy's time over each contender's, by size, state and start; how many lose; the slowest."""
    lines: list[tuple[str, ...]] = [(
        "size", "NumPy's memory", "start", "contender", "programs", "geometric mean", "below 1", "below 0.95",
        "slowest",
    )]
    for size in SIZES:
        for state in ("kept", "fresh"):
            here = [r for r in results if r.size == size and r.state == state]
            for start, contender in itertools.product(STARTS, ("asnumpy", "jit", "numba")):
                there = [(value, r.program) for r in here if (value := r.ratio(contender, STARTS[start])) is not None]
                if not there:
                    continue
                ratios = [value for value, _ in there]
                worst, name = min(there)
                below, far_below = (str(sum(x < least for x in ratios)) for least in (1, 0.95))
                lines.append((
                    size, state, start, contender, str(len(there)), f"{mean(ratios):.2f}", below, far_below,
                    f"{name} ({worst:.2f})",
                ))
    return lines


def aligned(lines: list[tuple[str, ...]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def table(lines: list[tuple[str, ...]]) -> str:
    head, *rest = lines
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, tuple("---" for _ in head), *rest))


def losing(states: dict[str, Result]) -> bool:
    """Whether a program is slower than NumPy in the state that is kinder to NumPy."""
    return any(result.ms["asnumpy"] > result.ms["numpy"] for result in states.values())


def load(path: Path) -> list[Result]:
    """The results that a run wrote as JSON."""
    return [Result(**{**entry, "work": Work(**entry["work"])}) for entry in json.loads(path.read_text())]


def text(results: list[Result]) -> str:
    """Everything, as aligned columns."""
    rows = [cells(states) for states in paired(results).values()]
    return "\n\n".join([aligned(summary(results)), aligned([COLUMNS, *rows])])


def markdown(results: list[Result]) -> str:
    """The means and the programs that lose, with what is known of the causes, as tables for the documentation."""
    rows = [(*cells(states), cause(name)) for (name, _), states in paired(results).items() if losing(states)]
    return "\n\n".join([table(summary(results)), *([table([(*COLUMNS, "cause"), *rows])] if rows else [])])
