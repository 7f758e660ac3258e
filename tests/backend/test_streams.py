"""Streams and events: what they say of themselves, and what the device gets to do."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest
from device_marks import OTHERS, SIMULATED, each_device, needs_one, needs_simulator
from simulated_calls import calls_of, names_of

import asnumpy as ap
from asnumpy import cannsim

DEVICES = ap.devices()
WAITS = {"aclrtSynchronizeStream", "aclrtSynchronizeDevice", "aclrtSynchronizeEvent"}
TAKES = {"aclrtMalloc", "aclrtMallocHost", "aclrtCreateStream", "aclrtCreateStreamWithConfig", "aclrtFree"}


pytestmark = pytest.mark.usefixtures("streams_left_as_found")


# --- what streams say of themselves ---


@each_device
def test_identity(device: ap.Device) -> None:
    first, second = ap.Stream(device), ap.Stream(str(device), priority=1)
    default = ap.Stream.default(device)
    assert first.device == device == default.device and (first.priority, second.priority) == (0, 1)
    assert first == first and first != second != default and first != 1 and len({first, second, default, first}) == 3
    assert default == ap.Stream.default(str(device)) and repr(default) == f"<stream 0 of {device}>"
    assert str(device) in repr(first) and repr(first) != repr(second)
    handles = {stream.ptr for stream in (first, second, default)}
    assert handles == {0} if device == "cpu" else len(handles) == 3 and 0 not in handles


@each_device
def test_current(device: ap.Device) -> None:
    first, second, default = ap.Stream(device), ap.Stream(device), ap.Stream.default(device)
    seen: list[ap.Stream] = []
    before = ap.Device()
    assert ap.current_stream(device) == default
    with first:
        assert ap.Device() == device and ap.current_stream() is first and ap.zeros(3).device == device
        with second, first:
            assert ap.current_stream(device) == first
        with default:
            assert ap.current_stream() == default
        for other in DEVICES:
            if other != device:
                assert ap.current_stream(other) == ap.Stream.default(other)
        thread = threading.Thread(target=lambda: seen.append(ap.current_stream(device)))
        thread.start()
        thread.join()
        assert ap.current_stream() == first
    assert seen == [default] == [ap.current_stream(device)] and ap.Device() == before
    with pytest.raises(ZeroDivisionError), second:
        _ = 1 // 0
    assert ap.current_stream(device) == default


@each_device
def test_streams_that_are_let_go_are_used_again(device: ap.Device) -> None:
    many = [ap.Stream(device) for _ in range(20)]
    known = {(repr(stream), stream.ptr) for stream in many}
    assert len(known) == 20
    for _ in range(3):
        del many
        gc.collect()
        many = [ap.Stream(device) for _ in range(20)]
        assert {(repr(stream), stream.ptr) for stream in many} == known
    with ap.Stream(device):  # nobody else holds it
        x = ap.arange(5) + 1
        assert ap.current_stream() not in many
    np.testing.assert_array_equal(ap.to_numpy(x), np.arange(5) + 1)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match='expected "cpu", "ascend" or "ascend:N"'):
        ap.Stream("abacus")
    with pytest.raises((ValueError, RuntimeError), match=f"ascend:{len(OTHERS)}"):
        ap.Stream(f"ascend:{len(OTHERS)}")
    with pytest.raises((ValueError, RuntimeError), match=f"ascend:{len(OTHERS)}"):
        ap.Stream.default(f"ascend:{len(OTHERS)}")
    with pytest.raises(ValueError, match="expected a priority of at least 0, got -1"):
        ap.Stream("cpu", priority=-1)
    with pytest.raises(TypeError):
        ap.Stream("cpu", priority="high")  # type: ignore[arg-type]
    stream, event = ap.Stream("cpu"), ap.Event()
    for call, text in (
        (lambda: stream.wait_stream(event), "Stream.wait_stream: expected an asnumpy.Stream, got Event"),
        (lambda: stream.wait_event(stream), "Stream.wait_event: expected an asnumpy.Event, got Stream"),
        (lambda: stream.record("e"), "Stream.record: expected an asnumpy.Event, got str"),
        (lambda: event.record(3), "Event.record: expected an asnumpy.Stream, got int"),
        (lambda: event.elapsed_time(stream), "Event.elapsed_time: expected an asnumpy.Event, got Stream"),
    ):
        with pytest.raises(TypeError, match=text):
            call()


# --- events ---


@each_device
def test_events(device: ap.Device) -> None:
    stream, start, end = ap.Stream(device), ap.Event(), ap.Event()
    assert start.device is None and repr(start) == "<event, not recorded>"
    with stream:
        x = ap.ones(20_000)
        assert start.record() is start and start.device == device and str(device) in repr(start)
        for _ in range(20):
            x = x * 1.5
            x.sum()
        assert ap.pending_count() > 0 or ap.config.eager
        stream.record(end)
        assert ap.pending_count() == 0  # what was recorded comes before the event
    end.synchronize()
    assert end.done and start.done
    milliseconds = start.elapsed_time(end)
    assert isinstance(milliseconds, float) and milliseconds > 0 and start.elapsed_time(start) == 0
    later = stream.record()
    assert start.elapsed_time(later) >= milliseconds
    start.record(stream)  # moved
    assert start.elapsed_time(start) == 0 and later.elapsed_time(start) >= 0
    stream.synchronize()
    assert stream.done and ap.Stream.default(device).done


@each_device
def test_events_that_cannot_be_used(device: ap.Device) -> None:
    fresh, plain, timed = ap.Event(), ap.Event(timing=False), ap.Event()
    for call in (fresh.wait, fresh.synchronize, lambda: fresh.done, lambda: fresh.elapsed_time(timed)):
        with pytest.raises(RuntimeError, match=r"Event\.\w+: the event was not recorded; event\.record\(stream\)"):
            call()
    stream = ap.Stream(device)
    plain.record(stream)
    timed.record(stream)
    with pytest.raises(RuntimeError, match="not recorded"):
        timed.elapsed_time(fresh)
    with pytest.raises(ValueError, match=r"got one of Event\(timing=False\)"):
        timed.elapsed_time(plain)
    for other in DEVICES:
        if other == device:
            continue
        elsewhere = ap.Stream(other)
        for call in (lambda: timed.record(elsewhere), lambda: timed.wait(elsewhere),  # noqa: B023
                     lambda: elsewhere.wait_event(timed)):  # noqa: B023
            with pytest.raises(ValueError, match=f"one of {device}, the stream one of {other}"):
                call()
        with pytest.raises(ValueError, match=f"expected a stream of {other}, got one of {device}"):
            elsewhere.wait_stream(stream)
        with pytest.raises(ValueError, match=f"expected an event of {device}, got one of {other}"):
            timed.elapsed_time(elsewhere.record())
    plain.wait(stream)
    plain.synchronize()
    assert plain.done


@needs_simulator
def test_done_says_what_has_run() -> None:
    stream = ap.Stream(OTHERS[0])
    with stream:
        x = ap.ones(10)
        ap.synchronize()
        cannsim.configure(lag=100_000)
        y = x + 1
        event = stream.record()
        assert not event.done and not stream.done
        assert ap.Stream.default(OTHERS[0]).done
        deadline = time.monotonic() + 60
        while not event.done and time.monotonic() < deadline:
            time.sleep(0.01)
        assert event.done and stream.done
        cannsim.configure(lag=0)
    assert ap.to_numpy(y).tolist() == [2] * 10


# --- what the device gets to do ---


@needs_simulator
def test_steady_loop_over_two_streams() -> None:
    """No wait of the host, no memory and no stream from CANN; and no wait of a stream where nothing is shared."""
    streams = [ap.Stream(OTHERS[0]) for _ in range(2)]
    x = [ap.ones(3000, "float32", device=OTHERS[0]) for _ in streams]

    def rounds(n: int) -> None:
        for _ in range(n):
            for k, stream in enumerate(streams):
                with stream:
                    x[k] = (x[k] * 2.0)[::-1] + x[k].sum()
            ap.flush()

    rounds(8)
    seen = names_of(lambda: rounds(20))
    assert seen["aclnnMuls"] + seen["aclmdlRIExecuteAsync"] >= 40  # each stream in each round, or a replay
    assert not (WAITS | TAKES | {"aclrtStreamWaitEvent", "aclrtRecordEvent"}) & set(seen), seen

    def crossing(n: int) -> None:
        for _ in range(n):
            with streams[0]:
                x[0] = x[0] * 0.5 + 1.0
            with streams[1]:
                x[1] = x[0] - x[1]
            ap.flush()

    crossing(8)
    seen = names_of(lambda: crossing(20))
    assert not (WAITS | TAKES) & set(seen), seen
    assert 20 <= seen["aclrtStreamWaitEvent"] <= 60 and not seen["aclrtCreateEventExWithFlag"], seen


@needs_simulator
def test_independent_work_is_not_waited_for() -> None:
    """Reading what one stream made waits for that stream alone, whatever the thread works on."""
    busy, free = ap.Stream(OTHERS[0]), ap.Stream(OTHERS[0])
    with ap.Device(OTHERS[0]):
        x, y = ap.ones(100), ap.ones(100)
    ap.synchronize()

    def work() -> None:
        nonlocal x, y
        with free:
            y = y + 1
        with busy:
            x = x + 1
            assert ap.to_numpy(y).tolist() == [2] * 100

    calls = calls_of(work)
    waits = {call["arguments"].get("stream") for call in calls if call["function"] in WAITS}
    assert waits == {f"{free.ptr:#x}"} != {f"{busy.ptr:#x}"}
    launches = [call["arguments"]["stream"] for call in calls if call["arguments"].get("phase") == 2]
    assert sorted(launches) == sorted([f"{free.ptr:#x}", f"{busy.ptr:#x}"])
    assert "aclrtStreamWaitEvent" not in {call["function"] for call in calls}
    assert ap.to_numpy(x).tolist() == [2] * 100


@needs_one
def test_work_of_others_is_ordered_by_events() -> None:
    """Operators called on a stream's address, with memory that the arrays know nothing of."""
    from asnumpy import cann

    first, second = ap.Stream(OTHERS[0]), ap.Stream(OTHERS[0])
    x = cann.from_numpy(np.arange(500, dtype="f4"), device=OTHERS[0].id)
    y, z = cann.empty((500,), device=OTHERS[0].id), cann.empty((500,), device=OTHERS[0].id)
    if SIMULATED:
        cannsim.configure(lag=200)
    for k in range(4):
        cann.op("aclnnAdds")(x, float(k), 1.0, y, stream=first.ptr)
        if k % 2:
            first.record().wait(second)
        else:
            second.wait_stream(first)
        cann.op("aclnnAdd")(y, x, 1.0, z, stream=second.ptr)
        event = second.record()
        first.wait_event(event)
        event.synchronize()
        np.testing.assert_array_equal(cann.to_numpy(z), np.arange(500) * 2 + k)


