"""What a device does with whole arrays at once: values, dtypes and errors are NumPy's, and nothing leaves it."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from device_marks import left_devices, needs_simulator
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import asnumpy as ap
from asnumpy import cannsim

pytestmark = needs_simulator

SORTED = ["?", "b", "B", "h", "H", "i", "I", "q", "Q", "e", "f", ml_dtypes.bfloat16]


def left_the_device() -> list[str]:
    return [one["function"] for one in left_devices() if one["kind"] != "copy"]


def to_order(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """A matrix with what is hard to order, and one whose order is the same and that NumPy orders, NaN too."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 256, (5, 60)).astype(np.uint8).astype(dtype)
    if np.dtype(dtype).kind in "fV":
        a[1, 4], a[2, 6], a[3, :2] = np.nan, -np.inf, (-0.0, 0.0)
    elif np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        a[0, 1], a[1, 4], a[2, 2], a[2, 7] = limits.max, limits.max // 2 + 1, limits.min, limits.min
        a[3, ::2] = rng.integers(limits.min, limits.max, 30, dtype, endpoint=True)  # every digit counts
    return a, a.astype(np.float32) if a.dtype.kind == "V" else a


@pytest.mark.parametrize("dtype", SORTED, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_sorting_stays(dtype: Any, axis: int | None) -> None:
    a, wide = to_order(dtype)
    x = ap.asarray(a)
    ap.forget_fallbacks()
    for view, numpys in ((x, wide), (x[::-1, ::2], wide[::-1, ::2]), (x.T, wide.T)):
        got = ap.sort(view, axis)
        assert got.dtype == a.dtype
        np.testing.assert_array_equal(got.to_numpy().astype(wide.dtype), np.sort(numpys, axis, kind="stable"))
        places = ap.argsort(view, axis, kind="stable")
        np.testing.assert_array_equal(places.to_numpy(), np.argsort(numpys, axis, kind="stable"))
        assert places.dtype == np.intp
    assert left_the_device() == []


@pytest.mark.parametrize("dtype", SORTED, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_stay(name: str, dtype: Any, axis: int | None) -> None:
    a, wide = to_order(dtype)
    x = ap.asarray(a)
    ap.forget_fallbacks()
    for view, numpys in ((x, wide), (x[::-1, ::2], wide[::-1, ::2]), (x.T, wide.T)):
        np.testing.assert_array_equal(getattr(ap, name)(view, axis).to_numpy(), getattr(np, name)(numpys, axis))
    assert left_the_device() == []


@settings(max_examples=60, deadline=None)
@given(a=npst.arrays(np.float32, npst.array_shapes(max_dims=3, min_side=0, max_side=7)), data=st.data())
def test_sorting_in_place(a: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    x = ap.asarray(a)
    x.sort(axis)
    a = a.copy()
    a.sort(axis, kind="stable")
    np.testing.assert_array_equal(x.to_numpy(), a)


@pytest.mark.parametrize(
    "arguments", [{"axis": 5}, {"kind": "none"}, {"kind": "stable", "stable": True}, {"order": "x"}],
)
@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_errors_are_numpys(name: str, arguments: dict[str, Any]) -> None:
    a = np.ones((2, 3), np.float32)
    with pytest.raises(Exception) as expected:
        getattr(np, name)(a, **arguments)
    with pytest.raises(expected.type):
        getattr(ap, name)(ap.asarray(a), **arguments)


def counted(n: int, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.integers(0, 50, n).astype(dtype), rng.normal(size=n)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_weights_are_added_by_one_operator(dtype: Any) -> None:
    index, weights = counted(5000, dtype)
    mine, its = ap.asarray(index), ap.asarray(weights)
    ap.synchronize()
    ap.forget_fallbacks()
    cannsim.clear()
    for more in (weights, weights.astype(np.float32), weights > 0):
        got = ap.bincount(mine, ap.asarray(more), 70)
        np.testing.assert_allclose(ap.to_numpy(got), np.bincount(index, more, 70), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        ap.to_numpy(ap.bincount(mine[::3], its[::-3])), np.bincount(index[::3], weights[::-3]), rtol=1e-12, atol=1e-12)
    called = {task["name"] for task in cannsim.report()["tasks"]}
    assert any("Bincount" in name for name in called) and not any("Sort" in name for name in called), called
    assert left_the_device() == []


def test_where_counting_is_refused_weights_are_sorted() -> None:
    index, weights = counted(5001, np.int64)
    cannsim.refuse("aclnnBincount")
    try:
        got = ap.bincount(ap.asarray(index), ap.asarray(weights))
        np.testing.assert_allclose(ap.to_numpy(got), np.bincount(index, weights), rtol=1e-12, atol=1e-12)
        assert any("aclnnBincount" in one["what"] for one in ap.demotions())
    finally:
        cannsim.clear_faults()
        ap.forget_demotions()


def test_what_is_refused_is_numpys() -> None:
    """A refusal at the call leaves the work to NumPy, from then on."""
    a = np.random.default_rng(1).random(4321, np.float32)  # no executor is kept for this shape
    ap.forget_fallbacks()
    cannsim.refuse("aclnnSort")
    try:
        np.testing.assert_array_equal(ap.sort(ap.asarray(a)).to_numpy(), np.sort(a))
        assert left_the_device() == ["numpy.sort"]
        assert "aclnnSort(float32, float32, int64)" in [one["what"] for one in ap.demotions()]
    finally:
        cannsim.clear_faults()
        ap.forget_demotions()
