"""Operators side by side on several streams: independent ones are spread, dependent ones keep their order."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann, cannsim


def put(values: Any, dtype: str = "float32") -> cann.Tensor:
    return cann.from_numpy(np.asarray(values, dtype))


@pytest.fixture
def slow(simulator: None) -> Any:
    """Each task starts late, so that a missing wait shows in the values, not only in the findings."""
    cannsim.configure(lag=300)
    yield
    cannsim.configure(lag=0)


def test_independent_operators_are_spread() -> None:
    inputs = [put(np.full(100, i)) for i in range(8)]
    with cann.batch(streams=4) as batch:
        outs = [cann.op("aclnnNeg")(x, cann.empty((100,))) for x in inputs]
    assert batch.launched == [2, 2, 2, 2] and repr(batch) == "cann.batch(streams=4): 2 + 2 + 2 + 2 operators"
    for i, out in enumerate(outs):
        assert (cann.to_numpy(out) == -i).all()


def test_dependent_operators_keep_their_order(slow: None) -> None:
    x = put(np.ones(16))
    totals = [cann.from_numpy(np.zeros(16, "f4")) for _ in range(3)]
    with cann.batch(streams=3):
        for step in range(6):
            for total in totals:
                cann.op("aclnnInplaceAdd")(total, x, 1.0)            # each on the stream of its own chain
            if step % 2:
                cann.op("aclnnAdd")(totals[0], totals[1], 0.0, totals[2])  # joins three chains
    assert (cann.to_numpy(totals[0]) == 6).all() and (cann.to_numpy(totals[2]) == 6).all()


def test_random_programs_give_what_one_stream_gives(slow: None) -> None:
    random = np.random.default_rng(3)
    for _ in range(6):
        values = [random.integers(0, 9, 8).astype("i4") for _ in range(5)]
        tensors = [cann.from_numpy(value) for value in values]
        with cann.batch(streams=int(random.integers(1, 5))):
            for _ in range(20):
                a, b, to = random.integers(0, 5, 3)
                start = int(random.integers(0, 5))
                views = [
                    cann.tensor(tensors[i].address, (4,), "i4", offset=start, owner=tensors[i]) for i in (a, b, to)
                ]
                cann.op("aclnnMaximum" if start % 2 else "aclnnMinimum")(*views)
                pick = np.maximum if start % 2 else np.minimum
                part = slice(start, start + 4)
                values[to][part] = pick(values[a][part], values[b][part])
        for tensor, value in zip(tensors, values, strict=True):
            np.testing.assert_array_equal(cann.to_numpy(tensor), value)


def test_what_follows_waits_for_the_block(slow: None) -> None:
    x = put(np.ones(8))
    with cann.batch(streams=2):
        a = cann.op("aclnnExp")(x, cann.empty((8,)))
        b = cann.op("aclnnNeg")(x, cann.empty((8,)))
    out = cann.op("aclnnAdd")(a, b, 1.0, cann.empty((8,)))
    np.testing.assert_allclose(cann.to_numpy(out), np.exp(np.ones(8)) - 1, rtol=1e-6)


def test_memory_of_the_block_may_be_dropped_at_once(slow: None) -> None:
    out = cann.empty((1000,))
    with cann.batch(streams=2):
        temporary = cann.op("aclnnExp")(put(np.zeros(1000)), cann.empty((1000,)))
        cann.op("aclnnAdds")(temporary, 1.0, 1.0, out)
        del temporary
    assert (cann.to_numpy(out) == 2).all()


def test_plans_in_a_batch() -> None:
    outs = [cann.empty((4,)) for _ in range(4)]
    plans = [cann.op("aclnnAdds").plan(put(np.zeros(4)), float(i), 1.0, out) for i, out in enumerate(outs)]
    with cann.batch(streams=2) as batch:
        for plan in plans:
            plan.run()
    assert sum(batch.launched) == 4
    assert [cann.to_numpy(out)[0] for out in outs] == [0, 1, 2, 3]


def test_planning_in_a_batch_takes_no_place() -> None:
    with cann.batch(streams=2) as batch:
        plan = cann.op("aclnnNeg").plan(put([1.0]), cann.empty((1,)))
        assert batch.launched == [0, 0]
        plan.run()
    assert batch.launched == [1, 0]


def test_batches_nest_and_end_with_an_error() -> None:
    x, out = put([1.0]), cann.empty((1,))
    with pytest.raises(cann.CannError), cann.batch(streams=2) as outer:
        with cann.batch(streams=1) as inner:
            cann.op("aclnnExp")(x, out)
        cann.op("aclnnNeg")(x, cann.empty((1,)))
        cann.op("aclnnAdd")(x, x, 1.0, cann.empty((3, 1)))
    assert inner.launched == [1] and sum(outer.launched) == 2  # the refused one was placed
    cann.op("aclnnNeg")(x, out)
    assert cann.to_numpy(out).tolist() == [-1.0]
    with pytest.raises(RuntimeError, match="each block needs one of its own"), outer, outer:
        pass


def test_a_stream_of_ones_own(simulator: None) -> None:
    import ctypes

    from asnumpy.cann import _calls, _devices

    _devices.use(0)
    stream = ctypes.c_void_p()
    _calls.call("aclrtCreateStream", ctypes.byref(stream))
    out = cann.empty((256,))
    for _ in range(20):
        cann.op("aclnnExp")(put(np.ones(256)), out, stream=stream.value)  # inputs are dropped at once
    _calls.call("aclrtSynchronizeStream", stream)
    np.testing.assert_allclose(cann.to_numpy(out), np.exp(np.ones(256)), rtol=1e-6)
    _calls.call("aclrtDestroyStream", stream)


def test_threads_each_with_its_batch() -> None:
    results: dict[int, float] = {}

    def work(number: int) -> None:
        out = cann.empty((32,))
        for _ in range(10):
            with cann.batch(streams=2):
                cann.op("aclnnAdds")(put(np.full(32, number)), 1.0, 1.0, out)
        results[number] = float(cann.to_numpy(out)[0])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: i + 1.0 for i in range(4)}


@pytest.mark.parametrize("function", ["aclrtRecordEvent", "aclrtStreamWaitEvent"])
@pytest.mark.parametrize("nth", [1, 2, 3])  # of the three orders of such a block: its begin, its joint, its end
def test_a_refused_order_loses_neither_events_nor_streams(simulator: None, function: str, nth: int) -> None:
    x, outs = put([1.0, 2.0]), [cann.empty((2,)) for _ in range(2)]
    for _ in range(3):  # every stream has its event then
        with cann.batch(streams=2):
            for out in outs:
                cann.op("aclnnNeg")(x, out)
            cann.op("aclnnAdd")(*outs, 1.0, x)
    cann.synchronize()
    cannsim.configure(log=True)
    try:
        cannsim.fail(function, nth=nth, code=507899)
        with pytest.raises(cann.CannError, match=function), cann.batch(streams=2):
            for out in outs:
                cann.op("aclnnNeg")(x, out)
            cann.op("aclnnAdd")(*outs, 1.0, x)
        cann.synchronize()
        for _ in range(20):
            with cann.batch(streams=2) as batch:
                cann.op("aclnnNeg")(x, outs[0])
        cann.synchronize()
        with cann.batch(streams=2):  # lets go of what was kept
            pass
        done = [call["function"] for call in cannsim.log() if call["code"] == 0]
    finally:
        cannsim.configure(log=False)
    made = [name for name in done if name.startswith("aclrtCreate")]
    assert not [name for name in made if "Stream" in name] and batch.launched == [1, 0]
    assert len(made) <= done.count("aclrtDestroyEvent")


@pytest.mark.parametrize(("calls", "orders"), [(1, 0), (2, 2), (4, 6)])
def test_orders_between_streams_are_those_that_calls_need(simulator: None, calls: int, orders: int) -> None:
    """A single call goes to the thread's stream; each further stream waits for what came before, and is waited for."""
    x, outs = put(np.ones(7)), [cann.empty((7,)) for _ in range(calls)]
    for log in (False, True):
        cannsim.configure(log=log)
        try:
            with cann.batch(streams=4) as batch:
                for out in outs:
                    cann.op("aclnnNeg")(x, out)
            done = [call["function"] for call in cannsim.log()]
        finally:
            cannsim.configure(log=False)
    assert batch.launched == [1] * calls + [0] * (4 - calls)
    assert done.count("aclrtStreamWaitEvent") == orders and done.count("aclrtRecordEvent") <= 1 + calls
    assert all(cann.to_numpy(out)[0] == -1 for out in outs)


