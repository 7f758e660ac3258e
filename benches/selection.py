"""Boolean masks and index arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from asnumpy.demo.measure import close
from measure import Case, main

COUNT = 10_000_000


def mask_inputs() -> list[np.ndarray]:
    rng = np.random.default_rng()
    return [rng.standard_normal(COUNT, dtype=np.float32), rng.random(COUNT) < 0.5]


def take_inputs() -> list[np.ndarray]:
    rng = np.random.default_rng()
    return [rng.standard_normal(COUNT, dtype=np.float32), rng.integers(0, COUNT, size=COUNT)]


def cases() -> Iterator[Case]:
    yield Case("x[mask], float32", f"{COUNT:,}", 1, lambda xp, x, mask: x[mask], mask_inputs, close(0),
               headline=True)
    yield Case("take(x, index), float32", f"{COUNT:,}", 1.3, lambda xp, x, index: xp.take(x, index), take_inputs,
               close(0))


if __name__ == "__main__":
    sys.exit(main(cases))
