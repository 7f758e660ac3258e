"""What is read of a kernel's declaration."""

from __future__ import annotations

import numpy as np
import pytest

from asnumpy.operators._signature import declared

SOURCE = r"""
// void f(int commented);
const char* text = "void f(int quoted)";
int helper(int a) { return a; }
void f(float x);                                   /* another declaration comes first */
template <class T, typename U> __global__ __aicore__ void filled(GM_ADDR x, T value, U* __restrict__ more) { f(1.0f); }
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, __gm__ half* y, const __gm__ uint8_t *bytes,
    unsigned int n, const float eps = (1 + 2) * 0.5f, Pair<int, float> both,
    struct Tiling tiling, float** rows, bfloat16_t b, int64_t) {}
extern "C" void none(void) { if (x) kernel(y); }
"""


@pytest.mark.parametrize("name, expected", [
    ("f", [("x", False, "float32")]),
    ("kernel", [
        ("x", True, None), ("y", True, "float16"), ("bytes", True, None), ("n", False, "uint32"),
        ("eps", False, "float32"), ("both", False, None), ("tiling", False, None), ("rows", True, None),
        ("b", False, "bfloat16"), ("", False, "int64"),
    ]),
    ("filled", [("x", True, None), ("value", False, None), ("more", True, None)]),
    ("filled<double, unsigned int>", [("x", True, None), ("value", False, "float64"), ("more", True, "uint32")]),
    ("none", []), ("helper", None), ("commented", None), ("nothing", None),
])  # fmt: skip
def test_parameters(name: str, expected: list[tuple[str, bool, str | None]] | None) -> None:
    found = declared(SOURCE, name)
    assert (found is None) == (expected is None)
    for one, (word, pointer, dtype) in zip(found or (), expected or (), strict=True):
        assert (one.name, one.pointer) == (word, pointer), one
        assert one.dtype == (None if dtype is None else np.dtype(dtype)), one
