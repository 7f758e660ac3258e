"""Loops and choices by values: under jit as without it."""

from __future__ import annotations

import numpy as np
import pytest
from test_jit import given, same

import asnumpy as ap


def both(function, *arguments):
    """The results with and without jit, twice each."""
    fast = ap.jit(function)
    for _ in range(2):
        got = fast(*arguments)
        with ap.config.using(eager=False, eager_size=0):
            expected = function(*arguments)
        same(got, expected)
    assert len(fast._compiled) == 1
    return got


@pytest.mark.parametrize("n", [3, 20_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_loops(n, dtype):
    outside = given(5, n, dtype)

    def doubled(x):
        return ap.while_loop(lambda s: s["x"].max() < 1000, lambda s: {"x": s["x"] * 2 + outside, "k": s["k"] + 1},
                             {"x": x + 1, "k": ap.zeros((), np.int64)[()]})  # fmt: skip

    both(doubled, given(1, n, dtype))
    both(doubled, given(1, n, dtype) * 10_000)  # not once

    def fibonacci(x):
        a, b = ap.range(0, 7, lambda _, s: (s[1], s[0] + s[1]), (x, x + 1))
        return a * 2, b, ap.range(3, 3, lambda _, s: s + 1, x)

    both(fibonacci, given(1, n, dtype))


def test_a_bound_that_was_computed():
    def summed(x):
        return ap.range(0, (x > 5).sum(), lambda i, s: s + x * i, x)

    for seed in range(3):
        both(summed, given(seed, 50))


def test_in_place_and_gathers_within_a_loop():
    index = ap.array([2, 0, 1])

    def moved(x):
        def body(i, s):
            s = s.copy()
            s[1:] += s[:-1] * 0.5
            s[0] = s[1] + i
            return s[index] @ ap.eye(3) + ap.cumsum(s)

        return ap.range(0, 6, body, x)

    both(moved, given(1, 3))


def test_loops_within_loops():
    def triangle(x):
        return ap.range(0, 5, lambda i, s: ap.range(0, i, lambda j, t: t + j * x, s) + 1, x)

    both(triangle, given(1, 4))


@pytest.mark.parametrize("n", [3, 20_000])
def test_choices(n):
    outside = given(3, n)

    def chosen(x, y):
        z = x + 1
        a, b = ap.cond(x.sum() > y.sum(), lambda u: (u + outside, u[0]), lambda u: (u * z, u[1]), x - y)
        return a * 2, b, ap.cond(b > 0, lambda: z, lambda: -z)

    fast = ap.jit(chosen)
    for one, other in ((1, 2), (2, 1), (1, 1)):
        x, y = given(one, n), given(other, n)
        same(fast(x, y), chosen(x, y))
    assert len(fast._compiled) == 1


def test_what_is_known_is_chosen_by_python():
    calls = []
    ap.jit(lambda x: ap.cond(x.ndim == 1, lambda: x, lambda: calls.append(1)))(given(1, 3))
    assert not calls
    same(ap.cond(True, lambda x: x + 1, lambda x: x, given(1, 3)), given(1, 3) + 1)


def test_wrong_states_are_errors():
    def loops(body):
        return ap.jit(lambda x: ap.while_loop(lambda s: s.sum() < 9, body, x))

    x = given(1, 3)
    with pytest.raises(TypeError, match=r"while_loop: .*shape \(2,\)"):
        loops(lambda s: s[1:])(x)
    with pytest.raises(TypeError, match="dtype float32"):
        loops(lambda s: s.astype(np.float32))(x)
    with pytest.raises(TypeError, match="structure"):
        loops(lambda s: (s,))(x)
    with pytest.raises(TypeError, match="one truth"):
        ap.jit(lambda x: ap.while_loop(lambda s: s > 1, lambda s: s, x))(x)
    with pytest.raises(TypeError, match="results alike"):
        ap.jit(lambda x: ap.cond(x.sum() > 1, lambda: x, lambda: x[1:]))(x)
    with pytest.raises(TypeError, match="got str"):
        ap.jit(lambda x: ap.while_loop(lambda s: True, lambda s: s, "text"))(x)
    with pytest.raises(ap.TracingError, match="random"):
        loops(lambda s: s + ap.random.default_rng(0).random(3))(x)
    with pytest.raises(ap.TracingError, match=r"ap\.where"):
        loops(lambda s: s if s[0] > 1 else -s)(x)
    same(x + 1, given(1, 3) + 1)


def test_an_index_within_a_loop_is_checked():
    fast = ap.jit(lambda x, i: ap.range(0, 3, lambda _, s: s[i + 1], x))
    x = given(1, 4)
    same(fast(x, ap.array([0, 1, 2, 0])), ap.range(0, 3, lambda _, s: s[ap.array([1, 2, 3, 1])], x))
    with pytest.raises(IndexError, match="index 4 is out of bounds"):
        fast(x, ap.array([3, 3, 3, 3]))
