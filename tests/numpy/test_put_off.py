"""Operations on few elements that are put off because many come in a row: values, bits, errors are a first call's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

FEW = 2500


@pytest.fixture(autouse=True)
def on_host():
    """Only work in the host's memory is ever done at once."""
    with ap.config.using(device="cpu"):
        yield


def settle_in() -> None:
    """Until operations on few elements are put off, however often that has gone wrong before."""
    x = ap.ones(FEW)
    for _ in range(5000):
        x + 1.0


def first_and_later(work: Callable[[], Any]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What a call of a new thread gives, which puts nothing off, and one after many operations in a row."""

    def numpys() -> list[np.ndarray]:
        return [np.asarray(x) for x in work()]

    first: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: first.extend(numpys()))
    thread.start()
    thread.join()
    settle_in()
    return first, numpys()


def expect_equal_bits(work: Callable[[], Any]) -> None:
    first, later = first_and_later(work)
    assert len(first) == len(later) > 0
    for one, other in zip(first, later, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.tobytes() == other.tobytes()


SHAPES = [(FEW,), (50, 60), (13, 14, 15)]
FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": ap.sum, "prod": lambda x, axis: ap.prod(1 + x * 1e-6, axis), "mean": ap.mean, "var": ap.var, "std": ap.std,
    "norm": lambda x, axis: ap.linalg.norm(x, axis=axis if axis is None else 0), "cumsum": ap.cumsum,
    "average": ap.average, "nansum": ap.nansum,
}
REAL = {"median": ap.median, "logaddexp": lambda x, axis: ap.logaddexp.reduce(x, axis=axis or 0)}
CASES = [
    *((f, d) for f in FOLDS.values() for d in ("float32", "float64", "complex64", "complex128")),
    *((f, d) for f in REAL.values() for d in ("float32", "float64")),
]


@pytest.mark.parametrize(("fold", "dtype"), CASES)
@pytest.mark.parametrize("shape", SHAPES)
def test_folds(fold: Callable[[Any, Any], Any], shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=shape).astype(dtype)
    for axis in (None, 0, len(shape) - 1):
        a, b = ap.array(values), ap.array(values[::-1].copy())
        expect_equal_bits(lambda axis=axis, a=a, b=b: [fold(a * b + a, axis)])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_products(dtype: str) -> None:
    rng = np.random.default_rng(2)
    m, v = ap.array(rng.normal(size=(48, 50)).astype(dtype)), ap.array(rng.normal(size=50).astype(dtype))
    w = ap.array(rng.normal(size=FEW).astype(dtype))
    expect_equal_bits(lambda: [(m * 2 + m) @ v, (m + m) @ (m * 3).T, v @ (m - 1).T])
    expect_equal_bits(lambda: [ap.dot(w + 1, w * 2), ap.vdot(w + w, w), ap.tensordot(m + m, m, 2)])
    square = ap.array(rng.normal(size=(48, 48)).astype(dtype))
    expect_equal_bits(lambda: [(m + m) @ m.T + square, (m + m) @ m.T - (square + square)])
    expect_equal_bits(lambda: [ap.einsum("ij,j->i", m + 1, v), ap.inner(m * m, m), ap.trace(m - 2)])


def test_solutions() -> None:
    rng = np.random.default_rng(3)
    m = ap.array(rng.normal(size=(50, 50)))
    expect_equal_bits(lambda: [ap.linalg.solve(m + m, m[0]), ap.linalg.inv(m * 2 + 1), ap.linalg.det(m - 1)])


def test_few_after_many() -> None:
    x = ap.array(np.random.default_rng(4).normal(size=FEW))

    def work() -> list[Any]:
        part = (x * 3 + 1)[:200]
        sums = [part.mean(), part.cumsum(), ap.convolve(part, part[:5])]
        return [*sums, ap.interp(part[:20], ap.sort(part), part), np.float64(part[3])]

    expect_equal_bits(work)


KINDS = ["add", "scale", "shift", "set", "tiny", "copy", "where", "sum"]
STEP = st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 3))


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, min_size=3, max_size=40))
def test_random_programs(steps: list[tuple[str, int, int]]) -> None:
    """In place, by slices, with sums between, beside NumPy."""

    def run(xp: Any) -> list[Any]:
        arrays = [xp.arange(FEW) * (0.5 + k) for k in range(4)]
        sums = []
        for kind, i, j in steps:
            x, y = arrays[i], arrays[j]
            if kind == "add":
                arrays[i] = x + y
            elif kind == "scale":
                x *= 0.5
            elif kind == "shift":
                x[1:] -= y[:-1]
            elif kind == "set":
                x[::2] = y[1::2]
            elif kind == "tiny":
                x[:5] = y[-5:] + 1
            elif kind == "copy":
                arrays[i] = y.copy()
            elif kind == "where":
                arrays[i] = xp.where(x > y, x, y)
            else:
                sums.append(x.sum())
        return [*arrays, *sums]

    expect_equal_bits(lambda: run(ap))
    for ours, numpys in zip(run(ap), run(np), strict=True):
        np.testing.assert_allclose(np.asarray(ours), numpys, rtol=1e-12)


def test_what_the_host_sees() -> None:
    x = ap.ones(FEW)
    settle_in()
    seen = np.asarray(x)
    x += 1
    assert (seen == 2).all()


def test_what_is_refused_is_refused_at_once() -> None:
    x = ap.ones(FEW)
    settle_in()
    x + 1
    with pytest.raises(ValueError, match="broadcast"):
        x + ap.ones(FEW - 1)
    with pytest.raises(IndexError):
        x[FEW]


def test_several_threads() -> None:
    results: list[np.ndarray] = []

    def work(seed: float) -> None:
        x = ap.full(FEW, seed)
        for _ in range(500):
            x = x * 0.5 + seed
        results.append(np.asarray(x))

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(round(float(x[0]), 6) for x in results) == [2, 4, 6, 8]
    assert all((x == x[0]).all() for x in results)
