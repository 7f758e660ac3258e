"""Few elements picked, counted and added up at places: results have NumPy's bits, layouts and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import sample
from few_elements import DTYPES, Layout, agree, vectors

import asnumpy as ap

INDICES: dict[str, Layout] = {**vectors(300), "more": ((5000,), lambda a: a), "none": ((0,), lambda a: a)}


@pytest.mark.parametrize("layout", INDICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_additions_at_places(layout: str, dtype: str) -> None:
    shape, view = INDICES[layout]
    places, values = sample(shape, "int64") % 40 - 20, sample(shape, dtype, 2)
    for length, step in ((40, 1), (80, 2), (40, -1)):
        results = []
        for xp in (ap, np):
            target = xp.array(sample(length, dtype, 3))
            xp.add.at(target[::step], view(xp.array(places)), view(xp.array(values)))
            xp.add.at(target[::step], view(xp.array(places)), 1)
            results.append(target)
        agree(*results)


def test_additions_that_share_memory_or_miss() -> None:
    for xp in (ap, np):
        numbers = xp.arange(6)
        xp.add.at(numbers, numbers, numbers)  # NumPy's order, whatever it is
        moved = xp.arange(8.0)
        xp.add.at(moved[1:], xp.array([0, 1, 2, 2]), moved[:4])
        assert [int(n) for n in numbers] == [0, 2, 4, 6, 8, 10]
        assert [float(x) for x in moved] == [float(x) for x in _added()]
        target = xp.zeros(4)
        for wrong in ([0, 4], [0, -5]):
            with pytest.raises(IndexError):
                xp.add.at(target, xp.array(wrong), xp.ones(2))
        with pytest.raises(ValueError):
            xp.add.at(target, xp.array([0, 1, 2]), xp.ones(2))
        assert not target.any()


def _added() -> np.ndarray:
    moved = np.arange(8.0)
    np.add.at(moved[1:], [0, 1, 2, 2], moved[:4])
    return moved


def test_integers_run_over_where_they_are_added_up() -> None:
    for dtype in ("int32", "int64"):
        most = np.iinfo(dtype).max
        results = []
        for xp in (ap, np):
            target = xp.full(3, most, dtype=dtype)
            xp.add.at(target, xp.array([1, 1, -1]), xp.array([1, most, 2], dtype=dtype))
            results.append(target)
        agree(*results)


@pytest.mark.parametrize("n", [0, 1, 511, 513, 1000, 4096, 4097, 6000])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128", "clongdouble"])
def test_elements_at_places(n: int, dtype: str) -> None:
    places = np.random.default_rng(n).integers(-700, 700, n)
    values = sample(1400, dtype)
    for key in (places, places[::-1], np.repeat(places, 2)[::2]):
        for step in (1, 2, -1):
            mine, theirs = ap.array(values)[::step], values.copy()[::step]
            there = key if theirs.size == 1400 else key // 2
            agree(mine[ap.array(there)], theirs[there])
            unique = np.unique(there % theirs.size)
            mine[ap.array(unique)] = ap.array(values[: unique.size])
            theirs[unique] = values[: unique.size]
            agree(mine, theirs)
    for wrong in (1400, -1401):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size 1400"):
            ap.array(values)[ap.array([*places, wrong])]


@pytest.mark.parametrize("index", ["uint8", "int8", "int32", "int64", "uint64"])
def test_tables_of_pictures(index: str) -> None:
    """A table looked up by an array of several axes."""
    pictures = [sample((64, 64), index) % 12, np.asfortranarray(sample((7, 5), index) % 12), sample((3, 0, 2), index)]
    pictures += [(sample((2, 3, 4), index) % 12)[:, ::2], (sample((1, 1), index) % 12)]
    for table in (sample(12, "uint8"), sample((12, 3), "float64"), sample((12, 2, 2), "int16")[:, ::-1]):
        for picture in pictures:
            found, expected = ap.array(table)[ap.array(picture)], table[picture]
            np.testing.assert_array_equal(ap.to_numpy(found), expected)
            assert found.dtype == expected.dtype
        with pytest.raises(IndexError):
            ap.array(table)[ap.array(np.full((2, 2), 12, index))]
    with pytest.raises(IndexError):
        ap.array(np.zeros(()))[ap.array(pictures[0])]


@pytest.mark.parametrize("index", ["uint8", "int8", "uint16", "int32", "uint32", "int64"])
@pytest.mark.parametrize("n", [0, 1, 300, 4095, 4096, 16383, 16384, 20000])
def test_counts(n: int, index: str) -> None:
    for values in (sample(n, index) % 12, (sample(2 * n, index) % 12)[::-2]):
        weights = sample(n, "float64", 1)
        for least in (0, 5, 40):
            agree(ap.bincount(ap.array(values), minlength=least), np.bincount(values, minlength=least))
            mine = ap.bincount(ap.array(values), ap.array(weights), least)
            agree(mine, np.bincount(values, weights, least))
    if np.dtype(index).kind == "i":
        with pytest.raises(ValueError):
            ap.bincount(ap.array(np.array([1, -1], index)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_sums_of_runs(dtype: str, step: int) -> None:
    rng = np.random.default_rng(step + 7)
    for length in (1, 9, 300, 3000):
        values = (rng.standard_normal(length * abs(step)) * 1000).astype(dtype)
        values[rng.integers(0, values.size, 1 + values.size // 5)] = -0.0 if values.dtype.kind in "fc" else 0
        for starts in ([0], [length - 1, 0], sorted(rng.integers(0, length, 40)), rng.integers(0, length, 40), []):
            places = np.array(starts, np.int64)
            mine, theirs = ap.array(values)[::step], values[::step]
            agree(ap.add.reduceat(mine, ap.array(places)), np.add.reduceat(theirs, places))
            agree(ap.add.reduceat(mine, ap.array(np.repeat(places, 2))[::2]), np.add.reduceat(theirs, places))
        for wrong in (length, -1):
            with pytest.raises(IndexError):
                ap.add.reduceat(ap.array(values)[::step], ap.array([0, wrong]))
    zeros = np.full(20, -0.0)
    agree(ap.add.reduceat(ap.array(zeros), ap.array([0, 9, 10])), np.add.reduceat(zeros, [0, 9, 10]))
    with pytest.raises(TypeError):
        ap.add.reduceat(ap.array([1.0]), ap.array([0]), axis=0.0)


def agree_on_histograms(values: np.ndarray, bins: int, weights: np.ndarray | None = None, **given: Any) -> None:
    """The same counts and edges of the values backwards as NumPy's, or the same refusal."""
    outcome: list[Any] = []
    for xp in (ap, np):
        try:
            with np.errstate(all="ignore"):
                line, by = xp.array(values)[::-1], None if weights is None else xp.array(weights)
                outcome.append(xp.histogram(line, bins, weights=by, **given))
        except (IndexError, ValueError) as refused:  # NumPy's own arithmetic may run over
            outcome.append(repr(refused))
    if isinstance(outcome[1], str):
        assert outcome[0] == outcome[1]
        return
    for (mine, theirs), counts in zip(zip(*outcome, strict=True), (True, False), strict=True):
        if counts and weights is not None and ap.Device() != "cpu":  # which adds the weights in another order
            assert mine.dtype == theirs.dtype
            np.testing.assert_allclose(ap.to_numpy(mine), theirs, rtol=1e-8, atol=1e-13 * np.abs(weights).sum())
        else:
            agree(mine, theirs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["mixed", "on edges", "tiny", "huge", "equal", "with NaN"])
