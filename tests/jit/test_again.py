"""Later calls of a recorded function: other addresses and alignments, values that share memory, a watcher."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

N = 300


def mixed(x: Any, y: Any) -> Any:
    """Values of several sizes and lifetimes, along columns, in place, folded, more axes than most have."""
    kept = []
    z = x * 2
    for k in range(1, 40):
        z[k:] = z[k:] - y[: N - k] * z[k - 1]
        part = x[::k] + k
        total = (part * part).sum()
        kept.append(total if k % 3 else total + y[k])
        if k % 7 == 0:
            z = ap.where(z > total, z, -z) + kept[-2]
    grid = ap.outer(x[:20], y[:15])
    grid[:, 1] += grid[:, 0]
    cube = (x[:144].reshape(2, 3, 2, 3, 2, 2)[:, :, ::-1, :, 1:, :] + y[:6].reshape(2, 1, 1, 3, 1, 1)).sum(axis=(0, 2))
    return z, ap.stack(kept), grid @ y[:15], grid.T.copy(), cube, x.mean() - y.std(), ap.cumsum(z)[-5:]


def at(values: np.ndarray, shift: int) -> ap.ndarray:
    """These values so many bytes behind the start of a cache line."""
    memory = np.empty(values.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + shift
    placed = memory[start : start + values.nbytes].view(values.dtype)
    placed[:] = values
    return ap.asarray(placed)


def expected(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    with ap.config.using(eager=False, eager_size=0):  # sums of what runs at once may end in other digits
        return [np.asarray(one) for one in mixed(ap.array(x), ap.array(y))]


def check(got: Any, x: np.ndarray, y: np.ndarray) -> None:
    for one, other in zip(got, expected(x, y), strict=True):
        assert np.asarray(one).tobytes() == other.tobytes()


def values(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(N), rng.standard_normal(N)


def test_arguments_lie_elsewhere_each_time() -> None:
    fast = ap.jit(mixed)
    for seed, (one, other) in enumerate([(0, 0), (0, 0), (8, 24), (0, 40), (1, 0), (3, 7), (0, 0)]):
        x, y = values(seed)
        check(fast(at(x, one), at(y, other)), x, y)


def test_results_stay_when_the_function_runs_again() -> None:
    fast = ap.jit(mixed)
    made = [(fast(*map(ap.array, values(seed))), values(seed)) for seed in range(6)]
    for got, (x, y) in made:
        check(got, x, y)


def test_watched_now_and_then() -> None:
    fast = ap.jit(mixed)
    for seed in range(6):
        x, y = values(seed)
        if seed % 2:
            with ap.profiler.record():
                got = fast(ap.array(x), ap.array(y))
        else:
            got = fast(ap.array(x), ap.array(y))
        check(got, x, y)


@pytest.mark.parametrize("threads", [1, 2])
def test_another_number_of_threads(threads: int) -> None:
    fast = ap.jit(mixed)
    x, y = values(1)
    fast(ap.array(x), ap.array(y))
    with ap.config.using(num_threads=threads):
        check(fast(ap.array(x), ap.array(y)), x, y)


def test_memory_between_is_given_back() -> None:
    fast = ap.jit(mixed)
    x, y = map(ap.array, values(2))
    fast(x, y)
    gc.collect()
    before = ap.memory_info()["in_use"]
    for _ in range(20):
        fast(x, y)
    gc.collect()
    assert ap.memory_info()["in_use"] < before + 4096  # what lies between takes more in each call


def test_the_explanation_tells_what_passes_did() -> None:
    form = ap.empty((50, 50)), ap.empty(50)
    said = ap.jit(lambda a, x: (a @ x + 1, a @ x * 2)).compile(*form).explain()
    assert said.startswith("equal: 1 of 4 instructions, computed before\ndead: 1 of 4 instructions")
    assert said.count("matmul") == 1
    with ap.config.using(passes="none"):
        assert ap.jit(lambda a, x: (a @ x + 1, a @ x * 2)).compile(*form).explain().startswith("program 0")
