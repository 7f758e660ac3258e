"""Order, search, sets, bins and assignment by an index: what threads share since NumPy uses one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from asnumpy.demo.measure import Check, as_numpy, close
from measure import Case, main

SIZES = (100_000, 1_000_000, 10_000_000)


def numbers(count: int, dtype: str, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(count).astype(dtype)
    return rng.integers(0, min(2**62, np.iinfo(dtype).max), count).astype(dtype)


def ordering() -> Check:
    """Places that put the elements in order: which of equal ones comes first is open."""

    def check(expected: Any, got: Any) -> tuple[bool, str]:
        x, order = as_numpy(got)
        once = np.array_equal(np.bincount(order, minlength=x.size), np.ones(x.size))
        return once and bool((np.diff(x[order]) >= 0).all()), "in order"

    return check


def in_order(xp: Any, x: Any) -> tuple[Any, Any]:
    return x, xp.argsort(x)


def assigned(xp: Any, target: Any, index: Any, values: Any) -> Any:
    target[index] = values
    return target


def distinct_by_pandas(x: np.ndarray) -> Callable[[], Any]:
    import pandas

    return lambda: np.sort(pandas.unique(x))


def sorts(count: int) -> Iterator[Case]:
    least = 2 if count > 100_000 else 1
    for dtype in ("float64", "float32", "int64", "int32", "int16"):
        yield Case(f"sort, {dtype}", f"{count:,}", least, lambda xp, x: xp.sort(x),
                   lambda d=dtype: [numbers(count, d)], close(0))
    for dtype in ("float64", "int64", "int32"):
        yield Case(f"argsort, {dtype}", f"{count:,}", least, in_order, lambda d=dtype: [numbers(count, d)], ordering())
    yield Case("argsort, stable, float64", f"{count:,}", least, lambda xp, x: xp.argsort(x, kind="stable"),
               lambda: [numbers(count, "float64")], close(0))
    yield Case("sort of rows of 1,000, float64", f"{count:,}", 1, lambda xp, x: xp.sort(x, axis=1),
               lambda: [numbers(count, "float64").reshape(-1, 1000)], close(0))
    yield Case("lexsort of two keys", f"{count:,}", least, lambda xp, x, y: xp.lexsort((x, y)),
               lambda: [numbers(count, "int64"), numbers(count, "int16", 2)], close(0))


def searches(count: int) -> Iterator[Case]:
    least = 2 if count > 100_000 else 1
    for dtype in ("int64", "float64"):
        yield Case(f"unique, {dtype}", f"{count:,}", least, lambda xp, x: xp.unique(x),
                   lambda d=dtype: [numbers(count, d)], close(0), {"pandas, sorted": distinct_by_pandas})
    yield Case("unique with counts, a tenth is distinct", f"{count:,}", least,
               lambda xp, x: xp.unique(x, return_counts=True)[1],
               lambda: [numbers(count, "int64") % (count // 10)], close(0))
    for name, sort in (("", lambda x: x), (", rising", np.sort)):
        yield Case(f"searchsorted{name}, float64", f"{count:,} in {count:,}", least,
                   lambda xp, x, v: xp.searchsorted(x, v),
                   lambda sort=sort: [np.sort(numbers(count, "float64")), sort(numbers(count, "float64", 2))], close(0))
    yield Case("digitize, 100 bins", f"{count:,}", least, lambda xp, x, bins: xp.digitize(x, bins),
               lambda: [numbers(count, "float64"), np.linspace(-3, 3, 101)], close(0))
    yield Case("histogram, 100 given edges", f"{count:,}", 1, lambda xp, x, bins: xp.histogram(x, bins)[0],
               lambda: [numbers(count, "float64"), np.sort(numbers(101, "float64", 2))], close(0))
    yield Case("histogram, 100 bins", f"{count:,}", 1, lambda xp, x: xp.histogram(x, 100)[0],
               lambda: [numbers(count, "float64")], close(0))
    yield Case("bincount, 1,000 bins", f"{count:,}", 1, lambda xp, x: xp.bincount(x),
               lambda: [numbers(count, "int64") % 1000], close(0))
    yield Case("cumsum, int64", f"{count:,}", 0.8, lambda xp, x: xp.cumsum(x), lambda: [numbers(count, "int64")],
               close(0))


def assignments(count: int) -> Iterator[Case]:
    def inputs(rising: bool) -> list[np.ndarray]:
        index = np.random.default_rng(3).integers(0, count, count)
        return [np.zeros(count), np.sort(index) if rising else index, numbers(count, "float64")]

    for name, rising, least in (("random", False, 0.8), ("rising", True, 1)):
        yield Case(f"x[index] = values, {name}", f"{count:,}", least, assigned, lambda r=rising: inputs(r), close(0))


def cases() -> Iterator[Case]:
    for count in SIZES:
        yield from sorts(count)
        yield from searches(count)
        yield from assignments(count)


if __name__ == "__main__":
    sys.exit(main(cases))
