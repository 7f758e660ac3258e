"""Functions that act element by element, and those that run along an axis."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FEW, FLOATS, INTEGERS, NUMERIC, REAL, agree, agree_method, sample

import asnumpy as ap

ODD = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.25, 1e300, 1e-300, 65000.0])


def odd(dtype):
    with np.errstate(all="ignore"):
        return ODD.astype(dtype)


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("decimals", [0, 1, 2, -1, -2])
def test_round(dtype, decimals):
    a = sample((3, 4), dtype) if np.dtype(dtype).kind in "biu" else (sample((3, 4), dtype) * 1.37).astype(dtype)
    agree("round", a, decimals)
    agree("around", a, decimals)
    agree_method("round", a, decimals)
    agree("round", a, decimals, np.zeros((3, 4), dtype))
    agree("round", 2.675, decimals)


def test_round_forms():
    agree("round", odd("float64"), 1)
    agree("round", np.array([127, 126], "int8"), -1)
    agree("round", [1.5, 2.5])
    agree("round", np.zeros(3), 1.5)
    agree("round", np.zeros(3), 1, np.zeros(4))
    for dtype in REAL:
        agree("fix", sample(9, dtype))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_clip(dtype):
    a = sample((3, 4), dtype)
    for low, high in ((1, 3), (None, 2), (1, None), (None, None), (2.5, 4), (-1, 5), (300, 400), (-500, 300), (3, 1),
                      (True, 3), (-2**70, 2**70)):
        agree("clip", a, low, high)
        agree("clip", a, min=low, max=high)
        agree_method("clip", a, low, high)
    for other in FEW:
        agree("clip", a, sample(4, other), 5)
        agree("clip", a, sample((3, 1), other), sample(4, other, 1))
        agree("clip", a, np.dtype(other).type(1), np.dtype(other).type(1))


def test_clip_forms():
    a = sample((3, 4), "float32")
    agree("clip", a)
    agree("clip", a, 1)
    agree("clip", a, 1, 2, min=0)
    agree("clip", a, a_max=3)
    agree("clip", a, 0, 1, out=np.zeros((3, 4)))
    agree("clip", a, 0, 1, out=np.zeros((3, 4), int))
    agree("clip", a, 0, 1, np.zeros((3, 3)))
    agree("clip", a, 0, 1, dtype="float64")
    agree("clip", a, 0, 1, where=a > 0, out=np.zeros((3, 4), "float32"))
    agree("clip", odd("float64"), -1, 1)
    agree("clip", a, np.nan, 1)
    agree("clip", 5, 1, 3)
    agree("clip", [1, 2, 9], 2, 3)
    agree(lambda xp, a: xp.clip(a, 0, 1, out=a), a)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_nan_to_num(dtype):
    a = sample((3, 4), dtype) if np.dtype(dtype).kind in "biu" else odd(dtype)
    agree("nan_to_num", a)
    agree("nan_to_num", a, nan=7, posinf=8, neginf=-9)
    agree("nan_to_num", a, False)
    agree("nan_to_num", a[0])
    agree("nan_to_num", np.nan)


@pytest.mark.parametrize("dtype", FEW)
def test_closeness(dtype):
    a = sample((3, 4), dtype)
    for other in FEW:
        b = sample((3, 4), other)
        for name in ("isclose", "allclose", "array_equal", "array_equiv"):
            agree(name, a, b)
            agree(name, a, a)
            agree(name, a, b[0])
    agree("isclose", a, a, rtol=0, atol=0)
    agree("isclose", a, 1)


def test_closeness_of_odd_values():
    a = odd("float64")
    for equal_nan in (False, True):
        agree("isclose", a, a, equal_nan=equal_nan)
        agree("isclose", a, a[::-1].copy(), equal_nan=equal_nan)
        agree("allclose", a, a, equal_nan=equal_nan)
        agree("array_equal", a, a, equal_nan=equal_nan)
    agree("isclose", 1, 1 + 1e-9)
    agree("isclose", a, a, rtol=np.full(10, 1e-3), atol=1)
    agree("allclose", [1, 2], [1, 2, 3])
    agree("array_equal", [1, 2], [1, 2, 3])
    agree("array_equiv", [[1, 2], [1, 2]], [1, 2])


@pytest.mark.parametrize("dtype", NUMERIC)
def test_complex_parts(dtype):
    a = sample((3, 4), dtype)
    agree("real", a)
    agree("imag", a)
    agree("angle", a, ulp=4)
    agree("angle", a, True, ulp=4)
    agree("iscomplex", a)
    agree("isreal", a)
    agree("iscomplexobj", a)
    agree("isrealobj", a)
    agree("real_if_close", a)
    agree("real_if_close", a * 0)
    agree("isposinf", a)
    agree("isneginf", a)


def test_infinities_and_scalars():
    for dtype in FLOATS:
        agree("isposinf", odd(dtype))
        agree("isneginf", odd(dtype))
        agree("isneginf", odd(dtype), np.zeros(10, bool))
    agree("real", 3 + 2j)
    agree("imag", [1, 2j])
    agree("iscomplexobj", [1, 2j])
    agree("angle", 1j)


@pytest.mark.parametrize("dtype", REAL)
def test_special_functions(dtype):
    agree("sinc", sample((3, 4), dtype), ulp=8, atol=1e-3 if dtype in ("float16", "bool", "int8", "uint8") else 1e-6)
    agree("i0", sample((3, 4), dtype), ulp=4)


# --- along an axis ---


@pytest.mark.parametrize("dtype", NUMERIC)
def test_diff(dtype):
    a = sample((4, 5), dtype)
    for axis in (0, 1, -1, 2):
        for n in (0, 1, 2, 5):
            agree("diff", a, n, axis)
    agree("diff", a, prepend=0)
    agree("diff", a, axis=0, append=a[:1], prepend=a[:2])
    agree("diff", a, n=-1)
    agree("diff", 3)
    agree("ediff1d", a) if dtype != "bool" else None
    agree("ediff1d", a.real.astype("float64"), 9, [1, 2])
    agree("ediff1d", sample(4, "int32"), to_end=1.5)


@pytest.mark.parametrize("dtype", ["int32", "uint8", *FLOATS, "complex64"])
@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(dtype, edge_order):
    a = sample((5, 6), dtype)
    near = {"ulp": 4, "atol": 1e-2 if dtype == "float16" else 1e-6}
    agree("gradient", a, edge_order=edge_order, **near)
    agree("gradient", a, 2.0, edge_order=edge_order, **near)
    agree("gradient", a, 2, 0.5, edge_order=edge_order, **near)
    agree("gradient", a, axis=1, edge_order=edge_order, **near)
    agree("gradient", a[0], edge_order=edge_order, **near)
    agree("gradient", a, np.array([0.0, 1, 3, 4, 7]), 2, edge_order=edge_order, ulp=16, atol=2e-2)
    agree("gradient", a, np.array([0, 1, 2, 3, 4]), 2, edge_order=edge_order, **near)


def test_gradient_errors():
    a = sample((5, 6), "float64")
    agree("gradient", a, 1, 2, 3)
    agree("gradient", a, [1, 2], 1)
    agree("gradient", a, edge_order=3)
    agree("gradient", a[:1])
    agree("gradient", a, axis=2)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "bool"])
def test_running(dtype):
    a = sample((4, 5), dtype)
    agree("trapezoid", a, ulp=4)
    agree("trapezoid", a, dx=2, axis=0, ulp=4)
    agree("trapezoid", a, [0, 1, 3, 4, 7.0], ulp=4)
    agree("trapezoid", a, np.cumsum(np.abs(a.astype("f8")), 1), ulp=4)
    for name in ("cumulative_sum", "cumulative_prod"):
        agree(name, a, axis=1)
        agree(name, a, axis=0, include_initial=True)
        agree(name, a[0], include_initial=True)
        agree(name, a)
        agree(name, a, axis=0, dtype="float64")


def test_signals():
    a, b = sample(9, "float64"), sample(4, "float64", 1)
    for mode in ("full", "same", "valid"):
        agree("convolve", a, b, mode)
        agree("correlate", a, b, mode)
    agree("convolve", [], [1])
    agree("interp", a, [-5, 0, 5], [1, 2, 4.0])
    agree("interp", 2.5, [1, 2], [3, 4])
    agree("interp", a, np.array([0, 90, 180]), np.array([1, 2, 3]), period=360)
    agree("unwrap", a)
    agree("unwrap", sample((3, 4), "float32"), axis=0)


@pytest.mark.parametrize("first", [2, 3])
@pytest.mark.parametrize("second", [2, 3])
def test_cross(first, second):
    for dtype in ("int32", "float32", "complex64"):
        a, b = sample((4, first), dtype), sample((4, second), dtype, 1)
        agree("cross", a, b)
        agree("cross", a, b[0])
        agree("cross", a.T.copy(), b, axisa=0)
        if first == second == 3:
            agree("cross", a, b, axisc=0)
            agree("cross", a.T.copy(), b.T.copy(), axis=0)
            agree("linalg.cross", a, b)
    agree("cross", sample((4, first), "int32"), sample((4, 4), "int32"))
    agree("cross", 3, [1, 2, 3])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_results_wrap(dtype):
    a = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    agree("diff", a)
    agree("ptp", a)
    agree("cumulative_sum", a)


BFLOAT16 = {
    "full": [((2,), 1.5, "bfloat16"), ((2,), 3, "bfloat16")], "eye": [(3, None, 0, "bfloat16")],
    "where": [("mask", "a", "b"), ("mask", "a", 0), ("mask", "a", 0.5)], "concatenate": [(["a", "b"],)],
    "take": [("a", [0, 1], 0)], "sort": [("a",)], "mean": [("a",), ("a", 0)], "argmax": [("a", 1)], "round": [("a",)],
    "nan_to_num": [("a",)], "isclose": [("a", "b")], "tril": [("a",)], "pad": [("a", 1, "edge")], "unique": [("a",)],
    "diff": [("a",)], "nansum": [("a",)], "dot": [("a", "a")], "roll": [("a", 1)], "putmask": [("a", "mask", 2.5)],
    "copyto": [("a", "b"), ("a", 1.5)], "gradient": [("a",)], "kron": [("a", "b")], "vander": [("row",)],
}


@pytest.mark.parametrize("name", sorted(BFLOAT16))
def test_bfloat16(name):
    bfloat16 = ap.bfloat16
    values = {
        "a": sample((4, 4), "float32").astype(bfloat16), "b": sample((4, 4), "float32", 1).astype(bfloat16),
        "row": sample(4, "float32").astype(bfloat16), "mask": sample((4, 4), "bool"), "bfloat16": bfloat16,
    }

    def value(one):
        if isinstance(one, list):
            return [value(item) for item in one]
        return values.get(one, one) if isinstance(one, str) else one

    for args in BFLOAT16[name]:
        agree(name, *(value(one) for one in args))
