"""asnumpy: NumPy's interface over arrays whose operations are deferred, fused and run on a device.

The namespace, room by room: each uses those above it, `array` all but the last.
"""

import importlib as _importlib
import os as _os
import typing as _typing

import numpy as _np

from asnumpy import config
# Loaded first, so that `array` is the function from then on.
from asnumpy.array import NPArray, NPUArray, Number, array2string, array_repr, array_str, flatiter, ndarray
from asnumpy.dtypes import (
    ScalarType, base_repr, bfloat16, binary_repr, bool, bool_, broadcast_shapes, byte, bytes_, can_cast, cdouble,
    character, clongdouble, common_type, complex128, complex32, complex64, complexfloating, csingle, datetime64,
    double, dtype, dtypes, e, euler_gamma, exceptions, finfo, flexible, float16, float32, float4_e1m2fn,
    float4_e2m1fn, float64, float6_e2m3fn, float6_e3m2fn, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, floating,
    format_float_positional, format_float_scientific, generic, get_printoptions, getbufsize, half, hifloat8, iinfo,
    index_exp, inexact, inf, int16, int2, int32, int4, int64, int8, int_, intc, integer, intp, isdtype, isscalar,
    issubdtype, little_endian, long, longdouble, longlong, min_scalar_type, mintypecode, nan, newaxis, number,
    object_, pi, printoptions, promote_types, result_type, s_, sctypeDict, set_printoptions, setbufsize, short,
    signedinteger, single, str_, timedelta64, typecodes, typename, ubyte, uint, uint1, uint16, uint2, uint32, uint4,
    uint64, uint8, uintc, uintp, ulong, ulonglong, unsignedinteger, ushort, void,
)
from asnumpy.runtime import (
    Device, Event, FallbackWarning, Stream, apply_demotions, current_stream, demotions, devices, empty_like_pinned,
    empty_pinned, eval as eval, explain, fallbacks, flush, forget_demotions, forget_fallbacks, free_all_blocks,
    get_include, get_num_threads, info, memory_info, pending_count, reset_peak, set_num_threads, show_config,
    show_runtime, synchronize, zeros_like_pinned, zeros_pinned,
)
from asnumpy.runtime import explanation as _explanation, kernels as _kernels, machine_code as _machine_code
from asnumpy.host import (
    False_, True_, asmatrix, astype, bmat, broadcast, busday_count, busday_offset, busdaycalendar,
    datetime_as_string, datetime_data, is_busday, iterable, matrix, may_share_memory, ndenumerate,
    ndindex, nditer, nested_iters, recarray, record, shares_memory,
)
from asnumpy.ufunc import (
    abs, absolute, acos, acosh, add, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh, asin, asinh, atan,
    atan2, atanh, bitwise_and, bitwise_count, bitwise_invert, bitwise_left_shift, bitwise_not, bitwise_or,
    bitwise_right_shift, bitwise_xor, cbrt, ceil, conj, conjugate, copysign, cos, cosh, deg2rad, degrees, divide,
    divmod, equal, errstate, exp, exp2, expm1, fabs, float_power, floor, floor_divide, fmax, fmin, fmod, frexp, gcd,
    geterr, geterrcall, greater, greater_equal, heaviside, hypot, invert, isfinite, isinf, isnan, isnat, lcm, ldexp,
    left_shift, less, less_equal, log, log10, log1p, log2, logaddexp, logaddexp2, logical_and, logical_not,
    logical_or, logical_xor, matmul, maximum, minimum, mod, modf, multiply, negative, nextafter, not_equal,
    positive, pow, power, rad2deg, radians, reciprocal, remainder, right_shift, rint, seterr, seterrcall, sign,
    signbit, sin, sinh, spacing, sqrt, square, subtract, tan, tanh, true_divide, trunc, ufunc, vecdot,
)
from asnumpy.ufunc.ufunc import offer_kernels as _offer_kernels
from asnumpy.creation import (
    arange, array, asanyarray, asarray, asarray_chkfinite, ascontiguousarray, asfortranarray, asnumpy, copy, empty,
    empty_like, eye, from_dlpack, from_numpy, fromiter, full, full_like, geomspace, identity, linspace, logspace,
    ones, ones_like, require, to_numpy, zeros, zeros_like,
)
from asnumpy.manipulation import (
    append, apply_over_axes, array_split, atleast_1d, atleast_2d, atleast_3d, block, broadcast_arrays, broadcast_to,
    column_stack, concat, concatenate, delete, diagonal, dsplit, dstack, expand_dims, flip, fliplr, flipud, hsplit,
    hstack, insert, isfortran, matrix_transpose, moveaxis, ndim, packbits, pad, permute_dims, ravel, repeat, reshape,
    resize, roll, rollaxis, rot90, row_stack, shape, size, split, squeeze, stack, swapaxes, tile, transpose, trim_zeros,
    unpackbits, unstack, vsplit, vstack,
)
from asnumpy.indexing import (
    argwhere, bartlett, blackman, c_, choose, compress, copyto, count_nonzero, diag, diag_indices,
    diag_indices_from, diagflat, extract, fill_diagonal, flatnonzero, fromfunction, hamming, hanning, indices, ix_,
    kaiser, mask_indices, meshgrid, mgrid, nonzero, ogrid, piecewise, place, put, put_along_axis, putmask, r_,
    ravel_multi_index, select, take, take_along_axis, tri, tril, tril_indices, tril_indices_from, triu,
    triu_indices, triu_indices_from, unravel_index, vander, where,
)
from asnumpy.reduction import (
    all, amax, amin, any, cumprod, cumsum, cumulative_prod, cumulative_sum, max, min, prod, sum,
)
from asnumpy.sorting import (
    argmax, argmin, argpartition, argsort, digitize, intersect1d, isin, lexsort, partition, searchsorted, setdiff1d,
    setxor1d, sort, sort_complex, union1d, unique, unique_all, unique_counts, unique_inverse, unique_values,
)
from asnumpy.statistics import (
    average, bincount, convolve, corrcoef, correlate, cov, cross, diff, ediff1d, gradient, histogram, histogram2d,
    histogram_bin_edges, histogramdd, interp, mean, median, nanargmax, nanargmin, nancumprod, nancumsum, nanmax,
    nanmean, nanmedian, nanmin, nanpercentile, nanprod, nanquantile, nanstd, nansum, nanvar, percentile, ptp,
    quantile, std, trapezoid, unwrap, var,
)
from asnumpy.elementwise import (
    allclose, angle, apply_along_axis, around, array_equal, array_equiv, clip, fix, frompyfunc, i0, imag, isclose,
    iscomplex, iscomplexobj, isneginf, isposinf, isreal, isrealobj, nan_to_num, real, real_if_close, round, sinc,
    vectorize,
)
from asnumpy.linalg._products import dot, inner, kron, outer, tensordot, trace, vdot
from asnumpy.linalg._einsum import einsum, einsum_path
from asnumpy.interop import __array_api_version__, __array_namespace__, __array_namespace_info__
from asnumpy.interop.arrivals import together as _together
from asnumpy.io import (
    frombuffer, fromfile, fromregex, fromstring, genfromtxt, load, loadtxt, memmap, save, savetxt, savez,
    savez_compressed,
)
from asnumpy.lib._poly1d import (
    poly, poly1d, polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval, roots,
)
from asnumpy import fft, lib, linalg, nn, profiler

