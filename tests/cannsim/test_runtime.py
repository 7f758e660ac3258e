"""Initialisation, devices, contexts, streams, events, callbacks: the rules of the runtime."""

from __future__ import annotations

import ctypes
import threading
import time

import numpy as np
import pytest

from cannsim import acl
from cannsim.acl import I64, P, call, refused
from cannsim.processes import child

NOT_READY, COMPLETE = 0, 1


def new_stream() -> P:
    stream = P()
    call("aclrtCreateStream", ctypes.byref(stream))
    return stream


def new_event(flag: int | None = None, extended: bool = False) -> P:
    event = P()
    if flag is None:
        call("aclrtCreateEvent", ctypes.byref(event))
    else:
        call(
            "aclrtCreateEventExWithFlag" if extended else "aclrtCreateEventWithFlag",
            ctypes.byref(event),
            ctypes.c_uint32(flag),
        )
    return event


def status(function: str, handle: P) -> int:
    value = ctypes.c_int32(-1)
    call(function, handle, ctypes.byref(value))
    return value.value


@pytest.fixture
def slow() -> object:
    """Work starts 50 ms after its launch: what does not wait for it sees the time before."""
    acl.sim.cannsim_set(b"LAG", b"50000")
    yield
    acl.sim.cannsim_set(b"LAG", b"0")


def test_initialisation_is_counted() -> None:
    done = child(
        """
        print(rt.aclInit(None), rt.aclInit(None))
        count = ctypes.c_uint64()
        print(rt.aclFinalizeReference(ctypes.byref(count)), count.value)
        print(rt.aclFinalize(), rt.aclFinalize(), rt.aclInit(None))
        """,
        started=False,
    )
    assert done.stdout.split() == ["0", "100002", "0", "1", "0", "100037", "0"]


