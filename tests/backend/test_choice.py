"""Choosing, placing and positions on a device: NumPy's values, dtypes and errors, and nothing leaves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from device_marks import left_devices, needs_simulator

import asnumpy as ap

pytestmark = needs_simulator


def placed(np: Any, a: Any, mask: Any, values: Any) -> Any:
    a = a.copy()
    np.place(a, mask, values)
    return a


CALLS: dict[str, Callable[..., Any]] = {
    "choose": lambda np, a, b, i: np.choose(i, [a, b, a[0]]),
    "choose of one": lambda np, a, b, i: np.choose(i * 0, [a]),
    "choose of two dtypes": lambda np, a, b, i: np.choose(i, [a, i, b > 0]),
    "choose, wrapped": lambda np, a, b, i: np.choose(i - 5, [a, b], mode="wrap"),
    "choose, clipped": lambda np, a, b, i: np.choose(i - 1, [a, b], mode="clip"),
    "choose of an array": lambda np, a, b, i: np.choose(i[0], b[:3]),
    "choose by bools": lambda np, a, b, i: np.choose(i > 1, [a, b]),
    "place": lambda np, a, b, i: placed(np, a, b > 0, [1.0, 2.0, 3.0]),
    "place of one": lambda np, a, b, i: placed(np, a, i, 7),
    "place of many": lambda np, a, b, i: placed(np, a, b > 0, b),
    "unravel_index": lambda np, a, b, i: np.unravel_index(i * 9, (3, 2, 5)),
    "unravel_index of columns": lambda np, a, b, i: np.unravel_index(i * 9, (3, 2, 5), "F"),
    "unravel_index of a line": lambda np, a, b, i: np.unravel_index(i, 30),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["f", "i", "?"])
def test_choice(dtype: str, name: str) -> None:
    rng = np.random.default_rng(3)
    given = [rng.integers(-1, 3, (4, 6)).astype(dtype), rng.integers(-1, 2, (4, 6)).astype(dtype)]
    given.append(rng.integers(0, 3, (4, 6)))
    there = [ap.asarray(one) for one in given]
    ap.forget_fallbacks()
    got, wanted = CALLS[name](ap, *there), CALLS[name](np, *given)
    ap.synchronize()
    assert [one["function"] for one in left_devices() if one["kind"] != "copy"] == []
    both = zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]
    for one, other in both:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(np.asarray(one), other)


@pytest.mark.parametrize(
    "call", [
        lambda np, i: np.choose(i, [i, i]), lambda np, i: np.choose(-i, [i, i]),
        lambda np, i: np.unravel_index(i, (1, 2)),
        lambda np, i: np.choose(i, [i, i[:2], i[:3]]), lambda np, i: np.place(i, i[0] > 0, [1]),
        lambda np, i: np.place(i, i > 0, []),
    ],
)
def test_errors_are_numpys(call: Callable[..., Any]) -> None:
    i = np.arange(4)
    with pytest.raises(Exception) as expected:
        call(np, i.copy())
    with pytest.raises(expected.type):
        call(ap, ap.asarray(i))
