"""An operator of CANN's: called at once, or planned and then run as often as one likes."""

from __future__ import annotations

import inspect
import keyword
import textwrap
from functools import cache
from typing import Any

from asnumpy import _core
from asnumpy.cann import _calls, _devices, _facts, _metrics, _streams
from asnumpy.cann._arguments import Checker, Operands
from asnumpy.cann._calls import OUT_OF_MEMORY
from asnumpy.cann._launch import elapsed, launch, words
from asnumpy.cann._memory import policy_number
from asnumpy.cann._plan import Plan
from asnumpy.cann._tensor import Tensor
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.streams import Stream

WORKSPACES = ("shared", "own")


class Operator(_core.CannOperator):
    """One of CANN's operators, as `cann.op` gives it.

    A call checks the arguments, enqueues the operator and returns what it writes: one object, or a tuple of them. What
    is called again, alike in all but addresses, is not checked again, and keeps CANN's executor where that is allowed.

    `stream`: an asnumpy.Stream, or an aclrtStream (its address, or an object with `ptr`); None: the stream on which
    this thread's arrays are computed, or one of the enclosing `cann.batch`. On an asnumpy.Stream and without any it is
    in order with all that is computed with its arrays, on whatever stream.
    """

    def __new__(cls, signature: _facts.Signature, documented: bool) -> Operator:
        return super().__new__(cls, signature.name)

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

    def call_checked(self, /, *arguments: Any, stream: Any = None, **named: Any) -> Any:
        """A call that is unlike those before it, or on a stream of its own."""
        if isinstance(stream, Stream):
            with _streams.on(stream):
                return self(*arguments, **named)
        bound = self.checker.bind(arguments, named)
        values = self.checker.check(bound)
        operands = Operands(self.signature, values)
        if stream is not None or not self._launch(bound, operands):
            launch(self.signature, operands, stream)
        results = tuple(bound[name] for name in self.signature.written)
        return results[0] if len(results) == 1 else results

    def _launch(self, bound: dict[str, Any], operands: Operands) -> bool:
        """By the core's caller; False for what that cannot describe, as a storage of several axes."""
        device = operands.device
        _devices.use(device)
        _streams.let_go()
        values = tuple(operands.values[name] for name in bound)
        marks: list[Any] = []
        try:
            if _metrics.timed():
                marks += [_streams.create_event(_streams.EVENT_TIME_LINE) for _ in range(2)]
            addresses = [one.value for one in marks] or [0, 0]
            done = _core.cann_launch(self, tuple(bound.values()), values, operands.nbytes, device, *addresses)
        except BaseException:
            _streams.destroy_events(marks)
            raise
        if done and marks:
            _metrics.record_time(self.name, operands.nbytes, elapsed(device, *marks))
        elif marks:
            _streams.destroy_events(marks)
        return bool(done)

    def failure(self, text: str, function: str, code: int, message: str, bound: tuple[Any, ...]) -> CannError:
        """The exception for what a call of the core's met: a refusal, or no memory for its workspace (then code 0)."""
        if not code:
            about = f"the workspace of {self.name}"
            return CannError(_calls.told(OUT_OF_MEMORY, "aclrtMalloc", about, text), "aclrtMalloc", OUT_OF_MEMORY, text)
        if function.removesuffix("GetWorkspaceSize") == self.name:
            text = _calls.told(code, function, words(zip(self.signature.parameters, bound, strict=True)), message)
        return CannError(text, function, code, message)

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


_core.register_cann(Operator, Tensor, _facts.formats)


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
