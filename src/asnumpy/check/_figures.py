"""What the device takes, by the host's clock: launches, copies, memory, operators by class and size.

A figure fails only where it is far beyond what any supported device takes: something is wrong with it then.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.check._steps import Case, Scope

SLOWEST_LAUNCH = 10e-3   # seconds of an operator of few elements, waited for; a 910B takes about 50 microseconds
SLOWEST_COPY = 5e7       # bytes per second between host and device; the slowest link in use has 100 times as much
TURNS = 7

Work = Callable[[], Any]


def seconds(work: Work, turns: int = TURNS) -> float:
    """The median time of the work with the wait for it, after two rounds that nobody measures."""
    taken = []
    for turn in range(turns + 2):
        begun = time.perf_counter()
        kept = work()
        if isinstance(kept, ap.ndarray):
            ap.eval(kept)
        ap.synchronize()
        if turn >= 2:
            taken.append(time.perf_counter() - begun)
        del kept
    return float(np.median(taken))


def launches() -> dict[str, float]:
    x = ap.ones(16, "float32")
    waited = seconds(lambda: x + 1, 51)

    def many() -> None:
        kept = []
        for _ in range(200):
            kept.append(ap.exp(x))
            ap.flush()

    queued = seconds(many) / 200
    if waited > SLOWEST_LAUNCH:
        raise AssertionError(
            f"one operator on 16 elements takes {waited * 1e3:.1f} ms until it is waited for, more than "
            f"{SLOWEST_LAUNCH * 1e3:.0f}: the device or its link is slow, or others use it"
        )
    return {"launch_and_wait_seconds": waited, "launch_in_a_queue_seconds": queued}


def copies(scope: Scope) -> dict[str, float]:
    size = (8 if scope.quick else 64) << 20
    plain, locked = np.ones(size, np.int8), ap.empty_pinned((size,), "int8")
    locked[...] = 1
    x = ap.from_numpy(plain)
    ap.synchronize()
    figures = {
        "up_bytes_per_second": size / seconds(lambda: ap.from_numpy(plain)),
        "down_bytes_per_second": size / seconds(lambda: ap.to_numpy(x)),
        "up_pinned_bytes_per_second": size / seconds(lambda: ap.from_numpy(locked, blocking=False)),
        "down_pinned_bytes_per_second": size / seconds(lambda: ap.to_numpy(x, out=locked, blocking=False)),
    }
    slow = {name: figure for name, figure in figures.items() if figure < SLOWEST_COPY}
    if slow:
        text = ", ".join(f"{name.replace('_', ' ')}: {figure / 1e6:.1f} MB/s" for name, figure in slow.items())
        raise AssertionError(f"{text}: less than {SLOWEST_COPY / 1e6:.0f}; the link to the device is slow")
    small = ap.from_numpy(plain[:64])
    ap.synchronize()
    figures["copy_of_64_bytes_seconds"] = seconds(lambda: ap.to_numpy(small), 31)
    return figures


def memory(scope: Scope) -> dict[str, float]:
    """Read and written: of an array that no cache holds."""
    count = (4 if scope.quick else 64) << 20
    x = ap.ones(count, "float32")
    y = ap.ones(count, "float32")
    ap.eval(x, y)
    return {
        "device_to_device_bytes_per_second": 2 * 4 * count / seconds(x.copy),
        "add_bytes_per_second": 3 * 4 * count / seconds(lambda: x + y),
    }


def vector(dtype: str, count: int) -> Any:
    plain = np.random.default_rng(0).integers(1, 100, count).astype(dtype)
    return ap.from_numpy(plain)


OPERATORS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "add float32": ("float32", lambda x: x + x), "add int32": ("int32", lambda x: x + x),
    "add float16": ("float16", lambda x: x + x), "add int64": ("int64", lambda x: x + x),
    "add float64": ("float64", lambda x: x + x), "exp float32": ("float32", ap.exp),
    "divide float32": ("float32", lambda x: x / x), "sum float32": ("float32", ap.sum), "sum int64": ("int64", ap.sum),
    "max float32": ("float32", ap.max), "cumsum float32": ("float32", ap.cumsum),
    "sort float32": ("float32", ap.sort), "greater int32": ("int32", lambda x: x > 50),
    "where float32": ("float32", lambda x: ap.where(x > 50, x, 0)), "cast float32 to float16": (
        "float32", lambda x: x.astype("float16")), "reverse int32": ("int32", lambda x: x[::-1].copy()),
}


def timed(dtype: str, work: Callable[[Any], Any], sizes: tuple[int, ...]) -> dict[str, float]:
    figures = {}
    for size in sizes:
        x = vector(dtype, size)
        ap.eval(x)
        figures[f"{size}_elements_seconds"] = seconds(partial(work, x))
    return figures


def gather(sizes: tuple[int, ...]) -> dict[str, float]:
    figures = {}
    for size in sizes:
        x, at = vector("float32", size), ap.from_numpy(np.random.default_rng(1).integers(0, size, size))
        ap.eval(x, at)
        figures[f"{size}_elements_seconds"] = seconds(partial(operator.getitem, x, at))
    return figures


def product(dtype: str, sizes: tuple[int, ...]) -> dict[str, float]:
    figures = {}
    for size in sizes:
        x = ap.from_numpy(np.random.default_rng(2).normal(0, 1, (size, size)).astype(dtype))
        ap.eval(x)
        taken = seconds(partial(operator.matmul, x, x))
        figures[f"{size}_squared_seconds"] = taken
        figures[f"{size}_squared_operations_per_second"] = 2 * size**3 / taken
    return figures


def cases(scope: Scope) -> list[Case]:

    sizes = (10**4, 10**5) if scope.quick else (10**4, 10**6, 10**7)
    products = (64, 256) if scope.quick else (256, 1024)
    return [
        ("launches", launches), ("copies", partial(copies, scope)), ("memory", partial(memory, scope)),
        *((name, partial(timed, dtype, work, sizes)) for name, (dtype, work) in OPERATORS.items()),
        ("gather float32", partial(gather, sizes)),
        *((f"product {dtype}", partial(product, dtype, products)) for dtype in ("float16", "float32")),
    ]
