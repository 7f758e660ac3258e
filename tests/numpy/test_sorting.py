"""Order, search, sets and bins."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FEW, NUMERIC, REAL, agree, agree_method, assert_same, sample

import asnumpy as ap


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, 3])
def test_sort(dtype, axis):
    a = sample((7, 5), dtype)
    agree("sort", a, axis)
    agree("argsort", a, axis, kind="stable")
    agree("argsort", a, axis, stable=True)
    agree_method("argsort", a, axis, "stable")
    if axis is not None:
        agree_method("sort", a, axis)


def _parts_in_order(xp, a, kth):
    """The partition, with its parts sorted, whose order NumPy leaves open."""
    made = xp.partition(a, kth)
    cuts = {place % a.size + side for place in np.atleast_1d(kth).tolist() for side in (0, 1)}
    return xp.concatenate([xp.sort(part) for part in xp.split(made, sorted(cuts))])


def test_sort_forms():
    a = sample(50, "float32")
    agree("sort", [3, 1, 2])
    agree("sort", 3)
    agree("sort", 3, None)
    agree("sort", a, kind="nonsense")
    agree("sort", a, order="field")
    agree("sort_complex", a)
    agree("lexsort", (sample(5, "int8"), sample(5, "float32", 1)))
    agree("lexsort", sample((2, 5), "int8"))
    agree(lambda xp, a: a[::2].sort(), a)
    agree(lambda xp, a: (a[::-3].sort(), a)[1], a)
    for kth in (3, (2, 9), -1, 99):
        agree(lambda xp, a, kth=kth: _parts_in_order(xp, a, kth), np.sort(a)[::-1].copy())
        if ap.Device() == "cpu":  # elsewhere the order within the parts is another
            agree("partition", np.sort(a)[::-1].copy(), kth)
        agree(lambda xp, a, kth=kth: xp.partition(a, kth)[kth], a)
        agree(lambda xp, a, kth=kth: a[xp.argpartition(a, kth)][kth], a)
    with pytest.raises(ValueError):
        ap.broadcast_to(ap.arange(3), (2, 3)).sort()


def test_sort_in_place_is_seen_by_views():
    a = ap.asarray([3.0, 1, 2])
    view = a[1:]
    a *= 2
    a.sort()
    np.testing.assert_array_equal(ap.to_numpy(view), [4, 6])


@pytest.mark.parametrize("side", ["left", "right", "middle"])
def test_searchsorted(side):
    a = np.sort(sample(20, "float32"))
    agree("searchsorted", a, sample((3, 4), "float32", 1), side)
    agree("searchsorted", a, 2.5, side)
    agree_method("searchsorted", a, [0, 9.0], side)
    shuffled = sample(20, "float32")
    agree("searchsorted", shuffled, [1, 2], side, np.argsort(shuffled))
    agree("digitize", sample(9, "float32"), [0, 1, 2.5], right=side == "right")
    agree("digitize", sample(9, "float32"), [0, 2, 1])


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("function", ["argmax", "argmin"])
def test_arg_extremes(function, dtype):
    for shape in ((), (9,), (4, 5), (2, 3, 4), (1, 1)):
        a = sample(shape, dtype)
        for axis in (None, 0, 1, -1, -2):
            agree(function, a, axis)
            agree(function, a, axis, keepdims=True)
            agree_method(function, a, axis)
    agree(lambda xp, a: getattr(xp, function)(a.T, 0), sample((4, 5), dtype))
    agree(lambda xp, a: getattr(xp, function)(a[::-1, ::2]), sample((4, 5), dtype))


@pytest.mark.parametrize("function", ["argmax", "argmin"])
def test_arg_extremes_of_odd_input(function):
    a = sample((4, 5), "float32")
    a[1, 2] = np.nan
    a[3, 0] = np.nan
    for axis in (None, 0, 1):
        agree(function, a, axis)
    agree(function, np.array([0.0, -0.0, np.inf, -np.inf, np.inf]))
    agree(function, np.array([1, 1j, np.nan, 2]))
    for axis in (None, 0, 1, 5):
        agree(function, np.zeros((0, 3)), axis)
    agree(function, a, 0, np.zeros(5, int))
    agree(function, a, 0, np.zeros(5, np.int32))
    agree(function, a, 0, np.zeros(4, int))
    agree(function, a, 0, np.zeros(5))
    agree(function, [3, 1, 2])


@pytest.mark.parametrize("dtype", FEW)
def test_unique(dtype):
    a = sample((4, 5), dtype)
    agree("unique", a)
    agree("unique", a, True, True, True)
    agree("unique", a, axis=0)
    agree("unique", a, return_counts=True, axis=1)
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        if name == "unique_values":
            agree(lambda xp, a: xp.sort(xp.unique_values(a)), a)
        else:
            agree(name, a)
    assert ap.unique_counts(ap.asarray(a)).counts.dtype == np.int64


def test_unique_nan():
    a = np.array([np.nan, 1, np.nan])
    agree("unique", a)
    agree("unique", a, equal_nan=False)


def test_set_operations():
    a, b = sample(9, "int32"), sample(12, "int16", 1)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
        agree(name, a, b)
        agree(name, a.reshape(3, 3), [1, 2])
    agree("intersect1d", a, b, return_indices=True)
    agree("isin", a, b, invert=True, kind="sort")
    agree("isin", a, 3)


@pytest.mark.parametrize("dtype", REAL)
def test_histogram(dtype):
    a = sample((30, 7), dtype)
    if dtype == "bool":
        a = a.astype("int8")
    for bins in (1, 5, 10, [0, 1, 2.5, 5], "auto"):
        agree("histogram", a, bins)
        agree("histogram", a, bins, density=True)
        agree("histogram_bin_edges", a, bins)
    agree("histogram", a, 4, (-1, 3))
    agree("histogram", a, 4, (0, 0))
    agree("histogram", a, 4, weights=sample((30, 7), "float32", 1))


def test_histogram_errors():
    a = sample(9, "float32")
    agree("histogram", a, 0)
    agree("histogram", a, [3, 1])
    agree("histogram", a, 4, (3, 1))
    agree("histogram", a, 4, (0, np.inf))
    agree("histogram", np.array([1, np.nan]), 4)
    agree("histogram", np.zeros(0), 4)
    agree("histogram", np.array([2.0, 2.0]), 4)
    agree("histogram", a, 4, weights=a[:3])
    agree("histogram", a, 2.5)


@pytest.mark.parametrize("bins", [1, 7, 64, 256, 1000])
def test_histogram_at_the_edges(bins):
    rng = np.random.default_rng(bins)
    for dtype in ("float32", "float64"):
        a = np.concatenate([rng.random(5000), np.linspace(0, 1, bins + 1)]).astype(dtype)
        agree("histogram", a, bins)
        agree("histogram", a, bins, (0, 1))
        agree("histogram", a, bins, (0.25, 0.5))
        agree("histogram", np.append(a, np.asarray([np.nan, np.inf], dtype)), bins, (0, 1))
    agree("histogram", rng.integers(0, 256, 5000).astype("uint8"), bins, (0, 256))
    agree("histogram", rng.integers(0, 256, 5000).astype("uint8"), bins)
    agree("histogram", rng.integers(-9, 9, 5000), bins)


def test_histogram_of_several_dimensions():
    a, b = sample(50, "float64"), sample(50, "float64", 1)
    agree("histogram2d", a, b, 4)
    agree("histogramdd", np.stack([a, b], 1), 3)
    agree("histogram2d", a, b, [[-5, 0, 5], [-5, 1, 5]])


def test_bincount():
    a = np.abs(sample(50, "int32"))
    agree("bincount", a)
    agree("bincount", a, minlength=30)
    agree("bincount", a.astype("uint8"))
    agree("bincount", a, sample(50, "float32"))
    agree("bincount", [])
    agree("bincount", np.zeros(0, int))
    agree("bincount", np.zeros(0, int), minlength=3)
    agree("bincount", [1, -1])
    agree("bincount", np.array([1.5]))
    agree("bincount", np.array([[1]]))
    agree("bincount", a, minlength=-1)
    agree("bincount", [True, False, True])
    agree("bincount", a.astype("uint64"))
    assert_same(np.bincount(a[::2]), ap.bincount(ap.asarray(a)[::2]))
