"""Splines of orders 2 to 5 of asnumpy.scipy.ndimage beside scipy.ndimage, where they are composed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs
from filtered_images import MODES, image, refuse_alike, with_arrays

import asnumpy as ap
import asnumpy.scipy.ndimage as own
from asnumpy.scipy.ndimage import _borders, _interpolation

ORDERS = (2, 3, 4, 5)
ON_HOST = ap.zeros(1)._host_visible


@pytest.fixture(autouse=True)
def composed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Composed on the host too, and nowhere by SciPy."""
    monkeypatch.setattr(_interpolation, "quicker", lambda a, grid: True)
    ap.forget_fallbacks()
    yield
    assert ap.fallbacks() == []


def compare(name: str, values: np.ndarray, apart: int = 0, **options: Any) -> None:
    """Within 1e-12 of SciPy's largest value, integers up to `apart`, as sums on the edge may be rounded either way."""
    wanted = getattr(theirs, name)(values, **options)
    got = getattr(own, name)(ap.array(values), **with_arrays(options))
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    found, scale = ap.to_numpy(got).astype(np.float64), float(np.max(np.abs(wanted), initial=0))
    few = 1e-12 if wanted.dtype != np.float32 else 1e-6
    np.testing.assert_allclose(found, wanted, rtol=0, atol=few * scale if wanted.dtype.kind == "f" else apart)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", ORDERS)
def test_over_orders_and_borders(order: int, mode: str) -> None:
    options: dict[str, Any] = {"order": order, "mode": mode}
    rng = np.random.default_rng(8)
    for shape in ((40, 5), (1, 4)):  # longer than the matrix of a recursion, and shorter
        values = image(np.float64, shape)
        compare("spline_filter", values, **options)
        compare("spline_filter1d", values, axis=0, **options)
        for prefilter in (True, False):
            every = {**options, "cval": 7.3, "prefilter": prefilter}
            compare("shift", values, shift=(-7.25, 2.0), **every)
            points = rng.uniform(-14, 16, (2, 3, 40))
            points[:, 0, :20] = np.round(points[:, 0, :20] * 2) / 2
            points[:, 0, 20] = -1e-17
            compare("map_coordinates", values, coordinates=points, **every)
            compare("zoom", values, zoom=(1.75, 0.6), **every)
    compare("affine_transform", values, matrix=np.array([0.75, 1.3]), offset=[0.31, -0.2], **every)
    if mode not in ("constant", "wrap"):
        compare("zoom", values, zoom=(2.3, 1.5), grid_mode=True, **options)
    values = image(np.float64, (5, 26))
    matrix = np.array([[0.8, 0.3], [-0.2, 1.1]])
    compare("affine_transform", values, matrix=matrix, offset=(0.3, -0.7), output_shape=(4, 9), cval=7.3, **options)
    compare("rotate", values, angle=25.0, **options)
    compare("rotate", image(np.float64, (3, 4, 5)), angle=-100.0, axes=(0, 2), reshape=False, cval=1.0, **options)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int16, np.uint32, np.int64, bool])
def test_over_dtypes(dtype: Any) -> None:
    values = image(dtype, (6, 37))
    compare("spline_filter", values, order=4)
    compare("spline_filter1d", values, output=np.float32)
    for order in (1, 0):
        compare("spline_filter1d", values, order=order)
    if dtype is not bool:  # which is true for what is zero but for a rounding
        for mode in ("constant", "nearest", "grid-constant"):
            compare("shift", values, 1, shift=0.4, mode=mode, cval=7.0)
            points = np.float32([[0.5, 1, 9], [1.5, 2, 3]])
            compare("map_coordinates", values, 1, coordinates=points, mode=mode, order=2)
        compare("zoom", values, 1, zoom=1.5)
        compare("rotate", values, 1, angle=45)
        compare("shift", image(np.float64, (6, 7)), 1, shift=0.4, output=dtype)


