"""One recorded function, called by several threads at the same time: each call has its own values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from jit.compared import THREADS, in_threads

import asnumpy as ap

CALLS = 12
SIZES = [100, 60_000]


def whole(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9, 10, n).astype(np.float64)


@pytest.mark.parametrize("n", SIZES)
def test_arguments_in_place_and_values_between_programs(n: int) -> None:
    weights = ap.array(whole(1, n))

    @ap.jit
    def step(x: Any, y: Any) -> Any:
        sums = ap.cumsum(x)
        y += x * weights
        total = ap.cumsum(sums[::-1])[::-1] + y
        x[1:] = x[:-1]
        return [total, {"last": sums[-1]}]

    def work(number: int) -> list[Any]:
        a, b = whole(2 + number, n), whole(20 + number, n)
        x, y = ap.array(a), ap.array(b)
        made = [step(x, y) for _ in range(CALLS)]
        for total, last in made:
            sums = np.cumsum(a)
            b += a * np.asarray(weights)
            np.testing.assert_array_equal(ap.to_numpy(total), np.cumsum(sums[::-1])[::-1] + b)
            assert last["last"] == sums[-1]
            a[1:] = a[:-1].copy()
        np.testing.assert_array_equal(ap.to_numpy(x), a)
        np.testing.assert_array_equal(ap.to_numpy(y), b)
        return made

    for _ in range(3):
        in_threads(work)


@pytest.mark.parametrize("n", SIZES)
def test_donated_memory(n: int) -> None:
    step = ap.jit(lambda u, v: (u + v, v.sum()), donate="u")

    def work(number: int) -> None:
        a, b = whole(number, n), whole(30 + number, n)
        u, v = ap.array(a).copy(), ap.array(b)
        for _ in range(CALLS):
            before = u
            u, total = step(u, v)
            with pytest.raises(RuntimeError, match="was donated"):
                before.tolist()
            assert total == b.sum()
        np.testing.assert_array_equal(ap.to_numpy(u), a + CALLS * b)

    in_threads(work)


@pytest.mark.parametrize("n", SIZES)
def test_each_call_draws_words_of_its_own(n: int) -> None:
    def recorded() -> Any:
        generator = ap.random.default_rng(7)
        return ap.jit(lambda x: generator.random(n) + x)

    function, x = recorded(), ap.zeros(n)
    found = [made for part in in_threads(lambda _: [function(x) for _ in range(CALLS)]) for made in part]
    in_turn = recorded()
    expected = [in_turn(x) for _ in range(THREADS * CALLS)]
    assert {ap.to_numpy(one).tobytes() for one in found} == {ap.to_numpy(one).tobytes() for one in expected}


@pytest.mark.parametrize("n", SIZES)
def test_an_array_that_all_calls_change(n: int) -> None:
    total = ap.zeros(n)

    @ap.jit
    def add(x: Any) -> Any:
        total[...] += x
        return x * 2

    def work(number: int) -> None:
        x = ap.full(n, float(number + 1))
        for _ in range(CALLS):
            assert add(x)[3] == 2 * (number + 1)

    in_threads(work)
    np.testing.assert_array_equal(ap.to_numpy(total), np.full(n, float(CALLS * sum(range(1, THREADS + 1)))))


@pytest.mark.parametrize("n", SIZES)
def test_an_error_is_told_to_whose_call_it_was(n: int) -> None:
    picked = ap.jit(lambda x, places: ap.cumsum(x)[places] + 1)

    def work(number: int) -> None:
        a = whole(number, n)
        x = ap.array(a)
        for k in range(CALLS):
            wrong = (k + number) % 3 == 0
            places = np.arange(n)[::-1].copy()
            places[n // 2] = n if wrong else 0
            if wrong:
                with pytest.raises(IndexError):
                    ap.to_numpy(picked(x, ap.array(places)))
            else:
                np.testing.assert_array_equal(ap.to_numpy(picked(x, ap.array(places))), np.cumsum(a)[places] + 1)

    in_threads(work)