def test_histograms_of_few(kind: str, dtype: str) -> None:
    if kind == "tiny" and ap.Device() != "cpu":
        pytest.skip("a device may take the smallest numbers for zero")
    rng = np.random.default_rng(5)
    for n in (1, 7, 1000, 4095):
        values = {
            "mixed": rng.standard_normal(n), "on edges": rng.integers(0, 11, n) / 10, "tiny": rng.random(n) * 1e-44,
            "huge": rng.standard_normal(n) * 1e38, "equal": np.full(n, 3.0),
            "with NaN": np.where(rng.random(n) < 0.1, np.nan, rng.random(n)),
        }[kind].astype(dtype)
        weights = rng.standard_normal(n)
        for bins in (1, 10, 37, 4096):
            for given in ({"range": (0.1, 0.7)}, {"density": True, "range": (0, 1)}, {}):
                for by in (None, weights):
                    agree_on_histograms(values, bins, by, **given)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weighted_histograms_of_many(dtype: str) -> None:
    rng = np.random.default_rng(6)
    for n in (4096, 65536, 65537, 200_000):
        values = np.round(rng.standard_normal(n), 3).astype(dtype)
        weights = rng.standard_normal(n)
        for strange in (False, True):
            if strange:
                values[rng.integers(0, n, 20)] = np.nan
                weights[rng.integers(0, n, 20)] = np.inf
            for bins, given in ((50, {"range": (-1.5, 0.5)}), (4096, {"range": (-2, 2), "density": True}), (10, {})):
                agree_on_histograms(values, bins, weights, **given)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_many_runs_are_shared_between_threads(dtype: str) -> None:
    rng = np.random.default_rng(6)
    lengths = rng.integers(1, 20, 30_000)
    lengths[::500] = 700
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    starts[7000:7010] = starts[7010]  # runs of one element
    values = (1000 * rng.normal(size=lengths.sum())).astype(dtype)
    for threads in (1, 2):
        with ap.config.using(num_threads=min(threads, ap.config.num_threads)):
            got = ap.to_numpy(ap.add.reduceat(ap.array(values), ap.array(starts)))
            np.testing.assert_array_equal(got, np.add.reduceat(values, starts))
            for wrong in (len(values), -1):
                bad = starts.copy()
                bad[20_000] = wrong
                with pytest.raises(IndexError):
                    np.add.reduceat(values, bad)
                with pytest.raises(IndexError):
                    ap.eval(ap.add.reduceat(ap.array(values), ap.array(bad)))
