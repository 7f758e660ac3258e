"""Whole masks of arrays of any layout, read and assigned: values, shapes and errors are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap

LAYOUTS = {
    "C": lambda a: a,
    "turned": lambda a: a.T,
    "reversed": lambda a: a[::-1],
    "stepped": lambda a: a[..., ::2],
    "part": lambda a: a[1:, ...] if len(a) > 1 else a,
}


def outcome(do: Any) -> Any:
    try:
        return do()
    except (IndexError, ValueError, TypeError) as refused:
        return repr(refused)


def same(got: Any, expected: Any) -> None:
    if isinstance(expected, str):
        assert got == expected
    else:
        assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool", "complex128", "complex64", "longdouble"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_masks(layout: str, dtype: str) -> None:
    rng = generator()
    for _ in range(60):
        ndim = int(rng.integers(1, 4))
        shape = tuple(int(n) for n in rng.integers(0, [0, 5000, 70, 18][ndim], ndim))
        whole = rng.integers(0, 9, shape).astype(dtype)
        mine = ap.array(whole)
        a, b = LAYOUTS[layout](whole), LAYOUTS[layout](mine)
        mask = rng.random(a.shape) < rng.random()
        masks = ap.array(mask)
        same(outcome(lambda b=b, m=masks: b[m]), outcome(lambda a=a, m=mask: a[m]))
        chosen = int(mask.sum())
        lengths = [(chosen,), (), (1,), (chosen + 1,), (1, chosen)]
        values = rng.integers(0, 9, lengths[rng.integers(5)]).astype(dtype if rng.random() < 0.8 else "float32")
        given = ap.array(values) if rng.random() < 0.8 else values
        same(outcome(lambda b=b, m=masks, v=given: b.__setitem__(m, v) or b),
             outcome(lambda a=a, m=mask, v=values: a.__setitem__(m, v) or a))
        same(mine, whole)
        same(outcome(lambda b=b, m=masks: b.__setitem__(m, b[m] * b[m]) or b),
             outcome(lambda a=a, m=mask: a.__setitem__(m, a[m] * a[m]) or a))


def test_an_array_is_its_own_mask_and_its_own_values() -> None:
    a = np.arange(6) % 2 == 0
    b = ap.array(a)
    a[a] = a[~a]
    b[b] = b[~b]
    same(b, a)
    c, d = np.arange(12.0).reshape(3, 4), ap.arange(12.0).reshape(3, 4)
    c[c > 3] = c.ravel()[:8]
    d[d > 3] = d.ravel()[:8]
    same(d, c)


def test_an_assignment_to_its_own_place() -> None:
    """Python stores what `a[1:] += b` returned in the view that it came from."""
    a, b = np.arange(10.0), ap.arange(10.0)
    for xp in (a, b):
        xp[3:] += xp[:-3]
        xp[1:] = xp[1:]
        xp[2:8] = xp[1:7]
    same(b, a)
    read_only = ap.arange(4.0)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        read_only[1:] = read_only[1:]
