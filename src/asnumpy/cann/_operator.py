"""An operator of CANN's: called at once, or planned and then run as often as one likes."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import keyword
import textwrap
import threading
import time
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

from asnumpy import _core
from asnumpy.cann import _calls, _devices, _facts, _metrics, _streams
from asnumpy.cann._arguments import Checker, Operands
from asnumpy.cann._calls import Arguments, Pointer
from asnumpy.cann._memory import Memory, policy_number
from asnumpy.cann._tensor import ALIGNMENT, Tensor, contiguous, refresh
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.streams import Stream

WORKSPACES = ("shared", "own")


class Operator:
    """One of CANN's operators, as `cann.op` gives it."""

    def __init__(self, signature: _facts.Signature, documented: bool) -> None:
        self.signature, self.documented = signature, documented
        self.__doc__ = document(signature, documented)
        self.__name__ = self.__qualname__ = signature.name
        self.__signature__ = python_signature(signature)
        self.checker = Checker(signature, documented)

    @property
    def name(self) -> str:
        """Its name, with the prefix."""
        return self.signature.name

    @property
    def available(self) -> bool:
        """Whether the CANN that is loaded has it."""
        return _calls.find(self.name) is not None

    def __repr__(self) -> str:
        return f"<operator {self.signature.usage()}>"

    def __call__(self, /, *arguments: Any, stream: Any = None, **named: Any) -> Any:
        """Checks the arguments, enqueues the operator and returns what it writes: one object, or a tuple of them.

        `stream`: an asnumpy.Stream, or an aclrtStream (its address, or an object with `ptr`); None: the stream on which
        this thread's arrays are computed, or one of the enclosing `cann.batch`. On an asnumpy.Stream and without any it
        is in order with all that is computed with its arrays, on whatever stream.
        """
        if isinstance(stream, Stream):
            with _streams.on(stream):
                return self(*arguments, **named)
        bound = self.checker.bind(arguments, named)
        values = self.checker.check(bound)
        launch = Launch(self.signature, Operands(self.signature, values), stream)
        begun = time.perf_counter()
        made = Arguments()
        try:
            for parameter in self.signature.parameters:
                made.add(parameter, values[parameter.name])
            size, executor = launch.phase_one(made)
            with contextlib.ExitStack() as block:
                try:
                    memory = block.enter_context(_streams.workspace(launch.device, launch.stream, size))
                except CannError:
                    _calls.call("aclDestroyAclOpExecutor", executor)  # phase two would free it
                    raise
                launch.phase_two(memory, size, executor, begun)
        finally:
            made.close()
        results = tuple(bound[name] for name in self.signature.written)
        return results[0] if len(results) == 1 else results

    def plan(self, /, *arguments: Any, workspace: str = "shared", policy: str = "huge_first", **named: Any) -> Plan:
        """Does phase one only: checks and plans, and returns a `Plan` whose `run` enqueues the work.

        `workspace`: "shared" uses memory that all operators of a stream use one after the other, "own" memory that
        the plan alone has, allocated with `policy` (one of `cann.policies()`).
        """
        if workspace not in WORKSPACES:
            raise ValueError(f"{self.name}: workspace: expected 'shared' or 'own', got {workspace!r}")
        policy_number(policy, self.name)
        bound = self.checker.bind(arguments, named)
        return Plan(self, bound, self.checker.check(bound), policy if workspace == "own" else None)


class Launch:
    """Where one call runs, and what is noted of it."""

    def __init__(self, signature: _facts.Signature, operands: Operands, stream: Any, *, runs: bool = True) -> None:
        self.signature, self.operands = signature, operands
        for tensor, written in operands.tensors:
            refresh(tensor, written)
        self.device = operands.tensors[0][0].device if operands.tensors else _devices.current_device()
        _devices.use(self.device)
        _streams.let_go()
        self.batch = _streams.current() if stream is None and runs else None
        default = _devices.default_stream(self.device)
        if self.batch is not None:
            self.stream = self.batch.place(operands.tensors, self.device)
        else:
            self.stream = default if stream is None else _streams.handle_of(stream, signature.name)
            _streams.order(default, self.stream)
        self._default = default

    def about(self) -> str:
        """The arguments in words."""
        return ", ".join(f"{name} {_text(value)}" for name, value in self.operands.values.items())

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
        try:
            _calls.phase_two(self.signature.name, memory, size, executor, self.stream, self.about)
        except CannError:
            _metrics.fail(self.signature.name)
            if start is not None:
                _calls.call("aclrtDestroyEvent", start)
            raise
        seconds = time.perf_counter() - begun
        time_on_device = None if start is None else elapsed(self.device, start, self._mark())
        _metrics.record(self.signature.name, self.operands.nbytes, size, seconds, time_on_device)
        owners = self.operands.owners
        if self.batch is not None:
            self.batch.keep(owners)
        elif self.stream == self._default and _core.streams_in_use():
            _streams.note_enqueued(owners)
        elif self.stream != self._default and owners:
            _streams.hold(self.device, self.stream, owners)

    def _mark(self) -> Any:
        if not _metrics.timed():
            return None
        event = _streams.create_event(_streams.EVENT_TIME_LINE)
        _calls.call("aclrtRecordEvent", event, Pointer(self.stream))
        return event


