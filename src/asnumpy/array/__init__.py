"""class ndarray: its attributes, methods and text."""

from asnumpy.array.flat import flatiter
from asnumpy.array.ndarray import NPArray, NPUArray, ndarray
from asnumpy.array.number import Number
from asnumpy.array.printing import array2string, array_repr, array_str

__all__ = [
    "NPArray", "NPUArray", "Number", "array2string", "array_repr", "array_str", "flatiter", "ndarray",
]
