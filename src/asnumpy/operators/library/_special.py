"""Special functions, activations and complex numbers, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import nn
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import element_by_element

# Giles (2010), for float: powers of w = -log(1 - x^2) less 2.5, and of its root less 3 from w = 5 on.
_NEAR = (2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
         -0.00417768164, 0.246640727, 1.50140941)  # fmt: skip
_FAR = (-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
        1.00167406, 2.83297682)  # fmt: skip
_SHIFT = 8  # from here on the asymptotic series are exact


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    made = x * coefficients[0] + coefficients[1]
    for one in coefficients[2:]:
        made = made * x + one
    return made


@operator("library.erfinv(x: T[...]) -> y: T[...]", T="f4 f2")
def erfinv(x: Any) -> Any:
    """The number whose erf is x. Within 4e-7 of its size in float32."""
    x = x.astype(np.float32)
    with np.errstate(all="ignore"), ap.errstate(all="ignore"):
        w = -ap.log((1 - x) * (1 + x))
        near = _polynomial(_NEAR, w - np.float32(2.5))
        far = _polynomial(_FAR, ap.sqrt(ap.maximum(w, 0)) - np.float32(3))
        factor = ap.where(ap.absolute(x) == 1, np.float32(np.inf), ap.where(w < 5, near, far))
        return factor * x


def _stirling(z: Any) -> tuple[Any, Any]:
    """log(gamma(z + 8)) and the product of the eight factors before, in float64."""
    product = z
    for k in range(1, _SHIFT):
        product = product * (z + k)
    w = z + _SHIFT
    inverse = 1 / w
    square = inverse * inverse
    series = inverse * _polynomial((-1 / 1680, 1 / 1260, -1 / 360, 1 / 12), square)
    return (w - 0.5) * ap.log(w) - w + 0.5 * float(np.log(2 * np.pi)) + series, product


def _sine(x: Any) -> Any:
    """sin(pi x) of the distance to the nearest whole number, with the sign of an even or odd one."""
    whole = ap.rint(x)
    odd = whole - 2 * ap.floor(whole / 2)
    return ap.sin(np.pi * (x - whole)) * (1 - 2 * odd)


@operator("library.gamma(x: T[...]) -> y: T[...]", T="f4 f2")
def gamma(x: Any) -> Any:
    """The gamma function. Within 5e-6 of its size in float32; NaN of negative whole numbers, infinity of 0."""
    x = x.astype(np.float64)
    with ap.errstate(all="ignore"):
        reflected = x < 0.5
        logarithm, product = _stirling(ap.where(reflected, 1 - x, x))
        made = ap.exp(logarithm) / product
        made = ap.where(reflected, np.pi / (_sine(x) * made), made)
        made = ap.where((x == 0) | (x == np.inf), np.inf, made)
        return ap.where((x < 0) & (x == ap.floor(x)), np.nan, made)


@operator("library.lgamma(x: T[...]) -> y: T[...]", T="f4 f2")
def lgamma(x: Any) -> Any:
    """The logarithm of the gamma function's size. Within a rounding of the result, and 1e-6 near its zeros."""
    x = x.astype(np.float64)
    with ap.errstate(all="ignore"):
        reflected = x < 0.5
        logarithm, product = _stirling(ap.where(reflected, 1 - x, x))
        made = logarithm - ap.log(product)
        made = ap.where(reflected, float(np.log(np.pi)) - ap.log(ap.absolute(_sine(x))) - made, made)
        return ap.where(ap.isinf(x), np.inf, made)


@operator("library.digamma(x: T[...]) -> y: T[...]", T="f4 f2")
def digamma(x: Any) -> Any:
    """The derivative of `lgamma`. Within a rounding of the result, and 1e-6 near its zeros."""
    x = x.astype(np.float64)
    with ap.errstate(all="ignore"):
        reflected = x < 0.5
        z = ap.where(reflected, 1 - x, x)
        sum_ = 1 / z
        for k in range(1, _SHIFT):
            sum_ = sum_ + 1 / (z + k)
        w = z + _SHIFT
        square = 1 / (w * w)
        series = square * _polynomial((-1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12), square)
        made = ap.log(w) - 0.5 / w + series - sum_
        part = x - ap.rint(x)
        made = ap.where(reflected, made - np.pi / ap.tan(np.pi * part), made)
        made = ap.where((x < 0) & (part == 0), np.nan, made)
        return ap.where(x == 0, -np.inf, made)


@operator("library.gelu_tanh(x: T[...]) -> y: T[...]", T="f4 f2")
def gelu_tanh(x: Any) -> Any:
    """The activation gelu in its form with tanh."""
    return nn.gelu(x, "tanh")


@operator("library.swiglu(gate: T[...], up: T[...]) -> y: T[...]", T="f4 f2")
def swiglu(gate: Any, up: Any) -> Any:
    """gate * sigmoid(gate) * up, rounded once."""
    return nn.silu(gate.astype(np.float32)) * up


@operator("library.geglu(gate: T[...], up: T[...]) -> y: T[...]", T="f4 f2")
def geglu(gate: Any, up: Any) -> Any:
    """gelu(gate) * up, rounded once; gelu with erf."""
    return nn.gelu(gate.astype(np.float32)) * up


for _operator in (erfinv, gamma, lgamma, digamma, gelu_tanh, swiglu, geglu):
    element_by_element(_operator, "special")


@operator("library.complex_multiply(x: c8[...], y: c8[...]) -> z: c8[...]")
def complex_multiply(x: Any, y: Any) -> Any:
    """x * y by the four products of their parts."""
    return x * y


@operator("library.complex_divide(x: c8[...], y: c8[...]) -> z: c8[...]")
def complex_divide(x: Any, y: Any) -> Any:
    """x / y without overflow on the way."""
    return x / y


@operator("library.complex_exp(x: c8[...]) -> y: c8[...]")
def complex_exp(x: Any) -> Any:
    """The exponential function of finite complex numbers."""
    return ap.exp(x)


@operator("library.complex_absolute(x: c8[...]) -> y: f4[...]")
def complex_absolute(x: Any) -> Any:
    """The size of complex numbers, without overflow on the way. Within three roundings."""
    return ap.absolute(x)


for _operator in (complex_multiply, complex_divide, complex_exp, complex_absolute):
    element_by_element(_operator, "complex", _operator.__name__)
