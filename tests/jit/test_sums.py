"""Sums at places and of runs, counts and histograms, within functions under jit: they are part of the recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

RNG = np.random.default_rng(23)
SIZES = (1, 7, 300, 5000, 70_001)
Make = Callable[[int], tuple[np.ndarray, ...]]


def places(n: int, below: int = 40) -> np.ndarray:
    return RNG.integers(0, below, n)


def numbers(n: int, dtype: Any = float) -> np.ndarray:
    return (RNG.standard_normal(n) * 10).astype(dtype)


def added(xp: Any, values: Any, index: Any) -> Any:
    total = xp.zeros(40, values.dtype)
    xp.add.at(total, index, values)
    xp.add.at(total, -1 - index, values[::-1])
    return total


def sums_of_runs(xp: Any, values: Any, starts: Any) -> Any:
    return xp.add.reduceat(values * 2, starts), xp.add.reduceat(values[::-1], starts[:1])


def of_each(dtype: str) -> Make:
    return lambda n: (numbers(n, dtype), places(n))


ADDED = ("int8", "int32", "int64", "float32", "float64", "complex128")
FUNCTIONS: dict[str, tuple[Callable[..., Any], Make]] = {
    **{f"add.at, {dtype}": (added, of_each(dtype)) for dtype in ADDED},
    "add.at, one number": (
        lambda xp, i, c: (xp.add.at(c, i, 1), xp.add.at(c, i, 0.1), c)[-1], lambda n: (places(n), np.zeros(40))),
    "add.at, integers": (lambda xp, i, c: (xp.add.at(c, i, 3), c)[-1], lambda n: (places(n), np.zeros(40, int))),
    "add.at, other dtypes": (
        lambda xp, i, v, c: (xp.add.at(c, i, v), c)[-1],
        lambda n: (places(n).astype(np.uint8), numbers(n, np.int16), np.ones(40))),
    "add.at, columns": (
        lambda xp, i, v, c: (xp.add.at(c[:, 1], i[:, 1], v[:, 0]), c)[-1],
        lambda n: (places(3 * n).reshape(n, 3), numbers(2 * n).reshape(n, 2), np.ones((40, 3)))),
    "add.at of what it reads": (
        lambda xp, i, c: (xp.add.at(c, i, c[i]), c)[-1], lambda n: (places(n), numbers(40))),
    "bincount": (lambda xp, i: xp.bincount(i, minlength=40), lambda n: (places(n),)),
    "bincount, bytes": (lambda xp, i: xp.bincount(i, minlength=256), lambda n: (places(n, 256).astype(np.uint8),)),
    "bincount, many": (lambda xp, i: xp.bincount(i, minlength=5000), lambda n: (places(n, 5000),)),
    "weighted": (lambda xp, i, w: xp.bincount(i, w * 2, 40) + 1, lambda n: (places(n), numbers(n))),
    "weighted, columns": (
        lambda xp, i, w: xp.bincount(i[::2, 1], weights=w[:, 2][::-2], minlength=40),
        lambda n: (places(4 * n).reshape(2 * n, 2), numbers(6 * n).reshape(2 * n, 3))),
    "runs": (sums_of_runs, lambda n: (numbers(n), np.sort(places(n // 9 + 1, n)))),
    "runs, any order": (sums_of_runs, lambda n: (numbers(n, np.float32), places(n // 5 + 1, n))),
    "runs, integers": (sums_of_runs, lambda n: (numbers(n, int), places(n // 5 + 1, n))),
    "histogram": (lambda xp, a: xp.histogram(a, 13), lambda n: (numbers(n),)),
    "histogram, float32": (lambda xp, a: xp.histogram(a.reshape(1, -1), 50), lambda n: (numbers(n, np.float32),)),
    "histogram, a range": (lambda xp, a: xp.histogram(a, 7, range=(-8, 3.3)), lambda n: (numbers(n),)),
    "histogram, a density": (lambda xp, a: xp.histogram(a, 7, density=True), lambda n: (numbers(n),)),
    "histogram, weights": (lambda xp, a, w: xp.histogram(a, 9, weights=w), lambda n: (numbers(n), numbers(n))),
}


@pytest.fixture
def on_the_cpu() -> Iterator[None]:
    """An NPU leaves some of them to the host."""
    with ap.Device("cpu"):
        yield


def same(mine: Any, other: Any) -> None:
    if isinstance(other, tuple):
        for one, two in zip(mine, other, strict=True):
            same(one, two)
        return
    found = np.asarray(mine)
    assert (found.dtype, found.shape) == (other.dtype, other.shape)
    assert found.tobytes() == other.tobytes()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bits_are_numpys(name: str, n: int) -> None:
    function, make = FUNCTIONS[name]
    jitted = ap.jit(lambda *arrays: function(ap, *arrays))
    for _ in range(3):
        arrays = make(n)
        ours = [ap.array(one) for one in arrays]
        same(jitted(*ours), function(np, *arrays))
        for mine, other in zip(ours, arrays, strict=True):
            same(mine, other)


@pytest.mark.usefixtures("on_the_cpu")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_call_of_numpys_divides_them(name: str, tmp_path: Any) -> None:
    function, make = FUNCTIONS[name]
    arrays = [ap.array(one) for one in make(300)]
    compiled = ap.jit(lambda *given: function(ap, *given)).compile(*arrays)
    calls = [line for line in compiled.explain().splitlines() if "on the host" in line]
    edges = name.startswith("histogram") and "range" not in name  # that follow from the values
    assert calls == (["numpy.histogram_bin_edges, on the host"] if edges else [])
    if not edges:
        compiled.save(tmp_path / "sums.asnp")
        again = ap.load_compiled(tmp_path / "sums.asnp")
        fresh = make(300)
        same(again(*map(ap.array, fresh)), function(np, *fresh))


def test_an_index_outside_is_an_error_and_nothing_is_written() -> None:
    def add(total: Any, index: Any, values: Any) -> None:
        ap.add.at(total, index, values)

    jitted = ap.jit(add)
    total = ap.zeros(5)
    jitted(total, ap.array([0, 4, -5]), ap.ones(3))
    for wrong in ([0, 1, 5], [-6, 0, 1]):
        with pytest.raises(IndexError, match="out of bounds for axis 0 with size 5"):
            jitted(total, ap.array(wrong), ap.ones(3))
        assert total.tolist() == [2, 0, 0, 0, 1]


def test_counts_beyond_the_recorded_length_are_an_error() -> None:
    for weights in ((), (ap.array([1.0, 2.0, 3.0]),)):
        jitted = ap.jit(lambda i, *w: ap.bincount(i, *w, minlength=4))
        assert jitted(ap.array([0, 3, 3]), *weights).size == 4
        with pytest.raises(ap.TracingError, match=r"4 elements, but these values give 10: (?s:.*)minlength"):
            jitted(ap.array([0, 9, 3]), *weights)
        with pytest.raises(ValueError, match="negative"):
            jitted(ap.array([0, -1, 9]), *weights)
        with pytest.raises(ValueError, match="larger than an array"):
            jitted(ap.array([0, 1, 2**63 - 1]), *weights)
        assert jitted(ap.array([0, 3, 3]), *weights)[3] == (5 if weights else 2)


def test_a_length_that_depends_on_values_is_an_error() -> None:
    with pytest.raises(ap.TracingError, match="depend on values"):
        ap.jit(lambda i: ap.bincount(i))(ap.array([0, 3, 3]))


def test_starts_of_runs_outside_are_an_error() -> None:
    jitted = ap.jit(lambda a, i: ap.add.reduceat(a, i))
    line = ap.arange(4.0)
    for wrong in ([0, 4], [-1, 2]):
        with pytest.raises(IndexError, match=r"out-of-bounds in add.reduceat \[0, 4\)"):
            jitted(line, ap.array(wrong))
    assert jitted(line, ap.array([0, 2])).tolist() == [1, 5]


def test_edges_of_values_that_are_not_finite_are_an_error() -> None:
    jitted = ap.jit(lambda a: ap.histogram(a, 3)[0])
    assert jitted(ap.array([1.0, 2.0, 4.0])).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="not finite"):
        jitted(ap.array([1.0, np.nan, 4.0]))
    assert jitted(ap.array([1.0, 1.0, 1.0])).tolist() == [0, 3, 0]


def test_additions_keep_their_order_among_what_else_changes_an_argument() -> None:
    def step(xp: Any, total: Any, index: Any, values: Any) -> Any:
        total *= 2
        xp.add.at(total, index, values)
        before = total + 0
        total[1:] -= total[:-1] * 3
        xp.add.at(total, index[::-1], before[index])
        return before, total.sum()

    jitted = ap.jit(lambda *given: step(ap, *given))
    totals = numbers(40), ap.array(np.zeros(40))
    totals[1][:] = ap.array(totals[0])
    for _ in range(3):
        index, values = places(500), numbers(500)
        got, wanted = jitted(totals[1], ap.array(index), ap.array(values)), step(np, totals[0], index, values)
        same(got[0], wanted[0])
        np.testing.assert_allclose(float(got[1]), wanted[1], rtol=1e-12)
        same(totals[1], totals[0])
