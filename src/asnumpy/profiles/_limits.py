"""What this machine's processor reaches: measured by a short run at the first use, kept for the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import asnumpy as ap
from asnumpy.host import door

REPEATS = 5
STREAMED = 1 << 22  # elements of each of three arrays of float32, more than caches hold
CHAINED = 1 << 18   # elements of a program of many steps
LINKS = 16          # of it, a product and a sum each
SIDE = 512          # of square matrices


@dataclass(frozen=True)
class Limits:
    """By asnumpy's own programs: the most of a few runs, which other work on the machine makes less."""

    bandwidth: float   # bytes a second: a sum of two large arrays
    arithmetic: float  # operations a second on elements of float32, fused
    products: dict[str, float] = field(default_factory=dict)  # of a matrix product, by dtype
    seconds: float = 0.0  # that the measurement took

    def text(self) -> str:
        """One sentence."""
        parts = [
            f"{self.bandwidth / 1e9:,.1f} GB/s (a sum of two arrays of {STREAMED * 4 >> 20} MiB)",
            f"{self.arithmetic / 1e9:,.1f} G operations/s on elements (a fused program of {2 * LINKS} steps, float32)",
            *(f"{rate / 1e9:,.1f} G operations/s in a product of {dtype}" for dtype, rate in self.products.items()),
        ]
        measured = f"the best of {REPEATS} runs, in {self.seconds:.2f} s of this process"
        return f"This machine's processor reaches {', '.join(parts)}: {measured}"


_kept: list[Limits] = []
_lock = threading.Lock()


def _best(work: Callable[[], object]) -> float:
    """Seconds of the quickest of some runs, after one that nobody times."""
    work()
    ap.synchronize()
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        ap.synchronize()
        taken.append(time.perf_counter() - start)
    return min(taken)


def _sum() -> float:
    left, right, made = (ap.ones(STREAMED, "float32") for _ in range(3))
    return 3 * left.nbytes / _best(lambda: ap.add(left, right, out=made))


def _chain() -> float:
    values, made = ap.ones(CHAINED, "float32"), ap.empty(CHAINED, "float32")

    def work() -> None:
        value = values
        for link in range(LINKS):
            value = value * (1.0 - link / 64) + 0.25
        made[...] = value

    return 2 * LINKS * CHAINED / _best(work)


def _product(dtype: str) -> float:
    left, right, made = (ap.ones((SIDE, SIDE), dtype) for _ in range(3))
    return 2 * SIDE**3 / _best(lambda: ap.matmul(left, right, out=made))


def _measure() -> Limits:
    begun = time.perf_counter()
    with ap.Device("cpu"), ap.config.using(eager=False, host_calls="count"):
        bandwidth, arithmetic = _sum(), _chain()
        products = {dtype: _product(dtype) for dtype in ("float32", "float64")}
    return Limits(bandwidth, arithmetic, products, time.perf_counter() - begun)


def limits() -> Limits | None:
    """None where they cannot be measured now: another recording runs, or there is no memory for it."""
    with _lock:
        if not _kept and door.listener is None:
            try:
                _kept.append(_measure())
            except MemoryError:
                return None
        return _kept[0] if _kept else None
