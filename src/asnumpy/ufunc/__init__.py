"""Universal functions: the objects, their calls and methods, the operators, floating-point errors."""

import numpy as _np

from asnumpy.ufunc.errstate import errstate, geterr, geterrcall, seterr, seterrcall
from asnumpy.ufunc import operators
from asnumpy.ufunc.functions import (
    abs, absolute, acos, acosh, add, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, asin, asinh, atan,
    atan2, atanh, bitwise_and, bitwise_count, bitwise_invert, bitwise_left_shift, bitwise_not, bitwise_or,
    bitwise_right_shift, bitwise_xor, cbrt, ceil, conj, conjugate, copysign, cos, cosh, deg2rad, degrees, divide,
    divmod, equal, exp, exp2, expm1, fabs, float_power, floor, floor_divide, fmax, fmin, fmod, frexp, gcd, greater,
    greater_equal, heaviside, hypot, invert, isfinite, isinf, isnan, isnat, lcm, ldexp, left_shift, less,
    less_equal, log, log10, log1p, log2, logaddexp, logaddexp2, logical_and, logical_not, logical_or, logical_xor,
    matmul, maximum, minimum, mod, modf, multiply, negative, nextafter, not_equal, positive, pow, power, rad2deg,
    radians, reciprocal, remainder, right_shift, rint, sign, signbit, sin, sinh, spacing, sqrt, square, subtract,
    tan, tanh, true_divide, trunc, vecdot,
)
from asnumpy.ufunc.ufunc import ufunc

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
    "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_count", "bitwise_invert",
    "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "cbrt", "ceil", "conj",
    "conjugate", "copysign", "cos", "cosh", "deg2rad", "degrees", "divide", "divmod", "equal", "errstate", "exp",
    "exp2", "expm1", "fabs", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp", "gcd",
    "geterr", "geterrcall", "greater", "greater_equal", "heaviside", "hypot", "invert", "isfinite", "isinf",
    "isnan", "isnat", "lcm", "ldexp", "left_shift", "less", "less_equal", "log", "log10", "log1p", "log2",
    "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul", "maximum",
    "minimum", "mod", "modf", "multiply", "negative", "nextafter", "not_equal", "positive", "pow", "power",
    "rad2deg", "radians", "reciprocal", "remainder", "right_shift", "rint", "seterr", "seterrcall", "sign",
    "signbit", "sin", "sinh", "spacing", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc",
    "ufunc", "vecdot",
]

if hasattr(_np, "matvec"):  # from NumPy 2.2
    from asnumpy.ufunc.functions import matvec, vecmat

    __all__ += ["matvec", "vecmat"]
