"""Programs that recur are captured and replayed: same values, and there are replays. Else replay is no default."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import cann
from asnumpy.check._agreement import compare
from asnumpy.check._steps import Case, Scope, Skip
from asnumpy.runtime import cann_search

ROUNDS = 12
CAPTURE = ("aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclmdlRIExecuteAsync", "aclmdlRIDestroy")


def figures(scope: Scope) -> dict[str, int]:
    ap.synchronize()
    return cann.graph_metrics().get(scope.device, {"captures": 0, "replays": 0})


def replayed(work: Callable[[], None], scope: Scope) -> dict[str, Any]:
    """The work with replay, which it must come to."""
    lacking = [name for name in CAPTURE if name in cann_search.search().absent]
    if lacking:
        raise Skip(f"this CANN has no {', '.join(lacking)}")
    with ap.config.using(graph_replay=True, eager=False, eager_size=0):
        ap.free_all_blocks(scope.device)
        before = figures(scope)
        work()
        after = figures(scope)
    captures, replays = (after[name] - before[name] for name in ("captures", "replays"))
    if not captures or replays < ROUNDS // 2:
        raise AssertionError(f"{captures} captures and {replays} replays of a program that recurs {ROUNDS} times")
    return {"captures": captures, "replays": replays}


def close(got: Any, expected: np.ndarray) -> None:
    compare(got, expected, 64.0)


def samples(seed: int, size: int = 5000) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=size).astype(np.float32)


def formula(xp: Any, x: Any, y: Any) -> Any:
    return x / (1 + abs(x)) + xp.exp(-y * y)


def recurs() -> None:
    a, b = samples(0), samples(1)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    expected = formula(np, a, b)
    for _ in range(ROUNDS):
        close(formula(ap, x, y), expected)


def in_place() -> None:
    a = np.zeros(3000, np.int32)
    x = ap.from_numpy(a)
    for _ in range(ROUNDS):
        x += 3
        x *= 2
        x -= 1
        a = (a + 3) * 2 - 1
        compare(x, a)


def other_inputs() -> None:
    """The same memory with other values each time."""
    x, y = ap.zeros(5000, "float32"), ap.zeros(5000, "float32")
    for turn in range(ROUNDS):
        a, b = samples(turn), samples(turn + 100)
        x[...] = ap.from_numpy(a)
        y[...] = ap.from_numpy(b)
        close(formula(ap, x, y), formula(np, a, b))


def memory_between(scope: Scope) -> None:
    """What belongs to a graph is nobody else's."""
    a, b = samples(2), samples(3)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    for turn in range(ROUNDS):
        close(formula(ap, x, y), formula(np, a, b))
        others = [ap.from_numpy(samples(turn + k)) + 1 for k in range(6)]  # in what the temporaries had
        for k, one in enumerate(others):
            compare(one, samples(turn + k) + np.float32(1))
    ap.free_all_blocks(scope.device)
    close(formula(ap, x, y), formula(np, a, b))


def on_streams(scope: Scope) -> None:
    a, b = samples(4), samples(5)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    streams = [ap.Stream(scope.device) for _ in range(2)]
    for turn in range(2 * ROUNDS):
        with streams[turn % 2]:
            close(formula(ap, x, y), formula(np, a, b))


def recorded() -> None:
    """All programs of a recorded function as one graph, in memory that it changes."""

    @ap.jit
    def step(x: Any, y: Any) -> None:
        x += y.sum()
        y[1:] = (y - x).cumsum()[:-1]
        x *= 0.5

    a, b = np.arange(50, dtype=np.float32), np.ones(50, np.float32)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    for _ in range(ROUNDS):
        step(x, y)
        a = a + b.sum()
        b[1:] = (b - a).cumsum()[:-1]
        a *= np.float32(0.5)
        close(x, a)
        close(y, b)
        x[...], y[...] = ap.from_numpy(a), ap.from_numpy(b)


def cases(scope: Scope) -> list[Case]:
    works: dict[str, Callable[[], None]] = {
        "a program that recurs": recurs, "in place": in_place, "other values": other_inputs,
        "memory between": partial(memory_between, scope), "on streams": partial(on_streams, scope),
        "a recorded function": recorded,
    }
    return [(name, partial(replayed, work, scope)) for name, work in works.items()]