if _typing.TYPE_CHECKING:
    from asnumpy import (
        cann, char, ctypeslib, emath, f2py, operators, polynomial, random, scipy, strings, testing, typing,
    )
    from asnumpy.operators import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, operator
    from asnumpy.profiles import profile
    from asnumpy.tracing import TracingError, cond, jit, load_compiled, range, while_loop
    from numpy import ma, matlib, rec
else:
    # Loaded when they are first used.
    _LATER = frozenset({
        "array_api", "cann", "char", "ctypeslib", "emath", "f2py", "operators", "polynomial", "random", "scipy",
        "strings", "testing", "typing",
    })
    _FROM = {
        **dict.fromkeys(("ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel", "operator"), "operators"),
        "profile": "profiles",
        **dict.fromkeys(("TracingError", "cond", "jit", "load_compiled", "range", "while_loop"), "tracing"),
    }
    # NumPy's own, for classes on top of its arrays.
    _NUMPYS = frozenset({"ma", "matlib", "rec"})
    _NOTEBOOKS = frozenset({"load_ipython_extension", "unload_ipython_extension"})

    def __getattr__(name):
        if name in _LATER:
            return _importlib.import_module(f"asnumpy.{name}")
        if name in _FROM:
            found = globals()[name] = getattr(_importlib.import_module(f"asnumpy.{_FROM[name]}"), name)
            return found
        if name in _NUMPYS:
            return _importlib.import_module(f"numpy.{name}")
        if name in _NOTEBOOKS:
            return getattr(_importlib.import_module("asnumpy.running"), name)
        numpys = ", which numpy has" if name in _np.__dir__() else ""
        raise AttributeError(f"module 'asnumpy' has no attribute {name!r}{numpys}")

    def __dir__():
        return sorted({*__all__, *_LATER, *_FROM, *_NUMPYS, "eval"})

