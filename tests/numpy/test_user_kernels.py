"""ElementwiseKernel and ReductionKernel beside the same C through a compiler, and what they refuse."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest
from host_compiler import compiler

import asnumpy as ap

COMPILER = compiler()
C = {
    "i1": "signed char", "u1": "unsigned char", "i2": "short", "i4": "int", "u4": "unsigned", "i8": "long",
    "u8": "unsigned long", "f4": "float", "f8": "double",
}  # fmt: skip
PAIRS = [
    ("i4", "i4"), ("i1", "i1"), ("u1", "i2"), ("i4", "u4"), ("i8", "i4"), ("u8", "i8"), ("f4", "f4"), ("f8", "f4"),
    ("i4", "f4"),
]  # fmt: skip

# Of x (T) and y (U) to z (double) and w (T).
PROGRAMS = {
    "signs": "z = x + y - x * y; w = x - 1;",
    "quotient": "z = y != 0 ? x / y : 0; w = -x;",
    "comparisons": "z = (x < y) + 2 * (x > y) + 4 * (x <= y) + 8 * (x >= y) + 16 * (x == y) + 32 * (x != y); w = !x;",
    "logic": "z = (x && y) + 2 * (x || y); w = x;",
    "branches": "if (x > y) { z = x; w = 1; } else if (x == y) z = 0.5; else { z = y; if (y > 3) z += 10; w = 2; }",
    "locals": "T a = x; const double half = 0.5; auto b = a + y; b *= 2; a++; --a; z = b * half; w = a;",
    "casts": "z = (int)(x * 1.5) + static_cast<double>(y) + float(0.1); w = T(3.7);",
    "literals": "z = 0x1f + 017 + 3u + 1e2 + .5f + 10L + (1 / 2) + 1 / 2.0; w = true;",
    "functions": "z = min(x, (T)2) + max((U)1, y) + fabs((double)x); w = x > 0 ? x : 0;",
    "numbers": "z = i * 10 + n; w = i % 3;",
}
INTEGERS = {
    "bits": "z = (x & y) + (x | y) + (x ^ y) + ~x; w = x;",
    "shifts": "z = (x << (y & 3)) + (x >> 1); w = x;",
    "remainder": "z = y != 0 ? x % y : 0; w = y != 0 ? x / y : 0;",
}
FLOATS = {
    "elementary": "z = exp(x) + log(fabs(y) + 1) + sqrt(fabs(x)) + sin(y) + atan2((double)x, (double)y);"
    "w = floor(x * 1.3);",
    "rounding": "z = round(x * 1.5) + rint((double)y) + trunc(x * 2.5) + ceil((double)x); w = fmod((double)x, 3.0);",
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """All programs for all pairs of types, as functions of a C library."""
    if COMPILER is None:
        pytest.skip("the same C is compiled here, and there is no compiler")
    text = "#include <cmath>\n#include <algorithm>\nusing namespace std;\n"
    for t, u in PAIRS:
        for name, body in programs(t, u).items():
            text += f'extern "C" void {name}_{t}_{u}'
            text += f"(long n, const {C[t]}* xs, const {C[u]}* ys, double* zs, {C[t]}* ws) {{\n"
            text += f"using T = {C[t]}; using U = {C[u]};\nfor (long i = 0; i < n; ++i) {{\n"
            text += "T x = xs[i]; U y = ys[i]; double& z = zs[i]; T& w = ws[i]; (void)x; (void)y;\n" + body + "}}\n"
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "all.cpp").write_text(text)
    command = [COMPILER, "-O0", "-w", "-fwrapv", "-shared", "-fPIC", "-ffp-contract=off", "all.cpp", "-o", "all.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "all.so"))


def programs(t: str, u: str) -> dict[str, str]:
    """Those that these types may have."""
    whole = np.dtype(t).kind in "iu" and np.dtype(u).kind in "iu"
    return PROGRAMS | (INTEGERS if whole else {}) | (FLOATS if t in ("f4", "f8") else {})


def values(dtype: str, seed: int) -> np.ndarray:
    """Small numbers of both signs, zeros among them."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        return rng.integers(0 if kind.kind == "u" else -6, 7, 200).astype(kind)
    return rng.normal(0, 3, 200).astype(kind)


