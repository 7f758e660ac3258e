"""Scalar functions with branches and loops under vectorize, beside np.vectorize and numba.vectorize."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from asnumpy.demo.measure import close
from measure import Case, main


def piecewise(x):  # type: ignore[no-untyped-def]
    if x < -1:
        return -1.0
    elif x > 1:
        return 2 * x - 1
    return x * x * x


def escape(x, y):  # type: ignore[no-untyped-def]
    a = b = 0.0
    for step in range(100):
        if a * a + b * b > 4:
            return step
        a, b = a * a - b * b + x, 2 * a * b + y
    return 100


def collatz(n):  # type: ignore[no-untyped-def]
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def vectorized(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xp, *arrays: xp.vectorize(function)(*arrays)


def by_numba(function: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def prepare(*arrays: Any) -> Callable[[], Any]:
        import numba

        compiled = numba.vectorize(function)
        return lambda: compiled(*arrays)

    return prepare


def cases() -> Iterator[Case]:
    def generator() -> np.random.Generator:
        return np.random.default_rng()

    for count, least in ((1_000_000, 20), (10_000, 10)):
        yield Case("piecewise, float64", f"{count:,}", least, vectorized(piecewise),
                   lambda count=count: [generator().standard_normal(count) * 2], close(0),
                   others={"numba": by_numba(piecewise)})
    for count, least in ((100_000, 10), (10_000, 2)):
        yield Case("Mandelbrot's count, float64", f"{count:,}", least, vectorized(escape),
                   lambda count=count: [generator().uniform(-2, 1, count), generator().uniform(-1.5, 1.5, count)],
                   close(0), others={"numba": by_numba(escape)})
    for count, least in ((100_000, 3), (10_000, 1)):
        yield Case("Collatz steps, int64", f"{count:,}", least, vectorized(collatz),
                   lambda count=count: [generator().integers(1, 100_000, count)], close(0),
                   others={"numba": by_numba(collatz)})


if __name__ == "__main__":
    sys.exit(main(cases))
