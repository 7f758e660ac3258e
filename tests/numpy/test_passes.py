"""Programs that repeat themselves and copy without need, with each set of passes: values are those of their moment."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import drawn
import hypothesis
import numpy as np
import pytest
from backend.program_writer import programs
from hypothesis import strategies as st
from test_random_programs import EXAMPLES, check, settings

import asnumpy as ap
from asnumpy import _core

NAMES = ["alternate", "equal", "copies", "dead", "accumulate", "turned", "together"]
SETS = ["all", "none", *NAMES, *(f"-{name}" for name in NAMES)]
SIDE = 12


@pytest.fixture(params=SETS)
def chosen(request: pytest.FixtureRequest) -> Iterator[str]:
    with ap.config.using(eager_size=0, passes=request.param, fallback="count"):
        yield request.param


def play(xp: Any, choices: list[tuple[int, int, int, int]], dtype: str) -> list[np.ndarray]:
    """Follow the choices with arrays of xp, of few values and operations; every array and sum that lives at the end."""
    arrays = [xp.asarray((np.arange(SIDE * SIDE) * step % 7 + 1).reshape(SIDE, SIDE).astype(dtype)) for step in (3, 5)]
    numbers = [arrays[0].sum()]
    for action, i, j, k in choices:
        x, y = arrays[i % len(arrays)], arrays[j % len(arrays)]
        rows = slice(k % 4, SIDE - 4 + k % 4)
        if action == 0:
            arrays.append((x // 2 + y // 3) % 5 + 1)
        elif action == 1:
            arrays.append(x.copy() % 4 + 1)
        elif action == 2:
            x[rows] = y[rows] % 6 + 1
        elif action == 3:
            kept = x.copy()
            x += 1
            y[rows] = kept[rows] % 3 + kept[:-4] % 2 + 1
        elif action == 4:
            numbers.append((x // 2).sum() - (x // 2).sum() + (y % 3).sum())
        elif action == 5:
            arrays.append(x.cumsum(axis=k % 2) % 7 + x.cumsum(axis=j % 2) % 7 + 1)
        elif action == 6 and len(arrays) > 2:
            arrays.pop(i % len(arrays))
        elif action == 7:
            total = xp.ascontiguousarray(x[rows]) // 2
            total += xp.ascontiguousarray(x[rows]) // 2
            arrays.append(y % 5 + total.sum(axis=0) % 3 + 1)
        elif action == 8:
            arrays.append((x // 2)[::-1].T + (x // 2) % 3 + (x // 2).T[k % 3 : k % 3 + 1] + 1)
            arrays[-1] %= 9
        elif action == 9:
            x[...] = (x // 2) * (x // 2) % 7 + y
            x %= 8
        elif action == 10:
            arrays.append((x @ y) % 5 + (x @ y) % 3 + 1)
        elif action == 11:
            x.T[rows] += (+y)[rows] % 2
    return [np.asarray(ap.to_numpy(a) if isinstance(a, (ap.ndarray, ap.Number)) else a) for a in arrays + numbers]


@pytest.mark.parametrize("dtype", ["int64", "float32"])
def test_programs_that_repeat_themselves(chosen: str, dtype: str) -> None:
    def compare(choices: list[tuple[int, int, int, int]]) -> None:
        expected = play(np, choices, dtype)
        for eager in (False, True):
            with ap.config.using(eager=eager):
                for n, (got, right) in enumerate(zip(play(ap, choices, dtype), expected, strict=True)):
                    np.testing.assert_array_equal(got, right, err_msg=f"array {n}", strict=True)

    few = hypothesis.settings(settings, max_examples=max(EXAMPLES // 4, 10))
    choices = st.lists(st.tuples(st.integers(0, 11), *[st.integers(0, 11)] * 3), min_size=3, max_size=24)
    drawn.for_each(compare, choices, few, "choices")


def test_random_programs(chosen: str) -> None:
    few = hypothesis.settings(settings, max_examples=max(EXAMPLES // 6, 10))
    with ap.config.using(eager=False):
        drawn.for_each(check, programs(), few, "programs")


def test_functions_under_jit(chosen: str) -> None:
    def work(x: Any, y: Any) -> Any:
        kept = x.copy()
        first = (x // 3).sum(axis=0) - y
        second = (x // 3).sum(axis=0) * (kept % 4)
        x[1:] -= kept[:-1] // 3
        return first, second + x.cumsum(axis=1), (x @ x) % 5 + (x @ x) % 7, x.cumsum(axis=1)

    fast = ap.jit(work)
    with ap.config.using(eager=False):
        for seed in range(3):
            a, b = ((np.arange(n) * 7 + seed) % 11 for n in (SIDE * SIDE, SIDE))
            mine, plain = ap.array(a.reshape(SIDE, SIDE)), a.reshape(SIDE, SIDE).copy()
            got, expected = fast(mine, ap.array(b)), work(plain, b)
            for one, right in zip([*got, mine], [*expected, plain], strict=True):
                np.testing.assert_array_equal(ap.to_numpy(one), right)
    with ap.config.using(passes="none" if chosen == "all" else "all"):  # another recording, with the same values
        np.testing.assert_array_equal(ap.to_numpy(fast(ap.array(a.reshape(SIDE, SIDE)), ap.array(b))[0]), expected[0])
    assert len(fast._compiled) == 2


def test_the_guide_tells_of_each_pass() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide.md"
    table = guide.read_text(encoding="utf-8").partition("### What is not computed twice")[2].partition("\n## ")[0]
    assert [name for name, purpose in _core.passes() if purpose] == NAMES == re.findall(r"^\| `(\w+)`", table, re.M)


def told(x: Any) -> list[str]:
    """The lines of explain() about passes."""
    with io.StringIO() as nowhere:
        return [line for line in ap.explain(x, file=nowhere).splitlines() if line.split(":")[0] in NAMES]


def structured(work: Any) -> int:
    """How often sums along an axis are computed for what `work` makes."""
    with ap.profiler.record() as trace:
        ap.eval(work())
    return sum(event["name"] == "scan" and event["category"] == "structured" for event in trace.events)


@pytest.mark.host_memory
def test_what_explain_tells() -> None:
    with ap.Device("cpu"), ap.config.using(eager=False, eager_size=0):
        x = ap.arange(100) % 7
        ap.flush()
        made = x.cumsum() * 2 + x.cumsum()
        unseen = made * 3
        del unseen
        assert told(made) == [
            "equal: 1 of 5 instructions, computed before", "dead: 2 of 5 instructions, with results that nobody sees",
        ]
        with ap.config.using(passes="none"):
            assert told(made) == []
        np.testing.assert_array_equal(made, (np.arange(100) % 7).cumsum() * 3)
        copy = x.copy()
        made = copy.cumsum() + copy
        del copy
        assert told(made)[0] == "copies: 1 of 3 instructions, read through to the original"
        np.testing.assert_array_equal(made, (np.arange(100) % 7).cumsum() + np.arange(100) % 7)
        y = ap.ones((80, 80))
        made = y @ y + y
        assert told(made) == ["accumulate: 1 of 3 instructions, sums that a product adds"]
        np.testing.assert_array_equal(made, np.full((80, 80), 81.0))


@pytest.mark.host_memory
def test_equal_work_is_done_once_each_time() -> None:
    with ap.Device("cpu"), ap.config.using(eager=False, eager_size=0):
        x = ap.arange(5000) % 7

        def twice() -> Any:
            return x.cumsum() * 2 + x.cumsum()

        def between() -> Any:
            first = x.cumsum()
            x[3] = 5
            return first * 2 + x.cumsum()

        assert [structured(twice) for _ in range(3)] == [1, 1, 1]
        assert structured(between) == 2
        with ap.config.using(passes="-equal"):
            assert [structured(twice) for _ in range(3)] == [2, 2, 2]
        assert structured(twice) == 1


@pytest.mark.host_memory
def test_lists_of_one_content_with_other_axes() -> None:
    """What the content of a list does not tell, an axis or how a result lies, is looked at each time."""
    a = np.arange(24.0).reshape(4, 6)
    with ap.Device("cpu"), ap.config.using(eager=False, eager_size=0):
        x = ap.array(a)
        for one, other in [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)]:
            expected = a.cumsum(axis=one) - a.cumsum(axis=other)
            np.testing.assert_array_equal(x.cumsum(axis=one) - x.cumsum(axis=other), expected)
        for order in "CFCF":
            target = ap.empty((4, 6), dtype=float, order=order)
            ap.cumsum(x, axis=0, out=target)
            made = target * 2 + x.cumsum(axis=0)
            del target
            np.testing.assert_array_equal(made, a.cumsum(axis=0) * 3)