def test_a_block_comes_after_what_the_thread_did_before_and_not_after_its_own_first_call(slow: None) -> None:
    x, outs = put(np.ones(64)), [cann.empty((64,)) for _ in range(3)]
    before = cann.empty((64,))
    for _ in range(3):
        cann.op("aclnnAdds")(x, 1.0, 1.0, before)
        with cann.batch(streams=3):
            for step, out in enumerate(outs):
                cann.op("aclnnAdds")(before, float(step), 1.0, out)
        with cann.batch(streams=2) as batch:
            cann.op("aclnnAdd")(outs[0], outs[1], 1.0, before)
            cann.op("aclnnNeg")(outs[2], x)
        assert batch.launched == [1, 1]
        x = cann.op("aclnnNeg")(x, cann.empty((64,)))
    assert (cann.to_numpy(before) == 17).all() and (cann.to_numpy(x) == 10).all()


def test_a_timed_call_that_fails_keeps_no_event(simulator: None) -> None:
    x, out = put(np.ones(11)), cann.empty((11,))  # a shape whose executor nobody has kept: both phases are called
    cann.synchronize()
    cann.op("aclnnExp")(x, cann.empty((11,)))  # lets go of what earlier blocks have kept
    cannsim.configure(log=True)
    try:
        cannsim.fail("aclnnNeg", nth=2, code=500000)
        with pytest.raises(cann.CannError, match="aclnnNeg failed"), cann.timing():
            cann.op("aclnnNeg")(x, out)
        done = [call["function"] for call in cannsim.log() if call["code"] == 0]
    finally:
        cannsim.configure(log=False)
    assert done.count("aclrtCreateEventWithFlag") == done.count("aclrtDestroyEvent") == 2


