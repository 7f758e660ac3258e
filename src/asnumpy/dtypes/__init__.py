"""Element types: names, promotion, limits."""

import numpy as _np

from asnumpy.dtypes.dtype import can_cast, common_type, isscalar, min_scalar_type, promote_types, result_type
from asnumpy.dtypes.limits import finfo, iinfo, isdtype, issubdtype
from asnumpy.dtypes.names import (
    ScalarType, base_repr, bfloat16, binary_repr, bool, bool_, broadcast_shapes, byte, bytes_, cdouble, character,
    clongdouble, complex128, complex32, complex64, complexfloating, csingle, datetime64, double, dtype, dtypes, e,
    euler_gamma, exceptions, flexible, float16, float32, float4_e1m2fn, float4_e2m1fn, float64, float6_e2m3fn,
    float6_e3m2fn, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, floating, format_float_positional,
    format_float_scientific, generic, get_printoptions, getbufsize, half, hifloat8, index_exp, inexact, inf, int16,
    int2, int32, int4, int64, int8, int_, intc, integer, intp, little_endian, long, longdouble, longlong,
    mintypecode, nan, newaxis, number, object_, pi, printoptions, s_, sctypeDict, set_printoptions, setbufsize,
    short, signedinteger, single, str_, timedelta64, typecodes, typename, ubyte, uint, uint1, uint16, uint2, uint32,
    uint4, uint64, uint8, uintc, uintp, ulong, ulonglong, unsignedinteger, ushort, void,
)

__all__ = [
    "ScalarType", "base_repr", "bfloat16", "binary_repr", "bool", "bool_", "broadcast_shapes", "byte", "bytes_",
    "can_cast", "cdouble", "character", "clongdouble", "common_type", "complex128", "complex32", "complex64",
    "complexfloating", "csingle", "datetime64", "double", "dtype", "dtypes", "e", "euler_gamma", "exceptions",
    "finfo", "flexible", "float16", "float32", "float4_e1m2fn", "float4_e2m1fn", "float64", "float6_e2m3fn",
    "float6_e3m2fn", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "floating", "format_float_positional",
    "format_float_scientific", "generic", "get_printoptions", "getbufsize", "half", "hifloat8", "iinfo",
    "index_exp", "inexact", "inf", "int16", "int2", "int32", "int4", "int64", "int8", "int_", "intc", "integer",
    "intp", "isdtype", "isscalar", "issubdtype", "little_endian", "long", "longdouble", "longlong",
    "min_scalar_type", "mintypecode", "nan", "newaxis", "number", "object_", "pi", "printoptions", "promote_types",
    "result_type", "s_", "sctypeDict", "set_printoptions", "setbufsize", "short", "signedinteger", "single", "str_",
    "timedelta64", "typecodes", "typename", "ubyte", "uint", "uint1", "uint16", "uint2", "uint32", "uint4",
    "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong", "unsignedinteger", "ushort", "void",
]

if hasattr(_np, "float128"):  # extended precision has another name on each platform
    from asnumpy.dtypes.names import complex256, float128

    __all__ += ["complex256", "float128"]
