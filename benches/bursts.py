"""Work that begins after a pause: bursts of calls that start idle beside bursts that follow others, library by library.

A pause is where a program waits for a file, a user or other code: caches cool, worker threads sleep, and the system may
wake them on a processor that is taken. Goal: a burst that starts idle takes at most 1.15 times a steady one (95th
percentile: 1.5).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import close, settle
from measure import aligned

CALLS = 20        # in a burst
BURSTS = 40       # of each kind
PAUSE = 0.04      # seconds
COLUMNS = ("work", "size", "library", "steady us", "idle us", "idle / steady", "95th / steady", "first call us")


def chain(xp: Any, a: Any, b: Any) -> Any:
    """Eight operations."""
    return ((a * b + a) * b - a) * 0.5 + b * a - b


def exponential(xp: Any, a: Any, b: Any) -> Any:
    """An exponential between products."""
    return xp.exp(a * b + a) * b


def mean(xp: Any, a: Any, b: Any) -> Any:
    """One reduction."""
    return a.mean()


WORKS: tuple[Callable[..., Any], ...] = (chain, exponential, mean)


def compiled(work: Callable[..., Any], a: Any, b: Any) -> Callable[[], Any] | None:
    """The same as a parallel loop that numba compiles, where that is installed."""
    try:
        import numba
    except ImportError:
        return None

    if work is mean:
        @numba.njit(parallel=True, fastmath=True)
        def total(a: Any) -> Any:
            s = np.float32(0)
            for i in numba.prange(a.size):
                s += a[i]
            return s / a.size

        return lambda: np.float32(total(a))
    out = np.empty_like(a)
    if work is chain:
        @numba.njit(parallel=True)
        def loop(a: Any, b: Any, out: Any) -> None:
            for i in numba.prange(a.size):
                out[i] = ((a[i] * b[i] + a[i]) * b[i] - a[i]) * np.float32(0.5) + b[i] * a[i] - b[i]
    else:
        @numba.njit(parallel=True)
        def loop(a: Any, b: Any, out: Any) -> None:
            for i in numba.prange(a.size):
                out[i] = np.exp(a[i] * b[i] + a[i]) * b[i]

    def call() -> Any:
        loop(a, b, out)
        return out

    return call


def burst(call: Callable[[], Any]) -> list[float]:
    """The microseconds of each call of a burst."""
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e6)
    return times


def rows(work: Callable[..., Any], count: int) -> list[tuple[str, ...]]:
    """Measure one work with every library, in turns."""
    rng = np.random.default_rng(0)
    a, b = rng.random(count, dtype=np.float32), rng.random(count, dtype=np.float32)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    calls: dict[str, Callable[[], Any]] = {"asnumpy": lambda: settle(work(ap, x, y)), "NumPy": lambda: work(np, a, b)}
    loop = compiled(work, a, b)
    if loop:
        calls["numba"] = loop
    expected = work(np, a, b)
    for name, call in calls.items():
        same, how = close(1e-4)(expected, np.asarray(call()))
        if not same:
            sys.exit(f"{work.__name__}: {name} computes something else ({how})")
    idle: dict[str, list[list[float]]] = {name: [] for name in calls}
    steady: dict[str, list[list[float]]] = {name: [] for name in calls}
    for _ in range(BURSTS):
        for name, call in calls.items():
            time.sleep(PAUSE)
            idle[name].append(burst(call))
            steady[name].append(burst(call))
    table = []
    for name in calls:
        base = float(np.median(np.sum(steady[name], 1)))
        started = np.sum(idle[name], 1)
        table.append((
            (work.__doc__ or "").rstrip("."), f"{count:,}", name,
            f"{base / CALLS:.0f}", f"{np.median(started) / CALLS:.0f}",
            f"{np.median(started) / base:.2f}", f"{np.percentile(started, 95) / base:.2f}",
            f"{np.median([times[0] for times in idle[name]]):.0f}",
        ))
    return table


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--only", default="", help="only work whose name contains this text")
    options = parser.parse_args()
    table: list[tuple[str, ...]] = [COLUMNS]
    for work in WORKS:
        if options.only not in work.__name__:
            continue
        for count in options.sizes:
            table += rows(work, count)
            print(f"{work.__name__}, {count:,}: done", file=sys.stderr, flush=True)
    print(aligned(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
