"""Interpolation of the CPU's arrays in slabs of the result: SciPy's bits, however it is cut, on several threads."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs
from filtered_images import MODES, image, refuse_alike

import asnumpy as ap
import asnumpy.scipy.ndimage as own
from asnumpy.host import blocks
from asnumpy.scipy.ndimage import _slabs

TURN = np.array([[0.8, 0.3], [-0.2, 1.1]])


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """So many threads share even small arrays, in slabs and pieces of few places."""
    monkeypatch.setattr(_slabs, "_EACH", 1)
    monkeypatch.setattr(_slabs, "_POINTS", 16)
    before = ap.get_num_threads()
    ap.set_num_threads(request.param)
    yield request.param
    ap.set_num_threads(before)


def on_cpu(values: Any) -> Any:
    return ap.asarray(values, device="cpu", copy=True)


def same(name: str, values: np.ndarray, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(theirs, name)(values, **options)
    got = getattr(own, name)(on_cpu(values), **options)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(ap.to_numpy(got), wanted)


def all_of(values: np.ndarray, **options: Any) -> None:
    """Every function; also with coordinates that lie on edges."""
    ndim = values.ndim
    same("shift", values, shift=[2.3, -0.7, 0.1][:ndim], **options)
    same("shift", values, shift=3, **options)
    same("zoom", values, zoom=[1.7, 0.6, 1.0][:ndim], **options)
    same("affine_transform", values, matrix=np.array([0.7, 1.3, 0.9][:ndim]), offset=0.1, **options)
    points = np.random.default_rng(8).uniform(-9, 19, (ndim, 5, 9))
    points[:, 0] = np.round(points[:, 0])
    same("map_coordinates", values, coordinates=points, **options)
    if ndim > 1:
        same("rotate", values, angle=33.0, **options)
        same("rotate", values, angle=-90.0, reshape=False, **options)
    if ndim == 2:
        same("affine_transform", values, matrix=TURN, offset=(0.3, -0.7), output_shape=(7, 11), **options)
        same("affine_transform", values, matrix=np.hstack([TURN, [[1.0], [-2.0]]]), **options)


@pytest.mark.parametrize("mode", MODES)
def test_borders(threads: int, mode: str) -> None:
    for order in (1, 2, 3):
        all_of(image(np.float64), order=order, mode=mode, cval=7.3)
        if mode not in ("constant", "wrap"):
            same("zoom", image(np.float64), zoom=(2.3, 1.5), grid_mode=True, order=order, mode=mode)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int16, np.uint32, np.int64, bool])
def test_dtypes(threads: int, dtype: Any) -> None:
    for order in (1, 3):
        options = {"output": np.float32} if dtype is bool else {}
        all_of(image(dtype), order=order, **options)
        same("zoom", image(dtype), zoom=1.5, order=order, mode="nearest", **options)
    for output in (np.uint8, "int32", np.dtype(np.float32)):
        same("rotate", image(dtype), angle=20.0, output=output, order=3)


def test_axes_and_orders(threads: int) -> None:
    for shape in ((40,), (1, 30), (30, 1), (3, 4, 5), (1, 1)):
        for order in (1, 4, 5):
            all_of(image(np.float64, shape), order=order)
    volume = image(np.float32, (4, 9, 8))
    for axes in ((0, 1), (0, 2), (-1, 1)):
        same("rotate", volume, angle=25.0, axes=axes, mode="grid-constant", cval=3.0)
    many = image(np.float64, (9, 4, 5))  # more planes than slabs
    same("rotate", many, angle=25.0, axes=(1, 2), order=1)
    same("zoom", image(np.float64), zoom=1.3, prefilter=False)


@pytest.mark.parametrize("mode", MODES)
def test_averages_over_long_windows(threads: int, mode: str) -> None:
    for dtype in (np.float64, np.float32, np.uint8, np.int64):
        values = image(dtype, (30, 26))
        same("uniform_filter", values, size=17, mode=mode, cval=3.0)
        same("uniform_filter", values, size=(1, 20), origin=(0, -3), mode=mode, output=np.float32)
        same("uniform_filter1d", values, size=19, axis=0, mode=mode)
    same("uniform_filter", image(np.float64, (4, 30, 5)), size=18, axes=(1, -1), mode=[mode, "nearest"])
    same("uniform_filter1d", image(np.float64, (70,)), size=40, mode=mode)


def test_coordinates_keep_their_bits_where_slabs_begin() -> None:
    """Adding a slab's first place to a move rounds; the sum of both and a place would round again."""
    for move in (0.1, -7.3, 1 / 3, 2.9999999999999996, 1e-17, 1e6 + 0.1, 2.0):
        for length in (1, 5, 1000, 4099):
            slabs = _slabs._slabs_of_line(length, move, 3)
            assert [slabs[0][0], slabs[-1][1]] == [0, length]
            assert all(one[1] == other[0] for one, other in itertools.pairwise(slabs))
            made = np.concatenate([np.arange(last - first) + start for first, last, start in slabs])
            np.testing.assert_array_equal(made, np.arange(length) + move)


