"""What tests of recorded functions as graphs have in common: functions, their bits without graphs, CANN's calls."""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import cann, cannsim

ROUNDS = 9
STEADY = 60  # calls after which results have had each of their places often enough


@contextlib.contextmanager
def captured() -> Iterator[None]:
    """Work that recurs on the device is captured, and there are no graphs of before."""
    with ap.config.using(graph_replay=True, device="ascend:0", fallback="count", machine_code="off"):
        gc.collect()
        ap.free_all_blocks("ascend:0")
        yield


def figures(device: str = "ascend:0") -> dict[str, int]:
    ap.synchronize()
    return cann.graph_metrics()[device]


def values(shape: Any = (30, 40), seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def there(*arrays: np.ndarray, device: str = "ascend:0") -> list[Any]:
    return [ap.from_numpy(a, device=device) for a in arrays]


def leaves(made: Any) -> list[Any]:
    return list(made) if isinstance(made, tuple) else [made]


def bits(made: Any) -> list[bytes]:
    return [np.ascontiguousarray(ap.to_numpy(one)).tobytes() for one in leaves(made)]


def without(function: Callable[..., Any], *arrays: np.ndarray) -> tuple[list[bytes], list[bytes]]:
    """The bits of the results, and of the arguments afterwards, where each program is launched."""
    with ap.config.using(graph_replay=False):
        given = there(*arrays)
        made = ap.jit(function)(*given)
        return bits(made) if made is not None else [], bits(tuple(given))


def steps(x: Any, y: Any) -> Any:
    """Several programs: sums along axes, a product, a scan, values that are read again later."""
    z = x * 2 + y
    total = z.sum(axis=1, keepdims=True)
    z = z - total / z.shape[1]
    w = z @ y.T
    top = ap.cumsum(abs(w), axis=0)
    return w / (1 + top.max(axis=0)), total, z.mean()


def update(x: Any, y: Any) -> Any:
    x += y.sum(axis=0)
    y[1:] = y[1:] * 0.5 + x[:-1] * 0.25
    x -= x.mean(axis=1, keepdims=True)
    return (x * y).sum()


def called() -> Counter[str]:
    return Counter(entry["function"] for entry in cannsim.log())


def calls_of(work: Callable[[], Any]) -> Counter[str]:
    """CANN's calls of the work, by name, without the wait for it."""
    ap.synchronize()
    cannsim.clear()
    cannsim.configure(log=True)
    try:
        work()
        return called()
    finally:
        cannsim.configure(log=False)
        cannsim.clear()


def launches(counted: Counter[str]) -> int:
    launched = [name for name in counted if name.startswith("aclnn") and not name.endswith("GetWorkspaceSize")]
    return sum(counted[name] for name in ["aclmdlRIExecuteAsync", *launched])
