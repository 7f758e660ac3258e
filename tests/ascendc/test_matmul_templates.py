"""Products from the templates of ascendc/matmul, beside NumPy: types, layouts, sizes, and what follows a product."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel, Ran

pytestmark = needs_compiler

DTYPES = {
    "half": (np.float16, np.float16),
    "bfloat16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
    "float": (np.float32, np.float32),
    "wide": (np.float16, np.float32),
    "small_half": (np.float16, np.float16),
    "small_float": (np.float32, np.float32),
}
LAYOUTS = ("rr", "rc", "cr", "cc")
SIZES = [(1, 1, 1), (2, 4, 3), (16, 16, 16), (17, 33, 65), (130, 258, 70), (129, 40, 530), (300, 20, 8), (5, 700, 9)]
PRECISION = {np.dtype(np.float16): 2.0**-11, np.dtype(ml_dtypes.bfloat16): 2.0**-8, np.dtype(np.float32): 2.0**-23}


@functools.cache
def plain() -> Kernel:
    names = [f"{dtype}_{layout}" for dtype in DTYPES for layout in LAYOUTS]
    return Kernel((HERE / "kernels" / "matmul_plain.cpp").read_text(), names, "cube")


def placed(values: np.ndarray, layout: str, extra: int) -> tuple[np.ndarray, int]:
    """The memory of a matrix by rows or by columns, and its pitch, `extra` more than it needs."""
    stored = values if layout == "r" else values.T
    memory = np.full((stored.shape[0], stored.shape[1] + extra), 99, values.dtype)
    memory[:, : stored.shape[1]] = stored
    return memory, memory.shape[1]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


def product(name: str, layout: str, m: int, n: int, k: int, blocks: int = 3, extra: int = 0):
    """What the kernel leaves, and the product of the same numbers in double."""
    rng = np.random.default_rng(m * 7 + n * 3 + k)
    given, out = DTYPES[name]
    a, b = numbers(rng, (m, k), given), numbers(rng, (k, n), given)
    (a_memory, a_pitch), (b_memory, b_pitch) = placed(a, layout[0], extra), placed(b, layout[1], extra)
    c = np.full((m, n + extra), 7, out)
    ran = plain()(f"{name}_{layout}", blocks, a_memory, b_memory, c, m, n, k, a_pitch, b_pitch, n + extra)
    assert (c[:, n:] == 7).all()
    return ran, c[:, :n], a.astype(np.float64) @ b.astype(np.float64)


def assert_near(found: np.ndarray, expected: np.ndarray, k: int, scale: float = 1.0) -> None:
    """Within one rounding to the result's type of sums in float32."""
    precision = PRECISION[found.dtype]
    bound = np.abs(expected) * precision + scale * (k + 16) * 2.0**-20 + precision * 2.0**-10
    error = np.abs(found.astype(np.float64) - expected)
    assert (error <= bound).all(), (error - bound).max()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DTYPES)
def test_products(name, layout, size):
    ran, c, expected = product(name, layout, *size)
    assert ran.findings == []
    assert_near(c, expected, size[2])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["half", "float"])
def test_rows_may_lie_apart(name, layout):
    ran, c, expected = product(name, layout, 40, 50, 60, extra=5)
    assert ran.findings == []
    assert_near(c, expected, 60)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_pitch_beyond_what_an_instruction_holds(layout):
    ran, c, expected = product("half", layout, 18, 20, 17, extra=70_000)
    assert ran.findings == []
    assert_near(c, expected, 17)


@pytest.mark.parametrize("name", DTYPES)
def test_a_sum_over_nothing_is_zero(name):
    c = np.full((20, 300), 7, DTYPES[name][1])
    some = np.zeros(16, DTYPES[name][0])
    ran = plain()(f"{name}_rr", 2, some, some, c, 20, 300, 0, 1, 300, 300)
    assert ran.findings == [] and (c == 0).all()


def test_no_elements_are_no_work():
    some, c = np.zeros(16, np.float16), np.full((3, 3), 7, np.float16)
    for m, n in ((0, 3), (3, 0), (0, 0)):
        assert plain()("half_rr", 2, some, some, c, m, n, 5, 5, 5, 5).findings == []
    assert (c == 7).all()


@pytest.mark.parametrize("blocks", [1, 2, 7, 24])
def test_any_number_of_blocks_shares_the_tiles(blocks):
    ran, c, expected = product("small_half", "rr", 500, 700, 40, blocks)
    assert ran.findings == []
    assert_near(c, expected, 40)


