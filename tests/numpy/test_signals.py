"""Interpolation, convolution, padding, windows and gradients: every mode, option and kind of number."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import NUMERIC, agree, sample


@pytest.mark.parametrize("values", ["float64", "float32", "int16", "complex128"])
def test_interp(values):
    x = np.array([-3.0, -1, 0, 0.25, 1.5, 2, 7, np.nan])
    xp, fp = np.array([-1.0, 0, 1, 2, 5]), sample(5, values)
    agree("interp", x, xp, fp, ulp=2)
    agree("interp", x.reshape(2, 4), xp, fp, left=-7, right=8, ulp=2)
    agree("interp", x, xp, fp, left=1 + 2j if values == "complex128" else 0.5, ulp=2)
    agree("interp", x, xp[::-1] * 3, fp, period=4, ulp=4)
    agree("interp", x, xp, fp, period=-4, ulp=4)
    agree("interp", 0.3, xp, fp, ulp=2)
    agree("interp", x.astype("float32"), xp.astype("float32"), fp, ulp=2)
    agree("interp", x, xp[:3], fp)
    agree("interp", x, np.zeros(0), np.zeros(0))
    agree("interp", x, xp, fp, period=0)
    agree("interp", x, xp.reshape(1, 5), fp)


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("function", ["convolve", "correlate"])
def test_convolution(function, dtype):
    a, v = sample(17, dtype), sample(5, dtype, 1)
    for mode in ("full", "same", "valid"):
        agree(function, a, v, mode, ulp=4)
        agree(function, v, a, mode, ulp=4)
    agree(function, a, v.astype("float64"), ulp=4)
    agree(function, a, v[:1])
    agree(function, a, v, "nonsense")
    agree(function, a, v[:0])
    agree(function, a, sample((2, 3), dtype))


MODES = "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap".split()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float64", "complex64"])
@pytest.mark.parametrize("mode", MODES)
def test_pad_modes(mode, dtype):
    if dtype == "bool" and mode in ("linear_ramp", "mean", "median"):
        pytest.skip("NumPy has no such arithmetic of booleans")
    if dtype == "complex64" and mode == "median":
        pytest.skip("complex numbers have no order that both sort alike")
    a = sample((3, 4), dtype)
    for width in (2, (1, 3), ((0, 2), (5, 0)), {-1: 2}, {0: (1, 2)}):
        agree("pad", a, width, mode, ulp=2, atol=1e-6 if dtype == "complex64" else 0)
    agree("pad", sample((2, 3, 2), dtype), ((1, 1), (0, 2), (2, 0)), mode, ulp=2)
    agree("pad", a[:, :0], ((0, 0), (1, 1)), mode)
    agree("pad", a, -1, mode)
    agree("pad", a, 1.5, mode)


def test_pad_options():
    a = sample((3, 4), "float64")
    agree("pad", a, 2, "constant", constant_values=((1, 2), (3, 4)))
    agree("pad", a, 2, "linear_ramp", end_values=(5, -4), ulp=2)
    for mode in ("maximum", "mean", "median", "minimum"):
        agree("pad", a, 2, mode, stat_length=2, ulp=2)
        agree("pad", a, 2, mode, stat_length=((1, 2), (3, 1)), ulp=2)
    for mode in ("reflect", "symmetric"):
        agree("pad", a, 7, mode, reflect_type="odd", ulp=2)
    agree("pad", a, 2, "edge", stat_length=2)
    agree("pad", a, 1, "nonsense")

    def border(vector, width, axis, kwargs):
        vector[: width[0]] = kwargs.get("value", 9)
        vector[vector.size - width[1]:] = -axis

    agree("pad", a, 2, border)
    agree("pad", a, 2, border, value=4)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name):
    for length in (0, 1, 2, 7, 64, 3.0, -2):
        agree(name, length, *([8.6] if name == "kaiser" else []), ulp=2)


def test_gradient_forms():
    a = sample((5, 6), "float64")
    x, y = np.cumsum(np.arange(1, 6) * 0.5), np.linspace(0, 2, 6) ** 2
    for edge_order in (1, 2):
        agree("gradient", a, x, y, edge_order=edge_order, ulp=8)
        agree("gradient", a, 2, y, edge_order=edge_order, ulp=8)
        agree("gradient", a, x, axis=0, edge_order=edge_order, ulp=8)
        agree("gradient", a, 0.5, axis=(1, 0), edge_order=edge_order, ulp=8)
        agree("gradient", a[0] + 1j * a[1], y, edge_order=edge_order, ulp=8)
        agree("gradient", np.array([1, 4, 9, 16], "uint8"), edge_order=edge_order, ulp=8)
    agree("trapezoid", a, x=y, ulp=4)
    agree("trapezoid", a, x=x, axis=0, ulp=4)
    agree("trapezoid", a, dx=0.5, ulp=4)
    agree("unwrap", a, period=3, ulp=4)
    agree("unwrap", a * 4, discont=5, axis=0, ulp=4)
    agree("unwrap", np.arange(12) * 3 % 8, period=8)


@pytest.mark.parametrize("dtype", ["uint8", "bool", "int64", "float64"])
def test_packed_bits(dtype):
    bits = sample((3, 13), "bool").astype(dtype)
    for axis in (None, 0, 1, -1, 2):
        for order in ("big", "little"):
            agree("packbits", bits, axis, order)
    octets = sample((3, 2), "uint8")
    for axis in (None, 0, 1):
        for count in (None, 0, 5, -3, 40):
            agree("unpackbits", octets, axis, count)
            agree("unpackbits", octets, axis, count, "little")
    agree("unpackbits", octets.astype("int32"))
