"""Operations that a check finds faster on the host go there, with their reason; the others stay on the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, needs_one

import asnumpy as ap
from asnumpy.check import _paths
from asnumpy.check._steps import Scope

pytestmark = needs_one
LOOPS = [(("int64", "int64"), ("int64",)), (("float64", "float64"), ("float64",))]


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    ap.forget_demotions()
    with ap.config.using(fallback="count"):
        yield
    ap.forget_demotions()
    ap.forget_fallbacks()


def compared(monkeypatch: pytest.MonkeyPatch, times: list[float], decides: bool = True) -> dict[str, float]:
    """What the comparison gives where the clock says these times, of the device and of the host by turns."""
    left = list(times)

    def seconds(work: Callable[[], Any], turns: int) -> float:
        work()
        return left.pop(0)

    monkeypatch.setattr(_paths, "seconds", seconds)
    with OTHERS[0]:
        return _paths.compare("multiply", LOOPS, Scope(str(OTHERS[0]), quick=True), decides)


def test_what_the_host_does_faster_goes_there(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = compared(monkeypatch, [0.02, 0.004, 0.005, 0.0045])
    assert figures == {
        "int64_device_seconds": 0.02, "int64_host_seconds": 0.004,
        "float64_device_seconds": 0.005, "float64_host_seconds": 0.0045,
    }
    (known,) = ap.demotions()
    assert (known["kind"], known["what"], known["count"]) == ("operation", "multiply(int64, int64)", 0)
    assert known["reason"] == "the host is faster here: 4 ms with the copies, 20 ms on the device"
    n = np.arange(1000)
    x, y = ap.from_numpy(n, device=OTHERS[0]), ap.from_numpy(n * 0.5, device=OTHERS[0])
    np.testing.assert_array_equal(ap.to_numpy(x * x + x), n * n + n)
    np.testing.assert_array_equal(ap.to_numpy(y * y), n * 0.5 * (n * 0.5))
    (left,) = [one for one in ap.fallbacks() if one["kind"] == "operation"]
    assert left["function"] == "multiply" and left["dtypes"] == "int64, int64" and "host is faster" in left["reason"]


@pytest.mark.parametrize(("times", "decides"), [([0.02, 0.004] * 2, False), ([0.0049, 0.004] * 2, True)])
def test_the_rest_stays(monkeypatch: pytest.MonkeyPatch, times: list[float], decides: bool) -> None:
    """Where nothing is to be decided, and where the host would gain little."""
    compared(monkeypatch, times, decides)
    x = ap.from_numpy(np.arange(9), device=OTHERS[0])
    assert (x * x).tolist() == [n * n for n in range(9)]
    assert ap.demotions() == ap.fallbacks() == []


def test_candidates_are_single_operators_on_wide_and_short_numbers() -> None:
    found = _paths.candidates()
    assert (("float64", "float64"), ("float64",)) in found["add"] and "cast" not in found
    assert {dtype for loops in found.values() for inputs, _ in loops for dtype in inputs} <= _paths.DTYPES


def test_what_was_refused_before_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    call = "aclnnSub(float64, float64, float64)"
    refused = {"kind": "operator", "what": call, "device": str(OTHERS[0]), "code": 161002, "reason": "refused"}
    ap.apply_demotions([refused])
    compared(monkeypatch, [0.02, 0.004] * 2)
    assert [one["what"] for one in ap.demotions()] == [
        refused["what"], "multiply(int64, int64)", "multiply(float64, float64)"
    ]
