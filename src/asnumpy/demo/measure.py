"""Timing two ways of doing the same work: checked first, interleaved in one process, medians."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap

Run = Callable[[], Any]
Check = Callable[[Any, Any], tuple[bool, str]]

BLOCK = 1 << 22  # elements compared at a time
PAUSE_SECONDS, STEP_SECONDS = 0.04, 0.005
# After a product OpenBLAS's threads look for more work for 2^26 to 2^28 ticks, while the next contender computes.
SLOWEST_TO_SLEEP = 0.4


@dataclass
class Timing:
    """Seconds of one contender: the first call, rounds that follow a pause, and rounds that follow those at once."""

    cold: float
    rounds: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return float(np.median(self.rounds))

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, as a fraction of the median."""
        low, high = np.percentile(self.rounds, [25, 75])
        return float((high - low) / 2 / self.median)


def _busy_nanoseconds() -> int | None:
    """How long the other threads of this process have run; None where the system does not tell."""
    busy = 0
    try:
        for thread in os.listdir("/proc/self/task"):
            if int(thread) != threading.get_native_id():
                busy += int(Path(f"/proc/self/task/{thread}/schedstat").read_text().split()[0])
    except (OSError, ValueError, IndexError):  # another system, or a thread that has just ended
        return None
    return busy


def pause() -> None:
    """Wait until the threads of the one before, which look for more work for a while, sleep."""
    time.sleep(PAUSE_SECONDS)
    end = time.perf_counter() + SLOWEST_TO_SLEEP
    before = _busy_nanoseconds()
    while time.perf_counter() < end:
        time.sleep(STEP_SECONDS)
        now = _busy_nanoseconds()
        if before is not None and now is not None and now - before < STEP_SECONDS * 1e9 / 10:
            return
        before = now


def settle(result: Any) -> Any:
    """Wait until every asnumpy array in a result is computed."""
    if isinstance(result, (tuple, list)):
        arrays = [x for x in result if isinstance(x, ap.ndarray)]
    else:
        arrays = [result] if isinstance(result, ap.ndarray) else []
    if arrays:
        ap.eval(*arrays)
    for x in arrays:  # no generator, no Device: the clock is running
        if not x._host_visible:
            ap.synchronize()  # on a device evaluated work may still be under way
            break
    return result


def as_numpy(result: Any) -> list[np.ndarray]:
    """Return the arrays of a result, asnumpy's or NumPy's, as NumPy arrays; only what lies on a device is copied."""
    return [
        ap.to_numpy(x) if isinstance(x, ap.ndarray) and x.device.kind != "cpu" else np.asarray(x)
        for x in (result if isinstance(result, (tuple, list)) else [result])
    ]


def calls_per_round(run: Run, least_seconds: float) -> int:
    """Return how often `run` is called between two looks at the clock, so that a round lasts `least_seconds`."""
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            run()
        passed = time.perf_counter() - start
        if passed >= least_seconds / 2:
            return max(1, round(calls * least_seconds / max(passed, 1e-9)))
        calls *= 4


def interleave(runs: Sequence[Run], rounds: int, least_seconds: float = 0.0, warm: bool = False) -> list[Timing]:
    """Time every function once cold and then `rounds` times, taking turns so that all meet the same machine.

    Before each turn is a pause, until threads that wait for more work of the one before sleep. With `warm`, each turn
    is timed once more without one: threads are awake, and caches hold what they can.
    """
    timings = []
    for run in runs:
        start = time.perf_counter()
        result = run()
        timings.append(Timing(cold=time.perf_counter() - start))
        del result
    calls = [calls_per_round(run, least_seconds) if least_seconds else 1 for run in runs]
    for turn in range(rounds):
        order = range(len(runs)) if turn % 2 == 0 else reversed(range(len(runs)))
        for i in order:
            pause()
            timings[i].rounds.append(_timed(runs[i], calls[i]))
            if warm:
                timings[i].warm.append(_timed(runs[i], calls[i]))
    return timings


def _timed(run: Run, count: int) -> float:
    """Return the seconds of a call, by so many of them."""
    result = None
    start = time.perf_counter()
    for _ in range(count):
        result = run()
    passed = time.perf_counter() - start
    del result  # outside the clock: giving memory back belongs to no contender
    return passed / count


def distance(expected: np.ndarray, got: np.ndarray) -> float:
    """Return the largest difference of two flat arrays over the largest value; block by block, to spare memory."""
    wide = np.result_type(expected, np.float64)
    scale = worst = 0.0
    for start in range(0, expected.size, BLOCK):
        e, g = expected[start : start + BLOCK].astype(wide), got[start : start + BLOCK].astype(wide)
        finite = np.isfinite(e)
        if not (np.array_equal(e[~finite], g[~finite], equal_nan=True) and np.isfinite(g[finite]).all()):
            return float("inf")
        scale = max(scale, float(np.max(np.abs(e[finite]), initial=0)))
        worst = max(worst, float(np.max(np.abs(e[finite] - g[finite]), initial=0)))
    return worst / (scale or 1.0)


def close(tolerance: float) -> Check:
    """Return a check that every value agrees within `tolerance`, relative to the largest value; 0 means to the bit."""

    def check(expected: Any, got: Any) -> tuple[bool, str]:
        worst = 0.0
        for e, g in zip(as_numpy(expected), as_numpy(got), strict=True):
            if e.shape != g.shape or e.dtype != g.dtype:
                return False, f"{g.dtype}{list(g.shape)} where NumPy has {e.dtype}{list(e.shape)}"
            if e.size == 0 or np.array_equal(e, g):
                continue
            if not np.issubdtype(e.dtype, np.inexact):
                return False, f"{np.count_nonzero(e != g)} of {e.size} values differ"
            worst = max(worst, distance(e.reshape(-1), g.reshape(-1)))
        return worst <= tolerance, "equal" if worst == 0 else f"{worst:.1e}"

    return check


def mostly_equal(fraction: float) -> Check:
    """Return a check for results that branch on rounded values, such as edges: this fraction of values is the same."""

    def check(expected: Any, got: Any) -> tuple[bool, str]:
        same = 1.0
        for e, g in zip(as_numpy(expected), as_numpy(got), strict=True):
            if e.shape != g.shape or e.dtype != g.dtype:
                return False, f"{g.dtype}{list(g.shape)} where NumPy has {e.dtype}{list(e.shape)}"
            same = min(same, float(np.mean(np.isclose(e, g, rtol=1e-3, atol=1e-3))))
        return same >= fraction, "equal" if same == 1 else f"{100 * same:.3f} %"

    return check
