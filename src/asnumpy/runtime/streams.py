"""Streams and events: which work of a device may run side by side, and points in it to wait for and to time."""

from __future__ import annotations

import operator
import threading
import weakref
from typing import Any

from asnumpy import _core
from asnumpy._public import public
from asnumpy.runtime.devices import Device

_local = threading.local()                                                    # .entered: what to go back to
_living: weakref.WeakValueDictionary[tuple[str, int], Stream] = weakref.WeakValueDictionary()
_defaults: dict[str, Stream] = {}


def _name(device: Any) -> str:
    return _core.default_device() if device is None else _core.device_name(device)


def _stream(value: Any, function: str) -> Stream:
    if not isinstance(value, Stream):
        raise TypeError(f"{function}: expected an asnumpy.Stream, got {type(value).__name__}")
    return value


class Stream:
    """A queue of a device's work. Work of one stream runs in order, work of different streams may run side by side.

    In a `with` block it is where the work that this thread records runs, and its device is where the thread makes new
    arrays. Results never depend on streams: where work of two streams uses the same memory, one waits for the other.
    `wait_event` and `wait_stream` are for kernels of other libraries, which nobody else puts in order. On the CPU all
    work runs in order, whatever its stream. Streams of a device are few: those that are let go are used again.
    """

    __slots__ = ("__weakref__", "_device", "_lease", "_number", "_priority")

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        """Parameters: device, a name or asnumpy.Device (None: where new arrays are made); priority, as CANN counts it,
        0 being what it does without one. ValueError for a device that is not there and a negative priority."""
        self._device, self._priority = _name(device), operator.index(priority)
        if self._priority < 0:
            raise ValueError(f"Stream: expected a priority of at least 0, got {priority}")
        self._lease, self._number = _core.new_stream(self._device, self._priority)
        _living[self._device, self._number] = self

    @staticmethod
    def default(device: Any = None) -> Stream:
        """The stream that a device has from the start. Parameters: device, as for a new one. Returns the Stream."""
        name = _name(device)
        found = _defaults.get(name)
        if found is None:
            _core.current_stream(name)  # says what is wrong with the device
            found = Stream.__new__(Stream)
            found._device, found._priority, found._lease, found._number = name, 0, None, 0
            found = _defaults.setdefault(name, found)
        return found

    @property
    def device(self) -> Device:
        """Whose work it is."""
        return Device(self._device)

    @property
    def priority(self) -> int:
        """As it was made."""
        return self._priority

    @property
    def ptr(self) -> int:
        """The native handle, an aclrtStream's address, for other libraries (0 on the CPU). What is recorded is run."""
        return int(_core.stream_handle(self._device, self._number))

    @property
    def done(self) -> bool:
        """Whether all its work has run. What is recorded is run first."""
        return bool(_core.stream_done(self._device, self._number))

    def synchronize(self) -> None:
        """Runs all that is recorded and waits for this stream's work."""
        _core.synchronize_stream(self._device, self._number)

    def record(self, event: Event | None = None) -> Event:
        """Marks the end of the work that it has now.

        Parameters: event, to be moved here (None: a new one, with a time). Returns the event.
        """
        made = Event() if event is None else _event(event, "Stream.record")
        made.record(self)
        return made

    def wait_event(self, event: Event) -> None:
        """Lets work that it gets from now on wait for an event of its device."""
        _event(event, "Stream.wait_event").wait(self)

    def wait_stream(self, other: Stream) -> None:
        """Lets work that it gets from now on wait for what another stream of its device has now."""
        if _stream(other, "Stream.wait_stream")._device != self._device:
            raise ValueError(f"Stream.wait_stream: expected a stream of {self._device}, got one of {other._device}")
        _core.order_streams(self._device, other._number, self._number)

    def __enter__(self) -> Stream:
        device = _core.exchange_thread_device(self._device)
        number = _core.exchange_stream(self._device, self._number)
        vars(_local).setdefault("entered", []).append((self, device, number))
        return self

    def __exit__(self, *error: object) -> None:
        entered, device, number = _local.entered.pop()
        _core.exchange_stream(entered._device, number)
        _core.exchange_thread_device(device)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self._device, self._number) == (other._device, other._number)

    def __hash__(self) -> int:
        return hash((self._device, self._number))

    def __repr__(self) -> str:
        return f"<stream {self._number} of {self._device}>"


