"""The array backend: creation functions and random draws of dask.array make asnumpy's chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import asnumpy as ap


@pytest.fixture(autouse=True)
def backend() -> Iterator[None]:
    with dask.config.set({"array.backend": "asnumpy"}):
        yield


CREATED = {
    "ones": (lambda: da.ones((6, 4), chunks=3), np.ones((6, 4))),
    "ones int": (lambda: da.ones(6, dtype=int, chunks=3), np.ones(6, int)),
    "zeros": (lambda: da.zeros((6, 4), chunks=3), np.zeros((6, 4))),
    "full": (lambda: da.full((6, 4), 2.5, chunks=3), np.full((6, 4), 2.5)),
    "full int": (lambda: da.full((6,), 3, chunks=3), np.full(6, 3)),
    "arange": (lambda: da.arange(1, 11, 2, chunks=2), np.arange(1, 11, 2)),
    "linspace": (lambda: da.linspace(0, 3, 7, chunks=3), np.linspace(0, 3, 7)),
    "linspace without its end": (lambda: da.linspace(0, 3, 7, endpoint=False), np.linspace(0, 3, 7, endpoint=False)),
    "linspace and step": (lambda: da.linspace(0, 3, 7, retstep=True, dtype="f4")[0], np.linspace(0, 3, 7, dtype="f4")),
    "eye": (lambda: da.eye(5, chunks=2), np.eye(5)),
    "eye, wide": (lambda: da.eye(4, M=6, k=1, dtype=int, chunks=2), np.eye(4, 6, 1, int)),
    "tri": (lambda: da.tri(4, 5, k=1, chunks=2), np.tri(4, 5, 1)),
    "tril": (lambda: da.tril(da.ones((4, 4), chunks=2)), np.tri(4)),
    "tril_indices": (lambda: da.tril_indices(4, 1)[1], np.tril_indices(4, 1)[1]),
    "diag": (lambda: da.diag(da.arange(4, chunks=2)), np.diag(np.arange(4))),
    "pad": (lambda: da.pad(da.arange(5, chunks=2), 2, mode="linear_ramp"), np.pad(np.arange(5), 2, mode="linear_ramp")),
    "tile": (lambda: da.tile(da.arange(5, chunks=2), 3), np.tile(np.arange(5), 3)),
    "fftfreq": (lambda: da.fft.fftfreq(6, chunks=2), np.fft.fftfreq(6)),
    "fromfunction": (
        lambda: da.fromfunction(lambda i, j: i + j, shape=(3, 4), dtype=float), np.fromfunction(np.add, (3, 4))),
    "histogram": (
        lambda: da.histogram(da.linspace(0, 1, 20, chunks=7), bins=4, range=(0, 1))[0],
        np.histogram(np.linspace(0, 1, 20), bins=4, range=(0, 1))[0]),
    "ones_like": (lambda: da.ones_like(da.zeros((6, 4), chunks=3)), np.ones((6, 4))),
    "indices": (lambda: da.indices((3, 4), chunks=2), np.indices((3, 4))),
    "meshgrid": (lambda: da.meshgrid(da.arange(3), da.arange(2))[0], np.meshgrid(range(3), range(2))[0]),
}


@pytest.mark.parametrize("name", CREATED)
def test_created(name: str) -> None:
    make, expected = CREATED[name]
    made = make()
    value = made.compute()
    assert isinstance(made._meta, ap.ndarray)
    assert isinstance(value, ap.ndarray)
    assert made.dtype == value.dtype == expected.dtype
    if "linspace" in name:  # whose chunks start where Dask adds steps up
        np.testing.assert_allclose(ap.to_numpy(value), expected, rtol=1e-15 if value.dtype == float else 1e-7)
    else:
        np.testing.assert_array_equal(ap.to_numpy(value), expected)


def test_linspace_as_dask_makes_it_and_its_step() -> None:
    made, step = da.linspace(0, 1, 11, retstep=True, chunks=4)
    with dask.config.set({"array.backend": "numpy"}):
        numpys = da.linspace(0, 1, 11, chunks=4).compute()
    assert type(numpys) is np.ndarray and step == 0.1
    np.testing.assert_array_equal(ap.to_numpy(made.compute()), numpys)


def test_dasks_own_functions_of_numpys_arrays_use_numpys_eye() -> None:
    square = da.from_array(np.diag([1.0, 2.0, 4.0, 5.0]), chunks=2)
    assert type(da.linalg.inv(square).compute()) is np.ndarray


def test_empty() -> None:
    made = da.empty((6, 4), chunks=3)
    assert isinstance(made.compute(), ap.ndarray)
    assert made.compute().shape == (6, 4)


DRAWS = {
    "random": lambda rng: rng.random((400, 50), chunks=100),
    "normal": lambda rng: rng.normal(3.0, 2.0, size=(400, 50), chunks=100),
    "integers": lambda rng: rng.integers(0, 10, size=20_000, chunks=5000),
    "exponential": lambda rng: rng.exponential(2.0, size=20_000, chunks=5000),
    "poisson": lambda rng: rng.poisson(4.0, size=20_000, chunks=5000),
}
MEANS = {"random": 0.5, "normal": 3.0, "integers": 4.5, "exponential": 2.0, "poisson": 4.0}


@pytest.mark.parametrize("name", DRAWS)
def test_draws(name: str) -> None:
    made = DRAWS[name](da.random.default_rng(5))
    value = made.compute()
    assert isinstance(made._meta, ap.ndarray)
    assert isinstance(value, ap.ndarray)
    assert made.dtype == value.dtype
    assert abs(float(value.mean()) - MEANS[name]) < 0.1
    again, other = DRAWS[name](da.random.default_rng(5)).compute(), DRAWS[name](da.random.default_rng(6)).compute()
    np.testing.assert_array_equal(ap.to_numpy(value), ap.to_numpy(again))
    assert bool((value != other).any())


def test_chunks_have_streams_of_their_own() -> None:
    value = da.random.default_rng(5).random(40, chunks=10).compute()
    assert ap.unique(value).size == 40


def test_the_old_interface() -> None:
    state: Any = da.random.RandomState(7)
    value = state.normal(size=1000, chunks=250).compute()
    assert isinstance(value, ap.ndarray)
    np.testing.assert_array_equal(
        ap.to_numpy(value), ap.to_numpy(da.random.RandomState(7).normal(size=1000, chunks=250).compute()))


def test_choice_and_permutation() -> None:
    rng = da.random.default_rng(3)
    drawn = rng.choice(10, size=50, chunks=25).compute()
    assert isinstance(drawn, ap.ndarray)
    assert set(drawn.tolist()) <= set(range(10))
    mixed = rng.permutation(da.arange(20, chunks=5)).compute()
    assert isinstance(mixed, ap.ndarray)
    assert sorted(mixed.tolist()) == list(range(20))


def test_numpy_is_what_it_was() -> None:
    with dask.config.set({"array.backend": "numpy"}):
        assert all(type(made.compute()) is np.ndarray for made in (da.ones(4), da.linspace(0, 1, 4), da.eye(4)))
        assert type(da.random.default_rng(0).random(4).compute()) is np.ndarray
