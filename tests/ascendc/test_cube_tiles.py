"""One tile through the cube core against NumPy: ways into L0A and L0B, what sums begin with, and ways out of L0C."""

from __future__ import annotations

import functools
import re
import struct

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel

pytestmark = needs_compiler

NULL, SOME = struct.pack("<Q", 0), struct.pack("<Q", 1)


@functools.cache
def kernels() -> Kernel:
    text = (HERE / "kernels" / "tiles.cpp").read_text()
    return Kernel(text, [*re.findall(r"^ENTRY (\w+)\(", text, re.MULTILINE), "convolution"], "cube")


def run(name: str, a, b, c, d=NULL, *, n: int, m: int, k: int, blocks: int = 1) -> None:
    given = [x if isinstance(x, bytes) else np.ascontiguousarray(x) for x in (a, b, c, d)]
    assert kernels()(name, blocks, *given, m, n, k).findings == []


def packed(values: np.ndarray) -> np.ndarray:
    pairs = values.reshape(values.shape[0], -1, 2).astype(np.uint8) & 15
    return (pairs[..., 0] | pairs[..., 1] << 4).astype(np.uint8)


def whole(rng: np.random.Generator, dtype, *shape: int) -> np.ndarray:
    """Small integers, whose products are exact."""
    return rng.integers(-8, 8, shape).astype(dtype)


@pytest.mark.parametrize(
    ("name", "dtype", "out", "sizes"),
    [
        ("turned_half", np.float16, np.float32, [(16, 16, 16), (5, 48, 64)]),
        ("turned_float", np.float32, np.float32, [(16, 16, 16), (33, 48, 32)]),
        ("turned_int8", np.int8, np.int32, [(16, 32, 32), (7, 96, 64)]),
        ("turned_int4", np.int8, np.int32, [(16, 64, 64), (20, 128, 128)]),
        ("pictured_half", np.float16, np.float32, [(16, 16, 16), (5, 48, 64)]),
        ("pictured_float", np.float32, np.float32, [(16, 16, 16), (33, 48, 32)]),
    ],
)
def test_the_right_matrix_is_turned_over(name, dtype, out, sizes):
    for m, n, k in sizes:
        rng = np.random.default_rng(m * n + k)
        a, b, c = whole(rng, dtype, m, k), whole(rng, dtype, k, n), np.zeros((m, n), out)
        store = packed if name == "turned_int4" else lambda x: x
        run(name, store(a), store(b), c, m=m, n=n, k=k)
        assert (c == a.astype(out) @ b.astype(out)).all(), (m, n, k)


@pytest.mark.parametrize("way", [SOME, NULL])
@pytest.mark.parametrize("size", [(16, 16, 16), (32, 48, 64)])
def test_the_left_matrix_is_turned_over(way, size):
    m, n, k = size
    rng = np.random.default_rng(m)
    a, b, c = whole(rng, np.float16, k, m), whole(rng, np.float16, n, k), np.zeros((m, n), np.float32)
    run("left_half", a, b, c, way, m=m, n=n, k=k)
    assert (c == a.T.astype(np.float32) @ b.T.astype(np.float32)).all()


