"""Sizes, places and axes near 2**31, 2**63 and beyond: NumPy's values and exceptions, at once, and no wild access.

`huge_sizes.txt` has an expression a line. Not among them is what NumPy itself does not survive or finish,
and what depends on which of two sizes is looked at first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

CASES = Path(__file__).with_name("huge_sizes.txt").read_text().splitlines()


def names(xp: Any) -> dict[str, Any]:
    tricks = xp.lib.stride_tricks
    return {
        "xp": xp, "np": np, "strided": tricks.as_strided, "windows": tricks.sliding_window_view,
        "z": xp.arange(4.0), "i": xp.arange(4), "m": xp.arange(6.0).reshape(2, 3), "sq": xp.ones((2, 2)),
        "b8": xp.arange(4).astype("u1"),
        # one element, seen many times
        "long": xp.broadcast_to(xp.asarray(np.int8(1)), (2**62,)),
        "long8": xp.broadcast_to(xp.asarray(1.0), (2**60 - 1,)),
        "longm": xp.broadcast_to(xp.asarray(1.0), (2**59, 1)),
    }


def described(value: Any) -> Any:
    """Shape, dtype and, where there are few, the elements."""
    if isinstance(value, (tuple, list)):
        return [described(one) for one in value]
    if not hasattr(value, "dtype"):
        return value
    few = value.size < 50 and all(n < 50 for n in value.shape)
    return value.shape, value.dtype, repr(np.asarray(value).tolist()) if few else None


def outcome(xp: Any, text: str) -> Any:
    space = names(xp)
    with np.errstate(all="ignore"):
        try:
            value = described(eval(text, space))
        except Exception as error:  # whatever it is, it is compared
            # NumPy's own classes that it keeps to itself stand for the public ones they derive from
            return next(kind for kind in type(error).__mro__ if kind.__module__ in ("builtins", "numpy.exceptions"))
    return value, [described(space[name]) for name in ("z", "m", "b8")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", CASES)
def test_as_numpy(text: str) -> None:
    expected, got = outcome(np, text), outcome(ap, text)
    if isinstance(expected, type):
        assert isinstance(got, type), f"{text} gives {got}, NumPy raises {expected}"
        assert issubclass(got, expected)
    else:
        assert got == expected


# What NumPy itself does not survive, or counts through one by one.
@pytest.mark.parametrize("text, wanted", [
    ("xp.repeat(z, 2**62)", ValueError),
    ("z.repeat(2**62)", ValueError),
    ("xp.repeat(z, [2**62] * 4)", ValueError),
    ("xp.concatenate([long] * 8)", ValueError),
    ("xp.bincount(xp.asarray([2**63 - 1]))", ValueError),
    ("xp.bincount(xp.full(10_000, 2**63 - 1))", ValueError),
    ("xp.tri(2**31)", (MemoryError, ValueError)),
    ("xp.nonzero(long)", (MemoryError, ValueError)),
    ("xp.argwhere(long)", (MemoryError, ValueError)),
    ("xp.compress(long, z)", (MemoryError, ValueError)),
])
def test_refused_where_numpy_ends(text: str, wanted: Any) -> None:
    with pytest.raises(wanted):
        eval(text, names(ap))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text, wanted", [
    ("xp.take(z, 2**62 + 1, mode='wrap')", 1.0),
    ("xp.take(z, -2**62 + 1, mode='wrap')", 1.0),
    ("xp.take(z, -2**63, mode='wrap')", 0.0),
    ("xp.take(z, 2**63 - 1, mode='wrap')", 3.0),
    ("(xp.put(z, 2**62 + 1, 9, mode='wrap'), z)[1]", [0.0, 9.0, 2.0, 3.0]),
    ("(xp.put(z, -2**63, 9, mode='wrap'), z)[1]", [9.0, 1.0, 2.0, 3.0]),
    ("xp.choose(xp.asarray([2**62 + 1]), [z, -z], mode='wrap')", [-0.0, -1.0, -2.0, -3.0]),
    ("xp.diff(z, 2**62)", []),
    ("xp.diff(m, 2**40)", [[], []]),
    ("xp.round(i, -2**31)", np.round(np.arange(4), -400).tolist()),
])
def test_at_once_where_numpy_counts(text: str, wanted: Any) -> None:
    assert eval(text, names(ap)).tolist() == wanted
