"""What is put back among its neighbours time and again goes to two arrays in turns, with the values of one array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import asnumpy as ap

SIDE = 70


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0, fallback="count"):
        ap.synchronize()
        yield


def assigned(xp: Any, u: Any, v: Any) -> Any:
    u = u.copy()
    for _ in range(6):
        u[1:-1, 1:-1] = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]) % 7 - v[1:-1, 1:-1]
    return u


def added(xp: Any, u: Any, v: Any) -> Any:
    """In place in an argument, an odd number of times."""
    for _ in range(7):
        u[1:-1, 2:-2] += (u[2:, 2:-2] - u[:-2, 2:-2] + u[1:-1, 4:] - u[1:-1, :-4]) % 5
    return u


def changes_apart(xp: Any, u: Any, v: Any) -> Any:
    """Changes that are kept under a name, of two arrays that need each other."""
    u, v = u.copy(), v.copy()
    for _ in range(5):
        du, dv = v[2:] - u[:-2], u[2:] % 3 + v[:-2]
        u[1:-1] += du % 4
        v[1:-1] += dv % 4
    return u, v


def read_between(xp: Any, u: Any, v: Any) -> Any:
    """Sums, products, gathers and views that outlive the loop, of every state."""
    u = u.copy()
    seen = []
    for k in range(6):
        seen += [u.sum(), (u[:20, :20] @ v[:20, :20]) % 11, u[[3, 5, k]] + 0, xp.cumsum(u[k])]
        u[1:-1] = (u[2:] + u[:-2]) % 9
        seen.append(u[:, 1] + 0)
    return u, u[::-1, 3:], *seen


def written_beside(xp: Any, u: Any, v: Any) -> Any:
    """Borders that follow what lies next to them."""
    u = u.copy()
    for k in range(9):
        u[1:-1, 1:-1] = (u[2:, 1:-1] + u[1:-1, :-2] * 3) % 8
        if k > 3:
            u[:, 0] = u[:, 1]
    return u


def walls(xp: Any, u: Any, v: Any) -> Any:
    """Sweeps from a copy, and walls that copy what lies next to them, corners twice."""
    u = u.copy()
    for _ in range(7):
        old = u.copy()
        u[1:-1, 1:-1] = (old[1:-1, 2:] + old[1:-1, :-2] * 3 + old[2:, 1:-1]) % 8 - v[1:-1, 1:-1]
        u[:, -1] = u[:, -2]
        u[0, :] = u[1, :]
        u[:, 0] = u[:, 1]
        u[-1, :] = 0
    return u


def channel(xp: Any, u: Any, v: Any) -> Any:
    """Two fields that are periodic along one axis, from copies of both."""
    u, v = u.copy(), v.copy()
    for _ in range(6):
        un, vn = u.copy(), v.copy()
        u[1:-1, 1:-1] = (un[1:-1, 2:] - un[1:-1, :-2] * vn[1:-1, 1:-1]) % 9
        v[1:-1, 1:-1] = (vn[2:, 1:-1] - vn[:-2, 1:-1] * un[1:-1, 1:-1]) % 9
        u[1:-1, -1] = (un[1:-1, 0] - un[1:-1, -2] + vn[2:, -1]) % 9
        u[1:-1, 0] = (un[1:-1, 1] - un[1:-1, -1]) % 9
        u[0, :] = 0
        v[-1, :] = u[-2, :]
    return u, v


def corners_lag(xp: Any, u: Any, v: Any) -> Any:
    """Each wall is made of another one as it was a step ago."""
    u = u.copy()
    for _ in range(6):
        u[1:-1, 1:-1] = (u[2:, 1:-1] + u[1:-1, :-2] * 3) % 8
        u[:, 0] = u[:, -1] + 1
        u[0] = u[1]
        u[-1] = u[:, 0]
        u[:, -1] = u[:, 3]
    return u


def copies_that_last(xp: Any, u: Any, v: Any) -> Any:
    """Copies that are read when the array has moved on, or after they were changed."""
    u = u.copy()
    kept = u.copy()
    for _ in range(6):
        before, last = kept, u.copy()
        u[1:-1] = (last[2:] + last[:-2]) % 9
        kept = last
        u[0] = before[3] + kept[4]
        changed = u.copy()
        changed[5] = 1
        u[-1] = changed.sum(axis=0) % 7
    return u, kept


def in_place_between(xp: Any, u: Any, v: Any) -> Any:
    """What reads no neighbours goes on where the values are."""
    u = u.copy()
    for k in range(7):
        u[1:-1] = u[2:] - u[:-2] % 3
        u[1:-1] %= 6 + k
        u[1:-1] += v[1:-1]
    return u


def planes(xp: Any, u: Any, v: Any) -> Any:
    """Of one array, which goes on under views of another dtype and with other axes."""
    both = xp.stack([u, v])
    for _ in range(6):
        both[:, 1:-1] = (both[:, 2:] + both[::-1, :-2]) % 7
    w = both[0].T
    for _ in range(4):
        w[1:-1, :] = (w[2:, :] + w[:-2, :]) % 5
    return both, w, both.view(np.uint8)[0, 0]


def moved(xp: Any, u: Any, v: Any) -> Any:
    """Nothing but moves, this way and that."""
    u = u.copy()
    for _ in range(4):
        u[1:] = u[:-1]
        u[:-2] = u[2:]
    for _ in range(5):
        u[:, 1:] = u[:, :-1]
    return u


def with_choices(xp: Any, u: Any, v: Any) -> Any:
    """Rows of several results and of other dtypes within."""
    u = u.copy()
    for _ in range(5):
        quotient, rest = xp.divmod(u[2:] + 50, 7)
        u[1:-1] = xp.where(u[1:-1] > rest, quotient, u[:-2]).astype(u.dtype)
    return u


FORMS = [assigned, added, changes_apart, read_between, written_beside, walls, channel, corners_lag,
         copies_that_last, in_place_between, planes, moved, with_choices]


def arrays(dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.integers(-40, 40, (SIDE, SIDE)).astype(dtype) for _ in range(2)]


def compare(form: Callable[..., Any], work: Callable[..., Any], dtype: str, make: Callable[..., Any] = np.copy) -> None:
    expected_given, mine_given = [x.copy() for x in arrays(dtype)], [ap.array(make(x)) for x in arrays(dtype)]
    expected, mine = form(np, *expected_given), work(*mine_given)
    pairs = (mine, mine_given), (expected, expected_given)
    results = [[*(x if isinstance(x, tuple) else (x,)), *given] for x, given in pairs]
    for got, right in zip(*results, strict=True):
        np.testing.assert_array_equal(np.asarray(ap.to_numpy(got) if isinstance(got, ap.ndarray) else got), right)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("jitted", [False, True], ids=["", "jit"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_values(form: Callable[..., Any], jitted: bool, dtype: str) -> None:
    def plain(*given: Any) -> Any:
        return form(ap, *given)

    work = ap.jit(plain) if jitted else plain
    for _ in range(3):  # the first time it is found, later it is done again
        compare(form, work, dtype)


@pytest.mark.parametrize("form", FORMS[:4], ids=lambda form: form.__name__)
def test_memory_of_others(form: Callable[..., Any]) -> None:
    """Arrays over NumPy's memory, which sees what is written there and nothing else."""
    expected, mine = arrays("float64"), arrays("float64")
    right, got = form(np, *expected), form(ap, *(ap.from_dlpack(x) for x in mine))
    for one, other in zip(*((x if isinstance(x, tuple) else (x,)) for x in (got, right)), strict=True):
        np.testing.assert_array_equal(np.asarray(ap.to_numpy(one) if isinstance(one, ap.ndarray) else one), other)
    ap.synchronize()
    for one, other in zip(mine, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def stores(form: Callable[..., Any], **given: Any) -> int:
    with ap.config.using(**given):
        return str(ap.jit(lambda *x: form(ap, *x)).compile(*map(ap.array, arrays("float64"))).explain()).count("store")


def test_nothing_is_kept_to_be_copied_back() -> None:
    assert stores(assigned) == 2 + 6  # two copies of all, then one program for each step
    assert stores(assigned, passes="-alternate") >= 1 + 2 * 6
    assert stores(added) <= 1 + 6 + 2
    assert stores(walls) == 2 + 7 * (1 + 4) + 1  # no copies of old values but the last, of an odd number of steps
    assert stores(written_beside) < stores(written_beside, passes="-alternate")


@hypothesis.settings(max_examples=100, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.data())
def test_any_loop(data: st.DataObject) -> None:
    """A loop body of random statements over parts of two arrays, with and without the pass."""
    statement = st.tuples(st.sampled_from(["put", "add", "scale", "keep", "border", "wall", "old", "move"]),
                          st.integers(0, 1), st.integers(0, 2), st.integers(0, 2))
    body = data.draw(st.lists(statement, min_size=1, max_size=5))
    turns = data.draw(st.integers(2, 9))

    def form(xp: Any, u: Any, v: Any) -> Any:
        both, kept = [u.copy(), v.copy()], []
        for _ in range(turns):
            for what, which, low, high in body:
                x, y = both[which], both[1 - which]
                inner, left, right = x[1:-1], x[:-2], x[2:]
                if what == "put":
                    x[1:-1] = (left + (right, y[1:-1], y[2:])[low]) % (5 + high)
                elif what == "add":
                    x[1:-1] += (left, y[:-2], right - left)[low] % 3
                elif what == "scale":
                    inner %= 9 - low
                elif what == "keep":
                    kept.append((x + 0, x.sum(), x[low:] - x[:SIDE - low])[high])
                elif what == "border":
                    x[low] = x[low + 1 + high]
                elif what == "wall":
                    x[:, -low] = x[:, high] if high < 2 else x[low] + 0
                elif what == "old":
                    old = x.copy()
                    x[1:-1, 1:-1] = (old[2:, 1:-1] + old[1:-1, :-2] * 3) % 8
                    kept += [old[:, low]] * (high == 2)
                else:
                    x[low:SIDE - 2 + low] = y[high:SIDE - 2 + high]
        return *both, *kept

    for passes in ("all", "-alternate"):
        with ap.config.using(passes=passes):
            compare(form, lambda *given: form(ap, *given), "int32")
            compare(form, ap.jit(lambda *given: form(ap, *given)), "int32")