def test_axes_layouts_and_results() -> None:
    values = image(np.float64, (3, 30, 5))
    for axis in (0, 1, -1):
        compare("spline_filter1d", values, axis=axis, order=5, mode="grid-wrap")
    compare("shift", values, shift=(0.5, 1.5, -0.25), order=2)
    compare("map_coordinates", values, coordinates=np.random.default_rng(2).uniform(0, 5, (3, 7)), order=3)
    compare("map_coordinates", values[0, 0], coordinates=np.linspace(-1, 5, 9)[None], order=5)
    ours, shown = ap.array(values[0]), values[0]
    for view in (np.s_[::-1], np.s_[:, ::2], np.s_[1::3, ::-1]):
        wanted = theirs.zoom(shown[view], 1.5)
        np.testing.assert_allclose(ap.to_numpy(own.zoom(ours[view], 1.5)), wanted, rtol=0, atol=1e-10)
    out, wanted = ap.zeros((30, 5), np.float32), np.zeros((30, 5), np.float32)
    theirs.shift(shown, 0.5, output=wanted)
    assert own.shift(ours, 0.5, output=out) is out
    np.testing.assert_allclose(ap.to_numpy(out), wanted, rtol=0, atol=1e-4)
    wanted = theirs.spline_filter(shown)
    np.testing.assert_allclose(ap.to_numpy(own.spline_filter(ours, output=ours)), wanted, rtol=0, atol=1e-10)


def test_large_arrays_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_borders, "_BLOCK", 8 * 130)
    monkeypatch.setattr(_interpolation, "_POINTS", 400)
    values = image(np.float64, (6, 10, 27))
    compare("zoom", values, zoom=1.2)
    compare("rotate", values, angle=30)
    compare("map_coordinates", values[0], coordinates=np.random.default_rng(3).uniform(0, 9, (2, 90)))


def test_values_that_are_no_numbers() -> None:
    """They reach as far as the response of the filter does; SciPy's recursion takes them along the whole line."""
    values = image(np.float64, (1, 400))
    values[0, 5] = np.nan
    found = ap.to_numpy(own.spline_filter1d(ap.array(values)))
    assert np.isnan(found[0, :30]).all() and np.isfinite(found[0, 60:]).all()
    points = np.array([[0.0, 0, 0], [np.nan, np.inf, 300.5]])
    got = ap.to_numpy(own.map_coordinates(ap.array(values), points, cval=5.0))
    np.testing.assert_allclose(got, [5, 5, theirs.map_coordinates(np.nan_to_num(values), points[:, 2:])[0]], rtol=1e-12)


@pytest.mark.parametrize(("name", "args", "options"), [
    ("spline_filter", (1,), {}), ("spline_filter", (6,), {}), ("spline_filter1d", (3, 5), {}),
    ("spline_filter", (), {"mode": "none"}), ("shift", (1,), {"order": 6}), ("zoom", ((1, 2, 3),), {}),
    ("map_coordinates", (np.zeros((3, 4)),), {}), ("affine_transform", (np.eye(4),), {}), ("rotate", (30, (0, 5)), {}),
])
def test_errors(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    refuse_alike(name, *args, **options)
    ap.forget_fallbacks()


def test_under_jit() -> None:
    turned = ap.jit(lambda x: own.rotate(x, 30.0, reshape=False) + own.shift(x, 0.5))
    for seed in (1, 2):
        values = np.random.default_rng(seed).normal(size=(12, 15))
        wanted = theirs.rotate(values, 30.0, reshape=False) + theirs.shift(values, 0.5)
        np.testing.assert_allclose(ap.to_numpy(turned(ap.array(values))), wanted, rtol=0, atol=1e-12)


def test_which_way_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    a = ap.array(image(np.float64, (130, 130)))
    small = a[:20]
    ap.forget_fallbacks()
    ap.eval(own.shift(a, 0.5), own.zoom(a, 1.1))
    assert ap.fallbacks() == []
    ap.eval(own.rotate(a, 5.0), own.shift(small, 0.5), own.spline_filter(a))
    counted = [one["function"] for one in ap.fallbacks()]
    assert counted == ([f"scipy.ndimage.{name}" for name in ("rotate", "shift", "spline_filter")] if ON_HOST else [])
    ap.forget_fallbacks()