def test_what_recurs_in_a_batch_keeps_its_order(slow: None) -> None:
    """The same calls on the same memory, in blocks that follow one another without a wait of the host."""
    arrays = [ap.zeros(512, dtype="float32", device="ascend:0") for _ in range(4)]
    total = ap.zeros(512, dtype="float32", device="ascend:0")
    for _ in range(5):
        with cann.batch(streams=4) as batch:
            for step, x in enumerate(arrays, 1):
                cann.op("aclnnInplaceAdds")(x, float(step), 1.0)
            assert sum(map(bool, batch.launched)) == 4
            for x in arrays:
                cann.op("aclnnInplaceAdd")(total, x, 1.0)
    assert [float(x[0]) for x in arrays] == [5, 10, 15, 20]
    assert (ap.to_numpy(total) == sum(range(1, 6)) * 10).all()


def test_results_and_errors_of_a_batch(simulator: None) -> None:
    x = put([1.0, 4.0])
    outs = [cann.empty((2,)) for _ in range(5)]
    cannsim.fail("aclnnSqrt", nth=2, code=500000)
    batch = cann.batch(streams=3)
    results = batch.run([
        ("aclnnExp", x, outs[0]), (cann.op("aclnnSqrt"), x, outs[1]), ("aclnnNeg", x), ("aclnnAbs", outs[0], outs[2]),
        ("aclnnNo", x, outs[3]), ("aclnnNeg", x, outs[4]),
    ])
    assert [results[0], results[3], results[5]] == [outs[0], outs[2], outs[4]] and sum(batch.launched) == 4
    assert isinstance(results[1], cann.CannError) and results[1].function == "aclnnSqrt"
    assert isinstance(results[2], TypeError) and "out: not given" in str(results[2])
    assert isinstance(results[4], ValueError) and "no operator 'aclnnNo'" in str(results[4])
    np.testing.assert_allclose(cann.to_numpy(outs[2]), np.exp([1, 4]), rtol=1e-6)
    assert cann.to_numpy(outs[4]).tolist() == [-1, -4]


def test_a_stream_whose_wait_fails_tells_its_calls(simulator: None) -> None:
    x, outs = put([1.0]), [cann.empty((1,)) for _ in range(4)]
    cannsim.fail("aclrtSynchronizeStream", nth=2, code=507015)
    results = cann.batch(streams=2).run([("aclnnNeg", x, out) for out in outs])
    assert [getattr(one, "code", 0) for one in results] == [0, 507015, 0, 507015]
    assert results[0] is outs[0] and results[2] is outs[2]
