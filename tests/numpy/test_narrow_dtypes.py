"""Dtypes that NumPy does not have: bfloat16 and the narrow ones, against ml_dtypes and against their definitions."""

from __future__ import annotations

import copy
import itertools
import pickle
import warnings

import ml_dtypes
import numpy as np
import pytest
from agreement import calls_of_numpys
from hypothesis import given
from hypothesis import strategies as st
from narrow_dtypes import NAMES, NATIVE, OF_ML_DTYPES, codes

import asnumpy as ap
from asnumpy.dtypes.dtype import EXTENDED, real_kind, wide_dtype

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")


def same(expected: np.ndarray, got: np.ndarray) -> bool:
    """Equal bit for bit, but for the payload of a NaN."""
    wide = wide_dtype(expected.dtype)
    if expected.dtype != got.dtype or expected.shape != got.shape:
        return False
    x, y = expected.astype(wide), got.astype(wide)
    if wide.kind in "biu":
        return bool(np.array_equal(x, y))
    signs = [np.signbit(part) for value in (x, y) for part in (value.real, value.imag)]
    return bool(
        np.array_equal(x, y, equal_nan=True)
        and np.array_equal(signs[0] | np.isnan(x.real), signs[2] | np.isnan(x.real))
        and np.array_equal(signs[1] | np.isnan(x.imag), signs[3] | np.isnan(x.imag))
    )


def floats_to_convert(name: str) -> np.ndarray:
    """Values around every rounding decision, special ones, and random ones of all magnitudes."""
    rng = np.random.default_rng(7)
    values = codes(name).astype(np.complex128 if real_kind(EXTENDED[name]) == "c" else np.float64).real
    values = np.unique(values[np.isfinite(values)])
    middles = (values[1:] + values[:-1]) / 2
    random_bits = rng.integers(0, 1 << 32, 20000, dtype=np.uint32).view(np.float32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38]
    near = [values, middles, *(np.nextafter(x.astype(np.float32), to) for x in (values, middles)
                               for to in (np.float32(np.inf), np.float32(-np.inf)))]
    return np.concatenate([*near, special, random_bits, rng.normal(size=2000) * 4]).astype(np.float32)


@pytest.mark.parametrize("name", OF_ML_DTYPES)
def test_conversion_to(name: str) -> None:
    dtype, rng = EXTENDED[name], np.random.default_rng(3)
    whole = np.concatenate([rng.integers(-300, 300, 3000), rng.integers(-(2**40), 2**40, 2000)])
    for source in NATIVE:
        if source.endswith("longdouble") and name == "complex32":
            continue  # ml_dtypes has no such cast
        kind = np.dtype(source)
        values = (whole if kind.kind in "iu" else floats_to_convert(name)).astype(kind)
        if real_kind(dtype) in "iu" and kind.kind in "fc":
            limit = 2**15 if source.endswith("longdouble") else 2**31
            values = values[np.isfinite(values) & (np.abs(values) < limit)]
        assert same(values.astype(dtype), ap.to_numpy(ap.asarray(values).astype(dtype))), source


@pytest.mark.parametrize("name", OF_ML_DTYPES)
def test_conversion_from(name: str) -> None:
    for target in NATIVE:
        values = codes(name)
        if name == "complex32" and target.endswith("longdouble"):
            continue
        if np.dtype(target).kind in "iu":  # what an infinity or a NaN becomes is nobody's promise
            values = values[np.abs(values.astype(wide_dtype(values.dtype))) < 100]
            if np.dtype(target).kind == "u":
                values = values[values.astype(wide_dtype(values.dtype)).real > -1]
        expected = values.astype(target)
        if name == "complex32" and target == "bool":  # as NumPy's complex dtypes, which look at both parts
            expected = values.astype(np.complex64).astype(bool)
        got = ap.to_numpy(ap.asarray(values).astype(target))
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_survives_the_wide_dtype(name: str) -> None:
    plain = codes(name)
    x = ap.asarray(plain)
    assert same(plain, ap.to_numpy(x.astype(wide_dtype(x.dtype)).astype(name)))


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(NAMES, 2)))
def test_conversion_between(one: str, other: str) -> None:
    plain = codes(one)
    wide = plain.astype(wide_dtype(plain.dtype))
    if real_kind(EXTENDED[other]) in "iu":
        keep = np.isfinite(wide) & (np.abs(wide) < 2**31)
        plain, wide = plain[keep], wide[keep]
    via = ap.asarray(wide).astype(wide_dtype(EXTENDED[other])).astype(other)
    assert same(ap.to_numpy(via), ap.to_numpy(ap.asarray(plain).astype(other)))


