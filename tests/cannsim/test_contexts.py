"""Streams are used in their own context, and a capture ends where its streams have met."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cannsim import acl
from cannsim.acl import P, call, refused
from cannsim.processes import child


def made(function: str) -> P:
    handle = P()
    call(function, ctypes.byref(handle))
    return handle


def test_a_stream_is_used_in_its_own_context() -> None:
    done = child(
        """
        first, own, event, model = P(), P(), P(), P()
        call("aclrtGetCurrentContext", ctypes.byref(first))
        stream = P(); call("aclrtCreateStream", ctypes.byref(stream))
        call("aclrtCreateEvent", ctypes.byref(event))
        x, y, memory = Tensor(np.ones(4, np.float32)), Tensor(np.zeros(4, np.float32)), Memory(16)
        size, executor = plan("aclnnExp", x, y)
        call("aclrtCreateContext", ctypes.byref(own), 0)  # of the same device, and now the thread's
        uses = [
            lambda: nn.aclnnExp(P(), U64(size), executor, stream),
            lambda: rt.aclrtMemsetAsync(memory.address, U64(16), 0, U64(16), stream),
            lambda: rt.aclrtMemcpyAsync(memory.address, U64(16), x.memory.address, U64(16), 3, stream),
            lambda: rt.aclrtRecordEvent(event, stream),
            lambda: rt.aclrtStreamWaitEvent(stream, event),
            lambda: rt.aclrtSynchronizeStream(stream),
            lambda: rt.aclmdlRICaptureBegin(stream, 0),
            lambda: rt.aclrtDestroyStream(stream),
        ]
        print(*(use() for use in uses))
        import threading
        wait = lambda: rt.aclrtSynchronizeStream(stream)
        others = threading.Thread(target=lambda: print(wait(), rt.aclrtSetDevice(0), wait()))
        others.start(); others.join()
        call("aclrtSetCurrentContext", first)
        print(rt.aclrtSynchronizeStream(stream), rt.aclrtDestroyStream(stream))
        """
    )
    # The thread of its own has no context first, then the device's default one.
    assert done.stdout.split() == ["107003"] * 8 + ["107002", "0", "0"] + ["0", "0"], done.stdout + done.stderr


def test_streams_of_two_devices_do_not_meet() -> None:
    done = child(
        """
        stream = P(); call("aclrtCreateStream", ctypes.byref(stream))
        call("aclrtSetDevice", 1)
        print(rt.aclrtSynchronizeStream(stream), rt.aclrtSynchronizeStream(None))
        call("aclrtSetDevice", 0)
        print(rt.aclrtSynchronizeStream(stream))
        """,
        devices="2",
    )
    assert done.stdout.split() == ["107003", "0", "0"], done.stdout + done.stderr


@pytest.mark.parametrize("left", ["work after the event", "no event", "work of a third"])
def test_a_capture_ends_where_its_streams_are_joined(left: str) -> None:
    stream, other, third = (made("aclrtCreateStream") for _ in range(3))
    events, model = [made("aclrtCreateEvent") for _ in range(4)], P()
    x, y = acl.Tensor(np.ones(4, np.float32)), acl.Tensor(np.zeros(4, np.float32))

    def go(on: P) -> None:
        acl.launch("aclnnExp", *acl.plan("aclnnExp", x, y), on.value)

    def follow(leader: P, follower: P, event: P) -> None:
        call("aclrtRecordEvent", event, leader)
        call("aclrtStreamWaitEvent", follower, event)

    def work(joined: bool) -> None:
        call("aclmdlRICaptureBegin", stream, 0)
        follow(stream, other, events[0])
        go(other)
        if left == "work of a third":
            follow(other, third, events[1])
            go(third)
            if joined:
                follow(third, other, events[2])  # by way of the second it comes back too
        if joined or left != "no event":
            follow(other, stream, events[3])
        if left == "work after the event":
            go(stream if joined else other)

    work(joined=False)
    with refused(107025, "took part in the capture"):
        call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
    assert not model.value
    work(joined=True)  # the capture that failed is over
    call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
    call("aclmdlRIDestroy", model)
    for handle in (stream, other, third):
        call("aclrtDestroyStream", handle)