def elapsed(device: int, start: Any, end: Any) -> Callable[[], float]:
    """What waits for the second event and gives the seconds between the two."""

    def wait() -> float:
        _devices.use(device)
        milliseconds = ctypes.c_float()
        _calls.call("aclrtSynchronizeEvent", end)
        _calls.call("aclrtEventElapsedTime", ctypes.byref(milliseconds), start, end)
        for event in (start, end):
            _calls.call("aclrtDestroyEvent", event)
        return milliseconds.value / 1e3

    return wait


_living: weakref.WeakSet[Plan] = weakref.WeakSet()


class Plan:
    """An operator with its arguments after phase one. `run` enqueues it, as often as wanted, also on other memory."""

    def __init__(self, op: Operator, bound: dict[str, Any], values: dict[str, Any], policy: str | None) -> None:
        self.op, self._bound, self._values = op, bound, values
        self.workspace_size = 0      # bytes that phase one asked for
        self.repeatable = False      # whether phase two alone runs it again; else phase one is repeated, too
        self.runs = 0                # how often it was run
        self.phases_one = 0          # how often phase one was done
        self._policy, self._memory = policy, None if policy is None else Memory(1, policy)
        self._made: Arguments | None = None
        self._executor: Any = None
        self._lock = threading.RLock()
        self._operands = Operands(op.signature, values)
        self._prepare(Launch(op.signature, self._operands, None, runs=False))
        _living.add(self)

    def __repr__(self) -> str:
        how = "repeatable" if self.repeatable else "phase one at each run"
        return f"<plan of {self.op.name}: workspace of {self.workspace_size} bytes, {how}, run {self.runs} times>"

    def _prepare(self, launch: Launch) -> None:
        """Phase one, with an executor that may be used again where the operator allows that."""
        self.close()
        self._made = Arguments()
        try:
            for parameter in self.op.signature.parameters:
                self._made.add(parameter, self._values[parameter.name])
            self.workspace_size, self._executor = launch.phase_one(self._made)
        except BaseException:
            self.close()
            raise
        self.phases_one += 1
        make = _calls.find("aclSetAclOpExecutorRepeatable")
        self.repeatable = make is not None and make(self._executor) == 0
        if self._policy is not None and (self._memory is None or self._memory.nbytes < self.workspace_size):
            self._memory = Memory(self.workspace_size, self._policy, launch.device)

    def run(self, /, stream: Any = None, **others: Any) -> Any:
        """Enqueues the work and returns what it writes.

        `stream` as for the operator. `others`: arrays in place of those of the plan, by the parameters' names, from
        now on; shape, dtype and strides must be the same, because phase one has fixed them.
        """
        if isinstance(stream, Stream):
            with _streams.on(stream):
                return self.run(**others)
        with self._lock:
            self._replace(others)
            launch = Launch(self.op.signature, self._operands, stream)
            begun = time.perf_counter()
            if self._executor is None:
                self._prepare(launch)
            executor, size = self._executor, self.workspace_size
            own = None if self._memory is None else contextlib.nullcontext(self._memory.address if size else 0)
            with own or _streams.workspace(launch.device, launch.stream, size) as memory:
                if not self.repeatable:
                    self._executor = None  # phase two frees it
                launch.phase_two(memory, size, executor, begun)
            self.runs += 1
            results = tuple(self._bound[name] for name in self.op.signature.written)
        return results[0] if len(results) == 1 else results

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape that a tensor has after the last run; waits for it. For outputs like aclnnNonzero's."""
        for slot in self._made.slots if self._made else ():
            if slot.parameter == name and slot.tensor is not None:
                _devices.synchronize(slot.tensor.device)
                return _calls.view_shape(slot.handle)
        raise ValueError(f"{self.op.name}: plan.shape: expected a parameter with a tensor, got {name!r}")

    def _replace(self, others: dict[str, Any]) -> None:
        """Other memory for some tensors: a new address in the executor, or phase one again where that cannot say it."""
        op, changed = self.op, {}
        for given, value in others.items():
            name = _facts.KEYWORDS.get(given, given)
            names = [one.name for one in op.signature.parameters if one.is_tensor]
            if name not in names:
                raise TypeError(
                    f"{op.name}: plan.run: expected parameters that are tensors ({', '.join(names)}), got {given!r}; "
                    "others are fixed in phase one"
                )
            changed[name] = op.checker.one(op.signature[name], value, None)
            old, new = self._values[name], changed[name]
            if _layouts(old) != _layouts(new):
                raise ValueError(
                    f"{op.name}: plan.run: {name}: expected the shape, dtype and strides of the plan, "
                    f"{_text(old)}, got {_text(new)}"
                )
        if not changed:
            return
        self._values = {**self._values, **changed}
        self._operands = Operands(op.signature, self._values)
        self._bound = {**self._bound, **{_facts.KEYWORDS.get(name, name): value for name, value in others.items()}}
        if self._executor is None or self._made is None:
            return
        tensors = {name: iter(value if isinstance(value, list) else [value]) for name, value in self._values.items()}
        for index, slot in enumerate(self._made.slots):
            new = next(tensors[slot.parameter])
            if slot.tensor is None or new is None:
                continue
            address = new.address + (new.offset - slot.tensor.offset) * new.dtype.itemsize
            if address % ALIGNMENT or not self._set_address(index, slot.handle, address):
                self.close()
                return

    def _set_address(self, index: int, handle: Any, address: int) -> bool:
        for name in ("aclSetTensorAddr", "AclSetTensorAddr"):
            function = _calls.find(name)
            if function is not None and self.repeatable:
                return bool(function(self._executor, ctypes.c_size_t(index), handle, Pointer(address)) == 0)
        return False

    def close(self) -> None:
        """Gives back what CANN keeps for the plan; `run` plans it anew. Done with the object if not before."""
        executor, self._executor = self._executor, None
        if executor is not None:
            _calls.call("aclDestroyAclOpExecutor", executor)
        if self._made is not None:
            self._made.close()
            self._made = None

    def forget(self) -> None:
        """Lets go of what CANN keeps without telling it."""
        self._executor = self._made = None

    def __del__(self) -> None:
        if getattr(self, "_made", None) is not None:
            with contextlib.suppress(CannError):
                self.close()


