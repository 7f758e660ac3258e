"""Programs that compute the same product again and again, between changes in place: each value is its moment's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap

SIDE = 80   # large enough to be recorded
STEPS = 40
MODULUS = 31  # keeps every value whole, so that results are equal in any order of addition


def play(xp: Any, choices: list[tuple[int, ...]], start: list[np.ndarray]) -> list[np.ndarray]:
    """Follow the choices with arrays of xp; returns all arrays that live at the end."""
    factors = [xp.array(a) for a in start]
    results = [factors[0] @ factors[1]]
    for action, i, j, k in choices:
        x, y = factors[i % len(factors)], factors[j % len(factors)]
        target = results[k % len(results)]
        if action == 0:
            target += (x @ y) % MODULUS
        elif action == 1:
            results.append(x @ y)
        elif action == 2:
            target[:] = x @ y
        elif action == 3:
            x[k % SIDE] = k % MODULUS
        elif action == 4:
            target[k % SIDE:] -= (x[::-1] @ y.T)[k % SIDE:]
        elif action == 5:
            results.append((x @ y) + target % MODULUS)
        elif action == 6 and len(results) > 1:
            results.pop(k % len(results))
        elif action == 7:
            product = x @ y
            product += 1
            results.append(product % MODULUS + x @ y)
    return [np.array(a) for a in results + factors]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("round_number", range(5))
def test_random_programs(dtype: str, round_number: int) -> None:
    rng = generator()
    rng = np.random.default_rng(rng.integers(2**32) + round_number)
    start = [rng.integers(0, 3, (SIDE, SIDE)).astype(dtype) for _ in range(2)]
    choices = [tuple(int(n) for n in (rng.integers(8), *rng.integers(0, 1000, 3))) for _ in range(STEPS)]
    for got, expected in zip(play(ap, choices, start), play(np, choices, start), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_product_that_a_loop_does_not_change() -> None:
    """It is computed once for each list that runs, not once a turn."""
    rng = generator()
    a, b = (rng.integers(0, 3, (SIDE, SIDE)).astype(float) for _ in range(2))
    x, y, total = ap.array(a), ap.array(b), ap.zeros((SIDE, SIDE))
    with ap.profiler.record() as trace:
        for i in range(30):
            total += (x @ y) * i
        got = np.array(total)
    np.testing.assert_array_equal(got, (a @ b) * sum(range(30)))
    products = [event for event in trace.events if event["name"] == "matmul" and event["category"] == "structured"]
    assert len(products) < 30 or ap.config.eager
