"""Dask's threads over chunks of NumPy's and of asnumpy's: how much faster the same work is with more of them.

Each call of asnumpy's uses one thread, so that the threads are Dask's alone. More threads than processors show what
they cost.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np

import asnumpy as ap
from measure import aligned

ROUNDS = 5
THREADS = (1, 2, 4, 8)
CENTRES = np.random.default_rng(1).normal(size=(8, 16)).astype(np.float32)


def moments(x: Any) -> Any:
    return x.mean(), x.std()


def stencil(x: Any) -> Any:
    """The mean of each element and its neighbours in a column, three times."""
    def smoothed(v: Any) -> Any:
        for _ in range(3):
            v = (np.roll(v, 1, 0) + v + np.roll(v, -1, 0)) / np.float32(3)
        return v

    return (x.map_overlap(smoothed, depth={0: 3}, boundary="reflect", dtype=x.dtype, meta=x._meta).sum(),)


def distances(x: Any) -> Any:
    """To each of some centres: a step of k-means."""
    return (((x[:, None] - CENTRES) ** 2).sum(axis=2).min(axis=1).sum(),)


def elementwise(x: Any) -> Any:
    return ((np.exp(-x * x) * np.cos(x) + np.sqrt(abs(x))).sum(),)


WORKS: dict[str, tuple[Callable[[Any], Any], tuple[int, int]]] = {
    "mean and deviation": (moments, (4000, 4000)), "elementwise": (elementwise, (4000, 4000)),
    "stencil": (stencil, (4000, 4000)), "distances to 8 centres": (distances, (400_000, 16)),
}


def rows(name: str, threads: tuple[int, ...]) -> list[tuple[str, ...]]:
    """A row for each library: the time with one thread, and how many times faster more of them are, in turns."""
    work, shape = WORKS[name]
    plain = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    given = {"NumPy": plain, "asnumpy": ap.asarray(plain)}
    chunked = {library: da.from_array(x, chunks=(shape[0] // 16, shape[1])) for library, x in given.items()}
    times: dict[Any, list[float]] = {}
    results: dict[str, Any] = {}
    for _ in range(ROUNDS + 1):
        for number in threads:
            for library, x in chunked.items():
                start = time.perf_counter()
                results[library] = dask.compute(*work(x), scheduler="threads", num_workers=number)
                times.setdefault((library, number), []).append(time.perf_counter() - start)
    for one, other in zip(results["NumPy"], results["asnumpy"], strict=True):
        np.testing.assert_allclose(np.asarray(other), one, rtol=1e-3)
    best = {key: min(seconds[1:]) for key, seconds in times.items()}  # the first is a warm-up
    return [
        (name, library, f"{best[library, threads[0]] * 1e3:.0f}",
         *(f"{best[library, threads[0]] / best[library, number]:.2f}" for number in threads[1:]))
        for library in chunked
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="*", default=THREADS)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    first, *more = threads = tuple(given.threads)
    head = ("work", "chunks", f"ms with {first} thread", *(f"faster with {number}" for number in more))
    print(f"{len(os.sched_getaffinity(0))} processors")
    with ap.config.using(num_threads=1):
        print(aligned([head, *(row for name in WORKS if given.only in name for row in rows(name, threads))]))


if __name__ == "__main__":
    main()
