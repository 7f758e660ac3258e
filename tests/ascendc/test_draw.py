"""The kernels of random draws, as they are shipped: the CPU's numbers, bit for bit, from any place of the stream."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap

from .harness import HERE, Kernel

pytestmark = needs_compiler

SOURCE = HERE.parents[1] / "core" / "ascend" / "kernel" / "draw.asc"
WORD, HALF = (1 << 64) - 1, (1 << 32) - 1
# Places where numbers of blocks, two words each, carry beyond the lanes of a tile, 32, 64 and all bits.
PLACES = [0, 16 * 12345 + 5, (3 << 64) + (5 << 34) + 9, (1 << 33) - 70, (1 << 65) - 33, (1 << 128) - 4096]
BOUNDS = {
    "int8": [(-100, 100), (-128, 128)], "uint8": [(0, 256), (3, 4)], "int16": [(-3000, 31000)],
    "uint16": [(0, 65536)], "int32": [(-(2**31), 2**31), (-(2**31), 2**31 - 5)], "uint32": [(7, 3 * 2**30 + 7)],
    "int64": [(-10, 10), (-(2**40) + 5, -(2**40) + 2**32), (2**31 - 3, 2**31 + 9)],
    "uint64": [(0, 2**64), (2**64 - 2**32, 2**64), (2**63 - 1, 2**63 + 5)],
}  # fmt: skip


@functools.cache
def kernels() -> Kernel:
    names = ["draw_float32", "draw_float64", *(f"draw_integers_{bits}" for bits in (8, 16, 32, 64))]
    return Kernel(SOURCE.read_text(), names)


def drawn(name: str, dtype: Any, count: int, key: int, first: int, blocks: int, low: int = 0, high: int = 0) -> Any:
    """What the kernel draws; integers from `low` on, below `high`."""
    width, whole = high - low, high - low == 1 << 64
    out = np.zeros(count + 8, dtype)
    place = [first >> shift & HALF for shift in (0, 32, 64, 96)]
    bounds = [low & HALF, low >> 32 & HALF, 0 if whole else width & HALF, int(whole)]
    words = [count & HALF, count >> 32, *place, key & HALF, key >> 32, *bounds]
    ran = kernels()(name, blocks, out, *[word - (1 << 32) if word >> 31 else word for word in words])
    assert ran.findings == []
    assert not out[count:].any(), "written behind the end"
    return out[:count]


def generator(key: int, first: int) -> Any:
    return ap.random.Generator(ap.random.Philox(key=key, counter=first % (1 << 128)))


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("count", [1, 15, 16, 17, 100, 5001])
@pytest.mark.parametrize("place", PLACES)
def test_uniform_numbers(place, count, blocks):
    for skipped in (0, 1, 7, 8, 15):
        first = (place + skipped) % (1 << 128)
        for dtype in ("float32", "float64"):
            expected = ap.asnumpy(generator(WORD - 5, first).random(count, dtype=dtype))
            np.testing.assert_array_equal(drawn(f"draw_{dtype}", dtype, count, WORD - 5, first, blocks), expected)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize(("place", "count"), [(0, 1), (23, 100), ((1 << 33) - 71, 5001), ((1 << 65) - 24, 2049)])
def test_integers(dtype, place, count):
    name = f"draw_integers_{8 * np.dtype(dtype).itemsize}"
    for low, high in BOUNDS[dtype]:
        expected = ap.asnumpy(generator(77, place).integers(low, high, count, dtype=dtype))
        np.testing.assert_array_equal(drawn(name, dtype, count, 77, place, 2, low, high), expected)


def test_every_bit_of_small_numbers():
    """float64 below 2**-20 and zero: words that hardly occur, whose places come from the cipher run backwards."""
    for word in (0, 1 << 11, 3 << 11, 1 << 32, 0x7FF, (1 << 43) - 1, 1 << 43, WORD):
        for half in (0, 1):
            place = place_of_word(9, word, half)
            got = drawn("draw_float64", np.float64, 20, 9, place, 1)
            assert got[0] == (word >> 11) * 2.0**-53
            np.testing.assert_array_equal(got, ap.asnumpy(generator(9, place).random(20)))


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("word", [0, 4 * ((1 << 64) // 10), (2 * (1 << 64) + 8) // 10], ids=["refused", "fair", "just"])
def test_words_that_are_refused(bits, word):
    """Below 10: the word 0 is refused, and its number comes from a stream of its own; the third lies just beyond."""
    dtype = f"int{bits}"
    for half in (0, 1):
        place = place_of_word(123, word, half)
        for start in (place, place - 3, place - 40):
            expected = ap.asnumpy(generator(123, start).integers(-3, 7, 100, dtype=dtype))
            np.testing.assert_array_equal(drawn(f"draw_integers_{bits}", dtype, 100, 123, start, 2, -3, 7), expected)


def place_of_word(key: int, word: int, half: int) -> int:
    """The number of a word with this value: that of the block which the cipher turns into it."""
    m0, m1, steps = 0xD2511F53, 0xCD9E8D57, (0x9E3779B9, 0xBB67AE85)
    mine, other = (word & HALF, word >> 32), (0x1234567, 0x89ABCDE0)
    tail = 0
    while True:
        x0, x1, x2, x3 = (*mine, other[0] + tail, other[1]) if half == 0 else (other[0] + tail, other[1], *mine)
        for turn in reversed(range(10)):
            k0, k1 = (key + turn * steps[0]) & HALF, ((key >> 32) + turn * steps[1]) & HALF
            before0, before2 = x3 * pow(m0, -1, 1 << 32) & HALF, x1 * pow(m1, -1, 1 << 32) & HALF
            before1, before3 = x0 ^ (m1 * before2 >> 32) ^ k0, x2 ^ (m0 * before0 >> 32) ^ k1
            x0, x1, x2, x3 = before0, before1, before2, before3
        block = x0 | x1 << 32 | x2 << 64 | x3 << 96
        if block < 1 << 127:  # numbers of blocks have so many bits
            return block // 8 * 16 + 8 * half + block % 8
        tail += 1
