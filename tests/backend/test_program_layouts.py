"""Programs as kernels of an NPU: operands and results as they may lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backend.program_kernels import Program, check, computed, launched, needs_kernels, numbers

import asnumpy as ap

pytestmark = [*needs_kernels, pytest.mark.usefixtures("kernels_wanted")]


# Of two arrays of four axes and one of long lines.
LAYOUTS: dict[str, Callable[[Any, Any, Any], list[Any]]] = {
    "inner": lambda x, y, long: [x[:, 1:6, 2:-3, 1:-1], y[:, :5, 4:-1, 2:]],
    "pictures": lambda x, y, long: [x[1, :, 1:-1, 1:-1], y[2, :, 2:, 2:]],
    "row": lambda x, y, long: [x[0, 0], y[0, 0, 3]],
    "column": lambda x, y, long: [x[0, 0], y[0, 0, :, 2:3]],
    "columns of three axes": lambda x, y, long: [x[0], y[0, :, :, :1]],
    "planes": lambda x, y, long: [x[0], y[0, :1]],
    "single": lambda x, y, long: [x[0], y[0, :1, :1, :1]],
    "long lines": lambda x, y, long: [long, long[:, 5:6]],
    "parts of long lines": lambda x, y, long: [long[:, 1:-1], long[3, :-2]],
    "strided": lambda x, y, long: [x[0, 0, :, ::2], y[0, 0, :, 1::2]],
    "backwards": lambda x, y, long: [x[0, 0, ::-1, ::-1], y[0, 0]],
    "backwards lines": lambda x, y, long: [x[0, 0, ::-1], y[0, 0]],
    "turned": lambda x, y, long: [x[0, 0].T, y[0, 0].T],
    "turned against": lambda x, y, long: [x[0, 0, :, :50].T, y[0, 0, :, 3:53]],
}


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "bool"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, dtype: str) -> None:
    kind, shapes = np.dtype(dtype), [(3, 7, 50, 130), (3, 7, 50, 130), (40, 20_000)]
    given = [numbers(kind, shape, 5 + place) for place, shape in enumerate(shapes)]

    def program(xp: Any, *arrays: Any) -> list[Any]:
        x, y = LAYOUTS[name](*arrays)
        if dtype == "bool":
            return [(x & y) ^ x, ~(x | y)]
        z = xp.where(x > y, x * y, x - x.dtype.type(1)) + y
        return [z * z - y, xp.maximum(z, x) > 0]

    check(program, *given)


def into_views(xp: Any, x: Any, y: Any) -> list[Any]:
    z = xp.zeros((60, 300), dtype=x.dtype)
    z[1:-1, 1:-1] = x * y + x
    z[0, ::3] = y[0, ::3] * 2 - x[0, :100]
    return [z]


def in_place(xp: Any, x: Any, y: Any) -> list[Any]:
    x *= y
    x += 3
    y -= x
    x[1:-1, :200] = x[1:-1, 50:250] * 2 - 1
    return [x, y]


def strided_in_place(xp: Any, x: Any, y: Any) -> list[Any]:
    x[:, ::2] = x[:, ::2] * 3 + 1
    y[::2, 1:] *= x[::2, 1:] - 2
    return [x, y]


def with_sums(xp: Any, x: Any, y: Any) -> list[Any]:
    z = xp.where(x > 1, x, y) * 2
    w = z + y
    return [z, xp.max(w, axis=0), xp.min(w, axis=1), xp.max(w * 2 - x)]


def overwritten_beside_sums(xp: Any, x: Any, y: Any) -> list[Any]:
    x *= y
    x += 1
    return [x, xp.max(x, axis=1)]


WRITES = [into_views, in_place, strided_in_place, with_sums, overwritten_beside_sums]


@pytest.mark.parametrize("program", WRITES, ids=lambda value: value.__name__)
def test_writes(program: Program) -> None:
    shape = (58, 298) if program is into_views else (64, 300)
    for dtype in ("float32", "int32"):
        x, y = ((numbers(np.dtype("int16"), shape, seed) % 50).astype(dtype) for seed in (8, 9))
        before = launched()
        check(program, x, y, kernels=None)
        assert launched() > before


def test_sums_are_those_of_the_operator() -> None:
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal((64, 3000)).astype("float32") for _ in range(2))

    def program(xp: Any, x: Any, y: Any) -> list[Any]:
        return [xp.sum(x * y + 1), xp.sum(x * y + 1, axis=1)]

    got, ran = computed(program, x, y)
    assert ran
    with ap.config.using(machine_code="off"):
        before, none = computed(program, x, y)
    assert not none
    for one, other in zip(got, before, strict=True):
        np.testing.assert_array_equal(one, other)
