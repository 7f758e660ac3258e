"""Products by the cube core: every dtype, and sizes that are no multiple of a fractal."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel

pytestmark = needs_compiler

NAMES = ["half_float", "half_half", "bfloat16_bfloat16", "half_turned", "float_turned", "int8_turned", "int4_turned"]
SIZES = [(16, 16, 16), (1, 1, 1), (3, 4, 2), (17, 33, 65), (128, 256, 256), (130, 258, 70), (100, 300, 520)]


@functools.cache
def kernel() -> Kernel:
    return Kernel((HERE / "kernels" / "product.cpp").read_text(), NAMES, "cube")


def bfloat16(values: np.ndarray) -> np.ndarray:
    """Float32 as bfloat16 bits, to nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def widened(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def packed(values: np.ndarray) -> np.ndarray:
    """Integers from -8 to 7, two in a byte, the first in the lower half."""
    pairs = values.reshape(*values.shape[:-1], -1, 2).astype(np.uint8) & 15
    return (pairs[..., 0] | pairs[..., 1] << 4).astype(np.uint8)


def product(name: str, m: int, n: int, k: int, blocks: int):
    """What the kernel gives, and what NumPy gives."""
    rng = np.random.default_rng(m * 7 + n * 3 + k)
    kind, out = name.split("_")
    if kind in ("int8", "int4"):
        low, high = (-8, 8) if kind == "int4" else (-128, 128)
        k += k % 2 if kind == "int4" else 0
        a, b = rng.integers(low, high, (m, k)), rng.integers(low, high, (n, k))
        expected = (a @ b.T).astype(np.int32)
        store = packed if kind == "int4" else lambda x: x.astype(np.int8)
        given, c = [store(a), store(b)], np.zeros((m, n), np.int32)
    else:
        a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
        if kind == "bfloat16":
            given, c = [bfloat16(a), bfloat16(b)], np.zeros((m, n), np.uint16)
            expected = widened(given[0]).astype(np.float64) @ widened(given[1]).astype(np.float64)
        else:
            dtype = np.float16 if kind == "half" else np.float32
            given, c = [a.astype(dtype), b.astype(dtype)], np.zeros((m, n), np.float16 if out == "half" else np.float32)
            expected = given[0].astype(np.float64) @ given[1].astype(np.float64)
        if out == "turned":
            given[1] = np.ascontiguousarray(given[1].T)
    ran = kernel()(name, blocks, *map(np.ascontiguousarray, given), c, m, n, k)
    return ran, widened(c) if kind == "bfloat16" else c, expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_product(name, size):
    ran, c, expected = product(name, *size, blocks=3)
    assert ran.findings == []
    if c.dtype == np.int32:
        assert (c == expected).all()
        return
    precise = {"half_half": 2**-11, "bfloat16_bfloat16": 2**-8}.get(name, 0)
    bound = np.abs(expected) * precise + size[2] * 2.0**-22 * 4 + precise * 2**-14
    assert (np.abs(c - expected) <= bound).all()


def test_a_product_of_1024_by_1024():
    ran, c, expected = product("half_float", 1024, 1024, 1024, blocks=24)
    assert ran.findings == []
    assert np.abs(c - expected).max() < 1e-3
    # The cube does 16 x 16 x 16 a cycle, copies move 25 bytes: each alone takes less, one after the other more.
    tiles = -(-1024 * 1024 // (128 * 256) // 24)
    products, copies = tiles * 128 * 256 * 1024 / 4096, tiles * (128 + 256) * 1024 * 2 / 25
    assert max(products, copies) < ran.cycles < 1.2 * (products + copies)
