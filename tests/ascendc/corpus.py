"""The table of kernels that users could have written, `kernels/*.cpp`: arguments, and what NumPy makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

bfloat16 = np.dtype(ml_dtypes.bfloat16)


@dataclass
class Run:
    """Arguments of one launch, and what its outputs (arrays among the arguments) must be."""

    arguments: list[Any]
    expected: dict[int, np.ndarray]  # by the argument's place


@dataclass
class Case:
    """One kernel: how its arguments come from a size, and how near the results must be (0: the same bits)."""

    make: Callable[..., Run]
    sizes: list[tuple[int, ...]]
    file: str = ""  # the kernel's own name where empty
    kind: str = "vector"
    blocks: tuple[int, ...] = (1, 5)
    rtol: float = 0.0
    atol: float = 0.0


CASES: dict[str, Case] = {}


def case(name: str, sizes: list[Any], **more: Any) -> Callable[[Callable[..., Run]], Callable[..., Run]]:
    """Enter the kernel `name` in the table; the function makes the arguments for a random generator and a size."""

    def enter(make: Callable[..., Run]) -> Callable[..., Run]:
        CASES[name] = Case(make, [size if isinstance(size, tuple) else (size,) for size in sizes], **more)
        return make

    return enter


def floats(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    return rng.standard_normal(shape, np.float32).astype(dtype)


LENGTHS = [1, 31, 4096, 20_001]


@case("scale_shift", LENGTHS)
def _scale_shift(rng, n):
    x, y = floats(rng, n), np.zeros(n, np.float32)
    tiling = np.array([(n, 3000, 1.5, -0.25)], "u4, u4, f4, f4")
    return Run([x, y, np.zeros(8, np.uint8), tiling], {1: x * np.float32(1.5) + np.float32(-0.25)})


@case("relu_bind", LENGTHS)
def _relu_bind(rng, n):
    x = floats(rng, n, dtype=np.float16)
    return Run([x, np.zeros(n, np.float16), n], {1: np.maximum(x, 0)})


@case("gelu_half", LENGTHS, rtol=2e-3, atol=1e-6)
def _gelu_half(rng, n):
    x = floats(rng, n, dtype=np.float16)
    wide = x.astype(np.float64)
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
    return Run([x, np.zeros(n, np.float16), n], {1: (0.5 * wide * (1 + np.tanh(inner))).astype(np.float16)})


@case("axpy_bfloat16", LENGTHS)
def _axpy_bfloat16(rng, n):
    x, y = floats(rng, n, dtype=bfloat16), floats(rng, n, dtype=bfloat16)
    # Small whole numbers: the product is exact, and the sum is rounded once whether or not the unit fuses them.
    x = np.round(x.astype(np.float32) * 4).astype(bfloat16)
    expected = (y.astype(np.float32) + x.astype(np.float32) * np.float32(0.5)).astype(bfloat16)
    return Run([x, y, 0.5, n], {1: expected})


@case("clip_int32", LENGTHS)
def _clip_int32(rng, n):
    x = rng.integers(-1000, 1000, n, np.int32)
    return Run([x, np.zeros(n, np.int32), -100, 250, n], {1: np.clip(x, -100, 250)})


@case("threshold", LENGTHS)
def _threshold(rng, n):
    x = floats(rng, n)
    x[::7] = 0.5
    x[::11] = np.nan
    return Run([x, np.zeros(n, np.float32), 0.5, -7.0, n], {1: np.where(x > 0.5, x, np.float32(-7))})


ROWS = [(1, 8), (3, 5), (37, 129), (6, 2000)]


@case("row_softmax", ROWS, rtol=2e-6, atol=1e-9)
def _row_softmax(rng, rows, columns):
    x = floats(rng, rows, columns) * 4
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return Run([x, np.zeros_like(x), rows, columns], {1: (e / e.sum(1, keepdims=True)).astype(np.float32)})


@case("layer_norm", ROWS, rtol=2e-5, atol=2e-5)
def _layer_norm(rng, rows, columns):
    x, gamma, beta = floats(rng, rows, columns), floats(rng, columns), floats(rng, columns)
    wide = x.astype(np.float64)
    normal = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-3)
    shape = np.array([(rows, columns, 1e-3)], "u4, u4, f4").tobytes()
    return Run([x, gamma, beta, np.zeros_like(x), shape], {3: (normal * gamma + beta).astype(np.float32)})


@case("rms_norm", [(1, 64), (5, 1024), (7, 4032)], rtol=2e-3, atol=1e-5)
def _rms_norm(rng, rows, columns):
    x, gamma = floats(rng, rows, columns, dtype=np.float16), floats(rng, columns, dtype=np.float16)
    wide = x.astype(np.float64)
    normal = (wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5)).astype(np.float16)
    return Run([x, gamma, np.zeros_like(x), 1e-5, rows, columns], {2: normal * gamma})


@case("add_flags", LENGTHS)
def _add_flags(rng, n):
    x, y = rng.integers(-9999, 9999, (2, n), np.int16)
    return Run([x.copy(), y.copy(), np.zeros(n, np.int16), n], {2: x + y})


@case("ping_pong", LENGTHS, rtol=1e-6)
def _ping_pong(rng, n):
    x = floats(rng, n)
    return Run([x, np.zeros(n, np.float32), n], {1: np.exp(-(x * x).astype(np.float64)).astype(np.float32)})


@case("row_bias", [(1, 1), (33, 65), (100, 128), (64, 48)])
def _row_bias(rng, rows, columns):
    x, bias = floats(rng, rows, columns, dtype=np.float16), floats(rng, columns, dtype=np.float16)
    return Run([x, bias, np.zeros_like(x), rows, columns], {2: x + bias})


@case("column_slice", [(1, 1), (2, 7), (4, 90), (4, 1), (1, 90), (2, 64)], blocks=(1, 3))
def _column_slice(rng, itemsize, width):
    dtype = {1: np.int8, 2: np.float16, 4: np.float32}[itemsize]
    x = rng.integers(-100, 100, (301, 97)).astype(dtype)
    y = np.zeros((301, width), dtype)
    return Run([x, y, 301, 97, 5, width, itemsize], {1: x[:, 5 : 5 + width]})


@case("leaky_counter", LENGTHS)
def _leaky_counter(rng, n):
    x = floats(rng, n)
    return Run([x, np.zeros(n, np.float32), 0.125, n], {1: np.maximum(x, x * np.float32(0.125))})


@case("complex_abs", LENGTHS, rtol=1e-6)
def _complex_abs(rng, n):
    z = floats(rng, n) + 1j * floats(rng, n)
    return Run([z.astype(np.complex64), np.zeros(n, np.float32), n], {1: np.abs(z).astype(np.float32)})


@case("gather_rows", [(1, 1), (130, 33), (64, 256)])
def _gather_rows(rng, count, width):
    table, ids = floats(rng, 50, width), rng.integers(0, 50, count, np.int32)
    return Run([table, ids, np.zeros((count, width), np.float32), count, width], {2: table[ids]})


@case("gather_elements", [(1, 1, 1), (9, 100, 37), (4, 512, 700)])
def _gather_elements(rng, rows, columns, picks):
    x, index = floats(rng, rows, columns), rng.integers(0, columns, (rows, picks), np.int32)
    y = np.zeros((rows, picks), np.float32)
    return Run([x, index, y, rows, columns, picks], {2: np.take_along_axis(x, index, 1)})


@case("scatter_add", [(1, 1), (100, 7), (64, 64)])
def _scatter_add(rng, count, width):
    x, ids = rng.integers(-50, 50, (count, width)).astype(np.float32), rng.integers(0, 9, count)
    table = np.ones((9, width), np.float32)
    expected = table.copy()
    np.add.at(expected, ids, x)
    return Run([x, ids, table, count, width], {2: expected})


@case("sort_rows", [1, 13])
def _sort_rows(rng, rows):
    x = floats(rng, rows, 128)
    x[:, ::9] = x[:, :1]  # equal ones stay in their order
    order = np.argsort(-x, axis=1, kind="stable")
    y, index = np.zeros_like(x), np.zeros((rows, 128), np.uint32)
    return Run([x, y, index, rows], {1: np.take_along_axis(x, order, 1), 2: order.astype(np.uint32)})


@case("top_k", [(1, 1, 1), (5, 33, 4), (7, 200, 200)])
def _top_k(rng, rows, columns, k):
    x = floats(rng, rows, columns, dtype=np.float16)
    order = np.argsort(-x.astype(np.float32), axis=1, kind="stable")[:, :k]
    y, index = np.zeros((rows, k), np.float16), np.zeros((rows, k), np.uint32)
    return Run([x, y, index, rows, columns, k], {1: np.take_along_axis(x, order, 1), 2: order.astype(np.uint32)})


@case("transpose_half", [(16, 16), (48, 80)])
def _transpose_half(rng, rows, columns):
    x = floats(rng, rows, columns, dtype=np.float16)
    return Run([x, np.zeros((columns, rows), np.float16), rows, columns], {1: x.T})


@case("transpose_float", [1, 11])
def _transpose_float(rng, tiles):
    x = floats(rng, tiles, 16, 8)
    return Run([x, np.zeros((tiles, 8, 16), np.float32), tiles], {1: x.transpose(0, 2, 1)})


@case("standardise", LENGTHS[1:], blocks=(1, 5, 48), rtol=2e-5, atol=2e-5)
def _standardise(rng, n):
    x = floats(rng, n) * 3 + 2
    wide = x.astype(np.float64)
    expected = ((wide - wide.mean()) / wide.std()).astype(np.float32)
    return Run([x, np.zeros(n, np.float32), np.zeros(2 * 48 * 8, np.float32), n], {1: expected})


@case("column_sums", [(1, 1), (40, 33), (7, 3000)])
def _column_sums(rng, rows, columns):
    x = rng.integers(-50, 50, (rows, columns)).astype(np.float32)
    return Run([x, np.zeros(columns, np.float32), rows, columns], {1: x.sum(0)})


@case("column_max", [(1, 1), (41, 33), (17, 800)])
def _column_max(rng, rows, columns):
    x = rng.integers(-(2**31), 2**31 - 1, (rows, columns), np.int32)
    most = np.full(columns, -(2**31), np.int32)
    return Run([x, most, rows, columns], {1: x.max(0)})


@case("prefix_blocks", [1, 100, 4003], blocks=(1, 2, 7))
def _prefix_blocks(rng, n):
    x = rng.integers(-1000, 1000, n, np.int32)
    return Run([x, np.zeros(n, np.int32), np.zeros(16 * 7, np.int32), n], {1: np.cumsum(x, dtype=np.int32)})


@case("ordered_sum", [64, 1000 // 8 * 8], blocks=(1, 8))
def _ordered_sum(rng, share):
    x = rng.integers(-100, 100, 8 * share).astype(np.float32)

    def expected(blocks: int) -> np.ndarray:
        return np.array([x[: blocks * share].sum()] + [0] * 7, np.float32)

    return Run([x, np.zeros(8, np.float32), np.zeros(8 * 8, np.int32), share], {1: expected})  # type: ignore[dict-item]


@case("histogram", LENGTHS)
def _histogram(rng, n):
    x = rng.integers(0, 256, n, np.uint8)
    return Run([x, np.zeros(256, np.int32), n], {1: np.bincount(x, minlength=256).astype(np.int32)})


@case("bit_fields", LENGTHS)
def _bit_fields(rng, n):
    x = rng.integers(0, 65536, n, np.uint16)
    return Run([x, np.zeros(n, np.uint16), n], {1: (x >> 8 & 0xFF) | ~(x << 8 | np.uint16(0xFF))})


@case("quantise_rows", ROWS)
def _quantise_rows(rng, rows, columns):
    x = floats(rng, rows, columns)
    most = np.abs(x).max(1, keepdims=True)
    y = np.rint(x * (np.float32(127) / most)).astype(np.int8)
    scales = (most / np.float32(127)).ravel()
    return Run([x, np.zeros((rows, columns), np.int8), np.zeros(rows, np.float32), rows, columns], {1: y, 2: scales})


@case("ramp_int32", LENGTHS)
def _ramp_int32(rng, n):
    return Run([np.zeros(n, np.int32), -7, 3, n], {0: np.arange(n, dtype=np.int32) * 3 - 7})


@case("rotary", [(1, 32), (19, 64)])
def _rotary(rng, rows, half):
    x, angle = floats(rng, rows, 2, half), floats(rng, rows, half)
    c, s, (a, b) = np.cos(angle), np.sin(angle), x.transpose(1, 0, 2)
    expected = np.stack([a * c - b * s, b * c + a * s], 1)
    return Run([x, c, s, np.zeros_like(x), rows, half], {3: expected})


@case("reciprocal_half", LENGTHS, file="unary_templates")
def _reciprocal_half(rng, n):
    x = floats(rng, n, dtype=np.float16)
    x[::5] = 0
    with np.errstate(divide="ignore"):
        return Run([x, np.zeros(n, np.float16), n], {1: np.float16(1) / x})


@case("logarithm_float", LENGTHS, file="unary_templates", rtol=1e-6)
def _logarithm_float(rng, n):
    x = np.abs(floats(rng, n)) + np.float32(1e-3)
    return Run([x, np.zeros(n, np.float32), n], {1: np.log(x.astype(np.float64)).astype(np.float32)})


@case("cube_int16", LENGTHS, file="unary_templates")
def _cube_int16(rng, n):
    x = rng.integers(-31, 32, n, np.int16)
    return Run([x, np.zeros(n, np.int16), n], {1: x * x * x})


@case("outer_product", [1, 8, 43])
def _outer_product(rng, rows):
    a, b = floats(rng, rows), floats(rng, 64)
    return Run([a, b, np.zeros((rows, 64), np.float32), rows], {2: np.outer(a, b)})


@case("row_argmax", [1, 32, 77])
def _row_argmax(rng, rows):
    x = rng.integers(0, 20, (rows, 64)).astype(np.float32)
    return Run([x, np.zeros(rows, np.float32), np.zeros(rows, np.int32), rows],
               {1: x.max(1), 2: x.argmax(1).astype(np.int32)})  # fmt: skip


@case("round_modes", LENGTHS)
def _round_modes(rng, n):
    x = np.round(floats(rng, n) * 8) / np.float32(2)
    away = np.where(x < 0, np.ceil(x - np.float32(0.5)), np.floor(x + np.float32(0.5)))
    ways = np.stack([np.rint(x), np.floor(x), np.ceil(x), away, np.trunc(x)]).astype(np.int32)
    return Run([x, np.zeros((5, n), np.int32), n], {1: ways})


@case("swiglu_library", LENGTHS, rtol=1e-6, atol=1e-7)
def _swiglu_library(rng, n):
    a, b = floats(rng, n), floats(rng, n)
    wide = a.astype(np.float64)
    erf = np.vectorize(math.erf)(wide).astype(np.float32)
    product = (wide / (1 + np.exp(-wide)) * b).astype(np.float32)
    return Run([a, b, np.zeros(n, np.float32), np.zeros(n, np.float32), n], {2: product, 3: erf})
