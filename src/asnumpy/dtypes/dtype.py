"""Element types: NumPy's own objects, bfloat16 and the narrow dtypes, and how they promote and cast."""

from __future__ import annotations

import warnings
from typing import Any

import ml_dtypes
import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import Casting
from asnumpy.config._settings import Precision

bfloat16 = ml_dtypes.bfloat16

# The dtypes that NumPy does not have: bfloat16, which the core computes with, and the narrow ones, which it holds and
# converts. Each takes at least a byte per element; ml_dtypes defines all but the two that only Ascend devices have.
_OF_ML_DTYPES = """
bfloat16 float8_e4m3fn float8_e5m2 float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn
int4 uint4 int2 uint2 uint1 complex32
""".split()
EXTENDED: dict[str, np.dtype] = {name: np.dtype(getattr(ml_dtypes, name)) for name in _OF_ML_DTYPES}
_OF_OURS = {"float4_e1m2fn": np.dtype(_core.float4_e1m2fn), "hifloat8": np.dtype(_core.hifloat8)}
EXTENDED |= _OF_OURS
OWN = frozenset(_OF_OURS.values())
_BY_DTYPE = {dtype: name for name, dtype in EXTENDED.items()}
_FIRST_USER_DTYPE = 256  # NumPy's own have lower numbers: quicker to ask for than the hash of a dtype
for _name, _dtype in _OF_OURS.items():
    np.sctypeDict.setdefault(_name, _dtype.type)  # np.dtype("hifloat8")


def is_extended(dtype: np.dtype) -> bool:
    return dtype.num >= _FIRST_USER_DTYPE and dtype in _BY_DTYPE


def is_narrow(dtype: np.dtype) -> bool:
    """Whether the core holds and converts arrays of this dtype, but has no arithmetic for it."""
    return dtype.num >= _FIRST_USER_DTYPE and dtype in _BY_DTYPE and dtype != EXTENDED["bfloat16"]


def real_kind(dtype: np.dtype) -> str:
    """NumPy's letter b, i, u, f or c, also for the dtypes that call themselves 'V' or 'W'."""
    if not is_extended(dtype):
        return dtype.kind
    name = _BY_DTYPE[dtype]
    return "i" if name.startswith("int") else {"u": "u", "c": "c"}.get(name[0], "f")


def wide_dtype(dtype: np.dtype) -> np.dtype:
    """The NumPy dtype that holds every value of an extended one; others are their own."""
    if not is_extended(dtype):
        return dtype
    return np.dtype({"i": np.int8, "u": np.uint8, "c": np.complex64}.get(real_kind(dtype), np.float32))


_SUPPORTED: dict[np.dtype, bool] = {}


def supported(dtype: np.dtype) -> bool:
    """Whether arrays of this dtype exist here, in either byte order: input is converted to the native one."""
    known = _SUPPORTED.get(dtype)
    if known is None:
        swapped = dtype.kind in "iufc" and not dtype.isnative  # some other dtypes have no byte order to ask for
        known = _SUPPORTED[dtype] = bool(_core.dtype_supported(dtype.newbyteorder("=") if swapped else dtype))
    return known


def unsupported_error(dtype: np.dtype, function: str = "asarray") -> TypeError:
    """What ends in NumPy's own function (host/numpys.py), or in the program where that is not to be."""
    if dtype.kind == "O":
        remedy = "give the values a numeric dtype (ragged nested sequences have none), or keep them in a numpy.ndarray"
    elif dtype.names:
        remedy = "put each field into an array of its own"
    elif dtype.kind in "mM":
        remedy = "use `.astype('int64')` for the counts, or keep the times in a numpy.ndarray"
    else:
        remedy = "convert it to a numeric dtype first, or keep it in a numpy.ndarray"
    return _core.UnsupportedDtype(
        f"{function}: asnumpy arrays hold bool, integer, floating-point and complex elements of the machine's byte "
        f"order, but dtype {dtype!r} came; {remedy}, or set asnumpy.config.unsupported = 'numpy'"
    )


_known: dict[Any, np.dtype] = {}


def as_dtype(value: Any, function: str = "asarray") -> np.dtype:
    """The dtype that `value` names; UnsupportedDtype when arrays cannot hold it."""
    named = value is None or isinstance(value, (type, np.dtype))
    known = _known.get(value) if named else None
    if known is not None:
        return known
    if isinstance(value, str) and value in EXTENDED:
        return EXTENDED[value]  # whatever another package calls so
    dtype: np.dtype = np.dtype(value)
    if not supported(dtype) or not dtype.isnative:
        raise unsupported_error(dtype, function)
    if named and len(_known) < 1000:  # classes made at run time may name a dtype too
        _known[value] = dtype
    return dtype


_SINGLE = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}


def new_dtype(dtype: Any) -> Any:
    """The dtype that is asked of a new array, where None and Python's float and complex follow `config.float`."""
    if Precision.single and (dtype is None or dtype is float or dtype is complex):
        return np.dtype(np.complex64 if dtype is complex else np.float32)
    return dtype


def new_values(made: Any, source: Any = None) -> Any:
    """A new numpy.ndarray in the precision of `config.float`, unless something in its source has a dtype."""
    if Precision.single and (narrow := _SINGLE.get(made.dtype)) and not _has_dtype(source):
        return made.astype(narrow)
    return made


def _has_dtype(source: Any) -> bool:
    if isinstance(source, (list, tuple)):
        return any(map(_has_dtype, source))
    return not isinstance(source, (int, float, complex, slice, type(None))) or isinstance(source, np.generic)


def warn_of_cast(source: np.dtype, target: np.dtype) -> None:
    """NumPy's warning where a cast that the user asked for drops imaginary parts; once for a call."""
    if source.kind == "c" and target.kind in "iuf":
        said = "Casting complex values to real discards the imaginary part"
        warnings.warn(said, np.exceptions.ComplexWarning, stacklevel=3)


def type_of(value: Any) -> Any:
    return value.dtype if isinstance(value, _core.Array) else value


@public
def isscalar(element: object) -> bool:
    """Whether `element` is a number, text, or a 0-d result that stands where NumPy gives a scalar."""
    return bool(np.isscalar(element) or _core.is_number(element))


@public
def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    return np.result_type(*[type_of(value) for value in arrays_and_dtypes])


@public
def can_cast(from_: Any, to: Any, casting: Casting = "safe") -> bool:
    return np.can_cast(type_of(from_), type_of(to), casting)


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
