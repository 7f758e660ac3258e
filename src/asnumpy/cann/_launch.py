"""Calls that are described here and not in the core: where one runs, what is noted of it, its arguments in words."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.cann import _calls, _devices, _facts, _metrics, _streams
from asnumpy.cann._arguments import Operands
from asnumpy.cann._calls import Arguments, Pointer
from asnumpy.cann._tensor import Tensor, contiguous, refresh
from asnumpy.runtime.cann_error import CannError


@contextlib.contextmanager
def noted(device: int, stream: int, name: str, spans: list[Any], whole: list[Any]) -> Iterator[None]:
    """Work that is enqueued within, with the bytes (low, high, written) that it uses, and those it writes whole."""
    call = _core.CannCall(device, stream, name, spans, whole)
    try:
        yield
    except BaseException:
        call.refused()
        raise
    call.launched()


class Launch:
    """Where one call runs, and what is noted of it."""

    def __init__(self, signature: _facts.Signature, operands: Operands, stream: Any, *, runs: bool = True) -> None:
        self.signature, self.operands = signature, operands
        for tensor, written in operands.tensors:
            refresh(tensor, written)
        self.device = operands.device
        _devices.use(self.device)
        _streams.let_go()
        for tensor in operands.read:
            _core.cann_expect_whole(self.device, (*_streams.extent(tensor), False))
        self._spans = [(*_streams.extent(tensor), written) for tensor, written in operands.tensors]
        self.batch = _streams.current() if stream is None and runs else None
        default = _devices.default_stream(self.device)
        if self.batch is not None:
            self.stream = self.batch.place(operands.tensors, self.device)
        else:
            self.stream = default if stream is None else _streams.handle_of(stream, signature.name)
            _streams.order(default, self.stream)
            if runs and self.stream == default:
                _core.cann_uses(self.device, self._spans)
        self._default = default

    def about(self) -> str:
        """The arguments in words."""
        values = self.operands.values
        return words((one, values[one.name]) for one in self.signature.parameters)

    def phase_one(self, made: Arguments) -> tuple[int, Any]:
        """The workspace's size and the executor."""
        try:
            return _calls.phase_one(self.signature.name, made, self.about)
        except CannError:
            _metrics.fail(self.signature.name)
            raise

    def phase_two(self, memory: int, size: int, executor: Any, begun: float) -> None:
        """Enqueues the work, notes what it cost, and keeps what it uses until a stream of its own has passed it."""
        start = self._mark()
        whole = [one for one in self.operands.overwritten if one.strides == contiguous(one.shape)]
        spans = [(*_streams.extent(one), True) for one in whole]
        try:
            with noted(self.device, self.stream, self.signature.name, self._spans, spans):
                _calls.phase_two(self.signature.name, memory, size, executor, self.stream, self.about)
        except CannError:
            _metrics.fail(self.signature.name)
            if start is not None:
                _calls.call("aclrtDestroyEvent", start)
            raise
        seconds = time.perf_counter() - begun
        _metrics.record(self.signature.name, self.operands.nbytes, size, seconds)
        if start is not None:
            _metrics.record_time(self.signature.name, self.operands.nbytes, elapsed(self.device, start, self._mark()))
        owners = self.operands.owners
        if self.batch is not None:
            self.batch.keep(owners)
        elif self.stream == self._default:
            _core.cann_uses(self.device, self._spans)
        elif owners:
            _streams.hold(self.device, self.stream, owners)

    def _mark(self) -> Any:
        if not _metrics.timed():
            return None
        event = _streams.create_event(_streams.EVENT_TIME_LINE)
        _calls.call("aclrtRecordEvent", event, Pointer(self.stream))
        return event


def launch(signature: _facts.Signature, operands: Operands, stream: Any = None) -> None:
    """One call with checked operands, on a stream of another library's too; the operator may be one that the core does
    not know."""
    one = Launch(signature, operands, stream)
    begun = time.perf_counter()
    made = Arguments()
    try:
        for parameter in signature.parameters:
            made.add(parameter, operands.values[parameter.name])
        size, executor = one.phase_one(made)
        with contextlib.ExitStack() as block:
            try:
                memory = block.enter_context(_streams.workspace(one.device, one.stream, size))
            except CannError:
                _calls.call("aclDestroyAclOpExecutor", executor)  # phase two would free it
                raise
            one.phase_two(memory, size, executor, begun)
    finally:
        made.close()


def elapsed(device: int, start: Any, end: Any) -> Callable[[], float]:
    """What waits for the second event and gives the seconds between the two."""

    def wait() -> float:
        milliseconds = ctypes.c_float()
        with _devices.beside(device):
            with _devices.telling_arrays(device):
                _calls.call("aclrtSynchronizeEvent", end)
            _calls.call("aclrtEventElapsedTime", ctypes.byref(milliseconds), start, end)
            for event in (start, end):
                _calls.call("aclrtDestroyEvent", event)
        return milliseconds.value / 1e3

    return wait


def words(values: Iterable[tuple[_facts.Parameter, Any]]) -> str:
    """Arguments in words."""
    return ", ".join(f"{parameter.name} {text_of(value)}" for parameter, value in values)


def text_of(value: Any) -> str:
    if isinstance(value, ndarray):
        steps = tuple(step // value.dtype.itemsize for step in value.strides)
        return f"{value.dtype.name}{list(value.shape)}" + f" strides {steps}" * (steps != contiguous(value.shape))
    if isinstance(value, Tensor):
        strides = "" if value.strides == contiguous(value.shape) else f" strides {value.strides}"
        return f"{value.dtype.name}{list(value.shape)}{strides}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value[:6])) + (", ..." if len(value) > 6 else "") + "]"
    return repr(value)
