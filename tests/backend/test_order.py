"""Order, searching and sets on a device: by sorting, with NumPy's values, dtypes and errors, and nothing leaves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from device_marks import left_devices, needs_simulator
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import asnumpy as ap

pytestmark = needs_simulator

DTYPES = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f"]


def left_the_device() -> list[str]:
    return [one["function"] for one in left_devices() if one["kind"] != "copy"]


def sample(dtype: Any, shape: Any = (240,), seed: int = 5) -> np.ndarray:
    a = np.random.default_rng(seed).integers(0, 60, shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        a.flat[3], a.flat[17:20], a.flat[30] = -np.inf, np.nan, -0.0
    return a


def same(got: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            same(one, other)
        return
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(np.asarray(got), wanted)


def compare(call: Callable[..., Any], *arrays: np.ndarray) -> None:
    """The call of asnumpy stays on the device and makes what NumPy's does."""
    there = [ap.asarray(one) for one in arrays]
    ap.forget_fallbacks()
    got = call(ap, *there)
    ap.synchronize()
    assert left_the_device() == []
    same(got, call(np, *arrays))


SETS: dict[str, Callable[..., Any]] = {
    "unique": lambda np, a, b: np.unique(a),
    "unique with all": lambda np, a, b: np.unique(a, True, True, True),
    "unique, NaN apart": lambda np, a, b: np.unique(a, True, True, True, equal_nan=False),
    "unique_all": lambda np, a, b: tuple(np.unique_all(a)),
    "unique_counts": lambda np, a, b: tuple(np.unique_counts(a)),
    "unique_inverse": lambda np, a, b: tuple(np.unique_inverse(a[a == a])),  # the order of NaN is left open
    "union1d": lambda np, a, b: np.union1d(a, b),
    "intersect1d": lambda np, a, b: np.intersect1d(a, b),
    "intersect1d with indices": lambda np, a, b: np.intersect1d(a, b, return_indices=True),
    "intersect1d of unique": lambda np, a, b: np.intersect1d(np.unique(a), np.unique(b), True, True),
    "setdiff1d": lambda np, a, b: np.setdiff1d(a, b),
    "setdiff1d in order": lambda np, a, b: np.setdiff1d(np.unique(a)[::-1], b, True),
    "setxor1d": lambda np, a, b: np.setxor1d(a, b),
    "isin": lambda np, a, b: np.isin(a, b),
    "isin, inverted": lambda np, a, b: np.isin(a, b, invert=True),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sets(dtype: str, name: str) -> None:
    compare(SETS[name], sample(dtype, (12, 20)), sample(dtype, (33,), 6))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_parts(dtype: str, axis: int | None) -> None:
    """What lies at the places asked for is what NumPy has there, and nothing got lost."""
    a = sample(dtype, (9, 30))
    x = ap.asarray(a)
    ap.forget_fallbacks()
    for kth in (3, -2, [0, 5]):
        part, places = ap.partition(x, kth, axis), ap.argpartition(x, kth, axis)
        line = 0 if axis is None else axis
        taken = ap.take_along_axis(x.reshape(-1) if axis is None else x, places, line)
        wanted = np.take(np.sort(a, axis), kth, line)
        for made in (part, taken):
            assert made.dtype == a.dtype
            np.testing.assert_array_equal(np.take(made.to_numpy(), kth, line), wanted)
            np.testing.assert_array_equal(np.sort(made.to_numpy(), line), np.sort(a, axis))
    if axis is not None:
        x.partition(4, axis)
        np.testing.assert_array_equal(np.take(x.to_numpy(), 4, axis), np.take(np.sort(a, axis), 4, axis))
    assert left_the_device() == []


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lexsort(axis: int) -> None:
    rng = np.random.default_rng(2)
    keys = [rng.integers(0, 3, (8, 20)).astype(dtype) for dtype in ("i", "f", "?")]
    compare(lambda np, *given: np.lexsort(given, axis), *keys)
    compare(lambda np, given: np.lexsort(given, axis), np.stack([keys[0], keys[0][::-1]]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_complex(dtype: str) -> None:
    compare(lambda np, a: np.sort_complex(a), sample(dtype, (4, 30)))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("values", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_searching(dtype: str, values: str, side: str) -> None:
    if np.dtype(dtype).kind + np.dtype(values).kind in ("iu", "ui") and np.promote_types(dtype, values).kind == "f":
        pytest.skip("NumPy compares them as float64, which no device sorts")
    a, v = np.sort(sample(dtype, (50,))), sample(values, (7, 9), 8)
    compare(lambda np, a, v: np.searchsorted(a, v, side), a, v)
    order = np.random.default_rng(3).permutation(a.size)
    compare(lambda np, a, v, order: np.searchsorted(a, v, side, order), a[np.argsort(order)], v, order)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), side=st.sampled_from(["left", "right"]), turned=st.booleans())
def test_searching_among_other_dtypes(data: st.DataObject, side: str, turned: bool) -> None:
    """float64 in a table on the host is rounded so that no comparison changes."""
    numbers = st.floats(width=64) | st.integers(-5, 5).map(float) | st.sampled_from([0.1, -0.1, 1e300, -1e300, 2.0**31])
    wide = np.array(data.draw(st.lists(numbers, min_size=1, max_size=8)))
    kind = data.draw(st.sampled_from([np.float32, np.int32, np.uint32, np.int8]))
    narrow = data.draw(npst.arrays(kind, st.integers(1, 8)))
    a, v = (np.sort(narrow), wide) if turned else (np.sort(wide), narrow)
    compare(lambda np, a, v: np.searchsorted(a, v, side), a, v)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", ["f", "i", "?"])
@pytest.mark.parametrize("bins", [[0.0, 0.5, 0.5, 20.25, 40.0], [40.0, 3.5, 3.5, 0.0], [7.0], [2, 30]])
def test_digitize(bins: list[float], dtype: str, right: bool) -> None:
    compare(lambda np, x: np.digitize(x, bins, right), sample(dtype, (5, 30)))


def test_pairs_of_places() -> None:
    rng = np.random.default_rng(1)
    a, rows, columns = rng.random((6, 7, 3), np.float32), rng.integers(-6, 6, 40), rng.integers(-7, 7, (2, 40))
    compare(lambda np, a, i, j: a[i, j], a, rows, columns)
    compare(lambda np, a, i, j: a[i, j, 1], a, rows, columns)
    compare(lambda np, a, i, j: a.transpose(1, 0, 2)[j, i], a, rows, columns)
    order = np.argsort(a, 1)
    compare(lambda np, a, order: np.take_along_axis(a, order, 1), a, order)

    def written(np: Any, a: Any, order: Any) -> Any:
        a = a.copy()
        np.put_along_axis(a, order[:, :4], 1.0, 1)
        a[2, order[0, :, 0]] = 3
        return a

    compare(written, a, order)
    with pytest.raises(IndexError):
        ap.asarray(a)[ap.asarray([6]), ap.asarray([0])]
    with pytest.raises(IndexError):
        ap.asarray(a)[[0, 1], [0, 1, 2]]


ERRORS: dict[str, Callable[..., Any]] = {
    "place beyond": lambda np, a: np.partition(a, 99),
    "no place": lambda np, a: np.argpartition(a, 1.5),
    "axis": lambda np, a: np.partition(a, 1, 7),
    "kind": lambda np, a: np.partition(a, 1, kind="quick"),
    "keys of two shapes": lambda np, a: np.lexsort((a, a[:2])),
    "side": lambda np, a: np.searchsorted(a[0], a, "middle"),
    "a table with two axes": lambda np, a: np.searchsorted(a, a),
    "a sorter of another length": lambda np, a: np.searchsorted(a[0], a, "left", [0]),
    "a sorter beyond": lambda np, a: np.searchsorted(a[0, :2], a, "left", [0, 9]),
    "bins not in order": lambda np, a: np.digitize(a, [1, 3, 2]),
    "bins with two axes": lambda np, a: np.digitize(a, a),
    "kind of isin": lambda np, a: np.isin(a, a, kind="tree"),
    "table of floats": lambda np, a: np.isin(a, a, kind="table"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_numpys(name: str) -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    with pytest.raises(Exception) as expected:
        ERRORS[name](np, a)
    with pytest.raises(expected.type):
        ERRORS[name](ap, ap.asarray(a))
