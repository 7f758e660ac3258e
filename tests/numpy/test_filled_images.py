"""SciPy's image functions write to the arrays of ours that they are given, on each device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage
from device_marks import each_device

import asnumpy as ap

IMAGE = np.random.default_rng(5).random((12, 15))
MASK = IMAGE > 0.4
SQUARE = np.ones((3, 3))

# By function: what goes before `output=`.
FLOATS: dict[str, tuple[Any, ...]] = {
    "affine_transform": (IMAGE, np.eye(2)), "convolve": (IMAGE, SQUARE), "convolve1d": (IMAGE, SQUARE[0]),
    "correlate": (IMAGE, SQUARE), "correlate1d": (IMAGE, SQUARE[0]), "gaussian_filter": (IMAGE, 1.5),
    "gaussian_filter1d": (IMAGE, 1.5), "gaussian_gradient_magnitude": (IMAGE, 1.5), "gaussian_laplace": (IMAGE, 1.5),
    "grey_closing": (IMAGE, 3), "grey_dilation": (IMAGE, 3), "grey_erosion": (IMAGE, 3), "grey_opening": (IMAGE, 3),
    "black_tophat": (IMAGE, 3), "white_tophat": (IMAGE, 3), "morphological_gradient": (IMAGE, 3),
    "laplace": (IMAGE,), "maximum_filter": (IMAGE, 3), "median_filter": (IMAGE, 3), "minimum_filter": (IMAGE, 3),
    "maximum_filter1d": (IMAGE, 3), "minimum_filter1d": (IMAGE, 3), "percentile_filter": (IMAGE, 30, 3),
    "prewitt": (IMAGE,), "rank_filter": (IMAGE, 2, 3), "shift": (IMAGE, 1.5), "sobel": (IMAGE,),
    "spline_filter": (IMAGE,), "spline_filter1d": (IMAGE,), "uniform_filter": (IMAGE, 3),
    "uniform_filter1d": (IMAGE, 3), "zoom": (IMAGE, 1.0),
    "generic_filter": (IMAGE, np.mean, 3), "map_coordinates": (IMAGE, np.indices(IMAGE.shape) * 0.5),
}
MASKS: dict[str, tuple[Any, ...]] = {
    "binary_closing": (MASK,), "binary_dilation": (MASK,), "binary_erosion": (MASK,), "binary_fill_holes": (MASK,),
    "binary_hit_or_miss": (MASK,), "binary_opening": (MASK,), "binary_propagation": (MASK,),
}
CASES = [
    *((name, given, "float64") for name, given in FLOATS.items()),
    *((name, given, "bool") for name, given in MASKS.items()),
]


def on(device: Any, value: np.ndarray) -> Any:
    return ap.array(value).to_device(device)


@each_device
@pytest.mark.parametrize(("name", "given", "dtype"), CASES, ids=[case[0] for case in CASES])
def test_output(name: str, given: tuple[Any, ...], dtype: str, device: Any) -> None:
    function = getattr(scipy.ndimage, name)
    expected = np.full(IMAGE.shape, 7).astype(dtype)
    returned = function(*given, output=expected)
    arrays = [on(device, value) if isinstance(value, np.ndarray) else value for value in given]
    output = ap.full(IMAGE.shape, 7, dtype=dtype, device=device)
    assert function(*arrays, output=output) is (output if returned is expected else returned)
    np.testing.assert_array_equal(ap.to_numpy(output), expected)


@each_device
def test_by_position(device: Any) -> None:
    image, output = on(device, IMAGE), ap.zeros(IMAGE.shape, device=device)
    scipy.ndimage.gaussian_filter(image, 2.0, 0, output)
    np.testing.assert_array_equal(ap.to_numpy(output), scipy.ndimage.gaussian_filter(IMAGE, 2.0))


@each_device
def test_part_of_an_array_and_the_input_itself(device: Any) -> None:
    image, wide = on(device, IMAGE), ap.zeros((12, 30), device=device)
    scipy.ndimage.uniform_filter(image, 3, output=wide[:, ::2])
    expected = scipy.ndimage.uniform_filter(IMAGE, 3)
    np.testing.assert_array_equal(ap.to_numpy(wide[:, ::2]), expected)
    assert not ap.to_numpy(wide[:, 1::2]).any()
    scipy.ndimage.uniform_filter(image, 3, output=image)
    np.testing.assert_array_equal(ap.to_numpy(image), expected)


@each_device
def test_labels(device: Any) -> None:
    labels = ap.zeros(MASK.shape, dtype="int32", device=device)
    found = scipy.ndimage.label(on(device, MASK), output=labels)
    expected, count = scipy.ndimage.label(MASK)
    assert found == count
    np.testing.assert_array_equal(ap.to_numpy(labels), expected)


@each_device
def test_distances(device: Any) -> None:
    distances = ap.zeros(MASK.shape, device=device)
    transform = scipy.ndimage.distance_transform_edt
    indices = transform(on(device, MASK), distances=distances, return_indices=True)
    expected, places = transform(MASK, return_indices=True)
    np.testing.assert_array_equal(ap.to_numpy(distances), expected)
    np.testing.assert_array_equal(np.asarray(indices), places)


@each_device
def test_what_does_not_fit(device: Any) -> None:
    output = ap.zeros((3, 3), device=device)
    with pytest.raises(RuntimeError, match="output shape not correct"):
        scipy.ndimage.laplace(on(device, IMAGE), output=output)
    assert not ap.to_numpy(output).any()


def test_numpys_arrays_stay_numpys() -> None:
    output = np.zeros(IMAGE.shape)
    assert scipy.ndimage.laplace(IMAGE, output=output) is output
    assert type(scipy.ndimage.laplace(IMAGE)) is np.ndarray