CASES = [(name, t, u) for t, u in PAIRS for name in programs(t, u)]


@pytest.mark.parametrize("name, t, u", CASES, ids=["-".join(case) for case in CASES])
def test_as_compiled(compiled, name, t, u):
    x, y = values(t, 1), values(u, 2)
    z, w = np.zeros(200), np.zeros(200, t)
    address = [array.ctypes.data_as(ctypes.c_void_p) for array in (x, y, z, w)]
    compiled[f"{name}_{t}_{u}"](ctypes.c_long(200), *address)
    kernel = ap.ElementwiseKernel("T x, U y", "float64 z, T w", programs(t, u)[name], name)
    got_z, got_w = kernel(ap.array(x), ap.array(y))
    assert (got_z.dtype, got_w.dtype) == (z.dtype, w.dtype)
    tolerance = 2e-6 if "f4" in (t, u) and name in FLOATS else 1e-13
    np.testing.assert_allclose(ap.asnumpy(got_z), z, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(ap.asnumpy(got_w), w)


def test_raw_arrays_and_their_sizes():
    smooth = ap.ElementwiseKernel(
        "raw T x", "T y",
        "T left = i > 0 ? x[i - 1] : x[i]; if (i < n - 1) y = (left + x[i + 1]) / 2; else y = -x.size();", "smooth",
    )  # fmt: skip
    x = np.arange(10, dtype=np.float32) ** 2
    expected = np.concatenate([[0.5], (x[:-2] + x[2:]) / 2, [-10]])
    np.testing.assert_array_equal(ap.asnumpy(smooth(ap.array(x), size=10)), expected)
    scatter = ap.ElementwiseKernel("T x, raw int32 to", "raw T y", "if (x > 0) y[to[i]] = x * 2;", "scatter")
    y = ap.zeros(5)
    result = scatter(ap.array([1.0, -1.0, 3.0]), ap.array([4, 0, 1], dtype=np.int32), y)
    assert result is y and y.tolist() == [0, 6, 0, 0, 2]


def test_broadcasting_outputs_and_streams():
    kernel = ap.ElementwiseKernel("T x, T y", "T z", "z = x * 10 + y", "both")
    x, y = np.arange(3.0)[:, None], np.arange(4.0)
    np.testing.assert_array_equal(ap.asnumpy(kernel(ap.array(x), ap.array(y))), x * 10 + y)
    out = ap.empty((3, 4))
    assert kernel(ap.array(x), ap.array(y), out, stream=ap.Stream()) is out
    np.testing.assert_array_equal(ap.asnumpy(out), x * 10 + y)
    assert kernel(ap.arange(3.0), 2).tolist() == [2, 12, 22]
    assert kernel(ap.float64(1), 2).shape == ()
    both = ap.ElementwiseKernel("T x", "T y, bool z", "y = x; z = x > 1", "two", return_tuple=True)
    first, second = both(ap.arange(3))
    assert first.tolist() == [0, 1, 2] and second.tolist() == [False, False, True]
    # What is copied does not follow its input.
    same = ap.ElementwiseKernel("T x", "T y", "y = x", "same")
    x = ap.arange(3.0)
    y = same(x)
    x += 1
    assert y.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "operation, place, words",
    [
        ("y = x;\nfor (;;) {}", "line 2, column 1", "a loop"),
        ("y = x +;", "line 1, column 8", "expected a value"),
        ("y = *x;", "line 1, column 5", "'*'"),
        ("y = foo(x);", "line 1, column 5", "'foo' is not a function"),
        ("y = x.shape();", "line 1, column 7", "'.shape'"),
        ("{ y = x;", "line 1, column 9", "expected '}'"),
        ("y = @;", "line 1, column 5", "'@'"),
        ("x;", "line 1, column 2", "expected an assignment"),
        ("auto a; y = x;", "line 1, column 6", "auto"),
        ("y = a;", "line 1, column 5", "'a' is not declared"),
        ("y = x[0];", "line 1, column 5", "'x' is not a raw array"),
        ("y = pow(x);", "line 1, column 5", "pow takes 2 values, got 1"),
        ("y = x % 2;", "line 1, column 7", "'%' takes integers, got float64"),
        ("y = (V)x;", "line 1, column 5", "'V' is not the type of any argument"),
        ("return;", "line 1, column 1", "return"),
    ],
)
def test_what_is_not_in_the_subset(operation, place, words):
    with pytest.raises(ValueError, match=r"(?s)kernel") as refused:
        ap.ElementwiseKernel("T x", "T y", operation)(ap.arange(3.0))
    assert place in str(refused.value) and words in str(refused.value)


