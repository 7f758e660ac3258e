"""Whole programs, written once: the demonstration's array code and the example of streams give NumPy's results."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap
from asnumpy.demo import image

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def batch() -> np.ndarray:
    """Smooth colours with sharp squares and grey, black and white parts."""
    rng = generator()
    rows, columns = np.mgrid[0:45, 0:52].astype(np.float32) / 52
    rgb = np.stack([rows, columns, (rows + columns) / 2], axis=-1)[None] * rng.random((3, 1, 1, 3), dtype=np.float32)
    rgb[:, 10:20, 10:30] = rng.random((3, 1, 1, 3), dtype=np.float32)
    rgb[0, :5], rgb[1, :5], rgb[2, :5] = 0, 1, 0.5
    return rgb


def close(got: Any, expected: Any) -> None:
    assert isinstance(got, ap.ndarray)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_allclose(ap.to_numpy(got), expected, rtol=0, atol=2e-6)


STEPS: dict[str, Callable[..., Any]] = {
    "rgb_to_hsv": image.rgb_to_hsv,
    "hsv_to_rgb": image.hsv_to_rgb,
    "equalise": lambda xp, x: image.equalise(xp, x[..., 0]),
    "grey": image.grey,
    "blur": lambda xp, x: image.blur(xp, x[..., 1]),
    "sobel": lambda xp, x: xp.stack(image.sobel(xp, x[..., 2])),
}


@pytest.mark.parametrize("name", STEPS)
def test_picture_step(name: str) -> None:
    rgb = batch()
    close(STEPS[name](ap, ap.from_numpy(rgb)), STEPS[name](np, rgb))


def test_colours_survive_the_round_trip() -> None:
    rgb = batch()
    close(image.hsv_to_rgb(ap, image.rgb_to_hsv(ap, ap.from_numpy(rgb))), rgb)


@pytest.mark.parametrize("sweeps", [None, 0, 1, 5])
def test_edges_grow_along_weak_pixels(sweeps: int | None) -> None:
    strong = np.zeros((1, 7, 30), dtype=bool)
    strong[0, 3, 0] = True
    weak = np.zeros_like(strong)
    weak[0, 3, :25] = True
    weak[0, 3, 20] = False
    grown = image.grow(ap, ap.from_numpy(strong), ap.from_numpy(weak), sweeps)
    reach = 20 if sweeps is None else sweeps + 1
    assert ap.to_numpy(grown).nonzero()[2].tolist() == list(range(reach))
    np.testing.assert_array_equal(ap.to_numpy(grown), image.grow(np, strong, weak, sweeps))


def test_whole_pipeline() -> None:
    rgb = batch()
    bright, edges = image.enhance(ap, ap.from_numpy(rgb))
    expected_bright, expected_edges = image.enhance(np, rgb)
    close(bright, expected_bright)
    assert edges.dtype == bool and expected_edges.any()
    # A pixel whose gradient is at a threshold may fall on either side.
    assert np.mean(ap.to_numpy(edges) == expected_edges) > 0.99


def test_streams_print_what_they_print_with_numpy() -> None:
    def output(*more: str) -> str:
        command = [sys.executable, str(EXAMPLES / "streams.py"), "--size", "80", *more]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=240).stdout

    assert output() == output("--numpy")