@pytest.mark.parametrize(("n", "k"), [(16, 16), (33, 100), (16, 300)])
def test_one_row_is_a_vector(n, k):
    rng = np.random.default_rng(k)
    a, b, c = np.zeros((1, 512), np.float16), whole(rng, np.float16, n, k), np.zeros((1, n), np.float32)
    a[:, :k] = whole(rng, np.float16, 1, k)
    run("vector_half", a, b, c, m=1, n=n, k=k)
    assert (c == a[:, :k].astype(np.float32) @ b.T.astype(np.float32)).all()


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("padding", [(0, 0, 0, 0), (1, 2, 2, 0)])
@pytest.mark.parametrize(
    ("height", "width", "channels", "filters", "n"), [(5, 6, 16, (1, 1), 16), (9, 8, 32, (3, 2), 20)]
)
def test_convolution(stride, dilation, padding, height, width, channels, filters, n):
    rng = np.random.default_rng(height)
    image, weights = whole(rng, np.float16, channels, height, width), whole(rng, np.float16, n, channels, *filters)
    left, right, top, bottom = padding
    around = np.pad(image, ((0, 0), (top, bottom), (left, right))).astype(np.float32)
    rows, columns = ((filters[i] - 1) * dilation + 1 for i in (0, 1))
    windows = np.lib.stride_tricks.sliding_window_view(around, (rows, columns), axis=(1, 2))
    windows = windows[:, ::stride, ::stride, ::dilation, ::dilation]
    expected = np.einsum("chwij,ncij->hwn", windows, weights.astype(np.float32)).reshape(-1, n)
    groups = image.reshape(channels // 16, 16, height, width).transpose(0, 2, 3, 1)
    matrix = weights.reshape(n, channels // 16, 16, *filters).transpose(0, 1, 3, 4, 2)
    out = np.zeros(expected.shape, np.float32)
    numbers = (height, width, channels, *filters, stride, dilation, *padding, n, len(expected))
    ran = kernels()(
        "convolution", 1, np.ascontiguousarray(groups), np.ascontiguousarray(matrix), out, struct.pack("<13i", *numbers)
    )
    assert ran.findings == []
    assert (out == expected).all()


@pytest.mark.parametrize(
    ("name", "dtype", "out", "bias"),
    [
        ("float", np.float16, np.float32, np.float32),
        ("half", np.float16, np.float32, np.float16),
        ("int32", np.int8, np.int32, np.int32),
    ],
)
@pytest.mark.parametrize("size", [(16, 16, 16), (30, 70, 50)])
def test_sums_begin_with_a_bias(name, dtype, out, bias, size):
    m, n, k = size
    rng = np.random.default_rng(n)
    a, b, d = whole(rng, dtype, m, k), whole(rng, dtype, n, k), whole(rng, bias, 128)
    c = np.zeros((m, n), out)
    run(f"biased_{name}", a, b, c, d, m=m, n=n, k=k)
    assert (c == 2 * (a.astype(out) @ b.T.astype(out)) + d[:n].astype(out)).all()


def test_integers_saturate():
    a, b, c = np.full((16, 2048), -128, np.int8), np.full((16, 2048), -128, np.int8), np.zeros((16, 16), np.int32)
    b[3] = 127
    b[4] = 1
    run("saturated", a, b, c, m=16, n=16, k=2048)
    assert (c[:, 3] == max(-(2**31), -128 * 127 * 2048 * 41)).all() and (c[:, 4] == -128 * 2048 * 41).all()
    assert (c[:, 0] == min(2**31 - 1, 128 * 128 * 2048 * 41)).all()


def test_constants():
    c = np.zeros((16, 16), np.float32)
    run("constant", NULL, NULL, c, m=0, n=0, k=0)
    assert (c == 2 * 3 * 32).all()


@pytest.mark.parametrize("to_zero", [False, True])
def test_hf32(to_zero):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((16, 64)).astype(np.float32)
    a[0, :3] = np.array([0x3F800800, 0x3F801800, 0xBF800800], np.uint32).view(np.float32)  # ties
    b, c = np.eye(64, dtype=np.float32), np.zeros((16, 64), np.float32)
    run("hf32", a, b, c, m=16, n=64, k=-64 if to_zero else 64)
    bits = a.view(np.uint32)
    half = 0x7FF if to_zero else 0x7FF + (bits >> 12 & 1)
    assert (c.view(np.uint32) == (bits + half & ~np.uint32(0xFFF))).all()


@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_split_k(blocks):
    rng = np.random.default_rng(blocks)
    a, b, c = whole(rng, np.float16, 32, 512), whole(rng, np.float16, 48, 512), np.zeros((32, 48), np.float32)
    run("split_k", a, b, c, m=32, n=48, k=512, blocks=blocks)
    assert (c == a.astype(np.float32) @ b.T.astype(np.float32)).all()
    assert kernels()("split_k", blocks, a, b, c, SOME, 32, 48, 512).rules() == ["race"]


def parameter(scale, offset: int, sign: bool) -> np.ndarray:
    """The words of Fixpipe's quantisation; 10 bits of the scale's fraction count."""
    bits = np.asarray(scale, np.float32).view(np.uint32).astype(np.uint64)
    return bits | np.uint64((offset & 511) << 37) | np.uint64(int(sign) << 46)


def quantised(values, scale, offset: int, sign: bool):
    scale = (np.asarray(scale, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    rounded = np.rint(values.astype(np.float32) * scale) + offset
    return np.clip(rounded, -128, 127).astype(np.int8) if sign else np.clip(rounded, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (20, 48, 40), (9, 70, 5)])
@pytest.mark.parametrize(
    "name",
    [
        "float",
        "int8",
        "uint8",
        "int8_columns",
        "requantised",
        "requantised_columns",
        "dequantised",
        "dequantised_columns",
    ],
)
def test_results_are_narrowed(name, m, n, k):
    rng = np.random.default_rng(m)
    integers = name.startswith(("re", "de"))
    a, b = (whole(rng, np.int8 if integers else np.float16, rows, k) for rows in (m, n))
    sums = a.astype(np.int32) @ b.astype(np.int32).T
    scales = rng.uniform(0.01, 1, n).astype(np.float32)
    words = np.zeros(-(-n // 16) * 16, np.uint64)
    words[:n] = parameter(scales, -7, True)
    if name == "float":
        expected = np.maximum(sums, 0).astype(np.float32)
    elif name == "int8":
        expected = quantised(sums, np.float32(0.5), -3, True)
    elif name == "uint8":
        expected = quantised(sums, np.float32(2), 5, False)
    elif name == "requantised":
        expected = np.maximum(quantised(sums, np.float32(0.5), -3, True), 0)
    elif name == "dequantised":
        expected = (sums * 0.5).astype(np.float16)
    elif name == "dequantised_columns":
        scales = (scales.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
        expected = np.maximum(sums * scales, 0).astype(np.float16)
    else:
        expected = quantised(sums, scales, -7, True)
    c = np.full((m, n), 99, expected.dtype)
    run(name if integers else f"fixed_{name}", a, b, c, words, m=m, n=n, k=k)
    assert (c == expected).all()


@pytest.mark.parametrize(("name", "width"), [("float", 16), ("split", 8), ("half", 16), ("int8", 32)])
def test_results_stay_fractals(name, width):
    m, n, k = 32, 64, 20
    rng = np.random.default_rng(n)
    a, b = whole(rng, np.float16, m, k), whole(rng, np.float16, n, k)
    sums = a.astype(np.float32) @ b.T.astype(np.float32)
    kinds = {"half": np.float16, "int8": np.int8}
    expected = (
        quantised(sums, np.float32(0.5), -3, True) if name == "int8" else sums.astype(kinds.get(name, np.float32))
    )
    c = np.zeros((n // width, m, width), kinds.get(name, np.float32))
    run(f"fractals_{name}", a, b, c, m=m, n=n, k=k)
    assert (c == expected.reshape(m, n // width, width).transpose(1, 0, 2)).all()


@pytest.mark.parametrize("form", [SOME, NULL])
def test_several_matrices(form):
    rng = np.random.default_rng(3)
    a, b, c = whole(rng, np.float16, 32, 16), whole(rng, np.float16, 48, 16), np.zeros((2, 32, 48), np.float32)
    run("matrices", a, b, c, form, m=32, n=48, k=16)
    one = a.astype(np.float32) @ b.T.astype(np.float32)
    assert (c == np.stack([one, 2 * one])).all()


@pytest.mark.parametrize("m", [16, 21])
def test_a_product_stays_on_the_core(m):
    rng = np.random.default_rng(m)
    a, b, d = whole(rng, np.float16, m, 16), whole(rng, np.float16, 32, 16), whole(rng, np.float16, 32, 32)
    c = np.zeros((m, 32), np.float32)
    run("chained", a, b, c, d, m=m, n=32, k=16)
    between = (a.astype(np.float32) @ b.T.astype(np.float32)).astype(np.float16)
    assert (c == between.astype(np.float32) @ d.T.astype(np.float32)).all()


@pytest.mark.parametrize(("m", "n"), [(16, 16), (5, 40), (33, 17)])
def test_fractals_become_rows_again(m, n):
    a = np.random.default_rng(m).standard_normal((m, n)).astype(np.float16)
    c = np.zeros_like(a)
    run("rows_again", a, NULL, c, m=m, n=n, k=0)
    assert (c == a).all()
