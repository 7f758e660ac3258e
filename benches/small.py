"""Ten elements: what a call costs when there is next to nothing to compute."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from asnumpy.demo.measure import close
from measure import Case, direct, main


def small(name: str, least: float, work: Callable[[Any], Any], forced: bool = True, headline: bool = False) -> Case:
    return Case(name, "10", least, lambda xp, x: work(x), lambda: [np.random.default_rng().random(10)], close(1e-12),
                headline=headline, **direct(work, work, forced))


def cases() -> Iterator[Case]:
    yield small("x + x", 1, lambda x: x + x, headline=True)
    yield small("x.sum()", 1, lambda x: x.sum())
    yield small("(x+x)*x-x+x, then -y", 1, lambda x: -((x + x) * x - x + x))
    yield small("x[2:5]", 0.7, lambda x: x[2:5], forced=False)
    yield small("x.reshape(2, 5)", 0.7, lambda x: x.reshape(2, 5), forced=False)
    yield small("x.T", 0.7, lambda x: x.T, forced=False)


if __name__ == "__main__":
    sys.exit(main(cases))
