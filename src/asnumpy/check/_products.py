"""Matrix products: exact where whole numbers make them so, else within the error of sums of that length."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.check._agreement import agree, compare
from asnumpy.check._steps import Case, Scope

DTYPES = ("int32", "int64", "float16", "float32", "float64", "complex64")
SHAPES = (
    ((4, 5), (5, 6)), ((1, 1), (1, 1)), ((16, 16), (16, 16)), ((129, 257), (257, 65)), ((7,), (7,)), ((7,), (7, 3)),
    ((3, 7), (7,)), ((3, 4, 5), (3, 5, 2)), ((3, 4, 5), (5, 2)), ((2, 1, 4, 5), (3, 5, 2)), ((0, 4), (4, 3)),
    ((3, 0), (0, 2)),
)
FORMS: dict[str, Callable[..., Any]] = {
    "a @ b + c": lambda xp, a, b, c: a @ b + c, "a @ b - c": lambda xp, a, b, c: a @ b - c,
    "2 a @ b + 3 c": lambda xp, a, b, c: 2.0 * (a @ b) + 3.0 * c, "c + a @ b": lambda xp, a, b, c: c + a @ b,
    "transposed": lambda xp, a, b, c: (b.T @ a.T).T + c, "einsum": lambda xp, a, b, c: xp.einsum("ij,jk->ik", a, b) + c,
    "tensordot": lambda xp, a, b, c: xp.tensordot(a, b, 1), "outer": lambda xp, a, b, c: xp.outer(a[0], b[0]),
}


def whole(dtype: str, shape: Any, seed: int) -> np.ndarray:
    """So small that every partial sum is exact."""
    return np.asarray(np.random.default_rng(seed).integers(-2, 3, shape)).astype(dtype)


def exact(dtype: str) -> None:
    for first, second in SHAPES:
        agree(lambda xp, a, b: a @ b, [whole(dtype, first, 1), whole(dtype, second, 2)])


def rounded(dtype: str, size: int) -> None:
    """Within the error of a sum of that many terms in float32, and of its rounding."""
    rng = np.random.default_rng(3)
    a, b = (rng.normal(0, 1, (size, size)).astype(dtype) for _ in range(2))
    wide = a.astype(np.float64) @ b.astype(np.float64)
    most = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    sums = float(np.finfo(np.float32).eps)  # 16-bit factors are summed in float32, too
    got = ap.to_numpy(ap.from_numpy(a) @ ap.from_numpy(b)).astype(np.float64)
    allowed = size * sums * most + float(np.finfo(dtype).eps) * np.abs(wide)
    wrong = ~(np.abs(got - wide) <= allowed)
    if wrong.any():
        at = tuple(map(int, np.argwhere(wrong)[0]))
        count = f"{int(wrong.sum())} of {wrong.size} elements are too far off"
        raise AssertionError(f"{count}: at {at} {got[at]}, expected {wide[at]}")


def joined(form: Callable[..., Any]) -> None:
    for dtype in ("float16", "float32", "int32"):
        arrays = [whole(dtype, (33, 20), 1), whole(dtype, (20, 40), 2), whole(dtype, (33, 40), 3)]
        agree(form, arrays)


def views() -> None:
    """Factors that lie otherwise."""
    a, b = whole("float32", (64, 80), 1), whole("float32", (80, 48), 2)
    x, y = ap.from_numpy(a), ap.from_numpy(b)
    for rows, columns in ((slice(None, None, 2), slice(3, 40)), (slice(None, None, -1), slice(None, None, 3))):
        compare(x[rows] @ y[:, columns], a[rows] @ b[:, columns])
    compare(x.T @ x, a.T @ a)
    compare(ap.broadcast_to(x[:1], (5, 80)) @ y, np.broadcast_to(a[:1], (5, 80)) @ b)


def cases(scope: Scope) -> list[Case]:
    """Exact products by dtype, rounded ones by size, forms that are one operator."""
    dtypes = DTYPES if not scope.quick else ("int32", "float16", "float32")
    sizes = (64, 257) if scope.quick else (64, 257, 1024)
    return [
        *((f"exact: {dtype}", partial(exact, dtype)) for dtype in dtypes),
        *((f"rounded: {dtype}, {size}", partial(rounded, dtype, size))
          for dtype in ("float16", "float32") for size in sizes),
        *((name, partial(joined, form)) for name, form in FORMS.items()), ("views", views),
    ]
