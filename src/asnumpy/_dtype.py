"""Element types, as NumPy's own objects plus bfloat16, and the functions that reason about them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from asnumpy import _core
from asnumpy._public import export, public

bfloat16 = ml_dtypes.bfloat16

# Scalar types, type classes, constants and error handling are NumPy's own objects, so that `ap.float32 is np.float32`.
_SAME_AS_NUMPY = """
bool bool_ byte ubyte short ushort intc uintc int_ uint long ulong longlong ulonglong intp uintp
int8 uint8 int16 uint16 int32 uint32 int64 uint64 half single double longdouble csingle cdouble clongdouble
float16 float32 float64 complex64 complex128 float96 float128 complex192 complex256
generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character
object_ str_ bytes_ void datetime64 timedelta64
dtype iinfo issubdtype isdtype sctypeDict typecodes mintypecode typename exceptions dtypes
pi e euler_gamma inf nan newaxis little_endian ScalarType
setbufsize getbufsize
s_ c_index index_exp IndexExpression broadcast_shapes format_float_positional format_float_scientific
set_printoptions get_printoptions printoptions binary_repr base_repr
""".split()
for _name in _SAME_AS_NUMPY:
    if hasattr(np, _name):  # extended precision has another name on each platform
        export(_name, getattr(np, _name))
export("bfloat16", bfloat16)

_SUPPORTED: dict[np.dtype, bool] = {}


def supported(dtype: np.dtype) -> bool:
    """Whether arrays of this dtype exist here, in either byte order: input is converted to the native one."""
    known = _SUPPORTED.get(dtype)
    if known is None:
        swapped = dtype.kind in "iufc" and not dtype.isnative  # some other dtypes have no byte order to ask for
        known = _SUPPORTED[dtype] = bool(_core.dtype_supported(dtype.newbyteorder("=") if swapped else dtype))
    return known


def unsupported_error(dtype: np.dtype, function: str = "asarray") -> TypeError:
    if dtype.kind == "O":
        remedy = "give the values a numeric dtype (ragged nested sequences have none), or keep them in a numpy.ndarray"
    elif dtype.names:
        remedy = "put each field into an array of its own"
    elif dtype.kind in "mM":
        remedy = "use `.astype('int64')` for the counts, or keep the times in a numpy.ndarray"
    else:
        remedy = "convert it to a numeric dtype first, or keep it in a numpy.ndarray"
    return TypeError(
        f"{function}: asnumpy arrays hold bool, integer, floating-point and complex elements, but dtype {dtype!r} "
        f"came; {remedy}"
    )


def as_dtype(value: Any, function: str = "asarray") -> np.dtype:
    """The native dtype that `value` names; TypeError when arrays cannot hold it."""
    dtype = np.dtype(value)
    if not supported(dtype):
        raise unsupported_error(dtype, function)
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def _type_of(value: Any) -> Any:
    return value.dtype if isinstance(value, _core.Array) else value


@public
def isscalar(element: Any) -> bool:
    """Whether `element` is a number, text, or a 0-d result that stands where NumPy gives a scalar."""
    return bool(np.isscalar(element) or (isinstance(element, _core.Array) and element.scalar_like))


@public
def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    return np.result_type(*[_type_of(value) for value in arrays_and_dtypes])


@public
def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    return np.can_cast(_type_of(from_), _type_of(to), casting)  # type: ignore[arg-type]


@public
def promote_types(type1: Any, type2: Any, /) -> np.dtype:
    return np.promote_types(type1, type2)


@public
def min_scalar_type(a: Any, /) -> np.dtype:
    if isinstance(a, _core.Array):
        return np.min_scalar_type(a.item()) if a.ndim == 0 else a.dtype
    return np.min_scalar_type(a)


@public
def common_type(*arrays: Any) -> Any:
    return np.common_type(*[np.empty(0, a.dtype) if isinstance(a, _core.Array) else a for a in arrays])


@public
def finfo(dtype: Any) -> Any:
    wanted = _type_of(dtype)
    if not isinstance(wanted, (type, str, np.dtype)):
        wanted = np.asarray(wanted).dtype
    if np.dtype(wanted) == bfloat16:
        return ml_dtypes.finfo(bfloat16)
    return np.finfo(wanted)
