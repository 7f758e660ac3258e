"""What a dtype can represent and which kind it is, for NumPy's dtypes and for those that NumPy does not have."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from asnumpy._public import public
from asnumpy.dtypes.dtype import EXTENDED, OWN, is_extended, real_kind, type_of

_CLASSES: dict[str, Any] = {
    "i": np.signedinteger, "u": np.unsignedinteger, "f": np.floating, "c": np.complexfloating,
}


class _OwnLimits:
    """What np.finfo says, for a dtype of our own, found from its finite values."""

    def __init__(self, dtype: np.dtype, mantissa_bits: int, smallest_normal: float) -> None:
        values = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
        if dtype == EXTENDED["float4_e1m2fn"]:
            values = values[:16]
        finite = np.unique(values[np.isfinite(values)])
        self.dtype = dtype
        self.bits = 4 if dtype == EXTENDED["float4_e1m2fn"] else 8
        self.nmant = mantissa_bits
        kind = dtype.type
        self.min, self.max = kind(finite[0]), kind(finite[-1])
        self.smallest_subnormal = kind(finite[finite > 0][0])
        self.smallest_normal = self.tiny = kind(smallest_normal)
        self.eps = kind(finite[finite > 1][0] - 1)
        self.epsneg = kind(1 - finite[finite < 1][-1])
        self.machep, self.negep = int(np.log2(float(self.eps))), int(np.log2(float(self.epsneg)))
        self.minexp, self.maxexp = int(np.log2(smallest_normal)), int(np.floor(np.log2(finite[-1]))) + 1
        self.nexp = self.bits - 1 - mantissa_bits
        self.iexp = self.nexp
        self.precision = int(-np.log10(float(self.eps)))
        self.resolution = kind(10.0**-self.precision)

    def __repr__(self) -> str:
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"


_own_limits: dict[np.dtype, _OwnLimits] = {}


def _limits(dtype: np.dtype) -> _OwnLimits:
    if dtype not in _own_limits:
        # HiFloat8 has 3 mantissa bits around one; its normal numbers end where the powers of two alone begin.
        shape = (2, 1.0) if dtype == EXTENDED["float4_e1m2fn"] else (3, 2.0**-15)
        _own_limits[dtype] = _OwnLimits(dtype, *shape)
    return _own_limits[dtype]


def _dtype_given(dtype: Any) -> Any:
    wanted = type_of(dtype)
    if not isinstance(wanted, (type, str, np.dtype)):
        wanted = np.asarray(wanted).dtype
    return wanted


def _named_dtype(wanted: Any) -> np.dtype | None:
    """The extended dtype that is named, None for all others, which NumPy judges."""
    try:
        dtype = np.dtype(wanted)
    except TypeError:
        return None
    return dtype if is_extended(dtype) else None


@public
def finfo(dtype: Any) -> Any:
    wanted = _dtype_given(dtype)
    found = _named_dtype(wanted)
    if found is None or real_kind(found) not in "fc":
        return np.finfo(wanted)
    return _limits(found) if found in OWN else ml_dtypes.finfo(found)


@public
def iinfo(type: Any) -> Any:
    wanted = _dtype_given(type)
    found = _named_dtype(wanted)
    if found is None or real_kind(found) not in "iu":
        return np.iinfo(wanted)
    return ml_dtypes.iinfo(found)


_KINDS = {
    "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
    "numeric": "iufc", "bool": "b",
}


@public
def isdtype(dtype: Any, kind: Any) -> bool:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    extended = [one for one in kinds if isinstance(one, (np.dtype, type)) and _named_dtype(one) is not None]
    known = tuple(one for one in kinds if not any(one is other for other in extended))
    found = _named_dtype(dtype) if isinstance(dtype, (np.dtype, type)) else None
    if found is None:
        return bool(np.isdtype(dtype, known if extended else kind))
    np.isdtype(np.dtype(np.int8), known)  # raises what is wrong with them
    same = any(_named_dtype(one) == found for one in extended)
    return same or any(isinstance(one, str) and real_kind(found) in _KINDS[one] for one in known)


@public
def issubdtype(arg1: Any, arg2: Any) -> bool:
    """The dtypes that NumPy does not have belong to the abstract classes of their kind: a bfloat16 is a `floating`."""
    found = _named_dtype(arg1) if arg1 is not None else None
    if found is None or not isinstance(arg2, type) or not issubclass(arg2, np.generic) or _named_dtype(arg2):
        return bool(np.issubdtype(arg1, arg2))
    return issubclass(_CLASSES[real_kind(found)], arg2)
