"""An operator after phase one: run as often as one likes, also on other memory."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from asnumpy.cann import _calls, _devices, _facts, _streams
from asnumpy.cann._arguments import Operands
from asnumpy.cann._calls import Arguments, Pointer
from asnumpy.cann._launch import Launch, text_of
from asnumpy.cann._memory import Memory
from asnumpy.cann._tensor import ALIGNMENT
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.streams import Stream

if TYPE_CHECKING:
    from asnumpy.cann._operator import Operator

_living: weakref.WeakSet[Plan] = weakref.WeakSet()


class Plan:
    """An operator with its arguments after phase one. `run` enqueues it, as often as wanted, also on other memory."""

    def __init__(self, op: Operator, bound: dict[str, Any], values: dict[str, Any], policy: str | None) -> None:
        self.op, self._bound, self._values = op, bound, values
        self.workspace_size = 0      # bytes that phase one asked for
        self.repeatable = False      # whether phase two alone runs it again; else phase one is repeated, too
        self.runs = 0                # how often it was run
        self.phases_one = 0          # how often phase one was done
        self._policy, self._memory = policy, None if policy is None else Memory(1, policy, pooled=False)
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
            self._memory = Memory(self.workspace_size, self._policy, launch.device, pooled=False)

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
                    f"{text_of(old)}, got {text_of(new)}"
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
