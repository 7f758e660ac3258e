"""Arrays that lie in memory otherwise than in one piece, or are none or very many, through the whole of the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.check._agreement import agree, compare, values
from asnumpy.check._steps import Case, Scope

DTYPES = ("bool", "int8", "int32", "int64", "float16", "float32", "float64", "complex64")
VIEWS: dict[str, Callable[[Any], Any]] = {
    "every second": lambda a: a[:, ::2], "reversed": lambda a: a[::-1, ::-1], "transposed": lambda a: a.T,
    "a column": lambda a: a[:, 3:4], "a row": lambda a: a[5], "inner block": lambda a: a[3:-2, 1:-5],
    "odd offset": lambda a: a.reshape(-1)[7:], "empty": lambda a: a[:0], "0-d": lambda a: a[2, 3],
    "three axes": lambda a: a[:60, :30].reshape(5, 12, 30).transpose(2, 0, 1),
}
TOGETHER = (((7, 1, 5), (3, 1)), ((1,), (4, 5)), ((), (6,)), ((2, 1, 3, 1), (4, 1, 5)), ((0, 3), (1, 3)))
SIZES = (0, 1, 2, 31, 32, 33, 255, 1000, 65535, 1 << 20)


def doubled(xp: Any, a: Any) -> Any:
    return xp.logical_not(a) if a.dtype == bool else a + a


def read(view: Callable[[Any], Any]) -> None:
    for dtype in DTYPES:
        agree(lambda xp, a: doubled(xp, view(a)), [values(dtype, (61, 37))])


def written(view: Callable[[Any], Any]) -> None:
    """What is not in the view stays as it was."""
    for dtype in DTYPES:
        plain = values(dtype, (61, 37), 1)
        mine = ap.from_numpy(plain)
        if plain.ndim != view(plain).ndim and not view(plain).ndim:
            mine[2, 3] = plain[2, 3] = plain.dtype.type(1)
        else:
            view(plain)[...] = 1
            view(mine)[...] = 1
        compare(mine, plain)


def broadcast() -> None:
    for dtype in DTYPES[1:]:
        for first, second in TOGETHER:
            agree(lambda xp, a, b: a * b + a, [values(dtype, first), values(dtype, second, 1)])


def sizes(scope: Scope) -> None:
    for size in SIZES if scope.quick else (*SIZES, (1 << 24) + 3):
        agree(lambda xp, a, b: (a + b) * 2 - a, [values("float32", size), values("float32", size, 1)])


def overlapping() -> None:
    for dtype in ("int32", "float32"):
        plain = values(dtype, 1000)
        mine = ap.from_numpy(plain)
        plain[1:] = plain[:-1].copy() + 1
        mine[1:] = mine[:-1] + 1
        plain[:] = plain[::-1].copy()
        mine[:] = mine[::-1]
        compare(mine, plain)


def converted() -> None:
    for source in DTYPES:
        for target in DTYPES:
            plain = np.abs(values(source, 300)) if source not in ("bool",) else values(source, 300)
            if plain.dtype.kind == "c" and np.dtype(target).kind != "c":
                continue
            agree(lambda xp, a, to=target: a.astype(to), [plain], f"{plain.dtype} to {target}")


def many_operations() -> None:
    """A long chain, cut into programs."""

    def chain(xp: Any, a: Any) -> Any:
        for k in range(120):
            a = xp.where(a > 3, a - 3, a + k % 5)
        return a

    agree(chain, [values("int32", 4097)])


def cases(scope: Scope) -> list[Case]:
    """Reading and writing through each view; then shapes, sizes and conversions."""
    return [
        *((f"read: {name}", partial(read, view)) for name, view in VIEWS.items()),
        *((f"written: {name}", partial(written, view)) for name, view in VIEWS.items()),
        ("broadcast", broadcast), ("sizes", partial(sizes, scope)), ("overlapping", overlapping),
        ("conversions", converted), ("a long chain", many_operations),
    ]
