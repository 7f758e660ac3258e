"""config.float: what it makes float32 (new arrays of Python's floats and of no values), and what it leaves alone."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import config


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    with config.using(float="float64"):
        yield


NEW: list[Callable[[Any], Any]] = [
    lambda xp: xp.zeros(3),
    lambda xp: xp.ones((2, 2), order="F"),
    lambda xp: xp.zeros(3, dtype=float),
    lambda xp: xp.full(3, 1.5),
    lambda xp: xp.full((3,), 1.5, order="F"),
    lambda xp: xp.full(3, 1.5 + 2j),
    lambda xp: xp.zeros(2, complex),
    lambda xp: xp.eye(3),
    lambda xp: xp.identity(2),
    lambda xp: xp.array([1.5, 2.0]),
    lambda xp: xp.array([1.5, 2.0], ndmin=2),
    lambda xp: xp.array([[1, 2.5], [3, 4]], order="F"),
    lambda xp: xp.array([1, 2], dtype=float),
    lambda xp: xp.asarray(0.1),
    lambda xp: xp.asarray([0.1 + 1j, 2]),
    lambda xp: xp.ascontiguousarray([0.25]),
    lambda xp: xp.arange(0.0, 1.0, 0.1),
    lambda xp: xp.arange(3, dtype=float),
    lambda xp: xp.linspace(0, 1, 7),
    lambda xp: xp.logspace(0, 1, 5),
    lambda xp: xp.geomspace(1, 100, 3),
    lambda xp: xp.hanning(9),
    lambda xp: xp.mgrid[0:1:5j],
    lambda xp: xp.fft.fftfreq(8, 0.5),
    lambda xp: xp.loadtxt(io.StringIO("1.5 2\n3 4")),
    lambda xp: xp.fromstring("1.5 2", sep=" "),
    lambda xp: xp.stack([[0.5, 1.0], [2.0, 3.0]]),
    lambda xp: xp.tri(3),
]
KEPT: list[Callable[[Any], Any]] = [
    lambda xp: xp.zeros(3, np.float64),
    lambda xp: xp.zeros(3, "float64"),
    lambda xp: xp.array([1.5], dtype="d"),
    lambda xp: xp.array(np.array([1.5])),
    lambda xp: xp.asarray(np.float64(1.5)),
    lambda xp: xp.array([np.float64(1.5), 2.0]),
    lambda xp: xp.zeros(3, int),
    lambda xp: xp.arange(5),
    lambda xp: xp.array([1, 2]),
    lambda xp: xp.array([True]),
    lambda xp: xp.full(3, 7),
    lambda xp: xp.linspace(0, 1, 5, dtype="float64"),
    lambda xp: xp.zeros_like(np.zeros(3)),
    lambda xp: xp.frombuffer(np.arange(3.0).tobytes()),
    lambda xp: xp.arange(6) / 4,
    lambda xp: xp.zeros(3).astype(float),
]


@pytest.mark.parametrize("make", NEW)
def test_new_arrays_are_float32(make: Callable[[Any], Any]) -> None:
    expected = make(np)
    assert make(ap).dtype == expected.dtype
    with config.using(float="float32"):
        made = make(ap)
    assert made.dtype == {"f": np.float32, "c": np.complex64}[expected.dtype.kind]
    np.testing.assert_array_equal(ap.to_numpy(made), expected.astype(ap.to_numpy(made).dtype))


@pytest.mark.parametrize("make", KEPT)
def test_what_has_a_dtype_keeps_it(make: Callable[[Any], Any]) -> None:
    with config.using(float="float32"):
        made = make(ap)
    assert made.dtype == make(np).dtype
    np.testing.assert_array_equal(ap.to_numpy(ap.asarray(made)), make(np))


DRAWS: list[Callable[[Any], Any]] = [
    lambda r: r.random(5), lambda r: r.normal(size=5), lambda r: r.uniform(1, 2, 5), lambda r: r.triangular(0, 1, 2, 4),
    lambda r: r.standard_normal(4), lambda r: r.gamma([1.0, 2.0]), lambda r: r.dirichlet([1.0, 2.0], 3),
    lambda r: r.multivariate_normal([0.0, 1.0], [[1.0, 0.0], [0.0, 2.0]], 3),
]


@pytest.mark.parametrize("draw", DRAWS)
def test_draws_are_the_same_numbers_rounded(draw: Callable[[Any], Any]) -> None:
    for new in (ap.random.default_rng, ap.random.RandomState):
        if new is ap.random.RandomState and draw in DRAWS[4:5]:
            continue
        double = draw(new(7))
        with config.using(float="float32"):
            single = draw(new(7))
        assert (double.dtype, single.dtype) == (np.float64, np.float32)
        np.testing.assert_array_equal(single.to_numpy(), double.to_numpy().astype(np.float32))


def test_draws_of_a_dtype_that_is_asked_for() -> None:
    with config.using(float="float32"):
        assert ap.random.default_rng(1).random(3, dtype=np.float64).dtype == np.float64
        assert ap.random.default_rng(1).integers(0, 9, 3).dtype == np.int64
        assert isinstance(ap.random.default_rng(1).normal(), float)


def test_a_program_stays_in_float32() -> None:
    with config.using(float="float32"):
        x = ap.linspace(-1, 1, 50)
        weights = ap.random.default_rng(0).normal(size=(50, 3))
        y = ap.exp(x) @ weights + ap.array([0.5, 1.0, 2.0])
        assert (y / y.max()).mean().dtype == np.float32
