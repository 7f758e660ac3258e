"""Sums, means, extremes and scans, alone and behind elementwise work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from asnumpy.demo.measure import close
from measure import Case, main


def normal(*shape: int, dtype: Any = np.float32, count: int = 1) -> Callable[[], list[np.ndarray]]:
    return lambda: [np.random.default_rng().standard_normal(shape, dtype=dtype) for _ in range(count)]


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def compiled_product_sum(a: Any, b: Any) -> Callable[[], Any]:
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def loop(a, b):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in numba.prange(a.shape[0]):
            for j in range(a.shape[1]):
                total += a[i, j] * b[i, j]
        return total

    return lambda: loop(a, b)


def cases() -> Iterator[Case]:
    yield Case("sum(a*b), float64", "4000 x 4000", 6, lambda xp, a, b: xp.sum(a * b),
               normal(4000, 4000, dtype=np.float64, count=2), close(1e-6), {"numba": compiled_product_sum})
    for side, least in ((500, 3), (3000, 2.5)):
        yield Case("mean, float32", f"{side} x {side}", least, lambda xp, x: xp.mean(x),
                   lambda side=side: [np.random.default_rng().random((side, side), dtype=np.float32)])
    x = normal(4000, 4000)
    size = "4000 x 4000"
    positive = lambda: [np.random.default_rng().random((4000, 4000), dtype=np.float32)]  # noqa: E731
    yield Case("sum(axis=0), float32", size, 1.2, lambda xp, x: x.sum(axis=0), x, close(1e-5))
    yield Case("sum(axis=1), float32", size, 1.8, lambda xp, x: x.sum(axis=1), x, close(1e-5))
    yield Case("sum(), float32", size, 1.8, lambda xp, x: x.sum(), positive, close(1e-5))
    yield Case("var(), float32", size, 5, lambda xp, x: x.var(), x, close(1e-4), headline=True)
    yield Case("argmax(), float32", size, 1, lambda xp, x: x.argmax(), x, close(0))
    # A running sum in float32 loses digits with its length in any order of addition.
    yield Case("cumsum(), float32", size, 1.3, lambda xp, x: x.cumsum(), positive, close(1e-2))
    yield Case("softmax over rows, float32", "4096 x 1024", 3, softmax, normal(4096, 1024),
               headline=True)


if __name__ == "__main__":
    sys.exit(main(cases))
