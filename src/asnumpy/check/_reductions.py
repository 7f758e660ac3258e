"""Every reducible row along every axis, and its scan, with values whose result does not depend on the order."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import _core
from asnumpy.check._agreement import agree
from asnumpy.check._edges import BFLOAT16
from asnumpy.check._steps import Case, Scope

ROUNDING = frozenset(["hypot", "logaddexp", "logaddexp2"])  # their order of evaluation shows
QUICK = frozenset(["bool", "int32", "int64", "float32", "complex64"])
SHAPES = ((1,), (1000,), (70001,), (33, 65), (5, 6, 7), (1, 300), (300, 1))


def exact_values(name: str, dtype: np.dtype[Any], shape: Any, rng: np.random.Generator) -> Any:
    """Random ones whose reduction is the same in every order of evaluation."""
    if name == "lcm":  # overflow is not associative
        return rng.choice(np.array([1, 2, 3, 4, 6], dtype), shape)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return np.asarray(rng.integers(info.min, info.max, shape, dtype, True))
    if name == "multiply":  # powers of two, few of them not 1
        values = np.ones(shape, dtype)
        flat = values.reshape(-1)
        places = rng.integers(0, max(flat.size, 1), min(8, flat.size))
        flat[places] = rng.choice(np.array([2, 0.5, -1, -2], dtype), places.size)
        return values
    if name == "add":  # whole numbers, their sum far below 2 / eps
        values = rng.integers(-1, 2, shape).astype(dtype)
        if dtype.kind == "c":
            values += values.dtype.type(1j) * rng.integers(-1, 2, shape).astype(dtype)
        return values
    if dtype.kind == "c":
        return (rng.integers(-9, 9, shape) + 1j * rng.integers(-9, 9, shape)).astype(dtype)
    return rng.integers(0, 9, shape).astype(dtype) if name in ROUNDING else rng.normal(0, 100, shape).astype(dtype)


def dtypes(row: dict[str, Any], quick: bool) -> list[np.dtype[Any]]:
    """NumPy rounds bfloat16 at every step, so that its order of evaluation shows."""
    found = [np.dtype(ins[0]) for ins, _ in row["loops"] if len({*ins}) == 1]
    plain = [d for d in found if d != BFLOAT16 and d.kind in "biufc"]
    few = [d for d in plain if d.name in QUICK]
    return few if quick and few else plain


def axes(name: str, shape: tuple[int, ...]) -> list[Any]:
    """All of them at once, each, and two: where NumPy takes them in any order."""
    each: list[Any] = list(range(len(shape)))
    try:
        getattr(np, name).reduce(np.ones((2, 2), bool if "logical" in name else int), axis=(0, 1))
    except (ValueError, TypeError):
        return each
    return [None, *each, *([(0, len(shape) - 1)] if len(shape) > 1 else [])]


def fold(row: dict[str, Any], quick: bool) -> None:
    name = row["name"]
    rng = np.random.default_rng(5)
    for dtype in dtypes(row, quick):
        for shape in SHAPES[:: 2 if quick else 1]:
            if dtype == np.float16 and max(shape) > 1000 and (name == "add" or name in ROUNDING):
                continue  # NumPy's own float16 does not hold them
            tolerance = 4000.0 if name in ROUNDING else 0.0
            plain = exact_values(name, dtype, shape, rng)
            for axis in axes(name, shape):
                agree(lambda xp, a, at=axis: getattr(xp, name).reduce(a, axis=at), [plain],
                      f"{name}.reduce({dtype}{shape}, axis={axis})", tolerance)


def scan(row: dict[str, Any], quick: bool) -> None:
    name = row["name"]
    rng = np.random.default_rng(6)
    for dtype in dtypes(row, quick):
        for shape in ((1,), (1000,), (33, 65), (5, 6, 7)):
            tolerance = 4000.0 if name in ROUNDING else 0.0
            plain = exact_values(name, dtype, shape, rng)
            for axis in range(len(shape)):
                agree(lambda xp, a, at=axis: getattr(xp, name).accumulate(a, axis=at), [plain],
                      f"{name}.accumulate({dtype}{shape}, axis={axis})", tolerance)


def sums() -> None:
    """Of numbers that are rounded: no further from the exact sum than its terms allow."""
    rng = np.random.default_rng(7)
    for dtype in ("float16", "float32", "float64"):
        for size in (100, 5000, 1_000_003):
            plain = rng.normal(0, 1, size).astype(dtype)
            exact = plain.astype(np.float64).sum()
            got = float(ap.from_numpy(plain).sum(dtype="float32" if dtype == "float16" else None))
            eps = float(np.finfo(np.float32 if dtype == "float16" else dtype).eps)
            allowed = 32 * eps * np.abs(plain.astype(np.float64)).sum()
            if not abs(got - exact) <= allowed:
                about = f"the sum of {size} numbers of {dtype}"
                raise AssertionError(f"{about} is {got}, expected {exact} within {allowed:.3g}")


def statistics() -> None:
    rng = np.random.default_rng(8)
    for dtype in ("float32", "float64"):
        plain = rng.normal(3, 2, (40, 500)).astype(dtype)
        for name in ("mean", "var", "std", "median", "ptp"):
            for axis in (None, 0, 1):
                agree(lambda xp, a, f=name, at=axis: getattr(xp, f)(a, axis=at), [plain],
                      f"{name}({dtype}, axis={axis})", 64.0)


def cases(scope: Scope) -> list[Case]:
    """A case for each reducible row, and one for its scan."""
    rows = [row for row in _core.rows() if row["reducible"] and hasattr(np, row["name"])]
    return [
        *((f"{row['name']}.reduce", partial(fold, row, scope.quick)) for row in rows),
        *((f"{row['name']}.accumulate", partial(scan, row, scope.quick)) for row in rows),
        ("rounded sums", sums), ("statistics", statistics),
    ]