def test_the_cube_works_while_copies_run():
    """A square product takes less than a fifth more than its copies and products one after the other."""
    ran, c, expected = product("half", "rr", 1024, 1024, 1024, blocks=24)
    assert ran.findings == []
    assert_near(c, expected, 1024)
    tiles = -(-1024 * 1024 // (128 * 256) // 24)
    products, copies = tiles * 128 * 256 * 1024 / 4096, tiles * (128 + 256) * 1024 * 2 / 25
    assert max(products, copies) < ran.cycles < 1.2 * (products + copies)


TOO_LARGE = """
#include "matmul/matmul.hpp"
using namespace matmul;
using Large = Product<Matrix<half>, Matrix<half>, Shape<{shape}>, {step}>;
extern "C" __global__ __aicore__ __cube__ void large(GM_ADDR a, GM_ADDR b, GM_ADDR c) {{
    plain<Large, half>({{a, 1}}, {{b, 1}}, {{c, 1}}, {{1, 1, 1}});
}}
"""


@pytest.mark.parametrize(("shape", "step", "told"), [
    ("128, 250, 64", 64, "a tile's sides are multiples of 16"),
    ("256, 256, 64", 64, "a tile of sums lies in L0C"),
    ("128, 256, 1024", 64, "two stages of a and b lie in L1"),
    ("128, 256, 128", 128, "two steps of b lie in L0B"),
    ("128, 256, 96", 64, "a stage of L1 is whole steps of k"),
])  # fmt: skip
def test_tiles_that_the_device_cannot_hold_do_not_compile(shape, step, told):
    with pytest.raises(AssertionError, match=told):
        Kernel(TOO_LARGE.format(shape=shape, step=step), ["large"], "cube")


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


HALF, BFLOAT16, FLOAT = np.float16, ml_dtypes.bfloat16, np.float32
# Kernel, types of a and b, c, the row, d; the function of the sums, the row, d and the factor.
FUSED = {
    "bare": (HALF, HALF, HALF, HALF, lambda x, row, d, f: x),
    "bias": (HALF, HALF, HALF, HALF, lambda x, row, d, f: x + row),
    "bias_float": (FLOAT, FLOAT, FLOAT, FLOAT, lambda x, row, d, f: x + row),
    "scaled": (HALF, FLOAT, HALF, HALF, lambda x, row, d, f: x * f),
    "scaled_columns": (BFLOAT16, BFLOAT16, FLOAT, HALF, lambda x, row, d, f: x * row),
    "relu": (HALF, HALF, HALF, HALF, lambda x, row, d, f: np.maximum(x + row, 0)),
    "silu": (HALF, HALF, FLOAT, HALF, lambda x, row, d, f: silu(x * f + row)),
    "gelu": (BFLOAT16, BFLOAT16, BFLOAT16, HALF, lambda x, row, d, f: gelu(x + row)),
    "residual": (HALF, HALF, HALF, HALF, lambda x, row, d, f: gelu(x + row) + f * d),
    "residual_float": (FLOAT, FLOAT, FLOAT, FLOAT, lambda x, row, d, f: np.maximum(x * f - 0.5 * d, 0)),
    "small": (HALF, HALF, HALF, HALF, lambda x, row, d, f: silu(x + row) + f * d),
}


@functools.cache
def fused() -> Kernel:
    return Kernel((HERE / "kernels" / "matmul_fused.cpp").read_text(), list(FUSED), "mix_1_2")


def finished(name: str, m: int, n: int, k: int, blocks: int) -> tuple[Ran, np.ndarray, np.ndarray]:
    """What the kernel leaves, and what NumPy makes of the same numbers in double."""
    rng = np.random.default_rng(m + n + k)
    given, out, row_type, d_type, function = FUSED[name]
    a, b = numbers(rng, (m, k), given), numbers(rng, (k, n), given)
    row, d = numbers(rng, (n,), row_type), numbers(rng, (m, n), d_type)
    c, factor = np.full((m, n), 7, out), 0.75
    tile = 32 * 64 if name == "small" else 128 * 256
    workspace = np.zeros(blocks * 2 * tile, np.float32)
    ran = fused()(name, blocks, a, b, c, row, d, workspace, m, n, k, factor)
    sums = a.astype(np.float64) @ b.astype(np.float64)
    return ran, c, function(sums, row.astype(np.float64), d.astype(np.float64), factor)


@pytest.mark.parametrize("size", [(1, 1, 1), (3, 5, 7), (64, 256, 64), (131, 300, 33), (257, 530, 40)])
@pytest.mark.parametrize("name", FUSED)
def test_what_follows_a_product(name, size):
    ran, c, expected = finished(name, *size, blocks=2)
    assert ran.findings == []
    assert_near(c, expected, size[2], scale=4)


def test_many_tiles_go_through_two_stages():
    ran, c, expected = finished("small", 200, 700, 50, blocks=3)
    assert ran.findings == []
    assert_near(c, expected, 50, scale=4)
