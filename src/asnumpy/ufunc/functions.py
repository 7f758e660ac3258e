"""NumPy's ufuncs, one line each: the core computes them, `ufunc` answers for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asnumpy.ufunc.ufunc import ufunc

if TYPE_CHECKING:
    from asnumpy.ufunc.signatures import Binary, BinaryPair, Product, Unary, UnaryPair

_ufunc: Any = ufunc  # whose objects are called in one of these ways

absolute: Unary = _ufunc("absolute")
add: Binary = _ufunc("add")
arccos: Unary = _ufunc("arccos")
arccosh: Unary = _ufunc("arccosh")
arcsin: Unary = _ufunc("arcsin")
arcsinh: Unary = _ufunc("arcsinh")
arctan: Unary = _ufunc("arctan")
arctan2: Binary = _ufunc("arctan2")
arctanh: Unary = _ufunc("arctanh")
bitwise_and: Binary = _ufunc("bitwise_and")
bitwise_count: Unary = _ufunc("bitwise_count")
bitwise_or: Binary = _ufunc("bitwise_or")
bitwise_xor: Binary = _ufunc("bitwise_xor")
cbrt: Unary = _ufunc("cbrt")
ceil: Unary = _ufunc("ceil")
conjugate: Unary = _ufunc("conjugate")
copysign: Binary = _ufunc("copysign")
cos: Unary = _ufunc("cos")
cosh: Unary = _ufunc("cosh")
deg2rad: Unary = _ufunc("deg2rad")
degrees: Unary = _ufunc("degrees")
divide: Binary = _ufunc("divide")
divmod: BinaryPair = _ufunc("divmod")
equal: Binary = _ufunc("equal")
exp: Unary = _ufunc("exp")
exp2: Unary = _ufunc("exp2")
expm1: Unary = _ufunc("expm1")
fabs: Unary = _ufunc("fabs")
float_power: Binary = _ufunc("float_power")
floor: Unary = _ufunc("floor")
floor_divide: Binary = _ufunc("floor_divide")
fmax: Binary = _ufunc("fmax")
fmin: Binary = _ufunc("fmin")
fmod: Binary = _ufunc("fmod")
frexp: UnaryPair = _ufunc("frexp")
gcd: Binary = _ufunc("gcd")
greater: Binary = _ufunc("greater")
greater_equal: Binary = _ufunc("greater_equal")
heaviside: Binary = _ufunc("heaviside")
hypot: Binary = _ufunc("hypot")
invert: Unary = _ufunc("invert")
isfinite: Unary = _ufunc("isfinite")
isinf: Unary = _ufunc("isinf")
isnan: Unary = _ufunc("isnan")
isnat: Unary = _ufunc("isnat")
lcm: Binary = _ufunc("lcm")
ldexp: Binary = _ufunc("ldexp")
left_shift: Binary = _ufunc("left_shift")
less: Binary = _ufunc("less")
less_equal: Binary = _ufunc("less_equal")
log: Unary = _ufunc("log")
log10: Unary = _ufunc("log10")
log1p: Unary = _ufunc("log1p")
log2: Unary = _ufunc("log2")
logaddexp: Binary = _ufunc("logaddexp")
logaddexp2: Binary = _ufunc("logaddexp2")
logical_and: Binary = _ufunc("logical_and")
logical_not: Unary = _ufunc("logical_not")
logical_or: Binary = _ufunc("logical_or")
logical_xor: Binary = _ufunc("logical_xor")
matmul: Product = _ufunc("matmul")
maximum: Binary = _ufunc("maximum")
minimum: Binary = _ufunc("minimum")
modf: UnaryPair = _ufunc("modf")
multiply: Binary = _ufunc("multiply")
negative: Unary = _ufunc("negative")
nextafter: Binary = _ufunc("nextafter")
not_equal: Binary = _ufunc("not_equal")
positive: Unary = _ufunc("positive")
power: Binary = _ufunc("power")
rad2deg: Unary = _ufunc("rad2deg")
radians: Unary = _ufunc("radians")
reciprocal: Unary = _ufunc("reciprocal")
remainder: Binary = _ufunc("remainder")
right_shift: Binary = _ufunc("right_shift")
rint: Unary = _ufunc("rint")
sign: Unary = _ufunc("sign")
signbit: Unary = _ufunc("signbit")
sin: Unary = _ufunc("sin")
sinh: Unary = _ufunc("sinh")
spacing: Unary = _ufunc("spacing")
sqrt: Unary = _ufunc("sqrt")
square: Unary = _ufunc("square")
subtract: Binary = _ufunc("subtract")
tan: Unary = _ufunc("tan")
tanh: Unary = _ufunc("tanh")
trunc: Unary = _ufunc("trunc")
vecdot: Product = _ufunc("vecdot")

# NumPy's other names for them
abs = absolute
acos = arccos
acosh = arccosh
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
bitwise_invert = invert
bitwise_left_shift = left_shift
bitwise_not = invert
bitwise_right_shift = right_shift
conj = conjugate
mod = remainder
pow = power
true_divide = divide

if hasattr(np, "matvec"):  # from NumPy 2.2
    matvec: Product = _ufunc("matvec")
    vecmat: Product = _ufunc("vecmat")
