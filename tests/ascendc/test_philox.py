"""A kernel that draws: the numbers of the CPU, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import asnumpy as ap

from .harness import HERE, Kernel, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="kernels are compiled here, and there is no C++ compiler")


@pytest.mark.parametrize("groups, blocks", [(1, 1), (3, 2), (128, 1), (1000, 7), (20_000, 48)])
@pytest.mark.parametrize("key, counter", [(0, 0), (0x0123456789ABCDEF, 16 * 12345), (2**64 - 1, (3 << 64) + (5 << 34))])
def test_uniform_numbers(groups, blocks, key, counter):
    kernel = Kernel((HERE / "kernels" / "philox.cpp").read_text(), ["uniform"])
    out = np.zeros(groups * 16, np.float32)
    block = counter >> 1
    words = [block >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)] + [key & 0xFFFFFFFF, key >> 32]
    signed = [word - (1 << 32) if word >> 31 else word for word in words]
    ran = kernel("uniform", blocks, out, groups, *signed)
    assert ran.findings == []
    bits = ap.random.Philox(key=key, counter=counter)
    expected = ap.asnumpy(ap.random.Generator(bits).random(groups * 16, dtype=np.float32))
    np.testing.assert_array_equal(out, expected)
