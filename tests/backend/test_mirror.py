"""Arrays of a device that are used element by element: kept on the host meanwhile, with every alias in step."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, needs_one

import asnumpy as ap

pytestmark = needs_one

DTYPES = ("float64", "float32", "int64", "int8", "bool", "complex64", "float16")


def kept(function: str = "ndarray.__getitem__") -> list[dict]:
    return [one for one in ap.fallbacks() if one["function"] == function]


@pytest.fixture(autouse=True)
def forget():
    ap.forget_fallbacks()
    with ap.config.using(implicit_copies="count"):
        yield
    ap.forget_fallbacks()


def pair(dtype: str = "float64", shape: tuple[int, ...] = (6, 5)) -> tuple[np.ndarray, ap.ndarray]:
    n = (np.arange(np.prod(shape)) % 7).reshape(shape).astype(dtype)
    return n, ap.asarray(n, device=OTHERS[0])


def same(x: ap.ndarray, n: np.ndarray) -> None:
    np.testing.assert_array_equal(ap.to_numpy(x), n)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    """Elements and whole arrays in any order, by views of one memory; what was deferred sees what was there."""
    rng = np.random.default_rng(seed)
    n, x = pair(DTYPES[seed % len(DTYPES)])
    views = [lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[1],
             lambda a: a.reshape(-1)]
    theirs, ours = [view(n) for view in views], [view(x) for view in views]
    late: list[tuple[np.ndarray, ap.ndarray]] = []
    for _ in range(400):
        which = rng.integers(len(views))
        a, b = theirs[which], ours[which]
        place = tuple(int(rng.integers(length)) for length in a.shape)
        other = tuple(int(rng.integers(length)) for length in a.shape)
        what = rng.integers(100)
        if what < 40:
            assert b[place] == a[place]
        elif what < 60:
            b[place], a[place] = b[other], a[other]
        elif what < 80:
            value = (1, 2.0, True, np.int8(3), ap.asarray([2])[0])[rng.integers(5)]
            b[place], a[place] = value, np.asarray(value)[()]
        elif what < 84:
            late.append((a + a, b + b))
        elif what < 87:
            b[place[0]], a[place[0]] = b[other[0]], a[other[0]].copy()
        elif what < 90:
            with np.errstate(over="ignore"):
                np.multiply(a, a, out=a)
            ap.multiply(b, b, out=b)
        elif what < 92:
            same(b, a)
        elif what < 94:
            assert b.item(place) == a.item(place)
        elif what < 96:
            late.append((a.copy(), b.to_device("cpu") if rng.integers(2) else b.copy()))
        elif what < 97:
            assert b.tolist() == a.tolist()
        elif what < 98:
            which = rng.integers(len(views))
            assert (b[place[0]] == b[other[0]]).all() == (a[place[0]] == a[other[0]]).all()
            late.append((a[place[0]] + theirs[which].max(), b[place[0]] + ours[which].max()))
        else:
            late.append((a.sum(axis=0, dtype=a.dtype), b.sum(axis=0, dtype=a.dtype)))
    same(x, n)
    for expected, got in late:
        same(got, expected)


def test_a_loop_over_elements_is_one_copy() -> None:
    n, x = pair(shape=(20, 20))
    n += np.eye(20) * 20
    x += ap.eye(20, device=OTHERS[0]) * 20
    for a in (n, x):
        for k in range(20):
            for i in range(k + 1, 20):
                a[i, k] = a[i, k] / a[k, k]
                for j in range(k + 1, 20):
                    a[i, j] -= a[i, k] * a[k, j]
    (row,) = kept()
    assert row["count"] == 1 and row["kind"] == "copy" and row["bytes"] == n.nbytes
    np.testing.assert_array_equal(ap.to_numpy(x), n)


def test_a_few_elements_stay_where_they_are() -> None:
    n, x = pair()
    assert [float(x[1, k]) for k in range(5)] == n[1].tolist() and kept() == []
    for step in range(1, 6):  # work on the whole array in between
        x += 1
        assert float(x[1, 2]) == n[1, 2] + step and float(x[0, 0]) == n[0, 0] + step
    assert kept() == []


def test_rows_of_it_stay_on_the_host_with_their_results() -> None:
    """A search by backtracking: elements, rows, columns and boxes by turns, and no copy or launch for any of them."""
    def fits(grid: Any, i: int, j: int, digit: int) -> bool:
        p, q = i // 2 * 2, j // 2 * 2
        return (digit not in grid[i] and not (grid[:, j] == digit).any()
                and int((grid[p:p + 2, q:q + 2] == digit).sum()) == 0)

    def solve(grid: Any) -> bool:
        for i, j in np.ndindex(4, 4):
            if grid[i, j] == 0:
                for digit in range(1, 5):
                    if fits(grid, i, j, digit):
                        grid[i, j] = digit
                        if solve(grid):
                            return True
                        grid[i, j] = 0
                return False
        return True

    n = np.array([[0, 0, 0, 0], [0, 0, 0, 1], [3, 0, 0, 0], [0, 4, 0, 0]])
    x = ap.asarray(n, device=OTHERS[0])
    assert solve(n) and solve(x)
    assert kept()[0]["count"] == 1 and sum(row["count"] for row in ap.fallbacks()) == 1
    same(x, n)


def test_what_is_made_of_its_rows_goes_to_the_device_when_it_must() -> None:
    n, x = pair(shape=(8, 8))
    m, y = pair(shape=(8, 8))
    for i, j in np.ndindex(8, 8):
        n[i, j] += 1
        x[i, j] += 1
    row, ours = n[2] * 2 + n[3], x[2] * 2 + x[3]
    assert ours.device == x.device
    same(y + ours, m + row)            # with an array that is on the device
    ours[1:3] = y[0, 1:3]              # and from one
    row[1:3] = m[0, 1:3]
    same(ours, row)
    same(x @ y, n @ m)
    total = x[4].sum() + y.sum()
    assert total == n[4].sum() + m.sum()
    x[5], n[5] = total, n[4].sum() + m.sum()  # a number that the device has
    np.cumsum(n[6], out=n[6])
    ap.cumsum(x[6], out=x[6])
    same(x, n)


def test_an_element_that_the_device_computes_does_not_end_it() -> None:
    n, x = pair("float64", (40,))
    m, y = pair("float64", (40, 40))
    for a, b in ((n, m), (x, y)):
        for sweep in range(3):
            for i in range(40):
                a[i] = (a[i] + b[i, sweep:].sum()) / 2
    assert sum(row["count"] for row in kept()) == 1
    same(x, n)


def test_large_work_on_it_is_the_device_s() -> None:
    n, x = pair("float64", (200, 100))
    for i in range(60):
        n[i, 1] += 1
        x[i, 1] += 1
    with ap.config.using(fallback="error"):
        same(ap.sqrt(x), np.sqrt(n))
        z, w = x * 2, x[:, 1] * 2
    same(z, n * 2)
    same(w, n[:, 1] * 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_its_rows(dtype: str) -> None:
    n, x = pair(dtype, (6, 12))
    for i, j in np.ndindex(6, 12):
        n[i, j] = x[i, j] = (3 * i + 5 * j) % 7
    assert kept()
    for function in ("sum", "max", "argmax", "sort", "cumsum", "argsort", "any", "flatnonzero"):
        options = {"kind": "stable"} if function == "argsort" else {}  # the places of equals are anyone's otherwise
        for part in (np.s_[2], np.s_[:, 3], np.s_[1:4, ::-2]):
            expected = getattr(np, function)(n[part], **options)
            np.testing.assert_array_equal(ap.to_numpy(getattr(ap, function)(x[part], **options)), expected)
    np.testing.assert_array_equal(ap.to_numpy(x[2, [3, 1, 1]]), n[2, [3, 1, 1]])
    np.testing.assert_array_equal(ap.to_numpy(x[1][x[1] > 2]), n[1][n[1] > 2])
    x[3, [0, 2]], n[3, [0, 2]] = 4, 4
    x[4][x[4] == 0], n[4][n[4] == 0] = 1, 1
    x[:, 5], n[:, 5] = x[:, 6], n[:, 6]
    x[0, 1:], n[0, 1:] = x[0, :-1], n[0, :-1]
    same(x, n)


def test_it_is_told_once() -> None:
    with ap.config.using(implicit_copies="warn"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            _, x = pair()
            assert sum(x.reshape(-1)) + sum(x.reshape(-1)) == 170
    assert len(caught) == 1 and "one by one" in str(caught[0].message)
    assert kept()[0]["count"] == 3


def test_programs_that_must_not_copy() -> None:
    n, x = pair()
    with ap.config.using(implicit_copies="error"):
        assert sum(float(x[i, j]) for i in range(6) for j in range(5) for _ in range(3)) == 3 * n.sum()
    assert kept() == []


def test_memory_that_others_see_stays_on_the_device() -> None:
    n, x = pair()
    address = x.data.ptr  # for kernels of others, which may write at any time
    assert address and [float(x[i % 6, 0]) for i in range(60)] == n[:, 0].tolist() * 10
    assert kept() == []
    n, x = pair()
    for i in range(60):
        x[i % 6, 0] = 50.0 + i
    assert kept()
    shared = ap.from_dlpack(x)  # what was written is there when the memory is given away
    assert float(shared[0, 0]) == 104.0
    shared[0, 0] = 3.0
    assert float(x[0, 0]) == 3.0


def test_two_threads() -> None:
    n, x = pair("int64", (64,))

    def work(first: int) -> None:
        for _ in range(20):
            for i in range(first, 64, 2):
                x[i] = x[i] + 1

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    same(x, n + 20)


def test_streams() -> None:
    n, x = pair(shape=(50,))
    with ap.Stream(OTHERS[0]):
        y = x * 2
        for i in range(50):
            x[i] = x[i] + 1
        z = x * 2
    same(y, n * 2)
    same(z, (n + 1) * 2)
