"""Streams, events, copies that nobody waits for: results are those of one call after the other."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np

import asnumpy as ap
from asnumpy.check._agreement import compare, values
from asnumpy.check._steps import Case, Scope

SIZE = 1 << 18


def side_by_side(scope: Scope) -> None:
    """Work of several streams that depends on each other."""
    plain = values("int32", SIZE)
    x = ap.from_numpy(plain)
    streams = [ap.Stream(scope.device) for _ in range(4)]
    for turn in range(20):
        parts = []
        for number, stream in enumerate(streams):
            with stream:
                parts.append(x * (number + 1) + turn)
        with streams[turn % 4]:
            total = parts[0] + parts[1] + parts[2] + parts[3]
        compare(total, plain * 10 + 4 * turn)


def written_elsewhere(scope: Scope) -> None:
    """One stream writes what another one reads, and the other way round."""
    plain = values("int32", SIZE)
    x = ap.from_numpy(plain)
    first, second = ap.Stream(scope.device), ap.Stream(scope.device)
    expected = plain.copy()
    for turn in range(30):
        with first if turn % 2 else second:
            x += turn
        expected += turn
    compare(x, expected)


def events(scope: Scope) -> None:
    first, second = ap.Stream(scope.device), ap.Stream(scope.device)
    with first:
        x = ap.ones(SIZE, "float32") * 3
        start = first.record()
    second.wait_event(start)
    with second:
        y = x + 1
        end = second.record()
    end.synchronize()
    if not (start.done and end.done and second.done):
        raise AssertionError("an event that was waited for is not said to have happened")
    if not 0 <= start.elapsed_time(end) < 60_000:
        raise AssertionError(f"{start.elapsed_time(end)} ms between two events")
    compare(y, np.full(SIZE, 4, np.float32))


def pinned(scope: Scope) -> None:
    """Copies both ways that return before the bytes have moved."""
    stream = ap.Stream(scope.device)
    given = ap.empty_pinned((SIZE,), "float32")
    for turn in range(5):
        given[...] = np.arange(SIZE) + turn
        with stream:
            x = ap.from_numpy(given, blocking=False)
            got = ap.to_numpy(x * 2, blocking=False)
        stream.synchronize()
        compare(got, (np.arange(SIZE, dtype=np.float32) + turn) * 2)


def threads(scope: Scope) -> None:
    """Threads with streams of their own."""
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            plain = values("int32", SIZE // 4, seed)
            with ap.Stream(scope.device):
                x = ap.from_numpy(plain)
                for _ in range(10):
                    x = x * 3 - 1
                for _ in range(10):
                    plain = plain * 3 - 1
                compare(x, plain)
        except BaseException as error:
            failures.append(error)

    running = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    if failures:
        raise failures[0]


def copies_of_all_sizes() -> None:
    """Through the driver's buffers: from one byte to many, and back."""
    for size in (1, 31, 64, 4095, 65537, 1 << 20, (1 << 24) + 5):
        plain = np.random.default_rng(size).integers(0, 256, size, np.uint8)
        compare(ap.from_numpy(plain), plain)


def cases(scope: Scope) -> list[Case]:
    return [
        ("side by side", partial(side_by_side, scope)), ("written elsewhere", partial(written_elsewhere, scope)),
        ("events", partial(events, scope)), ("pinned copies", partial(pinned, scope)),
        ("threads", partial(threads, scope)),
        ("copies of all sizes", copies_of_all_sizes),
    ]
