"""asnumpy.scipy.ndimage beside scipy.ndimage: interpolation, measurements, errors, what runs where."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs
from filtered_images import CROSS, MODES, WEIGHTS, agree, compare, image, refuse_alike

import asnumpy as ap
import asnumpy.scipy.ndimage as own

INTEGERS = (np.uint8, np.int16, np.uint32, np.int64, bool)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1])
def test_interpolation_over_borders(mode: str, order: int) -> None:
    options = {"order": order, "mode": mode, "cval": 7.3}
    rng = np.random.default_rng(8)
    for shape in ((5, 6), (1, 4)):
        values = image(np.float64, shape)
        compare("shift", values, shift=(1.0, -2.0), **options)
        compare("shift", values, shift=(-7.25, 3.5), **options)
        points = rng.uniform(-14, 16, (2, 3, 40))
        points[:, 0, :20] = np.round(points[:, 0, :20] * 2) / 2
        points[:, 0, 20] = -1e-17
        compare("map_coordinates", values, coordinates=points, **options)
        compare("affine_transform", values, matrix=np.array([0.75, 1.3]), offset=[0.31, -0.2], **options)
        compare("zoom", values, zoom=(1.75, 0.6), **options)
        if mode not in ("constant", "wrap"):
            compare("zoom", values, zoom=(2.3, 1.5), grid_mode=True, **options)
    values = image(np.float64, (5, 6))
    matrix = np.array([[0.8, 0.3], [-0.2, 1.1]])
    compare("affine_transform", values, matrix=matrix, offset=(0.3, -0.7), output_shape=(4, 9), **options)
    compare("affine_transform", values, matrix=np.hstack([matrix, [[1.0], [-2.0]]]), **options)
    compare("rotate", values, angle=25.0, **options)
    compare("rotate", image(np.float64, (3, 4, 5)), angle=-100.0, axes=(0, 2), reshape=False, **options)


def test_interpolation_over_dtypes() -> None:
    for dtype in (np.float32, *INTEGERS):
        values = image(dtype, (6, 7))
        for order in (0, 1):
            compare("shift", values, shift=0.5, order=order, mode="nearest")
            compare("zoom", values, zoom=1.5, order=order)
            compare("rotate", values, angle=45, order=order)
            compare("map_coordinates", values, coordinates=np.float32([[0.5, 1, 9], [1.5, 2, 3]]), order=order)
    values = image(np.float64, (6, 7)) * 500 - 20000
    for output in (*INTEGERS, np.int8, np.float32):
        compare("shift", values, shift=0.5, order=1, output=output, mode="nearest")
    compare("shift", image(np.float64, (20,)), shift=1.5, order=1)
    compare("shift", image(np.float64, (3, 4, 5)), shift=(0.5, 1.5, -0.25), order=1)
    compare("zoom", image(np.float64, (3, 4, 5)), zoom=2, order=3)
    compare("map_coordinates", image(np.float64, (4,)), coordinates=np.array([[np.nan, np.inf, 1.0]]), order=1)


LABELS = np.random.default_rng(2).integers(0, 6, (9, 12)).astype(np.int32)
MEASURES = "sum_labels sum mean variance standard_deviation minimum maximum median".split()


@pytest.mark.parametrize("name", MEASURES)
def test_measurements(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels that nothing has
        for dtype in (np.float64, np.float32, np.uint8, np.int64, bool):
            values = image(dtype)
            if not (dtype is bool and name in ("variance", "standard_deviation")):  # NumPy cannot subtract them
                compare(name, values)
            compare(name, values, labels=LABELS, index=np.arange(1, 5))
            if dtype is not bool:
                compare(name, values, labels=LABELS)
                compare(name, values, labels=LABELS, index=3)
        values = image(np.float64)
        if name != "median":
            compare(name, values, labels=LABELS, index=np.array([2, 9, -1, 0]))
        compare(name, values, labels=LABELS.astype(np.uint8), index=[[1, 2], [5, 4]])
        compare(name, values, labels=LABELS - 3, index=[-1, 2])
        compare(name, values, labels=LABELS * 1.5, index=[1.5, 3])
        compare(name, values, labels=LABELS[0], index=[1, 2])


def test_centres_and_histograms() -> None:
    values = image(np.float64)
    for dtype in (np.float64, np.uint8):
        one = image(dtype)
        got = own.center_of_mass(ap.array(one))
        np.testing.assert_allclose([float(c) for c in got], theirs.center_of_mass(one), rtol=1e-13)
        got = own.center_of_mass(ap.array(one), ap.array(LABELS), [1, 4])
        np.testing.assert_allclose(np.array(got, float), theirs.center_of_mass(one, LABELS, [1, 4]), rtol=1e-13)
    agree(own.histogram(ap.array(values), 0, 100, 7), theirs.histogram(values, 0, 100, 7))
    agree(own.histogram(ap.array(values), 0, 100, 7, ap.array(LABELS)), theirs.histogram(values, 0, 100, 7, LABELS))
    agree(own.histogram(ap.array(values), 0, 100, 7, ap.array(LABELS), 2),
          theirs.histogram(values, 0, 100, 7, LABELS, 2))
    for got, wanted in zip(own.histogram(ap.array(values), 0, 100, 7, ap.array(LABELS), [1, 2]),
                           theirs.histogram(values, 0, 100, 7, LABELS, [1, 2]), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_labels_by_the_host() -> None:
    values = image(bool)
    got, count = own.label(ap.array(values))
    wanted, number = theirs.label(values)
    agree(got, wanted)
    assert count == number and isinstance(got, ap.ndarray)
    assert own.find_objects(got) == theirs.find_objects(wanted)
    agree(own.distance_transform_edt(ap.array(values)), theirs.distance_transform_edt(values))
    assert own.maximum_position(ap.array(image(np.float64))) == theirs.maximum_position(image(np.float64))


ERRORS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("correlate", (WEIGHTS[0],), {}),
    ("correlate", (WEIGHTS,), {"mode": "no such mode"}),
    ("correlate", (WEIGHTS,), {"origin": 3}),
    ("correlate", (WEIGHTS,), {"mode": ["wrap", "nearest"]}),
    ("correlate1d", ([],), {}),
    ("correlate1d", ([1, 2],), {"axis": 2}),
    ("correlate1d", ([1, 2],), {"output": np.zeros(3)}),
    ("convolve", (WEIGHTS,), {"axes": (0, 0)}),
    ("gaussian_filter", ((1, 2, 3),), {}),
    ("gaussian_filter", (1.0,), {"order": -1}),
    ("gaussian_filter", (1.0,), {"radius": 1.5}),
    ("gaussian_filter", (1.0,), {"axes": 5}),
    ("gaussian_filter", (1.0,), {"output": "bool"}),
    ("gaussian_filter", (), {}),
    ("gaussian_laplace", (1.0,), {"colour": 3}),
    ("uniform_filter1d", (0,), {}),
    ("uniform_filter1d", (3,), {"origin": 2}),
    ("minimum_filter", (), {}),
    ("minimum_filter", (), {"footprint": np.zeros((2, 2))}),
    ("maximum_filter1d", (-1,), {}),
    ("rank_filter", (9,), {"size": 3}),
    ("rank_filter", (1.5,), {"size": 3}),
    ("percentile_filter", (101,), {"size": 3}),
    ("median_filter", (), {}),
    ("grey_erosion", (), {}),
    ("binary_erosion", (), {"structure": np.ones(3)}),
    ("binary_erosion", (), {"mask": np.ones(3)}),
    ("binary_dilation", (), {"iterations": 1.5}),
    ("shift", (1,), {"order": 6}),
    ("shift", ((1, 2, 3),), {"order": 1}),
    ("map_coordinates", (np.zeros((3, 4)),), {"order": 1}),
    ("affine_transform", (np.eye(4),), {"order": 1}),
    ("rotate", (10,), {"axes": (0, 2)}),
    ("histogram", (0, 1, 2), {"index": 1}),
)


@pytest.mark.parametrize(("name", "args", "options"), ERRORS, ids=[f"{one[0]}-{at}" for at, one in enumerate(ERRORS)])
def test_errors(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    refuse_alike(name, *args, **options)


def test_what_is_left_to_scipy() -> None:
    values = image(np.float64)
    for name, options in (
        ("gaussian_filter", {"sigma": 1.0}), ("convolve", {"weights": WEIGHTS}), ("uniform_filter", {}),
    ):
        compare(name, (values + 1j * values[::-1])[:5], **options)
    compare("median_filter", values, size=5)
    compare("gaussian_filter", np.zeros((0, 3)), sigma=1.0)
    with pytest.warns(UserWarning, match="ignoring size"):
        agree(own.minimum_filter(ap.array(values), 3, CROSS), theirs.minimum_filter(values, footprint=CROSS))
    target = np.zeros(values.shape)
    own.gaussian_filter(ap.array(values), 1.0, output=target)
    np.testing.assert_array_equal(target, theirs.gaussian_filter(values, 1.0))


def test_compositions_are_not_counted_and_the_rest_is() -> None:
    values = ap.array(image(np.float64, (40, 50)))
    ap.forget_fallbacks()
    for call in (
        own.gaussian_filter(values, 1.0), own.median_filter(values, 3), own.grey_closing(values, 3),
        own.binary_opening(values > 50), own.zoom(values, 2, order=0), own.rotate(values, 30, order=0),
        own.gaussian_gradient_magnitude(values, 2), own.convolve(values, WEIGHTS), own.mean(values),
    ):
        assert isinstance(call, ap.ndarray)
        ap.eval(call)
    assert "scipy.ndimage" not in str(ap.fallbacks())
    own.label(values > 50)
    assert "scipy.ndimage.label" in str(ap.fallbacks())


def test_filters_under_jit() -> None:
    @ap.jit
    def edges(x: Any) -> Any:
        return own.gaussian_gradient_magnitude(x, 1.0) * own.maximum_filter(x, 3)

    for seed in (1, 2):
        values = np.random.default_rng(seed).normal(size=(12, 15))
        wanted = theirs.gaussian_gradient_magnitude(values, 1.0) * theirs.maximum_filter(values, 3)
        agree(edges(ap.array(values)), wanted)