# --- the two dtypes that are our own, by their definitions ---


def hifloat8_value(code: int) -> float:
    """By the text of the format's description: a prefix code, an exponent of sign and magnitude, a mantissa."""
    bits = f"{code:08b}"
    sign, rest = (-1.0 if bits[0] == "1" else 1.0), bits[1:]
    if code == 0x80:
        return float("nan")
    if rest == "1101111":
        return sign * float("inf")
    if rest.startswith("0000"):
        mantissa = int(rest[4:], 2)
        return sign * 2.0 ** (mantissa - 23) if mantissa else 0.0
    prefixes = {"11": 4, "10": 3, "01": 2, "001": 1, "0001": 0}
    dot = next(prefix for prefix in prefixes if rest.startswith(prefix))
    width = prefixes[dot]
    exponent_bits, mantissa_bits = rest[len(dot):len(dot) + width], rest[len(dot) + width:]
    exponent = 0
    if width:
        exponent = int("1" + exponent_bits[1:], 2) * (-1 if exponent_bits[0] == "1" else 1)
    return sign * 2.0**exponent * (1 + int(mantissa_bits, 2) / 2 ** len(mantissa_bits))


HIFLOAT8 = np.array([hifloat8_value(code) for code in range(256)])


def test_hifloat8_values() -> None:
    got = ap.to_numpy(ap.asarray(codes("hifloat8")).astype(np.float64))
    np.testing.assert_array_equal(got, HIFLOAT8)
    assert len(np.unique(got[np.isfinite(got)])) == 253 and got[np.isfinite(got)].max() == 32768


def nearest(values: np.ndarray, x: float) -> float:
    """The finite value closest to x, of two equally close ones that farther from zero."""
    distance = np.abs(values - x)
    closest = values[distance == distance.min()]
    return float(closest[np.argmax(np.abs(closest))])


@given(st.floats(-40000, 40000, width=32)
       | st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda x: x % 1e-4)
       | st.sampled_from(sorted(HIFLOAT8[np.isfinite(HIFLOAT8)])))
def test_hifloat8_rounds_to_nearest(x: float) -> None:
    finite = HIFLOAT8[np.isfinite(HIFLOAT8)]
    got = ap.asarray(np.float32(x)).astype("hifloat8").item()
    if abs(x) >= 40960:
        assert got == np.copysign(np.inf, x)
    else:
        # where the spacing changes by the magnitude, 1.25 * 2**15 is the first value that rounds to infinity
        assert got == nearest(finite, x) and np.signbit(got) == (np.signbit(x) and got != 0)


def test_hifloat8_extremes() -> None:
    x = np.array([32768, 40959, 40960, -40960, np.inf, np.nan, 2.0**-22, 2.0**-23, 2.0**-24, -0.0, 1e38], np.float32)
    got = ap.asarray(x).astype("hifloat8").tolist()
    expected = [32768.0, 32768.0, np.inf, -np.inf, np.inf, np.nan, 2.0**-22, 2.0**-22, 0.0, 0.0, np.inf]
    np.testing.assert_array_equal(got, expected)
    assert not np.signbit(got[9])


def test_float4_e1m2fn() -> None:
    values = ap.asarray(codes("float4_e1m2fn")).astype(np.float32).tolist()
    assert values == [i / 4 for i in range(8)] + [-i / 4 for i in range(8)]
    x = ap.asarray(np.array([0.1, 0.125, 0.126, 0.375, 1.6, 1.9, 99, -99, np.inf], np.float32)).astype("float4_e1m2fn")
    assert x.tolist() == [0, 0, 0.25, 0.5, 1.5, 1.75, 1.75, -1.75, 1.75]


