"""What is known about the dtypes that NumPy does not have: limits, kinds, promotion, DLPack."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from narrow_dtypes import BITS, NAMES, NATIVE, codes

import asnumpy as ap
from asnumpy.dtypes.dtype import EXTENDED, real_kind

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")


@pytest.mark.parametrize("name", NAMES)
def test_limits(name: str) -> None:
    dtype = EXTENDED[name]
    finite = codes(name).astype(np.complex128).real
    finite = finite[np.isfinite(finite)]
    if real_kind(dtype) in "iu":
        info = ap.iinfo(name)
        assert (info.min, info.max) == (finite.min(), finite.max()) and info.bits == BITS[name]
        with pytest.raises(ValueError):
            ap.finfo(dtype)
        return
    with pytest.raises(ValueError):
        ap.iinfo(dtype)
    for given_as in (name, dtype, dtype.type, ap.ones(2, dtype)):
        info = ap.finfo(given_as)
        if name in ("hifloat8", "float4_e1m2fn"):
            assert (float(info.min), float(info.max)) == (finite.min(), finite.max())
            assert float(info.smallest_subnormal) == finite[finite > 0].min()
            assert float(info.eps) == finite[finite > 1].min() - 1 and info.bits == BITS.get(name, 8)
        else:
            assert float(info.max) == float(ml_dtypes.finfo(dtype).max) and info.bits == ml_dtypes.finfo(dtype).bits


KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]


@pytest.mark.parametrize("name", NAMES)
def test_kinds(name: str) -> None:
    dtype = EXTENDED[name]
    model = {"i": np.int8, "u": np.uint8, "f": np.float32, "c": np.complex64}[real_kind(dtype)]
    for kind in KINDS:
        assert ap.isdtype(dtype, kind) == np.isdtype(np.dtype(model), kind)
    assert ap.isdtype(dtype, (np.float64, dtype)) and not ap.isdtype(dtype, np.float64)
    with pytest.raises(ValueError):
        ap.isdtype(dtype, "floating")
    for abstract in ("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating",
                     "complexfloating", "flexible"):
        assert ap.issubdtype(dtype, getattr(ap, abstract)) == np.issubdtype(model, getattr(np, abstract))
    assert ap.issubdtype(dtype, dtype) and not ap.issubdtype(dtype, np.float32)
    assert not ap.issubdtype(np.float32, dtype)


def test_numpy_dtypes_are_judged_by_numpy() -> None:
    for dtype in map(np.dtype, NATIVE):
        for kind in KINDS:
            assert ap.isdtype(dtype, kind) == np.isdtype(dtype, kind)
        for abstract in (np.number, np.floating, np.integer, np.float64, "f4"):
            assert ap.issubdtype(dtype, abstract) == np.issubdtype(dtype, abstract)
    for bad in ("f4", 3, None):
        with pytest.raises(TypeError):
            np.isdtype(bad, "numeric")  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            ap.isdtype(bad, "numeric")
    with pytest.raises(ValueError):
        ap.finfo(np.int8)
    with pytest.raises(ValueError):
        ap.iinfo(np.float32)


def test_promotion_and_casting_are_numpy_s() -> None:
    everything = [*EXTENDED.values(), *map(np.dtype, NATIVE)]
    for x, y in itertools.product(everything, everything):
        for function in ("promote_types", "result_type"):
            try:
                expected = getattr(np, function)(x, y)
            except TypeError:
                with pytest.raises(TypeError):
                    getattr(ap, function)(x, y)
            else:
                assert getattr(ap, function)(x, y) == expected
        assert ap.can_cast(x, y) == np.can_cast(x, y) and ap.can_cast(ap.empty(1, x), y) == np.can_cast(x, y)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "complex32"])
def test_dlpack(name: str) -> None:
    x = ap.arange(1, 5).astype(name)
    back = ap.from_dlpack(x)
    assert back.dtype == x.dtype and back.tolist() == x.tolist()


@pytest.mark.parametrize("name", ["int4", "hifloat8", "float6_e3m2fn", "float4_e2m1fn"])
def test_no_dlpack(name: str) -> None:
    with pytest.raises(BufferError, match=f"{name}.*astype"):
        ap.ones(3, name).__dlpack__()
    with pytest.raises(BufferError, match=name):
        memoryview(ap.ones(3, name))
