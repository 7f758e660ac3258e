"""Streams beside the one on which arrays are computed: batches of independent operators, and what is kept for them."""

from __future__ import annotations

import ctypes
import operator
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.cann import _devices
from asnumpy.cann._calls import Pointer, call
from asnumpy.cann._memory import Memory
from asnumpy.cann._tensor import Tensor
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.streams import Stream

EVENT_SYNC, EVENT_TIME_LINE = 1, 8   # flags of an event: others may wait for it; it has a time
COMPLETE = 1
MOST_STREAMS = 64
MOST_USES = 4096                     # accesses that a batch remembers before it lets all its streams meet

_local = threading.local()
_lock = threading.RLock()
_pool: dict[int, list[int]] = {}     # streams of a device that no batch uses
_made: list[tuple[int, int]] = []
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


def _take(device: int) -> int:
    with _lock:
        free = _pool.setdefault(device, [])
        if free:
            return free.pop()
    stream = Pointer()
    call("aclrtCreateStream", ctypes.byref(stream))
    with _lock:
        _made.append((device, stream.value or 0))
    return stream.value or 0


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
            have = _workspaces[device, stream] = Memory(nbytes, device=device)
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
            _devices.use(device)
            status = ctypes.c_int32()
            call("aclrtQueryEventStatus", event, ctypes.byref(status))
            if status.value != COMPLETE:
                return
            call("aclrtDestroyEvent", event)
            _held.pop(0)


@_devices.in_child
def _forget() -> None:
    for each in (_pool, _made, _workspaces, _held):
        each.clear()


@contextmanager
def on(stream: Stream) -> Iterator[None]:
    """What is enqueued within the block goes to the stream, and to no batch."""
    batch, _local.batch = current(), None
    try:
        with stream:
            yield
    finally:
        _local.batch = batch


def note_enqueued(objects: Iterable[Any]) -> None:
    """Work with these objects was just enqueued on the stream on which this thread's arrays are computed, or before it:
    work with the arrays among them on other streams comes after it."""
    for each in objects:
        if isinstance(each, ndarray) and each.size:
            _core.cann_enqueued(each, True)


@_devices.at_end
def _release() -> None:
    with _lock:
        for device in {device for device, *_ in [*_made, *_held]}:
            _devices.synchronize(device)
        let_go()
        for memory in _workspaces.values():
            memory.release()
        for device, stream in _made:
            _devices.use(device)
            call("aclrtDestroyStream", Pointer(stream))
        for each in (_pool, _made, _workspaces):
            each.clear()


@dataclass(slots=True)
class Use:
    """Bytes that an operator of a batch uses, and its stream."""

    low: int
    high: int
    written: bool
    stream: int


class Batch:
    """A `with` block whose operators run on several streams at once; `cann.batch` makes it."""

    def __init__(self, streams: int, device: int | None) -> None:
        self.count, self._device = streams, device
        self._streams: list[int] = []
        self._uses: list[Use] = []
        self._objects: list[Any] = []
        self._next = 0
        self._before: Batch | None = None
        self.launched = [0] * streams          # operators per stream

    def __repr__(self) -> str:
        return f"cann.batch(streams={self.count}): {' + '.join(map(str, self.launched))} operators"

    @property
    def device(self) -> int:
        """The number of the device whose streams these are."""
        return _devices.current_device() if self._device is None else self._device

    def __enter__(self) -> Self:
        if self._streams:
            raise RuntimeError("cann.batch: this batch is entered already; each block needs one of its own")
        self._device = self.device
        _devices.use(self.device)
        try:
            for _ in range(self.count):
                self._streams.append(_take(self.device))
                order(_devices.default_stream(self.device), self._streams[-1])
        except CannError:
            self._give()
            raise
        self._before, _local.batch = current(), self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _local.batch = self._before
        _devices.use(self.device)
        try:
            for stream in self._streams:
                order(stream, _devices.default_stream(self.device))
            if self._objects:
                hold(self.device, _devices.default_stream(self.device), self._objects)
            if _core.streams_in_use():
                note_enqueued(self._objects)
        except CannError:
            _devices.synchronize(self.device)  # what uses the objects ends before they are let go
            raise
        finally:
            self._give()

    def _give(self) -> None:
        with _lock:
            _pool.setdefault(self.device, []).extend(self._streams)
        self._streams, self._uses, self._objects = [], [], []

    def place(self, tensors: list[tuple[Tensor, bool]], device: int) -> int:
        """The stream for an operator with these tensors (and whether each is written), after what it must wait for."""
        if device != self.device:
            raise ValueError(f"cann.batch: expected arrays on ascend:{self.device}, got them on ascend:{device}")
        spans = [(*extent(tensor), written) for tensor, written in tensors]
        conflicts = [
            use.stream for use in self._uses
            if any(use.low < high and low < use.high and (use.written or written) for low, high, written in spans)
        ]
        if conflicts:
            chosen = conflicts[-1]
            for other in set(conflicts) - {chosen}:
                order(self._streams[other], self._streams[chosen])
        else:
            chosen, self._next = self._next, (self._next + 1) % self.count
        if any(isinstance(tensor.owner, ndarray) for tensor, _ in tensors):  # pending work may just have been enqueued
            order(_devices.default_stream(device), self._streams[chosen])
        if len(self._uses) > MOST_USES:
            self._meet()
        self._uses += [Use(low, high, written, chosen) for low, high, written in spans if low < high]
        self.launched[chosen] += 1
        return self._streams[chosen]

    def keep(self, objects: Iterable[Any]) -> None:
        """Keeps objects until the streams have passed the block."""
        self._objects += objects

    def _meet(self) -> None:
        first, *others = self._streams
        for other in others:
            order(other, first)
        for other in others:
            order(first, other)
        self._uses.clear()


def current() -> Batch | None:
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


def batch(streams: int = 4, *, device: Any = None) -> Batch:
    """A `with` block whose operators run on several streams, so that independent ones overlap.

    Parameters: streams, how many, from 1 to 64; device, a number or "ascend:1" (None: this thread's). Operators that
    use the same memory, one of them writing it, run in their order all the same. Their results may be read after the
    block; what follows it waits for it on the device.
    """
    try:
        count = operator.index(streams)
    except TypeError:
        raise TypeError(f"cann.batch: streams: expected an integer, got {streams!r}") from None
    if not 1 <= count <= MOST_STREAMS:
        raise ValueError(f"cann.batch: streams: expected from 1 to {MOST_STREAMS}, got {count}")
    return Batch(count, None if device is None else _devices.checked(device, "cann.batch"))