__version__ = "0.1.0"

__all__ = [  # by a star: all but eval and range, which would hide Python's
    "Device", "ElementwiseKernel", "Event", "FallbackWarning", "False_", "NPArray", "NPUArray", "Number",
    "RawKernel", "RawModule", "ReductionKernel", "ScalarType",
    "Stream", "TracingError", "True_",
    "__array_api_version__", "__array_namespace__", "__array_namespace_info__", "__version__",
    "abs", "absolute",
    "acos", "acosh", "add", "all", "allclose", "amax", "amin", "angle", "any", "append", "apply_along_axis",
    "apply_demotions", "apply_over_axes", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
    "arctanh", "argmax", "argmin", "argpartition", "argsort", "argwhere", "around", "array", "array2string",
    "array_equal", "array_equiv", "array_repr",
    "array_split", "array_str", "asanyarray", "asarray", "asarray_chkfinite",
    "ascontiguousarray", "asfortranarray", "asin", "asinh", "asmatrix", "asnumpy", "astype", "atan", "atan2",
    "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "average", "bartlett", "base_repr", "bfloat16",
    "binary_repr", "bincount", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "blackman", "block", "bmat", "bool", "bool_",
    "broadcast", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "busday_count", "busday_offset",
    "busdaycalendar", "byte", "bytes_", "c_", "can_cast", "cbrt", "cdouble", "ceil", "char", "character", "choose",
    "clip", "clongdouble", "column_stack", "common_type", "complex128", "complex32", "complex64", "complexfloating",
    "compress", "concat", "concatenate", "cond",
    "config", "conj", "conjugate", "convolve", "copy", "copysign", "copyto",
    "corrcoef", "correlate", "cos", "cosh", "count_nonzero", "cov", "cross", "csingle", "ctypeslib", "cumprod",
    "cumsum", "cumulative_prod", "cumulative_sum", "current_stream", "datetime64", "datetime_as_string",
    "datetime_data", "deg2rad", "degrees", "delete", "demotions", "devices", "diag", "diag_indices",
    "diag_indices_from",
    "diagflat", "diagonal", "diff", "digitize", "divide", "divmod", "dot", "double", "dsplit", "dstack", "dtype",
    "dtypes", "e", "ediff1d", "einsum", "einsum_path", "emath", "empty", "empty_like", "empty_like_pinned",
    "empty_pinned", "equal", "errstate", "euler_gamma", "exceptions", "exp", "exp2", "expand_dims", "explain",
    "expm1", "extract", "eye", "f2py", "fabs", "fallbacks", "fft", "fill_diagonal", "finfo", "fix", "flatiter",
    "flatnonzero", "flexible", "flip", "fliplr", "flipud", "float16", "float32", "float4_e1m2fn", "float4_e2m1fn",
    "float64", "float6_e2m3fn", "float6_e3m2fn", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float_power",
    "floating", "floor", "floor_divide", "flush", "fmax", "fmin", "fmod", "forget_demotions", "forget_fallbacks",
    "format_float_positional", "format_float_scientific", "free_all_blocks", "frexp", "from_dlpack", "from_numpy",
    "frombuffer", "fromfile", "fromfunction", "fromiter", "frompyfunc", "fromregex", "fromstring", "full",
    "full_like", "gcd", "generic", "genfromtxt", "geomspace", "get_include", "get_num_threads", "get_printoptions",
    "getbufsize", "geterr", "geterrcall", "gradient", "greater", "greater_equal", "half", "hamming", "hanning",
    "heaviside", "hifloat8", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd",
    "hsplit", "hstack", "hypot", "i0", "identity", "iinfo", "imag", "index_exp", "indices", "inexact", "inf",
    "info", "inner", "insert", "int16", "int2", "int32", "int4", "int64", "int8", "int_", "intc", "integer",
    "interp", "intersect1d", "intp", "invert", "is_busday", "isclose", "iscomplex", "iscomplexobj", "isdtype",
    "isfinite", "isfortran", "isin", "isinf", "isnan", "isnat", "isneginf", "isposinf", "isreal", "isrealobj",
    "isscalar", "issubdtype", "iterable", "ix_", "jit", "kaiser", "kron", "lcm", "ldexp", "left_shift", "less",
    "less_equal", "lexsort", "lib", "linalg", "linspace", "little_endian", "load", "load_compiled", "loadtxt",
    "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logspace", "long", "longdouble", "longlong", "mask_indices", "matmul", "matrix",
    "matrix_transpose", "max", "maximum", "may_share_memory", "mean", "median", "memmap", "memory_info", "meshgrid",
    "mgrid", "min", "min_scalar_type", "minimum", "mintypecode", "mod", "modf", "moveaxis", "multiply", "nan",
    "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin",
    "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "ndarray", "ndenumerate", "ndim",
    "ndindex", "nditer", "negative", "nested_iters", "newaxis", "nextafter", "nn", "nonzero", "not_equal", "number",
    "object_", "ogrid", "ones", "ones_like", "outer", "packbits", "pad", "partition", "pending_count", "percentile",
    "permute_dims", "pi", "piecewise", "place", "poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit",
    "polyint", "polymul", "polynomial", "polysub", "polyval", "positive", "pow", "power", "printoptions", "prod",
    "operator", "operators", "profile", "profiler", "promote_types", "ptp", "put", "put_along_axis", "putmask",
    "quantile", "r_", "rad2deg", "radians", "random", "ravel", "ravel_multi_index", "real", "real_if_close", "recarray",
    "reciprocal", "record", "remainder", "repeat", "require", "reset_peak", "reshape", "resize", "result_type",
    "right_shift", "rint", "roll", "rollaxis", "roots", "rot90", "round", "row_stack", "s_", "save", "savetxt",
    "savez", "savez_compressed", "sctypeDict", "searchsorted", "select", "set_num_threads", "set_printoptions",
    "setbufsize", "setdiff1d", "seterr", "seterrcall", "setxor1d", "shape", "shares_memory", "short", "show_config",
    "show_runtime", "sign", "signbit", "signedinteger", "sin", "sinc", "single", "sinh", "size", "sort",
    "sort_complex", "spacing", "split", "sqrt", "square", "squeeze", "stack", "std", "str_", "strings", "subtract",
    "sum", "swapaxes", "synchronize", "take", "take_along_axis", "tan", "tanh", "tensordot", "testing", "tile",
    "timedelta64", "to_numpy", "trace", "transpose", "trapezoid", "tri", "tril", "tril_indices",
    "tril_indices_from", "trim_zeros", "triu", "triu_indices", "triu_indices_from", "true_divide", "trunc",
    "typecodes", "typename", "typing", "ubyte", "ufunc", "uint", "uint1", "uint16", "uint2", "uint32", "uint4",
    "uint64", "uint8", "uintc", "uintp", "ulong", "ulonglong", "union1d", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "unpackbits", "unravel_index", "unsignedinteger", "unstack", "unwrap",
    "ushort", "vander", "var", "vdot", "vecdot", "vectorize", "void", "vsplit", "vstack", "where", "while_loop",
    "zeros", "zeros_like", "zeros_like_pinned", "zeros_pinned",
]

