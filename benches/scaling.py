"""The same work with one thread, two, four and so on: what more processors bring.

Goal: chains whose arrays lie in memory use at least 70 % of sixteen processors: the speed is at least 0.7 times sixteen
times that of one thread, as far as the memory can serve them, of which the copy tells. NumPy has one thread for
elementwise work; its column is its time over asnumpy's with all threads.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import close, interleave, settle
from bursts import chain, compiled, exponential
from measure import aligned

ROUNDS = 9


def copy(xp: Any, a: Any, b: Any) -> Any:
    return a.copy()


def total(xp: Any, a: Any, b: Any) -> Any:
    return (a * b).sum()


def by_rows(xp: Any, a: Any, b: Any) -> Any:
    rows = a.reshape(-1, 1000)
    shifted = xp.exp(rows - rows.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def sweeps(xp: Any, a: Any, b: Any) -> Any:
    u = a.reshape(1000, -1).copy()
    for _ in range(10):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def ordered(xp: Any, a: Any, b: Any) -> Any:
    return xp.sort(a)


def running(xp: Any, a: Any, b: Any) -> Any:
    return xp.cumsum(a)


def chosen(xp: Any, a: Any, b: Any) -> Any:
    return a[b > 0.5]


def counted(xp: Any, a: Any, b: Any) -> Any:
    return xp.bincount((a * 1000).astype(xp.int64))


def distinct(xp: Any, a: Any, b: Any) -> Any:
    return xp.unique((a * 1e6).astype(xp.int64))


WORKS: tuple[tuple[str, Callable[..., Any], tuple[int, ...], int], ...] = (  # arrays that are read and written
    ("copy", copy, (10_000_000, 100_000_000), 2),
    ("chain of 8", chain, (1_000_000, 10_000_000, 100_000_000), 3),
    ("exp(a*b+a)*b", exponential, (1_000_000, 10_000_000), 3),
    ("sum(a*b)", total, (10_000_000,), 2),
    ("softmax of rows of 1,000", by_rows, (10_000_000,), 0),
    ("Jacobi, 10 sweeps", sweeps, (10_000_000,), 0),
    ("sort", ordered, (10_000_000,), 0),
    ("cumsum", running, (10_000_000,), 0),
    ("a[b > 0.5]", chosen, (10_000_000,), 0),
    ("bincount, 1,000 bins", counted, (10_000_000,), 0),
    ("unique of integers", distinct, (10_000_000,), 0),
)


def on_threads(threads: int, loop: Callable[[], Any]) -> Any:
    """A loop of numba's on so many threads."""
    import numba

    numba.set_num_threads(threads)
    return loop()


def with_threads(threads: int, work: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        ap.set_num_threads(threads)
        return work()

    return call


def row(
    name: str, work: Callable[..., Any], size: int, arrays: int, counts: Sequence[int], rounds: int
) -> dict[str, Any]:
    """Measure a work of a size with each number of threads, in turns."""
    rng = np.random.default_rng(0)
    a, b = rng.random(size, np.float32), rng.random(size, np.float32)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    with ap.config.using(machine_code="wait"):  # as later calls find it
        settle(work(ap, x, y))
        same, how = close(1e-3)(work(np, a, b), np.asarray(settle(work(ap, x, y))))
    if not same:
        raise SystemExit(f"{name}: asnumpy computes something else ({how})")
    calls = [with_threads(n, lambda: settle(work(ap, x, y))) for n in counts]
    calls.append(lambda: work(np, a, b))
    loop = compiled(chain, a, b) if work is chain else None  # where numba is installed
    if loop:
        calls += [partial(on_threads, n, loop) for n in counts]
    times = [one.median for one in interleave(calls, rounds, 0.02)]
    ours, theirs = times[: len(counts)], times[len(counts) + 1 :]
    return {
        "work": name, "size": size, "moved": arrays * a.nbytes, "numpy": times[len(counts)],
        "asnumpy": dict(zip(counts, ours, strict=True)),
        "numba": dict(zip(counts, theirs, strict=True)) if loop else {},
    }  # fmt: skip


def rows(counts: Sequence[int], only: str, rounds: int) -> list[dict[str, Any]]:
    """A row for each work and size."""
    made = []
    for name, work, sizes, arrays in WORKS:
        for size in sizes:
            if only in f"{name} {size:,}":
                made.append(row(name, work, size, arrays, counts, rounds))
                ap.free_all_blocks()
                print(text(made[-1:], counts).partition("\n")[2], file=sys.stderr, flush=True)
    return made


def text(made: Sequence[dict[str, Any]], counts: Sequence[int]) -> str:
    """A line for each work and library: milliseconds and efficiency by the number of threads."""
    threads = [f"{n} thread{'s' * (n > 1)}" for n in counts]
    lines: list[tuple[str, ...]] = [("work", "size", "library", *threads, "NumPy's time")]
    for measured in made:
        for library in ("asnumpy", "numba"):
            times = measured[library]
            if not times:
                continue
            one = times[counts[0]] * counts[0]
            cells = [f"{times[n] * 1e3:.3g} ms, {one / times[n] / n:.0%}" for n in counts]
            if measured["moved"]:
                cells[-1] += f", {measured['moved'] / times[counts[-1]] / 1e9:.0f} GB/s"
            ratio = f"{measured['numpy'] / times[counts[-1]]:.1f}"
            lines.append((measured["work"], f"{measured['size']:,}", library, *cells, ratio))
    return aligned(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="*", default=None, help="1 2 4 ... up to the processors")
    parser.add_argument("--only", default="", help="only work whose name or size contains this text")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    most = ap.config.num_threads
    counts = given.threads or [n for n in (1, 2, 4, 8, 16, 32, 64) if n < most] + [most]
    made = rows(counts, given.only, given.rounds)
    print(text(made, counts))
    if given.json:
        given.json.write_text(json.dumps(made))


if __name__ == "__main__":
    main()
