"""Two Python threads, each with arrays of its own: their work side by side beside the same work in one thread.

Goal: where each finds a processor that is free, two threads do at least 1.6 times as much as one in the same time, as
far as the memory that they share allows. "alone" is what one of them takes for a call when the other does nothing.
NumPy's rows say what the machine had to give: it computes beside itself, too.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import asnumpy as ap
from measure import aligned

ROUNDS = 15
SECONDS = 0.1  # of work in a round, in one thread
COLUMNS = ("work", "size", "library", "alone us", "two threads, us for both", "throughput")


def chain(a: Any, b: Any) -> Any:
    """Eight operations."""
    return ((a * b + a) * b - a) * 0.5 + b * a - b


def evaluated(a: Any, b: Any) -> Any:
    """The chain, computed when it is called."""
    made = chain(a, b)
    ap.eval(made)
    return made


def side_by_side(works: list[Callable[[], Any]], calls: int) -> float:
    """Seconds from the moment in which all threads begin to the end of the last one."""
    start = threading.Barrier(len(works) + 1)

    def body(work: Callable[[], Any]) -> None:
        start.wait()
        for _ in range(calls):
            work()

    threads = [threading.Thread(target=body, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    start.wait()
    begin = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def rows(size: int) -> list[tuple[str, str, str, str, str, str]]:
    """A row for each library and way, measured in turns."""
    rng = np.random.default_rng(0)
    plain = [(rng.random(size, np.float32), rng.random(size, np.float32)) for _ in range(2)]
    arrays = [(ap.asarray(a.copy()) * 1, ap.asarray(b.copy()) * 1) for a, b in plain]
    recorded = [ap.jit(lambda a, b: chain(a, b)) for _ in arrays]  # one for each thread
    shared = ap.jit(chain)
    ways: dict[tuple[str, str], list[Callable[[], Any]]] = {
        ("chain of 8", "NumPy"): [lambda ab=ab: chain(*ab) for ab in plain],
        ("chain of 8", "asnumpy"): [lambda ab=ab: evaluated(*ab) for ab in arrays],
        ("chain of 8, jit", "asnumpy"): [lambda ab=ab, f=f: f(*ab) for ab, f in zip(arrays, recorded, strict=True)],
        ("chain of 8, one jit", "asnumpy"): [lambda ab=ab: shared(*ab) for ab in arrays],
    }
    for (name, _), works in ways.items():
        for work, ab in zip(works, plain, strict=True):
            assert np.allclose(np.asarray(work()), chain(*ab)), name
    alone: dict[Any, list[float]] = {way: [] for way in ways}
    both: dict[Any, list[float]] = {way: [] for way in ways}
    calls = {way: max(1, round(SECONDS / max(side_by_side(works[:1], 5) / 5, 1e-6))) for way, works in ways.items()}
    for _ in range(ROUNDS):
        for way, works in ways.items():
            alone[way].append(side_by_side(works[:1], calls[way]) / calls[way])
            both[way].append(side_by_side(works, calls[way]) / calls[way])
    return [
        (name, f"{size:,}", library, f"{median(alone[way]) * 1e6:.1f}", f"{median(both[way]) * 1e6:.1f}",
         f"{median(2 * a / b for a, b in zip(alone[way], both[way], strict=True)):.2f}")
        for way, (name, library) in zip(ways, ways, strict=True)
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--threads", type=int, default=1, help="of each call")
    given = parser.parse_args()
    with ap.config.using(num_threads=given.threads):
        print(aligned([COLUMNS, *(row for size in given.sizes for row in rows(size))]))


if __name__ == "__main__":
    main()
