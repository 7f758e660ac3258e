"""Arrays made from values, from nothing, or in the likeness of others."""

from asnumpy.creation.arrays import (
    array, asanyarray, asarray, asarray_chkfinite, ascontiguousarray, asfortranarray, copy, empty, empty_like, eye,
    fromiter, full, full_like, identity, ones, ones_like, require, zeros, zeros_like,
)
from asnumpy.creation.convert import asnumpy, from_dlpack, from_numpy, to_numpy
from asnumpy.creation.ranges import arange, geomspace, linspace, logspace

__all__ = [
    "arange", "array", "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray",
    "asnumpy", "copy", "empty", "empty_like", "eye", "from_dlpack", "from_numpy", "fromiter", "full", "full_like",
    "geomspace", "identity", "linspace", "logspace", "ones", "ones_like", "require", "to_numpy", "zeros",
    "zeros_like",
]
