"""dtypes as NumPy's own objects, plus bfloat16: names, promotion, casting, limits, both byte orders."""

from __future__ import annotations

import itertools
import warnings

import ml_dtypes
import numpy as np
import pytest

import asnumpy as ap

NAMES = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
]
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
SUPPORTED = [np.dtype(name) for name in NAMES] + [BFLOAT16]
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]


ALIASES = ["intp", "uintp", "byte", "half", "single", "double", "longlong", "cdouble", "int_", "bool_"]


@pytest.mark.parametrize("name", NAMES + ALIASES)
def test_scalar_types_are_numpy_s_own(name: str) -> None:
    assert getattr(ap, name) is getattr(np, name)


def test_other_names() -> None:
    assert ap.dtype is np.dtype and ap.bfloat16 is ml_dtypes.bfloat16
    assert ap.newaxis is None and ap.pi == np.pi and ap.inf == np.inf and np.isnan(ap.nan)
    for name in ("floating", "generic", "integer", "typecodes"):
        assert getattr(ap, name) is getattr(np, name)


@pytest.mark.parametrize("function", ["result_type", "promote_types"])
def test_promotion(function: str) -> None:
    for x, y in itertools.product(SUPPORTED, SUPPORTED):
        try:
            expected = getattr(np, function)(x, y)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(ap, function)(x, y)
            continue
        assert getattr(ap, function)(x, y) == expected


@pytest.mark.parametrize("value", [True, 1, -1, 2**40, 1.5, 2j])
def test_python_scalars_are_weak(value: complex) -> None:
    for dtype in SUPPORTED:
        try:
            expected = np.result_type(np.empty(0, dtype), value)
        except (TypeError, OverflowError) as error:
            with pytest.raises(type(error)):
                ap.result_type(ap.empty(0, dtype), value)
            continue
        assert ap.result_type(ap.empty(0, dtype), value) == expected
        assert ap.result_type(dtype, value) == np.result_type(dtype, value)


def test_result_type_of_several() -> None:
    assert ap.result_type(np.int8, ap.empty(2, np.uint8), 1) == np.int16
    assert ap.result_type(np.float32, 1j, np.int8) == np.complex64
    assert ap.result_type("i4", np.float32(1)) == np.float64
    for nothing in ((), ("x y",)):
        with pytest.raises((ValueError, TypeError)):
            ap.result_type(*nothing)


@pytest.mark.parametrize("casting", CASTINGS)
def test_can_cast(casting: str) -> None:
    orders = [dtype.newbyteorder(order) for dtype in SUPPORTED if dtype != BFLOAT16 for order in "<>"]
    for x, y in itertools.product(SUPPORTED + orders, SUPPORTED + orders):
        assert ap.can_cast(x, y, casting) == np.can_cast(x, y, casting)
    for dtype in SUPPORTED:
        for wanted in SUPPORTED:
            assert ap.can_cast(ap.empty(2, dtype), wanted, casting) == np.can_cast(dtype, wanted, casting)
    with pytest.raises((TypeError, ValueError)):
        ap.can_cast(np.int8, np.int16, "rarely")


@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
def test_dtype_of_arrays(dtype: np.dtype) -> None:
    for given in (dtype, dtype.name, dtype.type):
        made = ap.empty(3, given)
        assert made.dtype == dtype and isinstance(made.dtype, np.dtype)
        assert made.itemsize == dtype.itemsize and made.nbytes == 3 * dtype.itemsize
    if dtype != BFLOAT16 and dtype.itemsize > 1:
        for order in "<>":
            made = ap.empty(3, dtype.newbyteorder(order))
            assert made.dtype == dtype.newbyteorder(order)
            assert isinstance(made, ap.ndarray if made.dtype.isnative else np.ndarray)


def test_default_dtypes() -> None:
    assert ap.empty(2).dtype == ap.zeros(2).dtype == ap.ones(2).dtype == np.float64
    for value in (True, 1, 1.0, 1j, [1, 2.5], [[True]], []):
        assert ap.array(value).dtype == np.array(value).dtype


@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
def test_limits(dtype: np.dtype) -> None:
    if dtype.kind in "iu":
        assert ap.iinfo(dtype).max == np.iinfo(dtype).max
    elif dtype.kind != "b":
        info = ml_dtypes.finfo(dtype) if dtype == BFLOAT16 else np.finfo(dtype)
        for given in (dtype, dtype.type, ap.empty(1, dtype)):
            mine = ap.finfo(given)
            assert (mine.max, mine.eps, mine.tiny, mine.bits) == (info.max, info.eps, info.tiny, info.bits)


@pytest.mark.parametrize("code", ["O", "U3", "S2", "M8[s]", "m8[D]", "V5", "i4,f8", "T"])
def test_unsupported_dtypes_say_so(code: str) -> None:
    dtype = np.dtypes.StringDType() if code == "T" else np.dtype(code)
    with ap.config.using(unsupported="error"), pytest.raises(TypeError, match="dtype") as caught:
        ap.empty(2, dtype)
    assert "bool, integer, floating-point and complex" in str(caught.value)


@pytest.mark.parametrize("code", ["float99", "i3", "?2", object()])
def test_no_dtype_at_all(code: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError):
            np.dtype(code)  # type: ignore[call-overload]
        with pytest.raises(TypeError):
            ap.empty(2, code)


def test_min_scalar_type_and_common_type() -> None:
    for value in (0, 255, 256, -1, -129, 3.5, 1e300, 1j, True):
        assert ap.min_scalar_type(value) == np.min_scalar_type(value)
        assert ap.min_scalar_type(ap.asarray(value)) == np.min_scalar_type(np.asarray(value))
    assert ap.common_type(ap.empty(2, np.float32), ap.empty(2, np.int8)) is np.float64
    assert ap.common_type(ap.empty(2, np.float16), ap.empty(2, np.complex64)) is np.complex64
