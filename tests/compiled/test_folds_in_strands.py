"""Strands that end in a reduction: each form of each, and programs in every layout, beside the same without code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from both_ways import WITH_CODE, arrays, in_both
from loop_calls import FUNCTION, LOOPS, assert_same, operands, run
from seeded import generator

import asnumpy as ap
from asnumpy import _core
from asnumpy.compiled import Program, Reduction, Step, _cpp, _service, pending
from asnumpy.compiled._compiler import Compilation

pytestmark = WITH_CODE

DTYPES = {dtype for _, _, takes, *_ in LOOPS for dtype in takes}
FOLDS = [one for one in _core.programs.folds() if one[2] in DTYPES]
_FOLD = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def own_loop(row: str, dtype: str) -> tuple[int, int]:
    """The number and the address of the loop of a row of two operands of this dtype."""
    return next((one[1], one[4]) for one in LOOPS if one[0] == row and one[2] == (dtype, dtype) and one[3] == (dtype,))


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_every_form_of_every_reduction(dtype: str) -> None:
    folds = [one for one in FOLDS if one[2] == dtype]
    number, own = own_loop("add", dtype)
    step = Step("add", number, (0, 1), (2,), (dtype,))
    programs = {
        f"fold{k}": Program((dtype, dtype), (step,), (2,) if k % 2 else (), (Reduction(row, loop, 2),))
        for k, (row, loop, *_) in enumerate(folds)
    }
    names = [name for key, program in programs.items() for name in _cpp.symbols(key, program)]
    functions = dict(zip(names, Compilation().functions(_cpp.source(programs), names), strict=True))
    rng = generator()
    for k, (row, _, _, fold) in enumerate(folds):
        for n in (1, 3, 70, 1025, 4999):
            inputs = operands((dtype, dtype), rng, n)
            if n > 70:  # a NaN would hide what else is combined
                inputs = [np.where(np.isfinite(x) & (abs(x) < 1e9), x, x.dtype.type(3)) for x in inputs]
            (values,) = run(own, inputs, (dtype,), n)
            stored = (dtype,) * (k % 2)
            *kept, each = run(functions[f"fold{k}"], inputs, (*stored, dtype), n)
            assert_same(each, values, inputs, f"{row} {dtype}, each")
            *kept_too, folded = run(functions[f"fold{k}_folded"], inputs, (*stored, dtype), n)
            wanted = np.zeros(1, dtype)
            _FOLD(fold)(wanted.ctypes.data, values.ctypes.data, n)
            if not (np.isnan(folded[0]) and np.isnan(wanted[0])):  # which NaN of many is the compiler's choice
                assert_same(folded[:1], wanted, [values[:1]], f"{row} {dtype}, {n} folded")
            for one in kept + kept_too:
                assert_same(one, values, inputs, f"{row} {dtype}, stored")
            before = rng.permutation(values)
            (sums,) = run(own_loop(row, dtype)[1], [before, values], (dtype,), n)
            got = added(functions[f"fold{k}_added"], inputs, before, k % 2)
            assert_same(got, sums, [before, values, *inputs], f"{row}, added")


def added(address: int, inputs: list[np.ndarray], before: np.ndarray, stores: int) -> np.ndarray:
    """What the form that combines makes of elements that are there."""
    result = before.copy()
    to = [np.zeros_like(before)] * stores + [result]
    pointers = [(ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays]) for arrays in (to, inputs)]
    FUNCTION(address)(*pointers, len(before))
    return result


SHAPES = [(200_003,), (3, 70_001), (70_001, 3), (301, 517), (40, 30, 50), (900, 64), (2, 300, 200), (5, 6, 7)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c8"])
@pytest.mark.parametrize("name", ["add", "maximum", "multiply", "fmin"])
def test_layouts(name: str, dtype: str) -> None:
    def layouts(x: Any, y: Any) -> list[Any]:
        reduce = getattr(ap, name).reduce
        value = lambda: (x * y + x) * 2 - y  # noqa: E731
        axes: list[Any] = [None, *range(x.ndim), (0, x.ndim - 1)] if x.ndim > 1 else [None]
        return [reduce(value(), axis=axis) for axis in axes]

    for shape in SHAPES:
        x, y = arrays(*shape, dtype=dtype, count=2)
        in_both(lambda: layouts(x, y))  # noqa: B023
        in_both(lambda: layouts(x[::-1], y[..., :1]))  # noqa: B023
        in_both(lambda: layouts(x.T, y.T))  # noqa: B023


def strands_of(array: Any) -> list[Program]:
    return [strand for _, strands in pending(array) for strand in strands]


def test_one_step_and_its_reduction_are_a_strand() -> None:
    x, y = arrays(1000, count=2)
    (strand,) = strands_of(ap.add.reduce(ap.absolute(x)))
    assert [step.row for step in strand.steps] == ["absolute"] and [one.row for one in strand.reductions] == ["add"]
    ap.flush()
    assert strands_of(ap.add.reduce(x * y)) == []  # that pair has a loop
    before = _service.installed
    x, y = arrays(100_001, count=2)
    in_both(lambda: [ap.add.reduce(ap.sqrt(ap.absolute(x))), ap.any(x > y), ap.all(x < y), ap.count_nonzero(x > y)])
    assert _service.installed > before


def test_what_is_stored_or_read_again_is_no_part_of_the_reduction() -> None:
    x, y, z = arrays(300, 400)

    def program() -> list[Any]:
        a = (x * y + z) * x
        b = a - y * 2
        return [b.sum(axis=1), a, ap.exp(a).sum(axis=1), (b * b - z).max(axis=0)]

    in_both(program)


def soft(x: Any, y: Any) -> list[Any]:
    e = ap.exp(x * y - (x * y).max(axis=1, keepdims=True))
    return [e / e.sum(axis=1, keepdims=True)]


REDUCTIONS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "several of one value": lambda x, y: [(x - y).sum(), (x - y).max(), ((x - y) ** 2).sum()],
    "several values": lambda x, y: [(abs(x) * y).sum(axis=1), (abs(y) - x * 2).max(axis=1), (x * x - y).sum(axis=1)],
    "mean and variance": lambda x, y: [x.mean(axis=0), x.var(axis=0), (x - y).std(axis=1), (x * y + x).mean()],
    "softmax": soft,
    "another dtype": lambda x, y: [(x > y).sum(axis=0), ((x * 100).astype("i8") * 3).sum(), ap.any(x * y > 3, axis=1)],
    "argmax": lambda x, y: [ap.argmax(x * y - x), ap.argmin(abs(x) * 2 + y, axis=1)],
    "norms": lambda x, y: [ap.sqrt((abs(x - y) ** 2).sum(axis=-1)), abs(x - y).max(axis=0)],
}  # fmt: skip


@pytest.mark.parametrize("what", REDUCTIONS)
def test_programs_with_reductions(what: str) -> None:
    for shape in [(300, 700), (4000, 20), (10, 50_000)]:
        x, y = arrays(*shape, count=2)
        in_both(lambda: REDUCTIONS[what](x, y))  # noqa: B023
        u, v = x[::2, 3:], y[::2, :-3]
        in_both(lambda: REDUCTIONS[what](u, v))  # noqa: B023


def test_zeros_of_both_signs_and_nan() -> None:
    x = ap.asarray(np.array([[-0.0] * 300, [0.0] * 300, [np.nan] + [-1.0] * 299, [-np.inf, np.inf] * 150]))

    def program() -> list[Any]:
        a, b = x * 1.0 - 0.0, abs(x) * -0.0
        functions = [ap.sum, ap.max, ap.min, ap.prod]
        return [function(v * 1.0, axis=axis) for v in (a, b) for function in functions for axis in (0, 1, None)]

    in_both(program)


def test_a_result_in_the_place_of_an_operand() -> None:
    x, y = arrays(500, 300, count=2)

    def program() -> list[Any]:
        a, b = x.copy(), y.copy()
        ap.add.reduce(a * b - b * 2, axis=0, out=a[0])
        ap.maximum.reduce((a + b) * b, axis=1, out=b[:, 1])
        a += (a * b).sum(axis=1, keepdims=True) - b
        return [a, b]

    in_both(program)
