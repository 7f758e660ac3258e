"""Programs as kernels of an NPU: NumPy's values for every row and dtype, and in random programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backend.program_kernels import (
    BFLOAT16,
    FLOATS,
    INTEGERS,
    LARGE,
    Program,
    check,
    launched,
    needs_kernels,
    numbers,
)  # fmt: skip

pytestmark = [*needs_kernels, pytest.mark.usefixtures("kernels_wanted")]

SIZES = [1, 31, 32, 33, 129, 5000, LARGE]


def arithmetic(xp: Any, x: Any, y: Any) -> list[Any]:
    c = x.dtype.type(3)
    return [x + y, x - y, x * y, -x, xp.absolute(x), xp.square(y), x + c, c - x, x - c, x * c, xp.positive(x)]


def quotients(xp: Any, x: Any, y: Any) -> list[Any]:
    c = x.dtype.type(1.5)
    return [x / y, x / c, c / x, xp.reciprocal(y), xp.sqrt(x), xp.sign(x), xp.floor(x), xp.ceil(x), xp.trunc(x),
            xp.rint(x)]  # fmt: skip


def extrema(xp: Any, x: Any, y: Any) -> list[Any]:
    c = x.dtype.type(1)
    return [xp.maximum(x, y), xp.minimum(x, y), xp.fmax(x, y), xp.fmin(x, y), xp.minimum(x, c), xp.maximum(c, y)]


def comparisons(xp: Any, x: Any, y: Any) -> list[Any]:
    c = x.dtype.type(1)
    return [x < y, x <= y, x > y, x >= y, x == y, x != y, x < c, c < x, x == c, c >= y]


def logic(xp: Any, x: Any, y: Any) -> list[Any]:
    return [xp.logical_and(x, y), xp.logical_or(x, y), xp.logical_xor(x, y), xp.logical_not(x), x.astype(bool)]


def choices(xp: Any, x: Any, y: Any) -> list[Any]:
    c = x.dtype.type(1)
    zero = x.dtype.type(0)
    return [xp.where(x > y, x, y), xp.where(x > y, x, c), xp.where(y > x, c, y),
            xp.where(x > zero, xp.where(y > c, x, y), c)]  # fmt: skip


def classes(xp: Any, x: Any, y: Any) -> list[Any]:
    return [xp.isnan(x), xp.isinf(x), xp.isfinite(x), xp.isnan(x) | xp.isinf(y)]


def bits(xp: Any, x: Any, y: Any) -> list[Any]:
    return [x & y, x | y, x ^ y, ~x, (x & y) ^ x]


def truths(xp: Any, x: Any, y: Any) -> list[Any]:
    return [x == y, x != y, x < y, x <= y, x > y, x >= y, xp.where(x, y, ~y), xp.maximum(x, y), xp.minimum(x, y),
            x + y, x * y, xp.logical_xor(x, y), xp.logical_not(y)]  # fmt: skip


def functions(xp: Any, x: Any, y: Any) -> list[Any]:
    return [xp.exp(x), xp.log(y), xp.tanh(x), xp.exp(x * y)]


def waves(xp: Any, x: Any, y: Any) -> list[Any]:
    return [xp.sin(x), xp.cos(y), xp.sin(x + y)]


ROWS: list[tuple[Program, np.dtype]] = [
    *((program, dtype) for program in (arithmetic, extrema, comparisons, logic, choices)
      for dtype in FLOATS + INTEGERS),
    *((program, dtype) for program in (quotients, classes) for dtype in FLOATS),
    *((bits, dtype) for dtype in [*INTEGERS, np.dtype(bool)]),
    (truths, np.dtype(bool)),
]


@pytest.mark.parametrize(("program", "dtype"), ROWS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_rows(program: Program, dtype: np.dtype) -> None:
    for n in SIZES:
        check(program, numbers(dtype, n, 1), numbers(dtype, n, 2), kernels=1 if n > 1 else None)


@pytest.mark.parametrize("program", [functions, waves], ids=lambda value: value.__name__)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_functions(program: Program, dtype: np.dtype) -> None:
    x, y = numbers(dtype, LARGE, 3), numbers(dtype, LARGE, 4)
    if program is waves:  # what has a value
        x, y = (np.where(np.isfinite(each.astype("float32")), each, dtype.type(1)).astype(dtype) for each in (x, y))
    check(program, x, y, ulps=4 if dtype == "float32" else 1)


def casts(xp: Any, f: Any, h: Any, b: Any, i: Any, s: Any, t: Any) -> list[Any]:
    return [f.astype("float16"), f.astype(BFLOAT16), h.astype("float32"), b.astype("float32"), h.astype(BFLOAT16),
            b.astype("float16"), i.astype("float32"), s.astype("float32"), s.astype("float16"), s.astype("int32"),
            t.astype("int32"), t.astype("int16"), t.astype("float32"), t.astype("float16"), s + i]  # fmt: skip


def test_casts() -> None:
    kinds = [*FLOATS, *INTEGERS, np.dtype(bool)]
    check(casts, *(numbers(dtype, LARGE, seed) for seed, dtype in enumerate(kinds)))


FORMS = {
    "float": ["{f} + {g}", "{f} * {g}", "{f} - {g}", "xp.maximum({f}, {g})", "xp.where({b}, {f}, {g})", "xp.abs({f})",
              "{f} * xp.float32(0.5)"],
    "int": ["{i} + {j}", "{i} * {j}", "{i} & {j}", "xp.where({b}, {i}, {j})", "{i} ^ {j}"],
    "bool": ["{f} < {g}", "{i} >= {j}", "{b} & {c}", "~{b}", "{f} == {g}", "{b} ^ {c}"],
}  # fmt: skip


def random_program(seed: int) -> Program:
    """Twenty steps over floats, integers and bools, each of values that came before; four of them are kept."""
    rng = np.random.default_rng(seed)
    names = {"float": ["x", "y"], "int": ["i", "j"], "bool": ["b"]}
    lines = []
    for step in range(20):
        kind = rng.choice(list(FORMS))
        (f, g), (i, j), (b, c) = (rng.choice(names[each], 2) for each in FORMS)
        lines.append(f"v{step} = " + rng.choice(FORMS[kind]).format(f=f, g=g, i=i, j=j, b=b, c=c))
        names[kind].append(f"v{step}")
    kept = [names["float"][-1], names["float"][-2], names["int"][-1], names["bool"][-1]]
    space: dict[str, Any] = {}
    body = "\n    ".join([*lines, f"return [{', '.join(f'xp.where(b, {v}, {v})' for v in kept)}]"])
    exec(f"def program(xp, x, y, i, j, b):\n    {body}\n", space)
    return space["program"]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    kinds = [np.dtype("float32"), np.dtype("float32"), np.dtype("int32"), np.dtype("int32"), np.dtype(bool)]
    for shape in ((70_001,), (37, 1001)):
        given = [numbers(dtype, shape, place) for place, dtype in enumerate(kinds)]
        before = launched()
        check(program, *given, kernels=None)
        assert launched() > before