def test_a_thread_without_a_device_has_no_context() -> None:
    codes: list[int] = []

    def work() -> None:
        out = ctypes.c_int32()
        codes.append(acl.rt.aclrtGetDevice(ctypes.byref(out)))
        call("aclrtSetDevice", 0)
        codes.append(acl.rt.aclrtGetDevice(ctypes.byref(out)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert codes == [107002, 0]


def test_devices_and_contexts() -> None:
    done = child(
        """
        count = ctypes.c_uint32(); call("aclrtGetDeviceCount", ctypes.byref(count))
        first = P(); call("aclrtGetCurrentContext", ctypes.byref(first))
        own = P(); call("aclrtCreateContext", ctypes.byref(own), 1)
        device = ctypes.c_int32(); call("aclrtGetDevice", ctypes.byref(device))
        print(count.value, device.value, rt.aclrtSetDevice(2))
        call("aclrtSetCurrentContext", first); call("aclrtGetDevice", ctypes.byref(device))
        print(device.value, rt.aclrtDestroyContext(first), rt.aclrtDestroyContext(own), rt.aclrtSetCurrentContext(own))
        print(rt.aclrtResetDevice(0), rt.aclrtGetDevice(ctypes.byref(device)), rt.aclrtResetDevice(0) != 0)
        """,
        devices="2",
    )
    assert done.stdout.split() == ["2", "1", "107001", "0", "507007", "0", "107002", "0", "107002", "True"], done.stderr


def test_streams_are_asynchronous_and_in_order(slow: object) -> None:
    stream = new_stream()
    x, y = acl.Tensor(np.ones(4, np.float32)), acl.Tensor(np.zeros(4, np.float32))
    size, executor = acl.plan("aclnnExp", x, y)
    acl.launch("aclnnExp", size, executor, stream.value)
    size, executor = acl.plan("aclnnExp", y, y)
    acl.launch("aclnnExp", size, executor, stream.value)
    assert status("aclrtStreamQuery", stream) == 1
    acl.sim.cannsim_set(b"STRICT", b"log")
    assert (y.numpy() == 0).all()  # nobody waited: the old bytes, and a finding
    acl.sim.cannsim_set(b"STRICT", b"error")
    acl.sim.cannsim_findings.restype = ctypes.c_uint64
    assert acl.sim.cannsim_findings(b"missing_wait") == 1
    with refused(507046, "was not done"):
        call("aclrtSynchronizeStreamWithTimeout", stream, 1)
    call("aclrtSynchronizeStream", stream)
    assert status("aclrtStreamQuery", stream) == 0
    np.testing.assert_allclose(y.numpy(), np.exp(np.exp(np.ones(4, np.float32))), rtol=1e-6)
    x.destroy()
    y.destroy()
    call("aclrtDestroyStream", stream)
    with refused(107000, "expected a stream"):
        call("aclrtSynchronizeStream", stream)


def test_events_order_streams(slow: object) -> None:
    first, second, event = new_stream(), new_stream(), new_event()
    x, y, z = (acl.Tensor(np.full(4, 2, np.float32)) for _ in range(3))
    size, executor = acl.plan("aclnnMul", x, x, y)
    acl.launch("aclnnMul", size, executor, first.value)
    call("aclrtRecordEvent", event, first)
    assert status("aclrtQueryEventStatus", event) == NOT_READY and status("aclrtQueryEvent", event) == 1
    call("aclrtStreamWaitEvent", second, event)
    size, executor = acl.plan("aclnnMul", y, y, z)
    acl.launch("aclnnMul", size, executor, second.value)
    call("aclrtSynchronizeEvent", event)
    assert status("aclrtQueryEventStatus", event) == COMPLETE and (y.numpy() == 4).all()
    call("aclrtSynchronizeStream", second)
    assert (z.numpy() == 16).all() and status("aclrtQueryEventWaitStatus", event) == 0
    for stream in (first, second):
        call("aclrtDestroyStream", stream)
    call("aclrtDestroyEvent", event)
    for tensor in (x, y, z):
        tensor.destroy()


def test_event_flags() -> None:
    with refused(100000, "flag"):
        new_event(0)
    with refused(100000, "flag"):
        new_event(1 << 20)
    timed, plain, extended = new_event(8), new_event(2), new_event(1, extended=True)
    stream = new_stream()
    with refused(100000, "ACL_EVENT_SYNC"):
        call("aclrtStreamWaitEvent", stream, timed)
    assert status("aclrtQueryEventStatus", extended) == COMPLETE  # never recorded
    for function in ("aclrtQueryEvent", "aclrtQueryEventWaitStatus"):
        with refused(207000):
            status(function, extended)
    with refused(207000):
        call("aclrtResetEvent", extended, stream)
    milliseconds = ctypes.c_float()
    with refused(107006):
        call("aclrtEventElapsedTime", ctypes.byref(milliseconds), plain, plain)
    end = new_event(8)
    call("aclrtRecordEvent", timed, stream)
    time.sleep(0.02)
    call("aclrtRecordEvent", end, stream)
    call("aclrtSynchronizeStream", stream)
    call("aclrtEventElapsedTime", ctypes.byref(milliseconds), timed, end)
    assert milliseconds.value > 10
    with refused(107007):
        call("aclrtEventElapsedTime", ctypes.byref(milliseconds), end, timed)
    for event in (timed, plain, extended, end):
        call("aclrtDestroyEvent", event)
    call("aclrtDestroyStream", stream)


def test_callbacks_run_on_the_subscribed_thread() -> None:
    seen: list[object] = []
    stopping = threading.Event()
    Callback = ctypes.CFUNCTYPE(None, P)

    def serve() -> None:
        while not stopping.is_set():
            acl.rt.aclrtProcessReport(20)

    thread = threading.Thread(target=serve)
    thread.start()
    stream = new_stream()
    note = Callback(lambda data: seen.append((data, threading.get_ident())))
    with refused(107015, "aclrtSubscribeReport"):
        call("aclrtLaunchCallback", note, P(7), 1, stream)
    call("aclrtSubscribeReport", ctypes.c_uint64(thread.ident or 0), stream)
    call("aclrtLaunchCallback", note, P(7), 1, stream)
    call("aclrtSynchronizeStream", stream)
    assert seen == [(7, thread.ident)]
    call("aclrtUnSubscribeReport", ctypes.c_uint64(thread.ident or 0), stream)
    stopping.set()
    thread.join()
    codes: list[int] = []
    forbidden = Callback(lambda data: codes.append(acl.rt.aclrtSynchronizeStream(stream)))
    call("aclrtLaunchHostFunc", stream, forbidden, P())
    call("aclrtSynchronizeStream", stream)
    assert codes == [207000]
    call("aclrtDestroyStream", stream)


def test_messages_are_of_the_thread_and_told_once() -> None:
    assert acl.rt.aclrtMalloc(None, ctypes.c_size_t(8), 0) == 100000
    assert (
        acl.rt.aclrtPeekAtLastError(0) == 100000
        and acl.rt.aclrtGetLastError(0) == 100000
        and acl.rt.aclrtGetLastError(0) == 0
    )
    other: list[object] = []
    thread = threading.Thread(target=lambda: other.append(acl.rt.aclGetRecentErrMsg()))
    thread.start()
    thread.join()
    assert other == [None]
    text = acl.rt.aclGetRecentErrMsg()
    assert b"aclrtMalloc: devPtr" in text and b"ACL_ERROR_INVALID_PARAM" in text
    assert acl.rt.aclGetRecentErrMsg() is None


def capture(stream: P, work: object, mode: int = 0) -> P:
    model = P()
    call("aclmdlRICaptureBegin", stream, mode)
    work()  # type: ignore[operator]
    call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
    return model


def test_graphs_replay_what_they_captured() -> None:
    stream, other, events = new_stream(), new_stream(), [new_event(), new_event()]
    x, y, z = (
        acl.Tensor(np.full(4, 2, np.float32)),
        acl.Tensor(np.zeros(4, np.float32)),
        acl.Tensor(np.zeros(4, np.float32)),
    )

    def work() -> None:
        acl.launch("aclnnMul", *acl.plan("aclnnMul", x, x, y), stream.value)
        call("aclrtRecordEvent", events[0], stream)
        call("aclrtStreamWaitEvent", other, events[0])
        acl.launch("aclnnMul", *acl.plan("aclnnMul", y, x, z), other.value)
        call("aclrtRecordEvent", events[1], other)
        call("aclrtStreamWaitEvent", stream, events[1])
        state, current = ctypes.c_int32(-1), P()
        call("aclmdlRICaptureGetInfo", other, ctypes.byref(state), ctypes.byref(current))
        assert state.value == 1 and current.value

    model = capture(stream, work)
    assert (y.numpy() == 0).all()  # recorded, not run
    for value in (2, 3):
        x.memory.write(np.full(4, value, np.float32).tobytes())
        call("aclmdlRIExecuteAsync", model, stream)
        call("aclrtSynchronizeStream", stream)
        assert (z.numpy() == value**3).all()
    call("aclmdlRIDestroy", model)
    with refused(100000, "modelRI"):
        call("aclmdlRIExecuteAsync", model, stream)
    for handle in (stream, other):
        call("aclrtDestroyStream", handle)


def test_capture_rules() -> None:
    stream, model = new_stream(), P()
    with refused(107031):
        call("aclmdlRICaptureBegin", None, 0)
    with refused(107029):
        call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
    call("aclmdlRICaptureBegin", stream, 0)
    with refused(107027):
        call("aclmdlRICaptureBegin", stream, 0)
    memory = acl.Memory(64)
    with refused(107030, "not allowed"):
        memory.write(bytes(64))
    with refused(507903, "broken"):
        call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
    call("aclmdlRICaptureBegin", stream, 2)  # relaxed: copies are allowed, waiting is not
    memory.write(bytes(64))
    with refused(107027):
        call("aclrtSynchronizeStream", stream)
    with refused(507903):
        call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
    memory.free()
    call("aclrtDestroyStream", stream)


def test_repeatable_executors_and_new_addresses() -> None:
    x, y = acl.Tensor(np.arange(4, dtype=np.float32)), acl.Tensor(np.zeros(4, np.float32))
    other = acl.Memory(16)
    other.write(np.full(4, 3, np.float32).tobytes())
    size, executor = acl.plan("aclnnNeg", x, y)
    assert acl.nn.aclSetAclOpExecutorRepeatable(executor) == 0
    assert acl.nn.aclSetAclOpExecutorRepeatable(None) == 561103
    for _ in range(3):
        acl.launch("aclnnNeg", size, executor)
    call("aclrtSynchronizeStream", None)
    assert (y.numpy() == -np.arange(4)).all()
    assert acl.nn.aclSetInputTensorAddr(executor, ctypes.c_size_t(0), P(x.handle), other.address) == 0
    assert acl.nn.aclSetInputTensorAddr(executor, ctypes.c_size_t(1), P(x.handle), other.address) == 161002
    assert acl.nn.aclSetTensorAddr(executor, ctypes.c_size_t(0), None, other.address) == 561103
    acl.launch("aclnnNeg", size, executor)
    call("aclrtSynchronizeStream", None)
    assert (y.numpy() == -3).all()
    assert acl.nn.aclDestroyAclOpExecutor(executor) == 0
    with refused(561000, "executor"):
        acl.launch("aclnnNeg", size, executor)


def test_a_shape_that_depends_on_data_is_known_after_the_wait() -> None:
    x = np.array([[0, 1, 0], [2, 0, 3]], np.float32)
    out = acl.Tensor(np.zeros((6, 2), np.int64))
    acl.run("aclnnNonzero", x, out)
    assert out.view_shape() == (3, 2)
    np.testing.assert_array_equal(out.numpy().reshape(-1)[:6].reshape(3, 2), np.argwhere(x))
    out.destroy()


def test_tensor_questions() -> None:
    t = acl.Tensor(np.arange(24, dtype=np.int16).reshape(4, 6)[1:, ::2])
    dims, count, offset, dtype = ctypes.POINTER(I64)(), ctypes.c_uint64(), I64(), ctypes.c_int32()
    acl.nn.aclGetViewStrides(P(t.handle), ctypes.byref(dims), ctypes.byref(count))
    acl.nn.aclGetViewOffset(P(t.handle), ctypes.byref(offset))
    acl.nn.aclGetDataType(P(t.handle), ctypes.byref(dtype))
    assert (t.view_shape(), [dims[i] for i in range(count.value)], offset.value, dtype.value) == ((3, 3), [6, 2], 6, 6)
    np.testing.assert_array_equal(t.numpy(), t.array)
    t.destroy()


def test_a_value_is_written_in_the_order_of_the_stream() -> None:
    memory = acl.Memory(24)
    memory.write(b"\1" * 24)
    for value in (7, 2**63 + 9):
        acl.call("aclrtValueWrite", acl.P(memory.address.value + 8), acl.U64(value), 0, None)
    acl.call("aclrtSynchronizeStream", None)
    assert memory.read() == b"\1" * 8 + (2**63 + 9).to_bytes(8, "little") + b"\1" * 8
    for place, flag, word in ((4, 0, "multiple of 8"), (8, 1, "flag")):
        with acl.refused(100000, "aclrtValueWrite", word):
            acl.call("aclrtValueWrite", acl.P(memory.address.value + place), acl.U64(1), flag, None)
    memory.free()


def test_the_attributes_of_a_stream() -> None:
    stream, value = new_stream(), (ctypes.c_uint32 * 4)()
    for attribute, number in ((1, 1), (2, 1), (3, 77), (4, 1), (5, 3)):
        value[:] = number, 0, 0, 0
        acl.call("aclrtSetStreamAttribute", stream, attribute, value)
        value[:] = 9, 0, 0, 0
        acl.call("aclrtGetStreamAttribute", stream, attribute, value)
        assert value[0] == number
    flag, priority = ctypes.c_uint32(), ctypes.c_uint32()
    acl.call("aclrtGetStreamOverflowSwitch", stream, ctypes.byref(flag))
    acl.call("aclrtStreamGetPriority", stream, ctypes.byref(priority))
    assert (flag.value, priority.value) == (1, 3)
    value[:] = 2, 0, 0, 0
    with acl.refused(100000, "aclrtSetStreamAttribute", "mode", "got 2"):
        acl.call("aclrtSetStreamAttribute", stream, 1, value)
    with acl.refused(100000, "aclrtSetStreamAttribute", "stmAttrType", "got 9"):
        acl.call("aclrtSetStreamAttribute", stream, 9, value)
    with acl.refused(100000, "aclrtSetStreamAttribute", "default stream"):
        acl.call("aclrtSetStreamAttribute", None, 1, value)
    with acl.refused(100000, "aclrtGetStreamAttribute", "value"):
        acl.call("aclrtGetStreamAttribute", stream, 1, None)
    acl.call("aclrtDestroyStream", stream)


def test_the_profiler_starts_and_stops() -> None:
    acl.rt.aclprofCreateConfig.restype = acl.P
    config = acl.P(acl.rt.aclprofCreateConfig((ctypes.c_uint32 * 1)(0), 1, 0, None, acl.U64(1)))
    with acl.refused(100043, "aclprofStart"):
        acl.call("aclprofStart", config)
    acl.call("aclprofInit", b"/tmp", ctypes.c_size_t(4))
    with acl.refused(100042, "aclprofInit"):
        acl.call("aclprofInit", b"/tmp", ctypes.c_size_t(4))
    acl.call("aclprofStart", config)
    acl.run("aclnnNeg", np.ones(4, np.float32), np.ones(4, np.float32))
    acl.call("aclprofStop", config)
    with acl.refused(100043, "aclprofStop"):
        acl.call("aclprofStop", config)
    acl.call("aclprofDestroyConfig", config)
    acl.call("aclprofFinalize")


def test_collectives_name_themselves() -> None:
    collectives = ctypes.CDLL(str(acl.folder() / "libhccl.so"))
    assert collectives.HcclAllReduce(None, None, acl.U64(0), 0, 0, None, None) == 5
    assert b"HcclAllReduce: communication between devices is not simulated" in acl.rt.aclGetRecentErrMsg()
