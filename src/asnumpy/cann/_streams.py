"""Streams beside the one on which arrays are computed: their order, workspaces, and what is kept for their work."""

from __future__ import annotations

import ctypes
import operator
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from asnumpy import _core
from asnumpy.cann import _devices
from asnumpy.cann._calls import Pointer, call
from asnumpy.cann._memory import Memory
from asnumpy.cann._tensor import Tensor
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.streams import Stream

EVENT_SYNC, EVENT_TIME_LINE = 1, 8   # flags of an event: others may wait for it; it has a time
COMPLETE = 1

_local = threading.local()
_lock = threading.RLock()
_workspaces: dict[tuple[int, int], Memory] = {}
_held: list[tuple[int, Any, list[Any]]] = []   # device, event after the work, what the work uses


def create_event(flags: int = EVENT_SYNC) -> Any:
    """A new event."""
    event = Pointer()
    call("aclrtCreateEventWithFlag", ctypes.byref(event), ctypes.c_uint32(flags))
    return event


def order(before: int, after: int) -> None:
    """Work enqueued on the stream `after` from now on waits for what is enqueued on `before`."""
    if before == after:
        return
    event = create_event()
    try:
        call("aclrtRecordEvent", event, Pointer(before))
        call("aclrtStreamWaitEvent", Pointer(after), event)
    finally:
        call("aclrtDestroyEvent", event)


def destroy_events(events: Iterable[Any]) -> None:
    """Gives events back."""
    for event in events:
        call("aclrtDestroyEvent", event)


def handle_of(stream: Any, name: str) -> int:
    """The aclrtStream behind what a user gives: its address, or an object whose `ptr` is that."""
    try:
        return operator.index(getattr(stream, "ptr", stream))
    except TypeError:
        raise TypeError(
            f"{name}: stream: expected an aclrtStream's address or an object with ptr, got {type(stream).__name__}"
        ) from None


@contextmanager
def workspace(device: int, stream: int, nbytes: int) -> Iterator[int]:
    """Memory for an operator enqueued within the block: one per stream, whose operators use it one after the other."""
    if not nbytes:
        yield 0
        return
    with _lock:
        have = _workspaces.get((device, stream))
        if have is None or have.nbytes < nbytes:
            if have is not None:
                del _workspaces[device, stream]  # the larger one may not be had
                have.release()
            have = _workspaces[device, stream] = Memory(nbytes, device=device, pooled=False)
        yield have.address


def hold(device: int, stream: int, objects: Iterable[Any]) -> None:
    """Keeps objects until the stream has passed what is enqueued on it now."""
    event = create_event()
    try:
        call("aclrtRecordEvent", event, Pointer(stream))
    except CannError:
        call("aclrtDestroyEvent", event)
        raise
    with _lock:
        _held.append((device, event, list(objects)))


def let_go() -> None:
    """Forgets what streams have passed."""
    if not _held:
        return
    with _lock:
        while _held:
            device, event, _ = _held[0]
            with _devices.beside(device):
                status = ctypes.c_int32()
                call("aclrtQueryEventStatus", event, ctypes.byref(status))
                if status.value != COMPLETE:
                    return
                call("aclrtDestroyEvent", event)
            _held.pop(0)


@_devices.in_child
def _forget() -> None:
    _workspaces.clear()
    _held.clear()


def exchange(batch: Any) -> Any:
    """Gives this thread another batch, None for none, and returns the one it had."""
    before, _local.batch = current(), batch
    _core.cann_exchange_batch(None if batch is None else batch.core)
    return before


@contextmanager
def on(stream: Stream) -> Iterator[None]:
    """What is enqueued within the block goes to the stream, and to no batch."""
    batch = exchange(None)
    try:
        with stream:
            yield
    finally:
        exchange(batch)


@_devices.at_end
def _release() -> None:
    with _lock:
        for device in {device for device, *_ in _held}:
            _devices.synchronize(device)
        let_go()
        for memory in _workspaces.values():
            memory.release()
        _workspaces.clear()


def current() -> Any:
    """The batch of the block that this thread is in."""
    return getattr(_local, "batch", None)


def extent(tensor: Tensor) -> tuple[int, int]:
    """The first byte of a tensor and the one after its last; equal when it is empty."""
    if 0 in tensor.shape:
        return tensor.address, tensor.address
    item = tensor.dtype.itemsize
    low = tensor.address + tensor.offset * item
    reach = sum((length - 1) * step for length, step in zip(tensor.shape, tensor.strides, strict=True))
    return low, low + (reach + 1) * item