@needs_one
def test_operators_take_streams() -> None:
    from asnumpy import cann

    first, second = ap.Stream(OTHERS[0]), ap.Stream(OTHERS[0])
    if SIMULATED:
        cannsim.configure(lag=200)
    with first:
        x = ap.arange(100, dtype="float32")
        y, out = ap.zeros(100, "float32"), ap.zeros(100, "float32")
    plan = cann.op("aclnnExp").plan(y, out)
    for k in range(3):
        with second:
            y[...] = x * 2 + k
        cann.op("aclnnNeg")(y, out, stream=first)  # after what the second stream makes of it
        with second:
            total = out + 1  # and before what it does with the result
        cann.op("aclnnAdds")(x, 1.0, 1.0, y, stream=second)
        plan.run(stream=first)
        np.testing.assert_array_equal(ap.to_numpy(total), 1 - (np.arange(100) * 2.0 + k))
        np.testing.assert_array_equal(ap.to_numpy(y), np.arange(100) + 1)
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(ap.to_numpy(out), np.exp(np.arange(100, dtype="f4") + 1), rtol=1e-5)
        with cann.batch(streams=2), first:
            cann.op("aclnnNeg")(x, y)
            cann.op("aclnnAbs")(x, out)
        with second:
            np.testing.assert_array_equal(ap.to_numpy(y + out), np.zeros(100))