@_devices.in_child
def _forget() -> None:
    for plan in list(_living):
        plan.forget()


@_devices.at_end
def _close_all() -> None:
    for plan in list(_living):
        plan.close()


def _layouts(value: Any) -> Any:
    if isinstance(value, list):
        return [_layouts(one) for one in value]
    return value and (value.shape, value.dtype, value.strides, value.format, value.device)


def _text(value: Any) -> str:
    if isinstance(value, Tensor):
        strides = "" if value.strides == contiguous(value.shape) else f" strides {value.strides}"
        return f"{value.dtype.name}{list(value.shape)}{strides}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value[:6])) + (", ..." if len(value) > 6 else "") + "]"
    return repr(value)


def document(signature: _facts.Signature, documented: bool) -> str:
    """The docstring of an operator, made from its facts."""
    width = max((len(one.name) for one in signature.parameters), default=0)
    lines = [signature.usage(), "", f"{signature.name} of CANN: enqueues it and returns "
             + (", ".join(signature.written) or "nothing") + ".", "", "Parameters"]
    for one in signature.parameters:
        lines += textwrap.wrap(
            f"{one.name:<{width}}  {one.describe()}", 100, initial_indent="  ", subsequent_indent=" " * (width + 4)
        )
    held = "." if documented else "; dtypes and axes are left to CANN."
    return "\n".join([*lines, "", f"As documented for CANN 8.1 on the Ascend 910B{held}"])


def python_signature(signature: _facts.Signature) -> inspect.Signature:
    """The parameters as Python shows them. Names that are keywords get an underscore."""
    parameters: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    default_seen = False
    for one in signature.parameters:
        if default_seen and not one.optional:
            kind = inspect.Parameter.KEYWORD_ONLY  # Python has no required parameter after an optional one otherwise
        default_seen = default_seen or one.optional
        name = one.name + "_" if keyword.iskeyword(one.name) else one.name
        parameters.append(inspect.Parameter(name, kind, default=None if one.optional else inspect.Parameter.empty))
    return inspect.Signature(parameters)


@cache
def op(name: str, *, documented: bool = True) -> Operator:
    """The operator of CANN's with this name, to be called or planned.

    Parameters: name, as "aclnnAddcmul"; documented=False leaves dtypes, ranks and missing tensors to CANN itself, for
    chips and versions that accept more than what is documented for CANN 8.1 on the 910B. Returns an `Operator`; its
    docstring lists the parameters. ValueError for a name that CANN does not have, with what may have been meant.
    """
    return Operator(_facts.signature(name), documented)


def operators(containing: str = "") -> list[str]:
    """The names of all operators whose name contains the text, in whatever case."""
    return [name for name in _facts.signatures() if containing.lower() in name.lower()]
