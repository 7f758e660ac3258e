"""What each operator of the library is tested with, and what NumPy and SciPy make of it."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.ndimage
import scipy.special

FLOATS = ("float32", "float16")
# Several tiles on several cores, and a tail.
SIZES = (0, 1, 7, 64, 1000, 70_001)
ROUNDING = {np.dtype(np.float32): 2e-6, np.dtype(np.float16): 1e-3}


@dataclass
class Case:
    """What an operator is given for a size and a dtype, and what it should give."""

    make: Callable[[np.random.Generator, int, str], tuple[Any, ...]]
    oracle: Callable[..., Any]
    dtypes: tuple[str, ...] = FLOATS
    sizes: tuple[Any, ...] = SIZES
    close: float | None = 1.0  # in ROUNDING of the result, of its size or of 1; None: equal
    attributes: tuple[dict[str, Any], ...] = ({},)


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def normal(rng: np.random.Generator, shape: Any, dtype: str = "float32") -> np.ndarray:
    return rng.standard_normal(shape).astype(dtype)


def between(low: float, high: float) -> Callable[..., tuple[np.ndarray]]:
    return lambda rng, n, dtype: (rng.uniform(low, high, n).astype(dtype),)


def pair(rng: np.random.Generator, n: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    return normal(rng, n, dtype), normal(rng, n, dtype)


def multiplied(
    a: np.ndarray, b: np.ndarray, bias: np.ndarray, scale: float = 1.0, activation: str = "",
) -> np.ndarray:
    y = scale * (a @ b) + bias
    if activation == "relu":
        return np.maximum(y, 0)
    if activation == "silu":
        return y / (1 + np.exp(-y))
    if activation == "gelu":
        return y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3))) / 2
    return y


def complexes(rng: np.random.Generator, n: int) -> np.ndarray:
    return (normal(rng, n) + 1j * normal(rng, n)).astype(np.complex64)


def whole(rng: np.random.Generator, n: int, dtype: str) -> tuple[np.ndarray]:
    return (rng.integers(0, np.iinfo(dtype).max, n, dtype=dtype, endpoint=True),)


def mixed(x: np.ndarray) -> np.ndarray:
    for by, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ (x >> np.uint32(by))) * np.uint32(factor)
    return x ^ (x >> np.uint32(16))


def reversed_bits(x: np.ndarray) -> np.ndarray:
    return np.array([int(f"{one:032b}"[::-1], 2) for one in x.tolist()], np.uint32)


def rows(rng: np.random.Generator, shape: Any, dtype: str) -> tuple[np.ndarray]:
    return (normal(rng, shape, dtype),)


def turned(x: np.ndarray, cosine: np.ndarray, sine: np.ndarray) -> np.ndarray:
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1)


def angles(rng: np.random.Generator, shape: Any, dtype: str) -> tuple[np.ndarray, ...]:
    angle = rng.uniform(0, 6, (shape[-2], shape[-1] // 2))
    return normal(rng, shape, dtype), np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def layer(x: np.ndarray, gain: np.ndarray, shift: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gain + shift


def colours(rng: np.random.Generator, n: int, dtype: str) -> tuple[np.ndarray]:
    given = rng.uniform(size=(n, 3)).astype(dtype)
    given[:4] = np.array([[0.5, 0.5, 0.5], [0, 0, 0], [1, 1, 0], [0, 1, 1]])[:n]
    return (given,)


def each_pixel(convert: Callable[..., Any]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.array([convert(*one) for one in x.tolist()]).reshape(-1, 3)


def thinned(size: np.ndarray, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    if not size.size:
        return size
    size, across, down = (one.astype(np.float32) for one in (size, across, down))
    h, w = size.shape
    edge, slope = np.pad(size, 1, mode="edge"), np.float32(0.41421356)
    n = [[edge[i : i + h, j : j + w] for j in range(3)] for i in range(3)]
    limit = np.where(across * down >= 0, np.maximum(n[0][0], n[2][2]), np.maximum(n[0][2], n[2][0]))
    limit = np.where(abs(across) <= slope * abs(down), np.maximum(n[0][1], n[2][1]), limit)
    limit = np.where(abs(down) <= slope * abs(across), np.maximum(n[1][0], n[1][2]), limit)
    return np.where(size >= limit, size, 0)


def gradients(rng: np.random.Generator, shape: Any, dtype: str) -> tuple[np.ndarray, ...]:
    across, down = normal(rng, shape), normal(rng, shape)
    return np.hypot(across, down), across, down


def filtered(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    down = scipy.ndimage.correlate1d(x, weights, 0, mode="nearest")
    return scipy.ndimage.correlate1d(down, weights, 1, mode="nearest")


def resized(x: np.ndarray, height: int, width: int) -> np.ndarray:
    for axis, length in ((-2, height), (-1, width)):
        n = x.shape[axis]
        place = np.clip((np.arange(length) + 0.5) * (n / max(length, 1)) - 0.5, 0, n - 1)
        first = place.astype(int)
        share = (place - first)[:, None] if axis == -2 else place - first
        x = np.take(x, first, axis) * (1 - share) + np.take(x, np.minimum(first + 1, n - 1), axis) * share
    return x


def recurred(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    state, made = np.zeros(a.shape[1]), np.empty(a.shape)
    for i, (factor, addend) in enumerate(zip(a, b, strict=True)):
        made[i] = state = factor * state + addend
    return made


def numbered(rng: np.random.Generator, shape: Any, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    n, count, columns = shape
    given = rng.integers(0, 100, (count, columns)).astype(dtype)
    return given, rng.integers(-1, count + 1, n).astype(np.int32)


def gathered(table: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    inside = (numbers >= 0) & (numbers < len(table))
    return np.where(inside[:, None], table[np.clip(numbers, 0, len(table) - 1)], 0)


def segments_of(rng: np.random.Generator, shape: Any, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    n, count, columns = shape
    numbers = np.sort(rng.integers(-1, count + 2, n)).astype(np.int32)
    return rng.integers(-9, 9, (n, columns)).astype(dtype), numbers


def added(x: np.ndarray, numbers: np.ndarray, segments: int) -> np.ndarray:
    made, inside = np.zeros((segments, x.shape[1])), (numbers >= 0) & (numbers < segments)
    np.add.at(made, numbers[inside], x[inside])
    return made


def uneven(rng: np.random.Generator, n: int, dtype: str) -> tuple[np.ndarray]:
    return ((rng.standard_normal(n) * 10.0 ** rng.integers(-8, 8, n)).astype(dtype),)


def largest(x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    places = np.argsort(~x, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, places, -1), places


def table_and_numbers(rng: np.random.Generator, m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the table, their neighbours, others, and both ends of int64."""
    table = np.sort(rng.integers(-(2**63), 2**63 - 1, m))
    some = rng.choice(table, n) + rng.integers(-1, 2, n) if m else rng.integers(-9, 9, n)
    given = np.where(rng.random(n) < 0.5, some, rng.integers(-(2**63), 2**63 - 1, n))
    given[:2] = [-(2**63), 2**63 - 1][:n]
    return table, given


