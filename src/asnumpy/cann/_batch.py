"""Batches of operators: independent ones run side by side on several streams, the others in their order."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Self

from asnumpy import _core
from asnumpy.cann import _devices, _streams
from asnumpy.cann._operator import op
from asnumpy.cann._tensor import Tensor
from asnumpy.runtime.cann_error import CannError

MOST_STREAMS = 64


class Batch:
    """A `with` block whose operators run on several streams at once; `cann.batch` makes it."""

    def __init__(self, streams: int, device: int | None) -> None:
        self.count, self._device = streams, device
        self.core: Any = None                  # of the block that is entered
        self._before: Batch | None = None
        self._entered = self._apart = False
        self._objects: list[Any] = []
        self._launched = [0] * streams

    def __repr__(self) -> str:
        return f"cann.batch(streams={self.count}): {' + '.join(map(str, self.launched))} operators"

    @property
    def device(self) -> int:
        """The number of the device whose streams these are."""
        return _devices.current_device() if self._device is None else self._device

    @property
    def launched(self) -> list[int]:
        """How many operators each stream got."""
        return self._launched if self.core is None else self.core.launched

    def __enter__(self) -> Self:
        if self._entered:
            raise RuntimeError("cann.batch: this batch is entered already; each block needs one of its own")
        device = self._device = self.device
        _devices.init()
        _streams.let_go()
        core = _core.CannBatch(device, self.count, self._apart)
        core.begin()
        self.core, self._entered = core, True
        self._before = _streams.exchange(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        core = self.core
        _streams.exchange(self._before)
        objects = [*self._objects, *core.kept]
        try:
            core.end()
            if objects:
                _devices.use(self.device)
                _streams.hold(self.device, _devices.default_stream(self.device), objects)
        except CannError:
            _devices.synchronize(self.device)  # what uses the objects ends before they are let go
            raise
        finally:
            self._launched, self.core, self._objects = core.launched, None, []

    def place(self, tensors: list[tuple[Tensor, bool]], device: int) -> int:
        """The stream for a plan with these tensors (and whether each is written), after what it must wait for."""
        if device != self.device:
            raise ValueError(f"cann.batch: expected arrays on ascend:{self.device}, got them on ascend:{device}")
        return int(self.core.place([(*_streams.extent(tensor), written) for tensor, written in tensors]))

    def keep(self, objects: Iterable[Any]) -> None:
        """Keeps objects until the streams have passed the block."""
        self._objects += objects

    def run(self, calls: Iterable[Sequence[Any]]) -> list[Any]:
        """Calls operators side by side in a block of its own, waits for them, and tells what became of each.

        Parameters: calls, for each an operator or its name, and its arguments: `("aclnnExp", x, out)`. Returns a list
        with what each call returns, or the exception that it raised: of a check, of CANN, or of the wait for the stream
        on which it ran. The others have run.
        """
        results: list[Any] = []
        places: list[int | None] = []
        self._apart = True  # what the thread's stream had before may fail as well: that is no call's result
        with self:
            for given, *arguments in calls:
                before = sum(self.launched)
                try:
                    called = op(given) if isinstance(given, str) else given
                    results.append(called(*arguments))
                except Exception as error:  # it is this call's result
                    results.append(error)
                places.append(self.core.latest if sum(self.launched) > before else None)
            core = self.core
        ended = [_ended(core, place) for place in range(self.count)]
        return [
            result if place is None or isinstance(result, Exception) else ended[place] or result
            for result, place in zip(results, places, strict=True)
        ]


def _ended(core: Any, place: int) -> CannError | None:
    """Waits for a stream of a batch; what failed there."""
    try:
        core.wait(place)
    except CannError as error:
        return error
    return None


def batch(streams: int = 4, *, device: Any = None) -> Batch:
    """A `with` block whose operators run on several streams, so that independent ones overlap.

    Parameters: streams, how many, from 1 to 64; device, a number or "ascend:1" (None: this thread's). Operators that
    use the same memory, one of them writing it, run in their order all the same. One of the streams is that on which
    this thread's arrays are computed. Their results may be read after the block; what follows it waits for it on the
    device.
    """
    try:
        count = operator.index(streams)
    except TypeError:
        raise TypeError(f"cann.batch: streams: expected an integer, got {streams!r}") from None
    if not 1 <= count <= MOST_STREAMS:
        raise ValueError(f"cann.batch: streams: expected from 1 to {MOST_STREAMS}, got {count}")
    return Batch(count, None if device is None else _devices.checked(device, "cann.batch"))