def test_layouts_and_outputs(threads: int) -> None:
    whole = image(np.float64, (18, 24))
    ours = on_cpu(whole)
    for name, options in (("shift", {"shift": 1.4}), ("rotate", {"angle": 30.0}), ("zoom", {"zoom": 1.5})):
        for part in (np.s_[::2, ::-1], np.s_[3:, 5:9]):
            for order in (1, 3):
                call, wanted = getattr(own, name), getattr(theirs, name)(whole[part].T, order=order, **options)
                np.testing.assert_array_equal(ap.to_numpy(call(ours[part].T, order=order, **options)), wanted)
                out = ap.zeros((2, *wanted.shape[::-1]), np.float32, device="cpu")[1].T
                assert call(ours[part].T, order=order, output=out, **options) is out
                np.testing.assert_array_equal(ap.to_numpy(out), wanted.astype(np.float32))
    points = np.random.default_rng(1).uniform(0, 9, (30, 2)).astype(np.float32)
    got = own.map_coordinates(ours, on_cpu(points).T, order=3)
    np.testing.assert_array_equal(ap.to_numpy(got), theirs.map_coordinates(whole, points.T, order=3))
    deferred = own.zoom(ours * 2.0 + 1.0, 1.5, order=1) - 1.0
    np.testing.assert_array_equal(ap.to_numpy(deferred), theirs.zoom(whole * 2.0 + 1.0, 1.5, order=1) - 1.0)


def test_an_output_in_the_source(threads: int) -> None:
    values = image(np.float64, (12, 9))
    ours = on_cpu(values)
    assert own.shift(ours, 1.5, order=3, output=ours) is ours
    np.testing.assert_array_equal(ap.to_numpy(ours), theirs.shift(values, 1.5, order=3))


def test_errors_are_scipys(threads: int) -> None:
    for name, options in (
        ("shift", {"shift": (1.0, 2.0, 3.0)}), ("zoom", {"zoom": 2.0, "order": 6}), ("zoom", {"zoom": (1.0,)}),
        ("rotate", {"angle": 3.0, "axes": (0, 5)}), ("shift", {"shift": 1.0, "mode": "beside"}),
        ("uniform_filter", {"size": 20, "origin": 10}), ("uniform_filter1d", {"size": 20, "axis": 2}),
        ("affine_transform", {"matrix": np.eye(5)}), ("map_coordinates", {"coordinates": np.zeros((3, 4))}),
    ):
        refuse_alike(name, ours=on_cpu, **options)


@pytest.mark.parametrize("shape", [(8, 9), (200, 180)])
def test_scipys_loops_count_as_calls_of_it(shape: tuple[int, int]) -> None:
    """Of every size: what goes through the host door is counted, on the CPU too."""
    values = on_cpu(image(np.float64, shape))
    calls = {
        "shift": lambda: own.shift(values, 0.5, order=1), "zoom": lambda: own.zoom(values, 1.5, order=1),
        "rotate": lambda: own.rotate(values, 5.0, order=1), "uniform_filter": lambda: own.uniform_filter(values, 20),
        "map_coordinates": lambda: own.map_coordinates(values, on_cpu(np.ones((2, 3))), order=1),
        "affine_transform": lambda: own.affine_transform(values, np.eye(2) * 0.9, order=1),
    }
    for name, call in calls.items():
        ap.forget_fallbacks()
        call()
        assert [(one["kind"], one["function"], one["reason"], one["count"]) for one in ap.fallbacks()] == [
            ("call", f"scipy.ndimage.{name}", "SciPy computes it at once", 1)
        ]
    ap.forget_fallbacks()


def test_threads_share_the_slabs(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    def counted(work: Any, count: int) -> None:
        given.append(count)
        blocks.in_blocks(work, count)

    monkeypatch.setattr(_slabs, "in_blocks", counted)
    large, small = on_cpu(image(np.float64, (300, 400))), on_cpu(image(np.float64))
    before = ap.get_num_threads()
    try:
        for threads in (1, 2):
            ap.set_num_threads(threads)
            for call in (
                lambda a: own.shift(a, 1.0, order=1), lambda a: own.zoom(a, 1.5, order=1), lambda a: own.rotate(a, 9.0),
                lambda a: own.rotate(a, 30.0, order=1), lambda a: own.uniform_filter(a, 31),
                lambda a: own.map_coordinates(a, on_cpu(np.indices(a.shape)), order=1),
            ):
                for a, least in ((large, threads), (small, 1)):
                    given.clear()
                    call(a)
                    assert all(least <= count for count in given)
                    assert threads == 2 or set(given) <= {1}
                    assert a is small or threads == 1 or given
    finally:
        ap.set_num_threads(before)


def test_how_many_threads_work_is_worth() -> None:
    before = ap.get_num_threads()
    try:
        ap.set_num_threads(2)
        for work, each, most, worth in (
            (0, 10, None, 1), (19, 10, None, 1), (20, 10, None, 2), (90, 10, None, 2), (90, 10, 2, 2), (90, 10, 1, 1),
            (90, 10, 0, 1),
        ):
            assert blocks.threads_for(work, each, most) == worth
        ap.set_num_threads(1)
        assert blocks.threads_for(1000, 1) == 1
    finally:
        ap.set_num_threads(before)


def test_blocks_run_once_each_on_several_threads() -> None:
    before = ap.get_num_threads()
    ap.set_num_threads(2)
    try:
        met = threading.Barrier(2, timeout=20)
        seen: list[tuple[int, int]] = []

        def work(block: int) -> None:
            met.wait()  # two of them at once
            seen.append((block, threading.get_ident()))
            if block < 2:
                blocks.in_blocks(lambda inner: seen.append((10 * block + inner + 10, 0)), 3)  # blocks within blocks

        blocks.in_blocks(work, 4)
        assert sorted(block for block, _ in seen) == [0, 1, 2, 3, 10, 11, 12, 20, 21, 22]
        assert len({thread for _, thread in seen if thread}) == 2

        def fails(block: int) -> None:
            raise LookupError(str(block))

        with pytest.raises(LookupError):
            blocks.in_blocks(fails, 3)
    finally:
        ap.set_num_threads(before)
