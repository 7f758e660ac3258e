"""What fails while a recorded function is captured, when its graph is launched, and later: nothing is half done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann, cannsim
from cann.recorded import ROUNDS, bits, calls_of, captured, figures, launches, steps, there, update, values, without

CODE = 500000  # an internal error


@pytest.fixture(autouse=True)
def graphs() -> Iterator[None]:
    with captured():
        yield


def into(x: Any, y: Any, out: Any, total: Any) -> None:
    """Without results, which take memory wherever there is some."""
    w, sums, mean = steps(x, y)
    out[...] = w
    total[...] = sums + mean


GIVEN = (values(), values(seed=1), values((30, 30), seed=2), values((30, 1), seed=3))


def third_call(function: Callable[..., Any], *given: np.ndarray) -> tuple[Any, list[Any]]:
    """A function that will be captured at its next call, the third with these arguments; and the arguments."""
    fast = ap.jit(function)
    arrays = there(*given)
    for turn in range(3):
        for one, value in zip(arrays, given, strict=True):
            one[...] = ap.from_numpy(value)
        ap.eval(*arrays)
        if turn < 2:
            fast(*arrays)
        ap.synchronize()
    return fast, arrays


def calls_one_by_one(work: Callable[[], Any]) -> list[tuple[str, int]]:
    counted: Counter[str] = Counter()
    found = []
    cannsim.clear()
    cannsim.configure(log=True)
    work()
    for entry in cannsim.log():
        counted[entry["function"]] += 1
        found.append((entry["function"], counted[entry["function"]]))
    cannsim.configure(log=False)
    cannsim.clear()
    return [one for one in found if not any(name in one[0] for name in ("Destroy", "aclrtFree", "aclrtGet"))]


@pytest.mark.parametrize("ready", [False, True], ids=["captured", "replayed"])
def test_every_call_may_fail_once(simulator: None, ready: bool) -> None:
    """A capture that fails is nobody's business; the next calls are right in any case."""
    _, expected = without(into, *GIVEN)

    def begun() -> tuple[Any, list[Any]]:
        fast, given = third_call(into, *GIVEN)
        for _ in range(ready):
            fast(*given)
        ap.synchronize()
        return fast, given

    fast, given = begun()
    made = calls_one_by_one(lambda: fast(*given))
    assert "aclmdlRIExecuteAsync" in dict(made) and (ready or "aclmdlRICaptureEnd" in dict(made))
    for function, nth in made:
        fast, given = begun()
        cannsim.fail(function, nth, CODE)
        try:
            fast(*given)
            assert bits(tuple(given)) == expected, (function, nth)
        except RuntimeError as error:
            assert str(CODE) in str(error), (function, nth)
            assert not function.startswith(("aclmdlRI", "aclnn")), (function, nth)
        finally:
            cannsim.clear_faults()
        for _ in range(5):
            fast(*given)
            assert bits(tuple(given)) == expected, (function, nth)


@pytest.mark.parametrize("function", [
    "aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclmdlRIExecuteAsync", "aclnnCumsum", "aclnnMatmul",
])
def test_nothing_is_done_twice_when_a_capture_fails(simulator: None, function: str) -> None:
    def changes(x: Any, y: Any) -> None:
        x += y.sum(axis=0)
        x += ap.cumsum(y, axis=0)
        y[...] = y @ y.T @ x

    _, changed = without(changes, *GIVEN[:2])
    fast, given = third_call(changes, *GIVEN[:2])
    before = figures()
    cannsim.fail(function, 1, CODE)
    fast(*given)
    cannsim.clear_faults()
    assert bits(tuple(given)) == changed
    what = "captures" if function == "aclmdlRIExecuteAsync" else "refused"
    assert figures()[what] > before[what]


def test_a_graph_whose_launch_fails_is_launched_one_by_one(simulator: None) -> None:
    fast, (x, y) = third_call(update, *GIVEN[:2])
    for _ in range(4):
        fast(x, y)
    x[...], y[...] = there(values(), values(seed=1))
    ap.synchronize()
    cannsim.fail("aclmdlRIExecuteAsync", 1, CODE)
    counted = calls_of(lambda: fast(x, y))
    cannsim.clear_faults()
    expected, changed = without(update, values(), values(seed=1))
    assert launches(counted) > 2
    assert bits((x, y)) == changed
    x[...], y[...] = there(values(), values(seed=1))
    assert bits(fast(x, y)) == expected


def test_work_that_fails_later_is_told_to_who_reads_it(simulator: None) -> None:
    fast = ap.jit(steps)
    x, y = there(values(), values(seed=1))
    for _ in range(ROUNDS):
        made = fast(x, y)
    expected = bits(made)
    (other,) = there(values(seed=2))
    ap.synchronize()
    cannsim.fail_task(1, 507015)
    made = fast(x, y)
    with pytest.raises(cann.CannError, match="507015"):
        bits(made)
    assert bits(other) == [values(seed=2).tobytes()] and bits((x, y)) == [values().tobytes(), values(seed=1).tobytes()]
    del made
    for _ in range(3):
        try:
            ap.synchronize()
        except cann.CannError:
            continue
    for _ in range(ROUNDS):
        assert bits(fast(x, y)) == expected


def test_what_cann_refuses_goes_another_way(simulator: None) -> None:
    """Found while a graph is captured: then the call goes as before. Found elsewhere: a graph that has it rests."""
    changed = without(into, *GIVEN)[1]
    expected = [np.frombuffer(b, np.float32).reshape(g.shape) for b, g in zip(changed, GIVEN, strict=True)]
    fast, given = third_call(into, *GIVEN)

    def runs(rounds: int = ROUNDS) -> set[str]:
        ap.synchronize()
        cannsim.clear()
        for _ in range(rounds):
            fast(*given)
            for one, right in zip(given, expected, strict=True):
                np.testing.assert_allclose(ap.to_numpy(one), right, rtol=1e-4, atol=1e-5)
        return {one["name"] for one in cannsim.report()["tasks"]}

    cannsim.fail("aclnnCumsumGetWorkspaceSize", 0, 161002)
    assert "aclnnCumsum" in runs()
    cannsim.clear_faults()
    fast, given = third_call(into, *GIVEN)
    assert "aclnnCumsum" in runs() and figures()["kept"]
    refused = {"kind": "operator", "what": "aclnnCumsum(float32, float32)", "device": "ascend:0", "code": 161002}
    ap.apply_demotions([refused | {"reason": "refused"}])
    try:
        before = figures()["captures"]
        assert "aclnnCumsum" not in runs()
        assert figures()["captures"] > before
    finally:
        ap.forget_demotions()
    assert "aclnnCumsum" in runs()
