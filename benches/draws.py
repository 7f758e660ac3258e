"""Random numbers: uniform, normal and whole ones, and a few distributions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from asnumpy.demo.measure import as_numpy
from measure import Case, main

COUNT = 10_000_000
SHOWN = 10_000  # of them are compared with the law


def values(sample: Any) -> np.ndarray:
    return as_numpy(sample)[0]


def follows(law: Any) -> Callable[[Any, Any], tuple[bool, str]]:
    """The libraries draw different numbers: both samples must follow the law."""

    def check(expected: Any, got: Any) -> tuple[bool, str]:
        chances = [stats.kstest(values(sample)[:SHOWN], law.cdf).pvalue for sample in (expected, got)]
        return min(chances) > 1e-6, f"both follow the law, p = {chances[1]:.2g}"

    return check


def equally_often(top: int) -> Callable[[Any, Any], tuple[bool, str]]:
    def check(expected: Any, got: Any) -> tuple[bool, str]:
        chances = [stats.chisquare(np.bincount(values(sample), minlength=top)).pvalue for sample in (expected, got)]
        return min(chances) > 1e-6, f"equally often, p = {chances[1]:.2g}"

    return check


def same_members(expected: Any, got: Any) -> tuple[bool, str]:
    return bool((np.sort(values(got)) == np.arange(COUNT)).all()), "every number once"


def cases() -> Iterator[Case]:
    def draws(method: str, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        generators: dict[str, Any] = {}

        def work(xp: Any) -> Any:
            if xp.__name__ not in generators:
                generators[xp.__name__] = xp.random.default_rng(1)
            return getattr(generators[xp.__name__], method)(*args, **kwargs)

        return work

    def case(name: str, least: float, work: Callable[[Any], Any], check: Any) -> Case:
        return Case(name, f"{COUNT:,}", least, work, list, check)

    yield case("rng.standard_normal(n)", 3, draws("standard_normal", COUNT), follows(stats.norm()))
    yield case("rng.random(n)", 3, draws("random", COUNT), follows(stats.uniform()))
    yield case("rng.integers(0, 100, n)", 2, draws("integers", 0, 100, COUNT), equally_often(100))
    yield case("rng.exponential(2, n)", 1, draws("exponential", 2.0, COUNT), follows(stats.expon(scale=2)))
    yield case("rng.gamma(2.5, size=n)", 1, draws("gamma", 2.5, size=COUNT), follows(stats.gamma(2.5)))
    yield case("rng.poisson(50, n)", 1, draws("poisson", 50.0, COUNT), lambda expected, got: (
        abs(values(got).mean() - 50) < 0.02 and abs(values(got).var() - 50) < 0.2, "mean and variance"))
    yield case("rng.permutation(n)", 1, draws("permutation", COUNT), same_members)


if __name__ == "__main__":
    sys.exit(main(cases))
