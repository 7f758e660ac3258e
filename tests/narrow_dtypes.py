"""The dtypes that NumPy does not have, by name, with all their codes."""

from __future__ import annotations

import numpy as np

from asnumpy.dtypes.dtype import EXTENDED, OWN

NAMES = list(EXTENDED)
OF_ML_DTYPES = [name for name in NAMES if EXTENDED[name] not in OWN]
BITS = {
    "int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "uint1": 1, "float6_e2m3fn": 6, "float6_e3m2fn": 6,
    "float4_e2m1fn": 4, "float4_e1m2fn": 4,
}
NATIVE = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "longdouble", "complex64", "complex128", "clongdouble"]


def codes(name: str) -> np.ndarray:
    """Every value of the dtype, or many for those of more than 8 bits."""
    dtype = EXTENDED[name]
    if dtype.itemsize == 1:
        return np.arange(1 << BITS.get(name, 8), dtype=np.uint8).view(dtype)
    return np.random.default_rng(5).integers(0, 256, 4000 * dtype.itemsize, dtype=np.uint8).view(dtype)