def test_arguments_that_do_not_fit():
    kernel = ap.ElementwiseKernel("T x, T y, raw T t", "T z", "z = x + y + t[0]", "sum3")
    x = ap.arange(3.0)
    with pytest.raises(TypeError, match="expected 3 arguments, or 4 with the outputs, got 1"):
        kernel(x)
    with pytest.raises(TypeError, match=r"'y': expected float64 .T., got int32; convert it with astype"):
        kernel(x, ap.arange(3, dtype=np.int32), x)
    with pytest.raises(TypeError, match="'t': expected an array, got float"):
        kernel(x, x, 1.0)
    with pytest.raises(ValueError, match=r"the output 'z': expected the shape .3,., got .4,."):
        kernel(x, x, x, ap.empty(4))
    with pytest.raises(ValueError, match="size is for calls whose arrays are all raw"):
        kernel(x, x, x, size=3)
    with pytest.raises(TypeError, match="no argument tells the type 'U' of 'y'"):
        ap.ElementwiseKernel("T x", "U y", "y = x", "out")(x)
    for bad in ("x", "T 1", "string x", "T i"):
        with pytest.raises(ValueError, match="in_params"):
            ap.ElementwiseKernel(bad, "T z", "z = 1")


REDUCTIONS = {
    "sum": ("x", "a + b", "y = a", 0, lambda x, axis: x.sum(axis)),
    "norm": ("x * x", "a + b", "y = sqrt(a)", "0", lambda x, axis: np.sqrt((x * x).sum(axis))),
    "product": ("x", "a * b", "y = a", 1, lambda x, axis: x.prod(axis)),
    "largest": ("abs(x)", "max(a, b)", "y = a + 1", None, lambda x, axis: np.abs(x).max(axis) + 1),
    "tree": ("x", "a < b ? a : b", "y = a", None, lambda x, axis: x.min(axis)),
    "pairs": ("x", "hypot(a, b)", "y = a", 0, lambda x, axis: np.sqrt((x * x).sum(axis))),
    "mean": ("x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", 0, lambda x, axis: x.mean(axis)),
}


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), -1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, axis):
    mapped, joined, post, identity, expected = REDUCTIONS[name]
    kernel = ap.ReductionKernel("T x", "T y", mapped, joined, post, identity, name)
    x = np.random.default_rng(0).uniform(-2, 2, (3, 5, 7))
    np.testing.assert_allclose(ap.asnumpy(kernel(ap.array(x), axis=axis)), expected(x, axis), rtol=1e-12)
    kept = kernel(ap.array(x), axis=axis, keepdims=True)
    assert kept.shape == x.sum(axis, keepdims=True).shape
    out = ap.empty(expected(x, axis).shape)
    assert kernel(ap.array(x), axis=axis, out=out) is out
    np.testing.assert_allclose(ap.asnumpy(out), expected(x, axis), rtol=1e-12)


def test_reductions_of_other_types_and_of_nothing():
    count = ap.ReductionKernel("T x, T low", "int64 y", "x > low", "a + b", "y = a", 0, "count")
    assert int(count(ap.arange(10), 6)) == 3
    every = ap.ReductionKernel("T x", "bool y", "x > 0", "a && b", "y = a", 1, "every", reduce_type="bool")
    assert bool(every(ap.arange(1, 5))) and not bool(every(ap.arange(5)))
    assert count(ap.zeros((0, 3)), 0.0, axis=0).tolist() == [0, 0, 0]
    largest = ap.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")
    with pytest.raises(ValueError, match="largest: there are no elements, and the kernel has no identity"):
        largest(ap.zeros(0))
    with pytest.raises(ValueError, match="post_map_expr"):
        ap.ReductionKernel("T x", "T y", "x", "a + b", "", 0)
    with pytest.raises(ValueError, match="reduce_expr: line 1, column 3"):
        ap.ReductionKernel("T x", "T y", "x", "a b", "y = a", 0)
