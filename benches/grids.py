"""Views and broadcasting: a stencil with in-place assignment, and distances between all pairs of points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from measure import Case, main

SWEEPS = 10


def jacobi(xp: Any, u: Any) -> Any:
    u = u.copy()
    for _ in range(SWEEPS):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def distances(xp: Any, a: Any, b: Any) -> Any:
    difference = a[:, None, :] - b[None, :, :]
    return xp.sqrt((difference * difference).sum(axis=-1))


def compiled_jacobi(start: Any) -> Callable[[], Any]:
    import numba

    @numba.njit(parallel=True)
    def sweep(u, v):  # type: ignore[no-untyped-def]
        for i in numba.prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

    def run() -> Any:
        u, v = start.copy(), start.copy()
        for _ in range(SWEEPS):
            sweep(u, v)
            u, v = v, u
        return u

    return run


def compiled_distances(a: Any, b: Any) -> Callable[[], Any]:
    import numba

    @numba.njit(parallel=True)
    def loop(a, b):  # type: ignore[no-untyped-def]
        result = np.empty((a.shape[0], b.shape[0]))
        for i in numba.prange(a.shape[0]):
            for j in range(b.shape[0]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += (a[i, k] - b[j, k]) ** 2
                result[i, j] = np.sqrt(total)
        return result

    return lambda: loop(a, b)


def cases() -> Iterator[Case]:
    def random(*shape: int, count: int = 1) -> Callable[[], list[np.ndarray]]:
        return lambda: [np.random.default_rng().random(shape) for _ in range(count)]

    yield Case("Jacobi, 10 sweeps in place, float64", "2000 x 2000", 3.5, jacobi, random(2000, 2000),
               others={"numba": compiled_jacobi}, headline=True)
    yield Case("pairwise distances, float64", "(2000, 3) x (2000, 3)", 6, distances, random(2000, 3, count=2),
               others={"numba": compiled_distances}, headline=True)


if __name__ == "__main__":
    sys.exit(main(cases))
