"""Matrix products, with and without a BLAS for the dtype."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from asnumpy.demo.measure import close
from measure import Case, main


def matrices(side: int, dtype: Any) -> list[np.ndarray]:
    rng = np.random.default_rng()
    if np.issubdtype(dtype, np.integer):
        return [rng.integers(-1000, 1000, size=(side, side), dtype=dtype) for _ in range(2)]
    return [rng.standard_normal((side, side)).astype(dtype) for _ in range(2)]


def cases() -> Iterator[Case]:
    for dtype, side, least, tolerance, headline in (
        (np.float32, 512, 1, 1e-5, False), (np.float32, 1024, 1, 1e-5, True), (np.float32, 2048, 1, 1e-5, False),
        (np.float16, 512, 100, 2e-2, False), (np.int32, 512, 10, 0, False),
    ):
        yield Case(f"a @ b, {np.dtype(dtype)}", f"{side} x {side}", least, lambda xp, a, b: a @ b,
                   lambda side=side, dtype=dtype: matrices(side, dtype), close(tolerance), headline=headline)


if __name__ == "__main__":
    sys.exit(main(cases))
