"""Chains of elementwise operations: what fusion and tiles are for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import close
from measure import Case, direct, main


def chain(xp: Any, a: Any, b: Any) -> Any:
    t = a * b
    for _ in range(3):
        t = (t + a) * b
    return t + a


def exponential(xp: Any, a: Any, b: Any) -> Any:
    return xp.exp(a * b + a) * b


def add(xp: Any, a: Any, b: Any) -> Any:
    return a + b


def mix(xp: Any, a: Any, b: Any) -> Any:
    return xp.where((a > b) & (a < 1), xp.clip(a * 2, 0, 1), b - a)


def normals(count: int, dtype: Any) -> Callable[[], list[np.ndarray]]:
    return lambda: [np.random.default_rng().standard_normal(count, dtype=dtype) for _ in range(2)]


def integers(shape: tuple[int, ...]) -> list[np.ndarray]:
    return [np.random.default_rng().integers(-(2**30), 2**30, size=shape, dtype=np.int32) for _ in range(2)]


def compiled_chain(a: Any, b: Any) -> Callable[[], Any]:
    import numba

    @numba.vectorize([numba.float32(numba.float32, numba.float32)], target="parallel", cache=False)
    def loop(a, b):  # type: ignore[no-untyped-def]
        t = a * b
        t = (t + a) * b
        t = (t + a) * b
        t = (t + a) * b
        return t + a

    return lambda: loop(a, b)


def compiled_mix(a: Any, b: Any) -> Callable[[], Any]:
    import numba

    @numba.vectorize([numba.float32(numba.float32, numba.float32)], target="parallel")
    def loop(a, b):  # type: ignore[no-untyped-def]
        if a > b and a < 1:
            return min(max(a * numba.float32(2), numba.float32(0)), numba.float32(1))
        return b - a

    return lambda: loop(a, b)


def expression(source: str) -> Callable[..., Callable[[], Any]]:
    def prepare(a: Any, b: Any) -> Callable[[], Any]:
        import numexpr

        return lambda: numexpr.evaluate(source, {"a": a, "b": b})

    return prepare


def short(work: Callable[..., Any], count: int) -> dict[str, Any]:
    if count > 10_000:
        return {}
    return direct(lambda a, b: work(np, a, b), lambda a, b: work(ap, a, b))


def cases() -> Iterator[Case]:
    others = {"numba": compiled_chain, "numexpr": expression("(((a*b + a)*b + a)*b + a)*b + a")}
    for count, least, headline in ((20_000_000, 7, True), (1_000_000, 7, False), (10_000, 2.5, False)):
        yield Case("t=a*b; 3 x t=(t+a)*b; t+a, float32", f"{count:,}", least, chain, normals(count, np.float32),
                   others=others, headline=headline, **short(chain, count))
    for count, dtype, least in (
        (20_000_000, np.float32, 4.5), (20_000_000, np.float64, 4),
        (1_000_000, np.float32, 3.5), (10_000, np.float32, 1),
    ):
        yield Case(f"exp(a*b+a)*b, {np.dtype(dtype)}", f"{count:,}", least, exponential, normals(count, dtype),
                   others={"numexpr": expression("exp(a*b+a)*b")}, **short(exponential, count))
    for shape, least in (((1000, 1000, 100), 2), ((1000, 1000, 10), 1.7), ((100, 100, 10), 1)):
        yield Case("a + b, int32", str(shape), least, add, lambda shape=shape: integers(shape), close(0))
    yield Case("where((a>b)&(a<1), clip(a*2,0,1), b-a), float32", "10,000,000", 6, mix, normals(10_000_000, np.float32),
               others={"numba": compiled_mix}, headline=True)


if __name__ == "__main__":
    sys.exit(main(cases))
