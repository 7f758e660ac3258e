"""Running sums, products and extremes beside NumPy's, to the bit: signed zeros, NaN, infinities, complex products."""

from __future__ import annotations

import numpy as np
import pytest
from seeded import generator as seeded

import asnumpy as ap

pytestmark = pytest.mark.host_memory  # of zeros and roundings on a device CANN decides, as the guide says

SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 1.5, -2.5, np.inf, -np.inf, np.nan])
FLOATS = ("float16", "float32", "float64")
NAMES = ("add", "multiply", "maximum", "minimum")


def _layouts(a):
    yield "line", a, 0
    yield "few", a[:7].copy(), 0
    yield "strided", a[::3], 0
    yield "reversed", a[::-1], 0
    square = a[: a.size // 12 * 12].reshape(-1, 12)
    yield "columns", square, 0
    yield "rows", square, 1
    yield "columns of the transposed", square.T, 0
    yield "rows of the transposed", square.T, 1
    yield "third axis", a[: a.size // 30 * 30].reshape(3, -1, 10).transpose(1, 0, 2), 2


def _same(found, expected):
    found, expected = np.atleast_1d(ap.to_numpy(found)), np.atleast_1d(expected)
    assert found.dtype == expected.dtype
    parts = (
        (found, expected)
        if found.dtype.kind == "f"
        else (found.view(found.real.dtype), expected.view(expected.real.dtype))
    )
    np.testing.assert_array_equal(*parts)
    number = ~np.isnan(parts[0])
    np.testing.assert_array_equal(np.signbit(parts[0])[number], np.signbit(parts[1])[number])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "values", [SPECIAL, SPECIAL[:6], SPECIAL[:2], SPECIAL[:1], SPECIAL[1:2]], ids=["all", "finite", "zeros", "+0", "-0"]
)
def test_special_floats(name, dtype, values):
    a = seeded().choice(values, 600).astype(dtype)
    for _, view, axis in _layouts(a):
        with np.errstate(all="ignore"):
            expected = getattr(np, name).accumulate(view, axis=axis)
        _same(getattr(ap, name).accumulate(ap.asarray(view), axis=axis), expected)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ("add", "multiply"))
@pytest.mark.parametrize("special", [False, True])
def test_complex(name, dtype, special):
    generator = seeded()
    draw = (lambda: generator.choice(SPECIAL, 600)) if special else (lambda: generator.normal(size=600))
    a = np.empty(600, dtype)
    a.real, a.imag = draw(), draw()
    for _, view, axis in _layouts(a):
        with np.errstate(all="ignore"):
            expected = np.ascontiguousarray(getattr(np, name).accumulate(view, axis=axis))
        found = getattr(ap, name).accumulate(ap.asarray(view), axis=axis)
        _same(ap.ascontiguousarray(found), expected)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NAMES)
def test_rounding(name, dtype):
    a = seeded().normal(size=1500).astype(dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name).accumulate(a)
    _same(getattr(ap, name).accumulate(ap.asarray(a)), expected)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_zeros_of_both_signs_in_pairs(name, dtype):
    x, y = np.array([0.0, -0.0, np.nan, 1, -0.0] * 64, dtype), np.array([-0.0, 0.0, -0.0, np.nan, -0.0] * 64, dtype)
    _same(getattr(ap, name)(ap.asarray(x), ap.asarray(y)), getattr(np, name)(x, y))


# --- what begins with zero ---

SIZES = (0, 1, 2, 7, 9, 100, 513, 5000, 200_000)


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
@pytest.mark.parametrize("size", SIZES)
def test_sums_of_negative_zeros(dtype, size):
    zeros = -np.zeros(size, dtype)
    a, mask = ap.asarray(zeros), np.arange(size) % 2 == 0
    products = () if zeros.dtype.kind == "c" and size > 1 else ("prod", "nanprod")  # their zeros depend on the order
    for name in ("sum", "nansum", "cumsum", "nancumsum", "cumprod", *products):
        _same(getattr(ap, name)(a), getattr(np, name)(zeros))
    if size:
        _same(ap.mean(a), np.mean(zeros))
    for start in (0.0, -0.0, 1):
        _same(ap.add.reduce(a, initial=start), np.asarray(np.add.reduce(zeros, initial=start)))
        _same(
            ap.add.reduce(a, initial=start, where=ap.asarray(mask)),
            np.asarray(np.add.reduce(zeros, initial=start, where=mask)),
        )
    for where in (mask, np.zeros(size, bool)):
        _same(ap.sum(a, where=ap.asarray(where)), np.asarray(np.sum(zeros, where=where)))
    for shape in ((size, 3), (3, size), (2, size, 2), (size, 1)):
        block = -np.zeros(shape, dtype)
        for axis in (0, 1, -1, None, (0, 1), ()):
            for keepdims in (False, True):
                _same(
                    ap.sum(ap.asarray(block), axis=axis, keepdims=keepdims),
                    np.asarray(np.sum(block, axis=axis, keepdims=keepdims)),
                )


def test_other_sums_of_negative_zeros():
    for value in (-0.0, 0.0, 3.0):
        assert str(ap.add.reduce(ap.asarray(value))) == str(np.add.reduce(np.float64(value)))
        square = np.full((3, 3), value)
        assert str(ap.trace(ap.asarray(square))) == str(np.trace(square))
    for row in ([-3.0], [-3.0, 0.0], [-0.0]):
        assert ap.hypot.reduce(ap.asarray(row)).tolist() == np.hypot.reduce(row).tolist()
        assert ap.logaddexp.reduce(ap.asarray(row)).tolist() == np.logaddexp.reduce(row).tolist()
