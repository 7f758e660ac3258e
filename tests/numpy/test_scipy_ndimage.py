"""asnumpy.scipy.ndimage beside scipy.ndimage: filters and morphology over dtypes, borders, windows, forms of calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs
from filtered_images import CROSS, MODES, WEIGHTS, agree, compare, image, with_arrays

import asnumpy as ap
import asnumpy.scipy.ndimage as own
from asnumpy.scipy.ndimage import _borders, _interpolation

DTYPES = (np.float64, np.float32, np.uint8, np.int16, np.uint32, np.int64, bool)
HEIGHTS = np.array([[1.5, -2.25, 0.0], [0.5, 3.75, -1.0]])

FILTERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("correlate", {"weights": WEIGHTS}),
    ("convolve", {"weights": WEIGHTS, "origin": (0, -1)}),
    ("correlate1d", {"weights": [1.0, 2.5, -3.0, 0.25], "axis": 0}),
    ("correlate1d", {"weights": [-1.0, 2.5, 1.0], "origin": 1}),
    ("convolve1d", {"weights": [1.0, 2.0, 5.0, 7.5], "origin": -1}),
    ("gaussian_filter", {"sigma": 1.5}),
    ("gaussian_filter", {"sigma": (0.75, 2), "order": (1, 2), "truncate": 3.0}),
    ("gaussian_filter", {"sigma": 2.0, "radius": 3}),
    ("gaussian_filter1d", {"sigma": 1.25, "axis": 0, "order": 3}),
    ("gaussian_laplace", {"sigma": 1.5}),
    ("gaussian_gradient_magnitude", {"sigma": (1.5, 0.5)}),
    ("laplace", {}),
    ("sobel", {}),
    ("prewitt", {"axis": 0}),
    ("uniform_filter", {"size": (3, 4), "origin": (0, 1)}),
    ("uniform_filter1d", {"size": 37, "axis": 0}),
    ("minimum_filter", {"size": 3}),
    ("maximum_filter", {"size": (2, 41), "origin": (0, -1)}),
    ("minimum_filter", {"footprint": CROSS}),
    ("maximum_filter", {"footprint": CROSS, "origin": 1}),
    ("minimum_filter1d", {"size": 300}),
    ("maximum_filter1d", {"size": 4, "axis": 0, "origin": -2}),
    ("median_filter", {"size": 3}),
    ("median_filter", {"footprint": CROSS}),
    ("rank_filter", {"rank": -3, "size": (2, 3)}),
    ("percentile_filter", {"percentile": 30.0, "footprint": CROSS, "origin": (0, 1)}),
    ("grey_erosion", {"size": (3, 2)}),
    ("grey_dilation", {"footprint": CROSS}),
    ("grey_opening", {"size": 4}),
    ("grey_closing", {"structure": HEIGHTS}),
    ("grey_dilation", {"structure": HEIGHTS, "footprint": CROSS[:2]}),
    ("morphological_gradient", {"size": 3}),
    ("morphological_laplace", {"size": (4, 3)}),
    ("white_tophat", {"footprint": CROSS}),
    ("black_tophat", {"size": 3}),
)
NAMES = [f"{name}-{place}" for place, (name, _) in enumerate(FILTERS)]


@pytest.mark.parametrize(("name", "options"), FILTERS, ids=NAMES)
def test_filters_over_dtypes(name: str, options: dict[str, Any]) -> None:
    for dtype in DTYPES:
        if dtype is bool and name.startswith("morphological"):
            with pytest.raises(TypeError):
                getattr(own, name)(ap.array(image(bool)), **with_arrays(options))
        else:
            compare(name, image(dtype), **options)


@pytest.mark.parametrize(("name", "options"), FILTERS, ids=NAMES)
def test_filters_over_borders(name: str, options: dict[str, Any]) -> None:
    for mode in MODES:
        for dtype, cval in ((np.float64, 7.3), (np.uint8, 7.0)):
            compare(name, image(dtype, (4, 7)), mode=mode, cval=cval, **options)
    compare(name, image(np.float32), mode="constant", cval=0.1, **options)


BY_AXIS = ("gaussian_filter", "uniform_filter", "minimum_filter", "maximum_filter", "laplace", "gaussian_laplace")


@pytest.mark.parametrize("name", BY_AXIS)
def test_modes_and_axes_by_axis(name: str) -> None:
    values = image(np.float64, (4, 5, 6))
    given = {"laplace": {}, "gaussian_laplace": {"sigma": (1, 2)}, "gaussian_filter": {"sigma": (1, 2)}}
    options = given.get(name, {"size": (3, 2)})
    compare(name, values, axes=(2, 0), mode=["wrap", "nearest"], **options)
    compare(name, values, axes=(-1, 1), **options)
    one = {key: value[0] for key, value in options.items()}
    compare(name, values, axes=1, mode="mirror", **one)
    compare(name, values, axes=(), **one)
    compare(name, values[0, 0], **one)


@pytest.mark.parametrize("name", ["correlate", "convolve", "median_filter", "maximum_filter", "binary_erosion"])
def test_windows_over_some_axes(name: str) -> None:
    key = {"correlate": "weights", "convolve": "weights", "binary_erosion": "structure"}.get(name, "footprint")
    values = image(bool if key == "structure" else np.int32, (4, 5, 6))
    compare(name, values, **{key: CROSS}, axes=(0, 2), origin=(1, 0))
    compare(name, values, **{key: CROSS[None]}, axes=(2, 0, 1), origin=(0, 1, 0))
    compare(name, values, **{key: np.array([1, 1, 0, 1])}, axes=1)


@pytest.mark.parametrize("output", [np.float64, np.float32, "int16", np.uint8, np.int64, bool, float])
def test_dtypes_of_results(output: Any) -> None:
    for dtype in (np.float64, np.int16, np.uint8):
        values = image(dtype)
        for name, options in (
            ("gaussian_filter", {"sigma": 1.0}), ("uniform_filter", {}), ("laplace", {}), ("sobel", {}),
            ("correlate", {"weights": WEIGHTS}), ("maximum_filter", {"size": 3}), ("median_filter", {"size": 3}),
            ("grey_opening", {"size": 3}), ("shift", {"shift": 0.5, "order": 1}), ("zoom", {"zoom": 1, "order": 0}),
        ):
            compare(name, values, output=output, **options)


@pytest.mark.parametrize("name", ["gaussian_filter1d", "maximum_filter", "correlate", "grey_closing", "white_tophat"])
def test_arrays_for_results(name: str) -> None:
    given = {"gaussian_filter1d": {"sigma": 1.0}, "correlate": {"weights": WEIGHTS}}
    options = given.get(name, {"size": 3})
    values = image(np.int32)
    for dtype in (np.int32, np.float64, np.uint8):
        if name == "white_tophat" and dtype != np.int32:
            continue
        wanted, out = np.zeros(values.shape, dtype), ap.zeros(values.shape, dtype)
        getattr(theirs, name)(values, output=wanted, **options)
        assert getattr(own, name)(ap.array(values), output=out, **options) is out
        agree(out, wanted)
    if name != "white_tophat":  # SciPy has lost the array by then
        wanted, got = values.copy(), ap.array(values)
        getattr(theirs, name)(wanted, output=wanted, **options)
        getattr(own, name)(got, output=got, **options)
        agree(got, wanted)
    wanted, got = np.zeros((18, 12), np.int32), ap.zeros((18, 12), np.int32)
    getattr(theirs, name)(values, output=wanted[::-2], **options)
    getattr(own, name)(ap.array(values), output=got[::-2], **options)
    agree(got, wanted)


def test_layouts() -> None:
    whole = image(np.float64, (10, 14))
    ours = ap.array(whole)
    for name, options in (
        ("gaussian_filter", {"sigma": 1.0}), ("minimum_filter", {"size": 3}), ("correlate", {"weights": WEIGHTS}),
        ("zoom", {"zoom": (1.5, 0.75), "order": 1}), ("rotate", {"angle": 30, "order": 1}), ("sum_labels", {}),
        ("binary_dilation", {}),
    ):
        for view in (np.s_[::-1], np.s_[:, ::2], np.s_[1::3, ::-1]):
            agree(getattr(own, name)(ours[view], **with_arrays(options)), getattr(theirs, name)(whole[view], **options))
        agree(getattr(own, name)(ours.T, **with_arrays(options)), getattr(theirs, name)(whole.T, **options))
    rows = whole[0].tolist()
    agree(own.gaussian_filter(rows, 1), theirs.gaussian_filter(rows, 1))
    fixed = ap.array(np.broadcast_to(whole[0], (5, 14)))
    agree(own.laplace(fixed), theirs.laplace(np.broadcast_to(whole[0], (5, 14))))


def test_large_images_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_borders, "_BLOCK", 8 * 130)
    monkeypatch.setattr(_interpolation, "_POINTS", 25)
    values = image(np.float32, (6, 10, 7))
    for name, options in (
        ("gaussian_filter", {"sigma": 1.0}), ("uniform_filter", {"size": 3}), ("maximum_filter", {"size": 3}),
        ("correlate", {"weights": WEIGHTS[None]}), ("median_filter", {"size": (1, 3, 3)}),
        ("minimum_filter", {"footprint": np.array([[[1, 0], [1, 1]]] * 3)}), ("binary_erosion", {}),
        ("zoom", {"zoom": 1.5, "order": 1}), ("shift", {"shift": 1.5, "order": 0}),
        ("rotate", {"angle": 30, "order": 1}),
    ):
        compare(name, values, **options)
    compare("median_filter", image(np.int64, (400,)), size=3)
    compare("map_coordinates", image(np.float64, (9,)), coordinates=np.linspace(0, 8, 90)[None], order=1)


def test_values_that_are_no_numbers() -> None:
    values = image(np.float64)
    values[2, 3], values[6, 7], values[6, 2] = np.nan, np.inf, -np.inf
    for name, options in (("gaussian_filter", {"sigma": 0.5}), ("correlate", {"weights": WEIGHTS}), ("laplace", {})):
        compare(name, values, **options)
    assert np.isnan(ap.to_numpy(own.minimum_filter(ap.array(values), 3))[1:4, 2:5]).all()


def test_derivatives_of_the_program() -> None:
    def ours(input: Any, axis: int, output: Any, mode: str, cval: float, factor: float = 1.0) -> Any:
        return own.correlate1d(input, [factor, -2.0, factor], axis, output, mode, cval, 0)

    def numpys(input: Any, axis: int, output: Any, mode: str, cval: float, factor: float = 1.0) -> Any:
        return theirs.correlate1d(input, [factor, -2.0, factor], axis, output, mode, cval, 0)

    values = image(np.float64)
    for name in ("generic_laplace", "generic_gradient_magnitude"):
        for options in ({}, {"extra_arguments": (2.0,)}, {"extra_keywords": {"factor": 3.0}, "mode": "wrap"}):
            agree(getattr(own, name)(ap.array(values), ours, **options),
                  getattr(theirs, name)(values, numpys, **options))


# --- binary morphology ---

STRUCTURES = (None, CROSS, np.ones((5, 4)), np.array([[1, 0, 1, 1]]))


@pytest.mark.parametrize("name", ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"])
def test_binary_morphology(name: str) -> None:
    rng = np.random.default_rng(5)
    values, mask = rng.random((11, 13)) < 0.6, rng.random((11, 13)) < 0.7
    for structure in STRUCTURES:
        for options in ({}, {"iterations": 3, "border_value": 1}, {"mask": mask, "iterations": 2},
                        {"origin": (0, 1 if structure is not None and len(structure) == 5 else 0)}):
            compare(name, values, structure=structure, **options)
    compare(name, image(np.float32) - np.float32(60) * image(bool), iterations=2, brute_force=True)
    compare(name, values, iterations=-1)  # until nothing changes
    for dtype in (bool, np.uint8, np.float64):
        wanted, out = np.ones(values.shape, dtype), ap.ones(values.shape, dtype)
        getattr(theirs, name)(values, output=wanted)
        assert getattr(own, name)(ap.array(values), output=out) is out
        agree(out, wanted)


def test_the_rest_of_binary_morphology() -> None:
    values = np.random.default_rng(6).random((10, 12)) < 0.6
    for options in ({}, {"structure1": CROSS}, {"structure1": CROSS, "structure2": 1 - CROSS[::-1], "origin2": 1}):
        compare("binary_hit_or_miss", values, **options)
    out = ap.zeros(values.shape, bool)
    assert own.binary_hit_or_miss(ap.array(values), output=out) is None
    agree(out, theirs.binary_hit_or_miss(values))
    compare("binary_fill_holes", values)
    compare("binary_propagation", values[::-1] & values, mask=values)
    agree(own.generate_binary_structure(3, 2), theirs.generate_binary_structure(3, 2))
    agree(own.iterate_structure(own.generate_binary_structure(2, 1), 2),
          theirs.iterate_structure(theirs.generate_binary_structure(2, 1), 2))


def test_results_are_arrays_of_their_own() -> None:
    one = np.ones((1, 1))
    for name, options in (
        ("minimum_filter1d", {"size": 1}), ("maximum_filter", {"footprint": [[1]]}), ("uniform_filter", {"size": 1}),
        ("gaussian_filter", {"sigma": 0}), ("rank_filter", {"rank": 0, "size": 1}), ("laplace", {"axes": ()}),
        ("grey_erosion", {"size": 1}), ("binary_erosion", {"structure": one}), ("binary_dilation", {"structure": one}),
        ("binary_closing", {"structure": one}), ("zoom", {"zoom": 1, "order": 1}), ("shift", {"shift": 0, "order": 0}),
    ):
        values = ap.array(image(bool if name.startswith("binary") else np.float64))
        kept = ap.to_numpy(values).copy()
        made = getattr(own, name)(values, **options)
        made[...] = 0
        np.testing.assert_array_equal(ap.to_numpy(values), kept)