if hasattr(_np, "float128"):  # extended precision has another name on each platform
    from asnumpy.dtypes import complex256, float128

    __all__ += ["complex256", "float128"]
if hasattr(_np, "matvec"):  # from NumPy 2.2
    from asnumpy.ufunc import matvec, vecmat

    __all__ += ["matvec", "vecmat"]

# Kernels of the operator library: what launches them is loaded at the first call that one may compute.
_machine_code.offered["compiled"] = lambda: _importlib.import_module("asnumpy.compiled")
_kernels.offered["launch"] = lambda: _importlib.import_module("asnumpy.operators._served").launch
_offer_kernels()
_explanation.offered["look"] = lambda: _importlib.import_module("asnumpy.look")

for _theirs, _ours in (
    ("dask.array", "dask"), ("einops", "einops"), ("pandas", "neighbours._pandas"), ("xarray", "neighbours._xarray"),
    ("sympy.utilities.lambdify", "neighbours._sympy"), ("scipy.ndimage", "neighbours._ndimage"),
    ("h5py", "neighbours._h5py"), ("sklearn.utils._param_validation", "neighbours._sklearn"),
    ("zarr", "neighbours._zarr"), ("numba", "neighbours._numba"), ("cv2", "neighbours._cv2"),
    ("pyarrow", "neighbours._pyarrow"), ("polars", "neighbours._polars"), ("control", "neighbours._control"),
    ("astropy.table", "neighbours._astropy_table"), ("astropy.io.fits", "neighbours._astropy_fits"),
    ("bokeh.core.serialization", "neighbours._bokeh"), ("cvxpy", "neighbours._cvxpy"),
    ("sqlite3", "neighbours._sqlite3"), ("gymnasium.spaces.box", "neighbours._gymnasium"),
    ("skimage", "neighbours._skimage"), ("lightgbm.basic", "neighbours._lightgbm"),
    ("xgboost.core", "neighbours._xgboost"), ("tables", "neighbours._tables"),
    ("rasterio.io", "neighbours._rasterio"), ("soundfile", "neighbours._soundfile"),
    ("sparse", "neighbours._sparse"), ("tifffile.tifffile", "neighbours._tifffile"),
    ("hdbscan.hdbscan_", "neighbours._hdbscan"), ("scipy.fft._helper", "neighbours._scipy_fft"),
    ("scipy.special._basic", "neighbours._scipy_special"), ("autograd.numpy", "neighbours._autograd"),
    ("osqp.interface", "neighbours._osqp"), ("SimpleITK.SimpleITK", "neighbours._simpleitk"),
    ("netCDF4", "neighbours._netcdf4"), ("matplotlib", "neighbours._matplotlib"),
):
    _together(_theirs, f"asnumpy.{_ours}")

if _os.environ.get("ASNUMPY_OPERATORS"):  # rules that redirect operations
    _importlib.import_module("asnumpy.operators").use_rules(_os.environ["ASNUMPY_OPERATORS"])