@pytest.mark.parametrize("name", ["hifloat8", "float4_e1m2fn"])
def test_own_dtypes_are_numpy_dtypes(name: str) -> None:
    kind = getattr(ap, name)
    dtype = np.dtype(kind)
    assert dtype == EXTENDED[name] and dtype.name == name and dtype.type is kind and kind.__module__ == "asnumpy"
    plain = np.array([0.5, 1.5, -1.0], dtype)
    assert plain.astype(np.float64).tolist() == [0.5, 1.5, -1.0]
    assert [str(one) for one in plain] == ["0.5", "1.5", "-1"] and repr(plain[1]) == "1.5"
    assert kind(1.5) == 1.5 and kind(1.5) < 2 and hash(kind(1.5)) == hash(1.5) and int(kind(1)) == 1
    assert float(kind("0.25")) == 0.25 and not kind() and pickle.loads(pickle.dumps(dtype)) == dtype
    with pytest.raises(TypeError):
        kind(1, 2)
    with pytest.raises((TypeError, ValueError)):
        kind("x")
    assert plain[1].dtype == dtype and plain.copy()[::-1].tolist() == [-1.0, 1.5, 0.5]
    assert np.sort(plain).tolist() == [-1.0, 0.5, 1.5] and np.count_nonzero(plain) == 3
    assert np.can_cast(dtype, np.float32) and not np.can_cast(np.float32, dtype)
    assert np.result_type(dtype, np.float64) == np.float64


# --- storage ---


@pytest.mark.parametrize("name", NAMES)
def test_storage(name: str) -> None:
    dtype = EXTENDED[name]
    plain = np.arange(24).reshape(2, 3, 4).astype(dtype)
    x = ap.asarray(plain)
    assert x.dtype == dtype and x.itemsize == dtype.itemsize and x.dtype.name == name

    def check(expected: np.ndarray, got: ap.ndarray) -> None:
        assert same(np.asarray(expected), ap.to_numpy(got))

    check(plain[:, ::-1, 1:3], x[:, ::-1, 1:3])
    check(plain.transpose(2, 0, 1), x.transpose(2, 0, 1))
    check(plain.T.reshape(6, 4), x.T.reshape(6, 4))
    check(plain[0, [2, 0, 0]], x[0, [2, 0, 0]])
    check(plain[:, plain[0, :, 1].astype(np.float32) >= 0], x[:, ap.asarray(plain[0, :, 1].astype(np.float32) >= 0)])
    check(np.concatenate([plain, plain[:1]], 0), ap.concatenate([x, x[:1]], 0))
    check(np.stack([plain, plain], 1), ap.stack([x, x], 1))
    check(np.take(plain, [3, 1], axis=2), ap.take(x, [3, 1], axis=2))
    check(np.where(plain[0].astype(np.complex64) != 0, plain[0], plain[1]),
          ap.where(ap.asarray(plain[0].astype(np.complex64) != 0), x[0], x[1]))
    check(np.roll(plain, 2, axis=1), ap.roll(x, 2, axis=1))
    check(np.repeat(plain, 2, axis=0), ap.repeat(x, 2, axis=0))
    check(np.broadcast_to(plain[0, 0], (3, 4)), ap.broadcast_to(x[0, 0], (3, 4)))
    check(np.full((2, 2), 1, dtype), ap.full((2, 2), 1, name))
    check(plain.view(np.uint8), x.view(np.uint8))
    check(plain, ap.asarray(plain.tobytes() and plain))
    assert (x.tobytes() == plain.tobytes() and x.tolist() == plain.tolist()) or name == "float8_e8m0fnu"
    assert repr(x) == repr(plain) and str(x) == str(plain)
    assert same(plain, ap.to_numpy(pickle.loads(pickle.dumps(x)))) and same(plain, ap.to_numpy(copy.deepcopy(x)))
    for value in (1, True, 1.0, np.float32(1), ap.array(1)):
        changed, plain_changed = x.copy(), plain.copy()
        if isinstance(value, float) and real_kind(dtype) in "iu":
            value = int(value)
        changed[1, :, 2] = value
        plain_changed[1, :, 2] = 1
        check(plain_changed, changed)
    target = ap.zeros((3, 4), dtype)
    target[...] = ap.asarray(plain[0].astype(wide_dtype(dtype)))
    check(plain[0], target)


@pytest.mark.parametrize("name", NAMES)
def test_truth_and_numbers(name: str) -> None:
    one = ap.ones((), name)
    assert bool(one) and one.item() == 1 and complex(one) == 1 and type(one.item()) is type(np.ones((), name).item())
    if real_kind(one.dtype) != "c":
        assert float(one) == 1.0 and int(one) == 1
    if real_kind(one.dtype) in "iu":
        assert [10, 20][one] == 20
    with pytest.raises(ValueError, match="ambiguous"):
        bool(ap.ones(2, name))


