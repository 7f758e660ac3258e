"""Random small programs give on asnumpy what they give on NumPy, to the bit, however their work is scheduled.

ASNUMPY_EXAMPLES sets how many programs each way of running sees. The long form runs 10,000 on every device there is.
"""

from __future__ import annotations

import os
from typing import Any

import drawn
import hypothesis
import numpy as np
import pytest
from backend.explained import programs as shown
from backend.object_writer import beside
from backend.program_writer import live, programs, run, script

import asnumpy as ap

EXAMPLES = int(os.environ.get("ASNUMPY_EXAMPLES", "300"))
settings = hypothesis.settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck), print_blob=False,
)


def difference(expected: np.ndarray, got: Any) -> str | None:
    """What distinguishes our array from NumPy's; NaN equals NaN, zeros differ by their sign."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"is {got.dtype}{got.shape}, NumPy's is {expected.dtype}{expected.shape}"
    values = ap.to_numpy(got)
    parts = (
        [(values.real, expected.real), (values.imag, expected.imag)]
        if values.dtype.kind == "c"
        else [(values, expected)]
    )
    for mine, theirs in parts:
        same = mine == theirs
        if mine.dtype.kind == "f":
            same = (same & (np.signbit(mine) == np.signbit(theirs))) | (np.isnan(mine) & np.isnan(theirs))
        if not np.all(same):
            where = tuple(int(k) for k in np.argwhere(~np.atleast_1d(same))[0])
            pair = f"{np.atleast_1d(values)[where]!r}, NumPy has {np.atleast_1d(expected)[where]!r}"
            return f"differs in {np.count_nonzero(~same)} of {same.size} elements, first at {where}: {pair}"
    return None


def unlike(expected: np.ndarray, got: Any) -> str | None:
    """What distinguishes arrays of what no device holds: both are NumPy's, with elements of the same kinds."""
    if type(got) is not np.ndarray or got.dtype != expected.dtype or got.shape != expected.shape:
        return f"is {type(got).__name__} {got.dtype}{got.shape}, NumPy's is {expected.dtype}{expected.shape}"
    mine, theirs = repr(got.tolist()), repr(expected.tolist())
    return None if mine == theirs else f"is {mine}, NumPy has {theirs}"


def check(lines: list[str]) -> None:
    expected = run(lines, np)
    try:
        got = run(lines, ap)
        if not ap.config.eager:
            shown()  # every pending program keeps the grammar
    except Exception as error:
        error.add_note(f"NumPy runs this program:\n\n{script(lines, 'asnumpy')}")
        raise
    wrong = [
        f"{name} {text}" for name, array in live(expected).items() if (text := difference(np.asarray(array), got[name]))
    ]
    wrong += [
        f"{name} {text}" for name, array in beside(expected).items() if (text := unlike(array, got[name]))
    ]
    wrong += [
        f"read {n}: {one}, NumPy: {two}"
        for n, (one, two) in enumerate(zip(got["seen"], expected["seen"], strict=True))
        if one != two
    ]
    assert not wrong, "\n".join(wrong) + f"\n\nThe program:\n\n{script(lines, 'asnumpy')}"


WAYS: dict[str, dict[str, Any]] = {
    "recorded": {"eager": False, "eager_size": 0}, "at once when small": {"eager": False, "eager_size": 4096},
    "eager": {"eager": True},
}


@pytest.mark.parametrize("how", WAYS)
def test_random_programs(how: str) -> None:
    with ap.config.using(**WAYS[how]):
        drawn.for_each(check, programs(), settings, "programs")


def test_random_programs_about_rows() -> None:
    """The arrays are so large that programs run some lines at a time."""
    together = 0

    @hypothesis.settings(settings, max_examples=max(EXAMPLES // 5, 10))
    @hypothesis.given(programs(rowed=True))
    def compare(lines: list[str]) -> None:
        nonlocal together
        with ap.profiler.record() as trace:
            check(lines)
        together += any(event["name"] == "programs" for event in trace.events)

    with ap.config.using(eager=False, eager_size=0):
        compare()
    assert together >= EXAMPLES // 20 or ap.Device() != "cpu", f"only {together} programs did"


@pytest.mark.thorough
@pytest.mark.parametrize("how", WAYS)
def test_random_programs_on_every_device(how: str) -> None:
    """Each program runs on NumPy, on the CPU and on every NPU, whose results agree to the bit."""
    devices = ap.devices()
    seen = 0

    @hypothesis.settings(settings, max_examples=max(EXAMPLES, 3400))
    @hypothesis.given(programs())
    def compare(lines: list[str]) -> None:
        nonlocal seen
        for device in devices:
            with ap.Device(device):
                check(lines)
        seen += 1

    with ap.config.using(**WAYS[how], fallback="count", implicit_copies="count"):
        compare()
    print(f"{seen} programs on NumPy, {', '.join(map(str, devices))}")


def test_writer_writes_programs_of_every_kind() -> None:
    """The generator itself: what it writes runs on NumPy, twice with the same outcome, and is not trivial."""
    kinds = set()

    def collect(lines: list[str]) -> None:
        text = "\n".join(lines)
        kinds.update(
            word
            for word in ("del ", "+=", "out=", ".T", "where", "astype", "seen", "copy", "::-1", "@", "object", "U3",
                         "M8", "strided", "sliding_window", "[1:] += ")
            if word in text
        )
        one, two = live(run(lines, np)), live(run(lines, np))
        assert all(np.array_equal(one[name], two[name], equal_nan=one[name].dtype.kind in "fc") for name in one)

    drawn.for_each(collect, programs(), settings, "programs")
    assert len(kinds) >= 13, f"only {kinds}"
