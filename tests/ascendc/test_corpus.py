"""Kernels as users write them, in many styles, run strictly beside NumPy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler

from .corpus import CASES, Run, bfloat16, case, floats
from .harness import HERE, Kernel, together

pytestmark = needs_compiler

SHAPES = [(16, 16, 16), (1, 1, 1), (17, 33, 50), (64, 64, 64)]


def whole(rng: np.random.Generator, *shape: int, dtype: Any = np.float16) -> np.ndarray:
    """Small whole numbers, whose products add up exactly."""
    return rng.integers(-4, 5, shape).astype(dtype)


@case("matmul_queues", SHAPES, kind="cube", blocks=(1,))
def _matmul_queues(rng, m, n, k):
    a, b = whole(rng, m, k), whole(rng, k, n)
    return Run([a, b, np.zeros((m, n), np.float32), m, n, k], {2: a.astype(np.float32) @ b.astype(np.float32)})


@case("matmul_int8", [*SHAPES, (100, 80, 200)], kind="cube", blocks=(1,))
def _matmul_int8(rng, m, n, k):
    a, b = rng.integers(-9, 10, (m, k), np.int8), rng.integers(-9, 10, (n, k), np.int8)
    expected = ((a.astype(np.int32) @ b.T.astype(np.int32)) * np.float32(0.25)).astype(np.float16)
    return Run([a, b, np.zeros((m, n), np.float16), m, n, k, 0.25], {2: expected})


@case("matmul_split_k", [64, 640], kind="cube", blocks=(1, 4, 20))
def _matmul_split_k(rng, k):
    a, b = whole(rng, 64, k, dtype=bfloat16), whole(rng, k, 64, dtype=bfloat16)
    c = np.ones((64, 64), np.float32)
    return Run([a, b, c, k], {2: c + a.astype(np.float32) @ b.astype(np.float32)})


@case("matmul_relu", SHAPES[2:], kind="cube", blocks=(1,))
def _matmul_relu(rng, m, n, k):
    a, b, bias = whole(rng, m, k), whole(rng, k, n), np.zeros(-(-n // 16) * 16, np.float32)
    bias[:n] = rng.integers(-40, 40, n)
    expected = np.maximum(a.astype(np.float32) @ b.astype(np.float32) + bias[:n], 0).astype(np.float16)
    return Run([a, b, bias, np.zeros((m, n), np.float16), m, n, k], {3: expected})


@case("matmul_object", [(64, 96, 80), (128, 48, 33)], kind="mix_1_1", blocks=(1, 2))
def _matmul_object(rng, m, n, k):
    a, b, bias = whole(rng, m, k), whole(rng, k, n), rng.integers(-40, 40, n).astype(np.float32)
    tiling = np.array([1, m, n, k, k, m, n, k, 32, 48, 16, 1, 1, 1, 1, 1, 0, 0] + [1] * 32, np.int32)
    product = a.astype(np.float32) @ b.astype(np.float32) + bias
    expected = np.where(product >= 0, product, product * np.float32(0.001))
    return Run([a, b, bias, np.zeros((m, n), np.float32), np.zeros(8, np.uint8), tiling], {3: expected})


@case("attention_rows", [(32, 16), (96, 128)], kind="mix_1_2", blocks=(1, 2, 3), rtol=2e-6, atol=1e-9)
def _attention_rows(rng, queries, keys):
    q, k = floats(rng, queries, 64, dtype=np.float16), floats(rng, keys, 64, dtype=np.float16)
    scores = q.astype(np.float64) @ k.T.astype(np.float64) / 8
    e = np.exp(scores - scores.max(1, keepdims=True))
    workspace = np.zeros((3, 32, keys), np.float32)
    return Run([q, k, np.zeros((queries, keys), np.float32), workspace, queries, keys],
               {2: (e / e.sum(1, keepdims=True)).astype(np.float32)})  # fmt: skip


def file_of(name: str) -> str:
    return CASES[name].file or name


@functools.cache
def unit_of(name: str) -> Kernel:
    """The unit in which a kernel was compiled: some files together, since every unit pays for the headers."""
    kind = CASES[name].kind
    files: dict[str, list[str]] = {}
    for other, each in CASES.items():
        if each.kind == kind:
            files.setdefault(file_of(other), []).append(other)
    place = list(files).index(file_of(name)) // 10
    chosen = list(files)[place * 10 : (place + 1) * 10]
    return unit(tuple(chosen), tuple(tuple(files[file]) for file in chosen), kind)


@functools.cache
def unit(files: tuple[str, ...], names: tuple[tuple[str, ...], ...], kind: str) -> Kernel:
    return together([HERE / "kernels" / f"{file}.cpp" for file in files], [list(each) for each in names], kind)


RUNS = [(name, size, blocks) for name, each in CASES.items() for size in each.sizes for blocks in each.blocks]


@pytest.mark.parametrize("name, size, blocks", RUNS, ids=lambda value: str(value).replace(" ", ""))
def test_kernels_give_what_numpy_gives(name, size, blocks):
    each = CASES[name]
    run = each.make(np.random.default_rng(sum(size)), *size)
    ran = unit_of(name)(name, blocks, *run.arguments)
    assert ran.findings == []
    assert ran.cycles > 0
    for place, expected in run.expected.items():
        got = run.arguments[place]
        expected = expected(blocks) if callable(expected) else expected
        assert got.dtype == expected.dtype
        if each.rtol or each.atol:
            np.testing.assert_allclose(got, expected, each.rtol, each.atol)
        else:
            np.testing.assert_array_equal(got, expected)


def test_every_file_is_in_the_table():
    # Which tests of their own run.
    elsewhere = {"add", "matmul_fused", "matmul_plain", "mixed", "product", "tiles"}
    files = {path.stem for path in (HERE / "kernels").glob("*.cpp")}
    assert files == {file_of(name) for name in CASES} | elsewhere
