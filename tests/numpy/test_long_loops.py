"""Loops of more operations than are recorded at a time: results have NumPy's bits, whatever names still hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

SIZE = 6000  # recorded, not done at once


def names_live(xp: Any, a: Any, turns: int) -> Any:
    """The names of a turn hold its values until the next turn has others for them."""
    x, kept = a, []
    for turn in range(turns):
        low = xp.minimum(x, 0.5)
        high = xp.maximum(x - low, 0.25)
        middle = (low + high) * 0.5
        x = middle + a * 0.125
        if turn % 7 == 0:
            kept.append(high)
    return x, low, high, middle, *kept


def in_place(xp: Any, a: Any, turns: int) -> Any:
    """Shifted neighbours into the array they come from, and a wall."""
    x = a.copy()
    for _ in range(turns):
        slope = x[2:] - x[:-2]
        x[1:-1] -= 0.25 * slope
        x[1:] = x[:-1]
        x[0] = slope[5]
    return x, slope


def shrinking(xp: Any, a: Any, turns: int) -> Any:
    """No turn is like another: views that move and get shorter."""
    x = a.copy()
    for turn in range(1, turns):
        part = x[turn:] * 0.5
        x[turn:] -= part[::-1]
    return x, part


def growing(xp: Any, a: Any, turns: int) -> Any:
    """Every value is kept to the end."""
    values = [a]
    for _ in range(turns):
        values.append(values[-1] * 0.75 + values[len(values) // 2])
    return tuple(values)


def reductions(xp: Any, a: Any, turns: int) -> Any:
    x = a.reshape(60, 100)
    for _ in range(turns):
        most = x.max(axis=1, keepdims=True)
        x = (x - most) * 0.5 + x.min()
    return x, most


@pytest.mark.parametrize("turns", [9, 31, 64, 129, 200])
@pytest.mark.parametrize("work", [names_live, in_place, shrinking, growing, reductions])
def test_results_are_numpys(work: Callable[..., Any], turns: int) -> None:
    values = np.linspace(-1, 2, SIZE)
    found, expected = work(ap, ap.array(values), turns), work(np, values, turns)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)
