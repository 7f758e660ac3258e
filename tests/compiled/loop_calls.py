"""Loops of the core and generated ones, called with numbers of every kind, and their bits compared."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from asnumpy import _core

LOOPS = _core.programs.plain_loops()
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


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
    FUNCTION(address)(*pointers, n)
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