def equal_ones(rng: np.random.Generator, shape: tuple[int, int], dtype: str) -> tuple[np.ndarray]:
    """Many that are equal, among them the largest there is."""
    return (np.where(rng.random(shape) < 0.3, np.iinfo(dtype).max, rng.integers(0, 99, shape).astype(dtype)),)


def off_edges(rng: np.random.Generator, n: int, dtype: str) -> tuple[np.ndarray]:
    """Numbers that are not within a rounding of an edge of 240 bins between -1 and 3, and the last edge."""
    given = (rng.integers(-300, 300, n) + rng.uniform(0.1, 0.9, n)) / 60
    given[:1] = 3
    return (given.astype(dtype),)


SHAPES = ((0, 4), (1, 1), (3, 7), (5, 64), (101, 100), (3, 4097), (2, 2, 9001))
IMAGES = ((0, 3), (1, 1), (1, 9), (9, 1), (17, 33), (40, 512), (33, 1100))
ROWS_BY_NUMBER = ((0, 3, 2), (1, 1, 1), (9, 5, 3), (3000, 100, 64), (50, 7, 9000))
CASES = {
    "erfinv": Case(between(-1, 1), scipy.special.erfinv),
    "gamma": Case(between(-20, 34), scipy.special.gamma, ("float32",), close=4),
    "lgamma": Case(between(-20, 60), scipy.special.gammaln),
    "digamma": Case(between(0.01, 60), scipy.special.digamma),
    "gelu_tanh": Case(
        lambda rng, n, dtype: (normal(rng, n, dtype),),
        lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    "swiglu": Case(pair, lambda gate, up: gate * scipy.special.expit(gate) * up),
    "geglu": Case(pair, lambda gate, up: gate * scipy.special.ndtr(gate) * up),
    "complex_multiply": Case(
        lambda rng, n, _: (complexes(rng, n), complexes(rng, n)), lambda x, y: x * y, ("complex64",)
    ),
    "complex_divide": Case(
        lambda rng, n, _: (complexes(rng, n), complexes(rng, n)), lambda x, y: x / y, ("complex64",)
    ),
    "complex_exp": Case(lambda rng, n, _: (complexes(rng, n),), np.exp, ("complex64",)),
    "complex_absolute": Case(lambda rng, n, _: (complexes(rng, n),), np.absolute, ("complex64",)),
    "bit_count": Case(whole, np.bitwise_count, ("uint32", "uint64", "int64"), close=None),
    "bit_reverse": Case(whole, reversed_bits, ("uint32",), close=None),
    "murmur_mix": Case(whole, mixed, ("uint32",), close=None),
    "pack_bits": Case(
        lambda rng, n, dtype: (rng.integers(0, 3, n).astype(dtype),),
        lambda x, bitorder: np.packbits(x, bitorder=bitorder), ("uint8",),
        close=None, attributes=({"bitorder": "big"}, {"bitorder": "little"}),
    ),
    "unpack_bits": Case(
        whole, lambda x, bitorder: np.unpackbits(x, bitorder=bitorder), ("uint8",),
        close=None, attributes=({"bitorder": "big"}, {"bitorder": "little"}),
    ),
    "softmax": Case(
        rows, lambda x, axes: scipy.special.softmax(x, axes), sizes=(*SHAPES[1:], (2, 5, 70), (3, 170, 100)),
        attributes=({"axes": (-1,)}, {"axes": (0,)}, {"axes": (-2, -1)}, {"axes": (1, 0)}),
    ),
    "log_softmax": Case(
        rows, lambda x, axes: scipy.special.log_softmax(x, axes), sizes=(*SHAPES[1:], (2, 5, 70), (3, 170, 100)),
        attributes=({"axes": (-1,)}, {"axes": (0,)}, {"axes": (-2, -1)}),
    ),
    "logsumexp": Case(rows, lambda x: scipy.special.logsumexp(x, -1), sizes=SHAPES),
    "rms_norm": Case(
        lambda rng, shape, dtype: (normal(rng, shape, dtype), normal(rng, shape[-1])),
        lambda x, gain: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * gain, sizes=SHAPES,
    ),
    "layer_norm": Case(
        lambda rng, shape, dtype: (normal(rng, shape, dtype), normal(rng, shape[-1]), normal(rng, shape[-1])), layer,
        sizes=SHAPES,
    ),
    "moments": Case(rows, lambda x: (x.mean(-1), x.var(-1)), sizes=SHAPES),
    "rotary_embedding": Case(angles, turned, sizes=((0, 3, 4), (1, 1, 2), (2, 7, 8), (3, 100, 128), (2, 2, 33, 34))),
    "rgb_to_hsv": Case(colours, each_pixel(colorsys.rgb_to_hsv), ("float32",), (0, 1, 7, 20_001)),
    "hsv_to_rgb": Case(colours, each_pixel(colorsys.hsv_to_rgb), ("float32",), (0, 1, 7, 20_001)),
    "double_threshold": Case(
        rows, lambda x, low, high: (x >= np.float32(low)).astype(np.uint8) + (x >= np.float32(high)), ("float32",),
        close=None, attributes=({"low": 0.1, "high": 0.5},),
    ),
    "sobel": Case(
        rows, lambda x: tuple(scipy.ndimage.sobel(x, axis, mode="nearest") for axis in (1, 0)), ("float32",), IMAGES
    ),
    "thin_edges": Case(gradients, thinned, ("float32",), IMAGES, close=None),
    "median_filter": Case(rows, lambda x: scipy.ndimage.median_filter(x, 3, mode="nearest"), ("float32",), IMAGES[1:]),
    "separable_filter": Case(
        lambda rng, shape, dtype: (normal(rng, shape[1:], dtype), normal(rng, shape[0])), filtered, ("float32",),
        tuple((k, *shape) for shape in IMAGES[1:] for k in (1, 5)), close=4,
    ),
    "resize_bilinear": Case(
        rows, resized, ("float32",), ((1, 1), (2, 9, 5), (3, 2, 17, 600)), close=200,  # places are rounded
        attributes=tuple({"height": h, "width": w} for h, w in ((0, 3), (1, 1), (5, 40), (60, 1001))),
    ),
    "running_sum": Case(
        lambda rng, n, dtype: (rng.integers(-(2**62), 2**62, n).astype(dtype),), np.cumsum, ("int64", "uint64"),
        close=None,
    ),
    "sort_int64": Case(
        lambda rng, shape, dtype: (rng.integers(-(2 ** rng.integers(3, 63)), 2**62, shape).astype(dtype),), np.sort,
        ("int64", "uint64"),
        ((0, 4), (1, 1), (3, 7), (101, 100), (1, 2049), (2, 4096), (2, 5000), (3, 8192), (2, 8193), (1, 40_001)),
        close=None,
    ),
    "argsort_int64": Case(
        equal_ones,
        lambda x: np.argsort(x, stable=True), ("int64", "uint64"),
        ((0, 4), (1, 1), (3, 7), (101, 100), (1, 2049), (2, 4096), (2, 5000), (3, 8192), (2, 8193), (1, 40_001)),
        close=None,
    ),
    "search_int64": Case(
        lambda rng, shape, dtype: table_and_numbers(rng, *shape),
        lambda table, x, right: np.searchsorted(table, x, "right" if right else "left"), ("int64",),
        ((1, 0), (0, 3), (1, 9), (9, 1), (7, 3000), (64, 2000), (8192, 3000),
         (8193, 3000), (8223, 600), (8224, 600), (300_001, 2000)),
        close=None,
        attributes=({"right": False}, {"right": True}),
    ),
    "top_k": Case(
        lambda rng, shape, dtype: (rng.integers(-99, 99, shape).astype(dtype) * np.array(2**24, dtype),), largest,
        ("int64", "int32"), ((0, 9), (1, 9), (3, 64), (60, 101), (2, 5000), (2, 9001), (1, 50_001)), close=None,
        attributes=({"k": 1}, {"k": 9}),
    ),
    "histogram": Case(
        off_edges, lambda x, bins, low, high: np.histogram(x, bins, (low, high))[0], ("float32",), close=None,
        attributes=tuple({"bins": bins, "low": -1, "high": 3} for bins in (1, 12, 240)),
    ),
    "bin_count": Case(
        lambda rng, n, dtype: (rng.integers(-3, 50, n).astype(dtype),),
        lambda x, bins: np.bincount(x[(x >= 0) & (x < bins)], minlength=bins), ("int32",), close=None,
        attributes=({"bins": 0}, {"bins": 1}, {"bins": 40}, {"bins": 100}),
    ),
    "fft_rows": Case(
        lambda rng, shape, _: (complexes(rng, shape),),
        lambda x, inverse, scaled=True: (np.fft.ifft if inverse else np.fft.fft)(
            x.astype(np.complex128), norm="forward" if inverse and not scaled else "backward"
        ),
        ("complex64",),
        ((0, 8), (1, 2), (5, 8), (2, 3, 64), (9, 512), (600, 32), (3, 7), (5, 1024), (3, 2048), (2, 8192)),
        close=20, attributes=({"inverse": False}, {"inverse": True}, {"inverse": True, "scaled": False}),
    ),
    "basic_matmul": Case(
        lambda rng, shape, dtype: tuple(normal(rng, one, dtype) for one in (shape[:2], shape[1:], shape[2])),
        multiplied, ("float32", "float16"), ((1, 1, 1), (0, 3, 2), (5, 0, 7), (33, 70, 45), (150, 40, 300)), close=5,
        attributes=({}, {"activation": "relu"}, {"activation": "silu"}, {"activation": "gelu", "scale": 0.25}),
    ),
    "pairwise_distance": Case(
        lambda rng, shape, dtype: (normal(rng, shape[::2]), normal(rng, shape[1:])),
        lambda x, y: np.sqrt(((x[:, None] - y) ** 2).sum(-1)), ("float32",),
        ((0, 3, 2), (1, 1, 1), (5, 9, 3), (70, 33, 40), (3, 1100, 33)),
    ),
    "long_sum": Case(uneven, math.fsum, ("float32",), close=0.1),
    "linear_recurrence": Case(
        lambda rng, shape, dtype: tuple(rng.uniform(-1, 1, shape).astype(dtype) for _ in range(2)), recurred,
        ("float32",), ((0, 3), (1, 1), (5, 7), (100, 300), (49, 1)),
    ),
    "gather_rows": Case(
        numbered, gathered, ("float32", "float16", "uint8", "int64"), ROWS_BY_NUMBER, close=None
    ),
    "segment_sum": Case(
        segments_of, added, ("float32",), ROWS_BY_NUMBER, close=None, attributes=({"segments": 1}, {"segments": 90})
    ),
    "one_hot": Case(
        lambda rng, n, dtype: (rng.integers(-1, n + 1, n).astype(dtype),),
        lambda numbers, depth: (numbers[:, None] == np.arange(depth)).astype(float), ("int32",), (0, 1, 7, 300),
        close=None, attributes=({"depth": 0}, {"depth": 1}, {"depth": 100}, {"depth": 9000}),
    ),
}  # fmt: skip
