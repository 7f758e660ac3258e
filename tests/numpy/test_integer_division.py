"""Integer division beside NumPy's, with divisors that repeat, change and vanish: values, signs, wrapping, aliasing."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

_DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
_NAMES = ["floor_divide", "remainder", "fmod", "divmod"]


def _edges(dtype):
    """Numbers at which a division can go wrong: around zero, powers of two and the ends of the range."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    powers = [sign * (1 << bits) + step for bits in range(65) for sign in (1, -1) for step in (-1, 0, 1)]
    tens = [sign * 10**n for n in range(20) for sign in (1, -1)]
    return sorted({n for n in [*powers, *tens, 0, 3, 7, -3, -7, 641, low, high] if low <= n <= high})


def _check(name, x, y, mine_x, mine_y):
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
    found = getattr(ap, name)(mine_x, mine_y)
    for one, other in zip(found, expected, strict=True) if name == "divmod" else [(found, expected)]:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(ap.to_numpy(one), other, err_msg=f"{name} by {y}")


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_every_pair_of_bytes(dtype, name):
    every = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1).astype(dtype)
    x, y = np.tile(every, 256), np.repeat(every, 256)  # a block of the kernels for each divisor
    _check(name, x, y, ap.asarray(x), ap.asarray(y))
    _check(name, y, x, ap.asarray(y), ap.asarray(x))


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("dtype", _DTYPES)
def test_edges(dtype, name):
    edges = np.array(_edges(dtype), dtype)
    x, y = np.tile(edges, len(edges)), np.repeat(edges, len(edges))
    _check(name, x, y, ap.asarray(x), ap.asarray(y))
    wide = np.tile(edges, -(-300 // len(edges)))  # longer than a block
    mine = ap.asarray(wide)
    for divisor in edges[:: max(1, len(edges) // 24)]:
        _check(name, wide, divisor, mine, divisor)


@st.composite
def _divisions(draw):
    """Dividends, and divisors in runs of any length."""
    dtype = np.dtype(draw(st.sampled_from(_DTYPES)))
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    small = st.integers(max(low, -1000), min(high, 1000))
    number = st.one_of(st.sampled_from(_edges(dtype)), st.integers(low, high), small)
    length = st.sampled_from([1, 2, 7, 8, 9, 100, 255, 256, 257, 512, 5000])
    runs = draw(st.lists(st.tuples(number, length), min_size=1, max_size=6))
    y = np.concatenate([np.full(length, value, dtype) for value, length in runs])
    x = np.resize(np.array(draw(st.lists(number, min_size=1, max_size=40)), dtype), len(y))
    return x, y


@settings(max_examples=200, deadline=None)
@given(_divisions(), st.sampled_from(_NAMES))
def test_runs_of_divisors(division, name):
    x, y = division
    _check(name, x, y, ap.asarray(x), ap.asarray(y))
    _check(name, x, y[0], ap.asarray(x), y[0])
    _check(name, x[::-2], y[0], ap.asarray(x)[::-2], y[0])
    _check(name, x, y[:1], ap.asarray(x), ap.asarray(y)[:1])


@settings(max_examples=100, deadline=None)
@given(_divisions(), st.sampled_from(_NAMES[:3]), st.booleans())
def test_results_in_place_of_operands(division, name, divisor):
    x, y = division
    mine = [ap.array(x), ap.array(y)]
    getattr(ap, name)(*mine, out=mine[divisor])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
    np.testing.assert_array_equal(ap.to_numpy(mine[divisor]), expected)


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("divide", [operator.floordiv, operator.mod, divmod])
def test_division_by_zero_is_told_inside_errstate(dtype, divide):
    x = ap.arange(300).astype(dtype)
    with ap.errstate(divide="raise"):
        divide(x, 7)
        with pytest.raises(FloatingPointError):
            divide(x, 0)