class Event:
    """A point in the work of a stream, and, with `timing`, the time at which it was reached."""

    __slots__ = ("_device", "_event", "_timing")

    def __init__(self, timing: bool = True) -> None:
        """Parameters: timing, whether it is to be used with elapsed_time; without, it costs the device less."""
        self._timing, self._device, self._event = bool(timing), "", None

    @property
    def device(self) -> Device | None:
        """The device of the stream on which it was recorded; None before that."""
        return Device(self._device) if self._device else None

    @property
    def done(self) -> bool:
        """Whether the work before it has run. RuntimeError where it was not recorded."""
        return bool(_core.event_done(self._recorded("done")))

    def record(self, stream: Stream | None = None) -> Event:
        """Marks the end of the work that a stream has now; what is recorded before is run first.

        Parameters: stream (None: the one on which this thread works). Once more moves it; ValueError on another device.
        Returns itself.
        """
        where = current_stream() if stream is None else _stream(stream, "Event.record")
        if self._event is None:
            self._event, self._device = _core.new_event(where._device, self._timing), where._device
        self._expect_device("record", where)
        _core.record_event(self._event, where._number)
        return self

    def wait(self, stream: Stream | None = None) -> None:
        """Lets work that a stream gets from now on wait for it.

        Parameters: stream, of the event's device (None: the one on which this thread works there). ValueError for
        another device's, RuntimeError where it was not recorded.
        """
        event = self._recorded("wait")
        where = current_stream(self._device) if stream is None else _stream(stream, "Event.wait")
        self._expect_device("wait", where)
        _core.wait_event(event, where._number)

    def synchronize(self) -> None:
        """Waits until the work before it has run. RuntimeError where it was not recorded."""
        _core.synchronize_event(self._recorded("synchronize"))

    def elapsed_time(self, end: Event) -> float:
        """Waits for both and returns the milliseconds from this event to another of the device.

        ValueError where they are of two devices or have no time, RuntimeError where one was not recorded.
        """
        last = _event(end, "Event.elapsed_time")
        events = self._recorded("elapsed_time"), last._recorded("elapsed_time")
        if last._device != self._device:
            raise ValueError(f"Event.elapsed_time: expected an event of {self._device}, got one of {last._device}")
        if not (self._timing and last._timing):
            raise ValueError("Event.elapsed_time: expected events with a time, got one of Event(timing=False)")
        return float(_core.elapsed_milliseconds(*events))

    def _recorded(self, function: str) -> Any:
        if self._event is None:
            raise RuntimeError(f"Event.{function}: the event was not recorded; event.record(stream) does that")
        return self._event

    def _expect_device(self, function: str, stream: Stream) -> None:
        if stream._device != self._device:
            raise ValueError(
                f"Event.{function}: the event is one of {self._device}, the stream one of {stream._device}; "
                "each device has events of its own"
            )

    def __repr__(self) -> str:
        return f"<event of {self._device}>" if self._device else "<event, not recorded>"


def _event(value: Any, function: str) -> Event:
    if not isinstance(value, Event):
        raise TypeError(f"{function}: expected an asnumpy.Event, got {type(value).__name__}")
    return value


for _class in (Stream, Event):
    _class.__module__ = "asnumpy"


@public
def current_stream(device: Any = None) -> Stream:
    """The stream on which this thread's work with a device runs.

    Parameters: device, a name or asnumpy.Device (None: where new arrays are made). Returns the Stream of the innermost
    `with` block, else the device's default stream.
    """
    name = _name(device)
    return _living.get((name, _core.current_stream(name))) or Stream.default(name)
