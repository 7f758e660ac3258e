"""Operations that a check finds faster on the host go there, with their reason; the others stay on the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, needs_one

import asnumpy as ap
from asnumpy.check import _paths
from asnumpy.check._steps import Scope

pytestmark = needs_one


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    ap.forget_demotions()
    with ap.config.using(fallback="count"):
        yield
    ap.forget_demotions()
    ap.forget_fallbacks()


PRODUCTS = [("elementwise", "multiply", (dtype,) * 2, (dtype,)) for dtype in ("int64", "float64")]


def compared(
    monkeypatch: pytest.MonkeyPatch, times: list[float], decides: bool = True, of: Sequence[Any] = PRODUCTS
) -> dict[str, float]:
    """What the comparison gives where the clock says these times, of the device and of the host by turns."""
    left = list(times)

    def seconds(work: Callable[[], Any], turns: int) -> float:
        work()
        return left.pop(0)

    monkeypatch.setattr(_paths, "seconds", seconds)
    loops = [loop for one in of if (loop := _paths.loop_of(*one))]
    with OTHERS[0]:
        return _paths.compare(loops, Scope(str(OTHERS[0]), quick=True), decides)


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
    assert "add(float64, float64)" in [one.what for one in found["add"]] and "cast" not in found
    assert {dtype for loops in found.values() for one in loops for dtype in one.inputs} <= _paths.DTYPES
    assert found.keys() >= {"add.reduce", "maximum.reduce", "add.accumulate", "matmul"}


def squares(x: Any) -> Any:
    return x[:900].reshape(30, 30) @ x[100:].reshape(30, 30)


@pytest.mark.parametrize(("kind", "row", "inputs", "outputs", "what", "call"), [
    ("reduction", "maximum", "d", "d", "maximum.reduce(float64)", lambda xp, x: xp.max(x)),
    ("scan", "add", "q", "q", "scan.add(int64, int64)", lambda xp, x: xp.cumsum(x)),
    ("structured", "argmax", "d", "q", "argmax(float64, int64)", lambda xp, x: xp.argmax(x)),
    ("structured", "sort", "q", "qq", "sort(int64, int64, int64)", lambda xp, x: xp.sort(x)),
    ("structured", "matmul", "qq", "q", "matmul(int64, int64, int64)", lambda xp, x: squares(x)),
])
def test_what_is_no_elementwise_operation_goes_there_too(
    monkeypatch: pytest.MonkeyPatch, kind: str, row: str, inputs: str, outputs: str, what: str, call: Callable[..., Any]
) -> None:
    """By the name under which the device asks for it: the host does it from then on, and values stay."""
    n = np.random.default_rng(3).permutation(1000).astype(inputs[0])
    x = ap.from_numpy(n, device=OTHERS[0])
    np.testing.assert_array_equal(ap.to_numpy(ap.asarray(call(ap, x))), call(np, n))
    assert not [one for one in ap.fallbacks() if one["kind"] != "copy"]
    of = kind, row, *(tuple(np.dtype(one).name for one in letters) for letters in (inputs, outputs))
    compared(monkeypatch, [0.02, 0.004], of=[of])
    assert [one["what"] for one in ap.demotions()] == [what]
    np.testing.assert_array_equal(ap.to_numpy(ap.asarray(call(ap, x))), call(np, n))
    assert [one for one in ap.fallbacks() if one["kind"] != "copy"]


def test_what_was_refused_before_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    call = "aclnnSub(float64, float64, float64)"
    refused = {"kind": "operator", "what": call, "device": str(OTHERS[0]), "code": 161002, "reason": "refused"}
    ap.apply_demotions([refused])
    compared(monkeypatch, [0.02, 0.004] * 2)
    assert [one["what"] for one in ap.demotions()] == [
        refused["what"], "multiply(int64, int64)", "multiply(float64, float64)"
    ]