@pytest.mark.parametrize("name", ["int4", "uint4", "int2", "uint2", "uint1"])
def test_integers_that_do_not_fit(name: str) -> None:
    info = ml_dtypes.iinfo(EXTENDED[name])
    x = ap.zeros(2, name)
    for value in (int(info.max) + 1, int(info.min) - 1):
        with pytest.raises(OverflowError):
            x[0] = value
        with pytest.raises(OverflowError, match=f"{value} out of bounds for {name}"):
            ap.full(3, value, name)
    assert ap.full(2, 1.5, name).tolist() == [1, 1] and ap.full(2, True, name).tolist() == [1, 1]
    assert ap.array([int(info.min), int(info.max)], name).tolist() == [info.min, info.max]


# --- arithmetic is ml_dtypes' ---

ARITHMETIC = [
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "maximum", "minimum", "fmax",
    "less", "equal", "greater_equal", "logical_and", "bitwise_and", "left_shift", "hypot", "arctan2", "copysign",
    "negative", "absolute", "exp", "sqrt", "square", "sign", "isnan", "isfinite", "signbit", "floor", "matmul", "dot",
    "vecdot", "outer", "kron", "sum", "prod", "max", "min", "mean", "any", "all", "cumsum", "sort", "argsort",
    "unique", "nonzero", "count_nonzero", "diff", "real", "imag", "nan_to_num", "result_type", "var", "std",
]


@pytest.mark.parametrize("function", ARITHMETIC)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("float8_e8m0fnu", "bfloat16")])
def test_arithmetic(name: str, function: str) -> None:
    """The same result as NumPy's or an error of the same class; never a result in a dtype that NumPy does not give."""
    rng = np.random.default_rng([3, len(name)])
    least = -3 if real_kind(EXTENDED[name]) in "ifc" else 0
    a, b = (rng.integers(least, 4, 6).astype(EXTENDED[name]) for _ in range(2))
    operands = (a, b) if function in ARITHMETIC[:19] + ["matmul", "dot", "vecdot", "outer", "kron"] else (a,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = getattr(np, function)(*operands)
        except (TypeError, ValueError) as error:
            with pytest.raises((TypeError, ValueError)) as caught:
                getattr(ap, function)(*map(ap.asarray, operands))
            assert issubclass(caught.type, type(error)) or caught.type in (TypeError, ValueError)
            return
        got = getattr(ap, function)(*map(ap.asarray, operands))
    if isinstance(expected, np.dtype):
        assert got == expected
        return
    for one, other in zip(*(value if isinstance(value, tuple) else (value,) for value in (expected, got)), strict=True):
        plain, ours = np.asarray(one), ap.to_numpy(ap.asarray(other))
        assert ours.dtype == plain.dtype and ours.shape == plain.shape
        wide = wide_dtype(plain.dtype)
        np.testing.assert_allclose(ours.astype(wide), plain.astype(wide), rtol=1e-6 if wide == plain.dtype else 0)


@pytest.mark.parametrize("name", NAMES)
def test_wide_operands_fuse(name: str) -> None:
    """With an array of a wider dtype the operation is the core's; NumPy says which dtypes go together."""
    x = ap.ones(5, name)
    wide = np.dtype(np.complex128 if real_kind(x.dtype) == "c" else np.float32)
    try:
        expected = np.add(np.ones(5, x.dtype), np.ones(5, wide))
    except TypeError:
        with pytest.raises(TypeError):
            x + ap.ones(5, wide)
        return
    before = calls_of_numpys()
    got = x + ap.ones(5, wide)
    assert got.dtype == expected.dtype and got.tolist() == expected.tolist() and calls_of_numpys() == before


@pytest.mark.parametrize("name", NAMES)
def test_argmax(name: str) -> None:
    values = np.array([[2, 1, 2], [1, 2, 2]]).astype(EXTENDED[name])
    if name in ("int2", "uint1"):
        values = np.array([[1, 0, 1], [0, 1, 1]]).astype(EXTENDED[name])
    x = ap.asarray(values)
    assert x.argmax() == 0 and x.argmax(axis=0).tolist() == [0, 1, 0] and x[:, ::-1].argmax(axis=1).tolist() == [0, 0]
