"""Fourier transforms on a device: within the rounding of single precision, and nothing leaves it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_marks import left_devices, needs_simulator
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

pytestmark = needs_simulator

EPSILON = float(np.finfo(np.float32).eps)
OF_REAL = {"rfft", "ihfft", "rfft2", "rfftn"}
LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
NORMS = st.sampled_from([None, "backward", "ortho", "forward"])


def signal(shape: tuple[int, ...], name: str, real: bool = False) -> np.ndarray:
    rng = np.random.default_rng(len(shape) + sum(shape))
    a = rng.standard_normal(shape)
    if real or name in OF_REAL:
        return a.astype(np.float32)
    return (a + 1j * rng.standard_normal(shape)).astype(np.complex64)


def assert_transformed(name: str, a: np.ndarray, turn: Any = lambda x: x, **how: Any) -> None:
    """The 2-norm of the error is within that of the numbers times the rounding of as many stages as powers of two."""
    numpys = getattr(np.fft, name)(turn(a), **how)
    exact = getattr(np.fft, name)(turn(a).astype(np.complex128 if a.dtype.kind == "c" else np.float64), **how)
    x = turn(ap.asarray(a))
    ap.forget_fallbacks()
    made = getattr(ap.fft, name)(x, **how)
    assert [one["function"] for one in left_devices() if one["kind"] != "copy"] == []
    assert made.shape == numpys.shape and made.dtype == numpys.dtype
    error = np.linalg.norm(np.ravel(made.to_numpy() - exact))
    # the halves of irfft and hfft that stand for two, and cut ends, are in the input's norm too
    size = max(float(np.linalg.norm(np.ravel(exact))), float(np.linalg.norm(np.ravel(a))) * EPSILON)
    assert error <= EPSILON * (1 + np.log2(max(exact.size, 2))) * size


@pytest.mark.parametrize("n", [2, 3, 16, 63, 64, 65, 67, 100, 128, 1000, 1009, 4096, 4099, 6561, 2 * 101 * 67])
@pytest.mark.parametrize("name", LINES)
def test_every_length_stays(name: str, n: int) -> None:
    assert_transformed(name, signal((2, n), name))
    if name in ("fft", "ifft"):
        assert_transformed(name, signal((2, n), name, real=True))


@settings(max_examples=150, deadline=None)
@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple), name=st.sampled_from(LINES), data=st.data(),
    norm=NORMS, turned=st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1]]),
)
def test_lines_of_views(shape: tuple[int, ...], name: str, data: st.DataObject, norm: Any, turned: Any) -> None:
    a = signal(shape, name)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    n = data.draw(st.integers(1, 12))
    assert_transformed(name, a, turned, n=n, axis=axis, norm=norm)


@settings(max_examples=100, deadline=None)
@given(
    shape=st.lists(st.integers(2, 7), min_size=2, max_size=4).map(tuple), data=st.data(), norm=NORMS,
    name=st.sampled_from(["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]),
)
def test_spaces(shape: tuple[int, ...], name: str, data: st.DataObject, norm: Any) -> None:
    a = signal(shape, name)
    assert_transformed(name, a, norm=norm)
    axes = data.draw(st.permutations(range(-len(shape), 0)))[:data.draw(st.integers(1, len(shape)))]
    lengths = data.draw(st.lists(st.integers(2, 8), min_size=len(axes), max_size=len(axes)))
    assert_transformed(name, a, axes=tuple(axes), norm=norm)
    assert_transformed(name, a, s=tuple(lengths), axes=tuple(axes), norm=norm)
