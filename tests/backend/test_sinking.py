"""What a loop computes from values that it has just put back is computed where it is read, and kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

LENGTH = 10_000


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0):
        ap.synchronize()
        yield


def explained(form: Callable[..., Any], *arrays: np.ndarray) -> str:
    return str(ap.jit(lambda *given: form(ap, *given)).compile(*(ap.array(x) for x in arrays)).explain())


def back(xp: Any, u: Any, v: Any) -> Any:
    """Twice the inner values is read with their neighbours, which are there only after they were put back."""
    u = u.copy()
    for _ in range(4):
        u[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def chain(xp: Any, u: Any, v: Any) -> Any:
    """Several operations, each of which is read by the next."""
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[2:] - xp.sqrt(abs(3 * u[1:-1]))
    return u


def seen_by_others(xp: Any, u: Any, v: Any) -> Any:
    u = u.copy()
    u[1:-1] = u[2:] + u[:-2]
    twice = 2 * u[1:-1]
    u[1:-1] = u[2:] - twice
    return u, twice


def read_twice(xp: Any, u: Any, v: Any) -> Any:
    u = u.copy()
    u[1:-1] = u[2:] + u[:-2]
    twice = 2 * u[1:-1]
    u[1:-1] = u[2:] - twice
    u[1:-1] = u[:-2] - twice
    return u


def overwritten(xp: Any, u: Any, v: Any) -> Any:
    """What it is made of has other values by the time it is read."""
    u, v = u.copy(), v.copy()
    u[1:-1] = u[2:] + u[:-2]
    twice = 2 * u[1:-1]
    u[1:-1] = v[1:-1]
    v[1:-1] = u[2:] - twice + u[1:-1]
    return u, v


def overwritten_by_parts(xp: Any, u: Any, v: Any) -> Any:
    u, v = u.copy(), v.copy()
    u[1:-1] = u[2:] + u[:-2]
    twice = 2 * u[1:-1]
    u[7] = 5
    v[1:-1] = u[2:] - twice + u[1:-1]
    return u, v


def overwritten_there(xp: Any, u: Any, v: Any) -> Any:
    u, v = u.copy(), v.copy()
    u[1:-1] = u[2:] + u[:-2]
    twice = 2 * u[1:-1]
    v[1:-1] = v[2:] * u[1:-1]
    u[1:-1] = v[:-2] + u[1:-1]
    u[1:-1] += twice
    return u, v


def several(xp: Any, u: Any, v: Any) -> Any:
    """From two arrays, one of which is not read where it is needed."""
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[2:] + u[:-2]
        mixed = u[1:-1] * v[1:-1]
        u[1:-1] = u[2:] - mixed - u[:-2]
    return u


def turned(xp: Any, u: Any, v: Any) -> Any:
    """Read from its end, and beside itself."""
    return (u * 2 + 1)[::-1] - u, (u * 2)[1:] + (u * 2)[:-1] - u[1:]


def other_dtype(xp: Any, u: Any, v: Any) -> Any:
    u = u.copy()
    u[1:-1] = u[2:] + u[:-2]
    whole = (2 * u[1:-1]).astype(np.int16)
    u[1:-1] = u[2:] - whole
    return u


FORMS = [turned, other_dtype, back, chain, seen_by_others, read_twice, overwritten, overwritten_by_parts,
         overwritten_there, several]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_values(form: Callable[..., Any], jitted: bool, dtype: str) -> None:
    rng = np.random.default_rng(3)
    given = [rng.integers(-50, 50, LENGTH).astype(dtype) for _ in range(2)]
    with np.errstate(all="ignore"):
        expected = form(np, *given)
    work = ap.jit(lambda *arrays: form(ap, *arrays)) if jitted else lambda *arrays: form(ap, *arrays)
    for _ in range(2):
        made = work(*(ap.array(x) for x in given))
        for mine, theirs in zip(*((x if isinstance(x, tuple) else (x,)) for x in (made, expected)), strict=True):
            np.testing.assert_array_equal(ap.to_numpy(mine), theirs)


def test_it_is_not_kept() -> None:
    u = np.ones(LENGTH)
    with ap.config.using(passes="-alternate"):
        text = explained(back, u, u)
    assert text.count("store") == 9, text  # the copy; of each turn the new values, and where they belong
    assert all(part.count("multiply") in (0, 2) for part in text.split("program")), text
    with ap.config.using(passes="-alternate"):
        assert explained(chain, u, u).count("store") == 7


def test_it_stays_where_others_see_it() -> None:
    u = np.ones(LENGTH)
    assert explained(seen_by_others, u, u).count("store") == 6
    assert explained(read_twice, u, u).count("store") == 8
