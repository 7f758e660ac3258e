"""Functions that act element by element and are not ufuncs, and Python functions applied to arrays."""

from asnumpy.elementwise.along_axis import apply_along_axis
from asnumpy.elementwise.bessel import i0
from asnumpy.elementwise.functions import (
    allclose, angle, around, array_equal, array_equiv, clip, fix, imag, isclose, iscomplex, iscomplexobj,
    isneginf, isposinf, isreal, isrealobj, nan_to_num, real, real_if_close, round, sinc,
)
from asnumpy.elementwise.vectorize import frompyfunc, vectorize

__all__ = [
    "allclose", "angle", "apply_along_axis", "around", "array_equal", "array_equiv", "clip", "fix", "frompyfunc",
    "i0", "imag", "isclose", "iscomplex", "iscomplexobj", "isneginf", "isposinf", "isreal", "isrealobj",
    "nan_to_num", "real", "real_if_close", "round", "sinc", "vectorize",
]
