"""Each loop that generated code may take in, generated: the bits of the row's own loop for numbers of every kind."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from loop_calls import FUNCTION, LOOPS, assert_same, operands, run
from seeded import generator

from asnumpy import _core
from asnumpy.compiled import Program, Step, _cpp
from asnumpy.compiled._compiler import Compilation, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="machine code needs a C++ compiler")

TABLES = sorted({_core.programs.row_table(row) for row, *_ in LOOPS})


@pytest.mark.parametrize("table", TABLES)
def test_generated_loops_have_the_bits_of_the_rows(table: str) -> None:
    loops = [one for one in LOOPS if _core.programs.row_table(one[0]) == table]
    programs = {}
    for k, (row, loop, takes, gives, _) in enumerate(loops):
        n = len(takes)
        made = tuple(range(n, n + len(gives)))
        programs[f"loop{k}"] = Program(takes, (Step(row, loop, tuple(range(n)), made, gives),), made)
    addresses = Compilation().functions(_cpp.source(programs), list(programs))
    rng = generator()
    for address, (row, _, takes, gives, own) in zip(addresses, loops, strict=True):
        for n in (1, 997):
            inputs = operands(takes, rng, n)
            for got, wanted in zip(run(address, inputs, gives, n), run(own, inputs, gives, n), strict=True):
                assert_same(got, wanted, inputs, f"{row} {takes}")


def test_an_output_may_be_an_input() -> None:
    add = next(one for one in LOOPS if one[0] == "add" and one[2] == ("float32", "float32"))
    multiply = next(one for one in LOOPS if one[0] == "multiply" and one[2] == ("float32", "float32"))
    program = Program(
        ("float32", "float32"),
        (Step("add", add[1], (0, 1), (2,), ("float32",)), Step("multiply", multiply[1], (0, 1), (3,), ("float32",))),
        (2, 3),
    )
    (address,) = Compilation().functions(_cpp.source({"both": program}), ["both"])
    x, y = np.arange(1001, dtype="f4"), np.arange(1001, dtype="f4")[::-1].copy()
    wanted = x + y, x * y
    pointers = (ctypes.c_void_p * 2)(x.ctypes.data, y.ctypes.data)
    FUNCTION(address)(pointers, pointers, len(x))
    np.testing.assert_array_equal(x, wanted[0])
    np.testing.assert_array_equal(y, wanted[1])


def test_what_is_no_straight_line_is_not_plain() -> None:
    plain = {(row, takes) for row, _, takes, _, _ in LOOPS}
    assert ("add", ("float32", "float32")) in plain and ("sqrt", ("float64",)) in plain
    for row, takes in [
        ("exp", ("float32",)), ("sqrt", ("complex64",)), ("divide", ("complex128", "complex128")),
        ("remainder", ("float32", "float32")), ("floor_divide", ("int32", "int32")), ("add", ("float16", "float16")),
        ("frexp", ("float64",)), ("power", ("int64", "int64")), ("gcd", ("int8", "int8")),
    ]:  # fmt: skip
        assert (row, takes) not in plain
