"""Each loop that generated code may take in, generated: the bits of the row's own loop for numbers of every kind."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest
from seeded import generator

from asnumpy import _core
from asnumpy.compiled import Program, Step, _cpp
from asnumpy.compiled._compiler import Compilation, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="machine code needs a C++ compiler")

LOOPS = _core.programs.plain_loops()
TABLES = sorted({_core.programs.row_table(row) for row, *_ in LOOPS})
_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def bits_of(dtype: str) -> str:
    """The integer dtype that shows a dtype's bits."""
    return f"u{min(np.dtype(dtype).itemsize, 8)}"


def special(dtype: str) -> np.ndarray:
    """Numbers at the edges of a dtype: zeros of both signs, NaN with several payloads, the least, the greatest."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        facts = np.iinfo(kind)
        return np.array([0, 1, 2, 3, 7, facts.max, facts.max - 1, facts.min, facts.min + 1, facts.max // 2], kind)
    if kind.kind == "c":
        part = special("f4" if kind.itemsize == 8 else "f8")[::2]
        made = np.empty(len(part) ** 2, kind)
        made.real, made.imag = zip(*itertools.product(part, part), strict=True)
        return made
    facts = np.finfo(kind)
    numbers = [0.0, -0.0, 1, -1, 0.5, 1.5, -2.5, 3, 1e9, -3e9, 2**31, 2**63, 1e19, facts.max, -facts.max, facts.tiny,
               facts.smallest_subnormal, -facts.smallest_subnormal, facts.eps, np.inf, -np.inf, np.nan]  # fmt: skip
    quiet = np.array(np.nan, kind).view(bits_of(dtype))
    payloads = (quiet | np.array([1, 77], bits_of(dtype))).view(kind)
    return np.concatenate([np.array(numbers, kind), payloads, -payloads])


def operands(takes: tuple[str, ...], rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """For each operand n numbers: edges beside edges, and any bits."""
    made = []
    for dtype in takes:
        if dtype == "bool":
            made.append(rng.integers(0, 2, n).astype(bool))
            continue
        count = n * (np.dtype(dtype).itemsize // np.dtype(bits_of(dtype)).itemsize)
        numbers = rng.integers(0, np.iinfo(bits_of(dtype)).max, count, bits_of(dtype), endpoint=True).view(dtype)
        numbers = np.where(rng.random(n) < 0.5, rng.choice(special(dtype), n), numbers)
        made.append(quiet(numbers))
    return made


def quiet(numbers: np.ndarray) -> np.ndarray:
    """Signalling NaN are no numbers that a program makes: the next operation makes them quiet, or does not."""
    parts = numbers.view(numbers.real.dtype) if numbers.dtype.kind == "c" else numbers
    if parts.dtype.kind == "f":
        bit = {4: 1 << 22, 8: 1 << 51}[parts.dtype.itemsize]
        bits = parts.view(bits_of(parts.dtype.name))
        bits[np.isnan(parts)] |= bits.dtype.type(bit)
    return numbers


def run(address: int, inputs: list[np.ndarray], gives: tuple[str, ...], n: int) -> list[np.ndarray]:
    made = [np.zeros(n, dtype) for dtype in gives]
    pointers = [(ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays]) for arrays in (made, inputs)]
    _FUNCTION(address)(*pointers, n)
    return made


def assert_same(got: np.ndarray, wanted: np.ndarray, inputs: list[np.ndarray], what: str) -> None:
    """The same bits, but where two operands are NaN, of which a compiler may take either one's payload."""
    differ = got.reshape(-1, 1).view("u1") != wanted.reshape(-1, 1).view("u1")
    rows = np.flatnonzero(differ.any(axis=1))
    if not len(rows):
        return
    many = sum((np.isnan(x).astype(int) for x in inputs if x.dtype.kind in "fc"), np.zeros(len(got), int)) > 1
    either = np.isnan(got) & np.isnan(wanted) & many if got.dtype.kind in "fc" else np.zeros(len(got), bool)
    if got.dtype.kind == "c":
        either = np.isnan(got) & np.isnan(wanted)
    wrong = [k for k in rows if not either[k]]
    if wrong:
        k = wrong[0]
        pytest.fail(f"{what} of {[x[k] for x in inputs]}: {got[k]!r}, its loop gives {wanted[k]!r}")


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
    _FUNCTION(address)(pointers, pointers, len(x))
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
