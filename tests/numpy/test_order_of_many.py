"""Order, search and sets of so many elements that the core's own ways begin: the bits of NumPy's stable sorts."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest
from agreement import FLOATS, REAL, agree, assert_same
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy.sorting.order import MANY, MANY_DETERMINED

# left to NumPy; in the cache; places in parts; elements in parts; in several pieces
SIZES = (MANY_DETERMINED - 1, MANY_DETERMINED, MANY - 1, MANY, 20_000, 33_000, 70_001)


def line(kind: str, n: int, dtype: Any, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([seed, n])
    dtype = np.dtype(dtype)
    if kind == "equal":
        return np.full(n, 1, dtype)
    if dtype.kind == "b":
        values = rng.random(n) < 0.5
    elif dtype.kind in "iu":
        info = np.iinfo(dtype)
        span = (info.min, info.max) if kind != "few" else (max(info.min, -9), 9)
        values = rng.integers(*span, n, dtype, endpoint=True)
    else:
        values = rng.standard_normal(n).astype(dtype) * dtype.type(3 if kind == "few" else 1000)
        if kind == "few":
            values = np.round(values)
        values[rng.integers(0, n, n // 50)] = -0.0
        values[rng.integers(0, n, n // 50)] = 0.0
        for special in (np.nan, -np.nan, np.inf, -np.inf, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max):
            values[rng.integers(0, n, 1 + n // 500)] = special
    if kind == "strictly falling":
        return np.unique(values)[::-1].copy()
    if kind == "falling":
        return np.sort(values)[::-1].copy()
    if kind == "nearly sorted":
        values.sort()
        values[rng.integers(0, n, 20)] = values[rng.integers(0, n, 20)]
    return np.sort(values) if kind == "sorted" else values


KINDS = ("mixed", "few", "sorted", "falling", "nearly sorted", "equal")


def same_bits(got: Any, expected: np.ndarray) -> None:
    made = ap.to_numpy(got)
    assert made.dtype == expected.dtype and made.shape == expected.shape
    assert made.tobytes() == expected.tobytes(), np.flatnonzero(made.ravel() != expected.ravel())[:5]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", REAL)
def test_a_line_is_sorted_to_the_bit(threads, dtype, kind):
    for n in SIZES:
        x = line(kind, n, dtype)
        a = ap.from_numpy(x)
        places = np.argsort(x, kind="stable")
        same_bits(ap.argsort(a, kind="stable"), places)
        same_bits(ap.sort(a, kind="stable"), x[places])
        assert_same(x[places], ap.sort(a))
        order = ap.to_numpy(ap.argsort(a))
        assert np.array_equal(np.sort(order), np.arange(n))
        np.testing.assert_array_equal(x[order], x[places])
        a.sort()
        assert_same(x[places], a)


@settings(max_examples=40, deadline=None)
@given(
    dtype=st.sampled_from(REAL), rows=st.integers(1, 12), columns=st.integers(1, 9000), kind=st.sampled_from(KINDS),
    layout=st.sampled_from(["C", "F", "strided", "reversed", "columns"]), axis=st.sampled_from([None, 0, 1, -1]),
    stable=st.booleans(),
)
def test_lines_of_any_layout(dtype, rows, columns, kind, layout, axis, stable):
    x = line(kind, 2 * rows * columns, dtype).reshape(rows, 2 * columns)
    view = {
        "C": lambda a: a, "F": lambda a: a.T, "strided": lambda a: a[:, ::2], "reversed": lambda a: a[::-1, ::-1],
        "columns": lambda a: a[:, ::2].T,
    }[layout]
    theirs, mine = view(x), view(ap.from_numpy(x))
    expected = np.argsort(theirs, axis=axis, kind="stable")
    same_bits(ap.argsort(mine, axis=axis, kind="stable"), expected)
    # `sort` keeps the memory order of the array
    made, exact = ap.sort(mine, axis=axis, stable=stable or None), np.sort(theirs, axis=axis, kind="stable")
    if ap.Device() == "cpu":
        assert [one for one, n in zip(made.strides, made.shape, strict=True) if n > 1] == [
            one for one, n in zip(exact.strides, exact.shape, strict=True) if n > 1]
    if stable:
        same_bits(made, exact)
    else:
        np.testing.assert_array_equal(ap.to_numpy(made), exact)
    if axis is not None:
        mine.sort(axis=axis, kind="stable")
        same_bits(mine, exact)


def test_what_is_wrong_with_a_call_is_said_as_by_numpy():
    x = line("mixed", 2 * MANY, "float32").reshape(2, MANY)
    for axis in (2, -3, "x"):
        agree("sort", x, axis)
        agree("argsort", x, axis)
    agree("sort", x, kind="nonsense")
    agree("argsort", x, order="field")
    agree("sort", x, kind="stable", stable=True)
    frozen = ap.from_numpy(x)
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        frozen.sort()


@pytest.mark.parametrize("n", [MANY - 1, MANY, 40_000])
@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float16", "float32", "float64"])
def test_by_several_keys(threads, dtype, n):
    keys = [line("few", n, dtype, seed) for seed in range(3)]
    agree("lexsort", tuple(keys))
    agree("lexsort", np.stack(keys))
    if n % 4 == 0:
        agree("lexsort", (keys[0].reshape(4, -1), keys[1].reshape(4, -1)), 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", REAL)
def test_what_is_distinct(threads, dtype, kind):
    for n in (MANY_DETERMINED, MANY, 40_000):
        x = line(kind, n, dtype)
        distinct(x)
        for asked in ((True, False, False), (False, True, False), (False, False, True), (True, True, True)):
            distinct(x, *asked)
        if np.dtype(dtype).kind == "f":
            distinct(x, equal_nan=False)
            distinct(x, True, True, True, equal_nan=False)
    distinct(x.reshape(8, -1), return_inverse=True)
    distinct(x.reshape(-1, 4), axis=0)


def distinct(x: np.ndarray, *args: Any, **kwargs: Any) -> None:
    """Agrees with NumPy, whose unstable sort of float16 is wrong on some processors: there with that of float32."""
    if x.dtype != np.float16 or "axis" in kwargs:
        agree("unique", x, *args, **kwargs)
        return
    made = ap.unique(ap.from_numpy(x), *args, **kwargs)
    expected = np.unique(x.astype(np.float32), *args, **kwargs)
    if isinstance(expected, tuple):
        assert_same(expected[1:], made[1:])
        made, expected = made[0], expected[0]
    assert_same(expected.astype(np.float16), made)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", REAL)
def test_searching_for_many(threads, dtype, side):
    for n in (1, 2, 1000, 40_000):
        ordered = np.sort(line("few" if n > 1000 else "mixed", n, dtype, 1), kind="stable")
        for m in (MANY - 1, MANY, 50_001):
            sought = line("mixed", m, dtype, 2)
            agree("searchsorted", ordered, sought, side)
            agree("searchsorted", ordered, np.sort(sought, kind="stable"), side)
    agree("searchsorted", np.repeat(ordered, 2)[::2], sought[::-3].reshape(-1, 1), side)
    agree("searchsorted", ordered[:0], sought, side)
    shuffled = np.random.default_rng(3).permutation(ordered)
    agree("searchsorted", shuffled, sought, side, np.argsort(shuffled, kind="stable"))
    agree("searchsorted", shuffled, sought, side, np.arange(3))


@pytest.mark.parametrize("both", [
    ("int64", "float64"), ("float32", "float64"), ("uint64", "int64"), ("int8", "float16"), ("bool", "int32"),
    ("float16", "float16"),
])
def test_searching_among_another_dtype(both):
    ordered, sought = np.sort(line("mixed", 3000, both[0]), kind="stable"), line("mixed", 9000, both[1])
    for side in ("left", "right"):
        agree("searchsorted", ordered, sought, side)
        agree("searchsorted", np.sort(sought, kind="stable"), ordered.repeat(2), side)


@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "float64"])
def test_bins_between_given_edges(dtype):
    x = line("mixed", 30_000, dtype)
    scale = 1000 if np.dtype(dtype).kind == "f" else float(np.iinfo(dtype).max)
    rng = np.random.default_rng(5)
    for edges in (np.sort(rng.uniform(-scale, scale, 30)), np.asarray([-scale, 0.0, 0.0, scale / 3]),
                  np.unique(rng.choice(x[np.isfinite(x)], 20))):
        for density in (False, True):
            agree("histogram", x, edges, density=density)
        agree("digitize", x, edges)
        agree("digitize", x, edges[::-1], True)
    agree("digitize", x, np.asarray([0, 2, 1]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint64"])
def test_a_line_that_falls_is_turned(dtype):
    x = line("strictly falling", 90_000, dtype)
    places = np.argsort(x, kind="stable")
    same_bits(ap.argsort(ap.from_numpy(x)), places)
    same_bits(ap.sort(ap.from_numpy(x)), x[places])
    same_bits(ap.sort(ap.from_numpy(x), kind="stable"), x[places])


@pytest.mark.parametrize("dtype", FLOATS)
def test_nothing_but_nan_and_zeros(dtype):
    n = 50_000
    for values in ([0.0, -0.0], [np.nan, -np.nan], [np.nan, 0.0, -0.0, -np.nan]):
        x = np.random.default_rng(n).choice(np.asarray(values, dtype), n)
        places = np.argsort(x, kind="stable")
        same_bits(ap.sort(ap.from_numpy(x), kind="stable"), x[places])
        same_bits(ap.argsort(ap.from_numpy(x), kind="stable"), places)


def test_several_python_threads_sort_at_once():
    lines = [line("mixed", 60_000, dtype, k) for k, dtype in enumerate(("float64", "int32", "float32", "int64"))]
    made: list[list[Any]] = [[] for _ in lines]

    def work(k: int) -> None:
        a = ap.from_numpy(lines[k])
        for _ in range(5):
            ordered = ap.sort(a)
            found = ordered, ap.argsort(a, stable=True), ap.searchsorted(ordered, a)
            made[k].append([ap.to_numpy(one) for one in found])

    started = [threading.Thread(target=work, args=(k,)) for k in range(len(lines))]
    for one in started:
        one.start()
    for one in started:
        one.join()
    for x, results in zip(lines, made, strict=True):
        for elements, places, found in results:
            np.testing.assert_array_equal(elements, np.sort(x))
            np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))
            np.testing.assert_array_equal(found, np.searchsorted(np.sort(x), x))


@pytest.mark.skipif(ap.Device() != "cpu", reason="a device does not outlive a fork")
def test_a_forked_child_sorts():
    x = line("mixed", 80_000, "float64")
    a = ap.from_numpy(x)
    ap.sort(a)  # the workers run
    child = os.fork()
    if child == 0:
        same = np.array_equal(ap.to_numpy(ap.argsort(a)), np.argsort(x, kind="stable"))
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
