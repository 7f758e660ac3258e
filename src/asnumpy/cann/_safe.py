"""Execution that checks before and after, and tries again: for services that rather wait than give a wrong result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.cann import _devices, _facts
from asnumpy.cann._memory import to_numpy, write
from asnumpy.cann._operator import Operator, op
from asnumpy.cann._tensor import Tensor
from asnumpy.creation.convert import to_numpy as array_to_numpy
from asnumpy.runtime.cann_error import CannError

Check = Callable[[str, np.ndarray], str | None]

# What may be over a moment later: memory, events, streams and queues that others hold, and time limits.
TRANSIENT = (
    "ACL_ERROR_BAD_ALLOC", "ACL_ERROR_RT_MEMORY_ALLOCATION", "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL",
    "ACL_ERROR_RT_NO_EVENT_RESOURCE", "ACL_ERROR_RT_NO_STREAM_RESOURCE", "ACL_ERROR_RT_QUEUE_FULL",
    "ACL_ERROR_RT_DEVICE_OOM", "ACL_ERROR_RT_TIMEOUT", "ACL_ERROR_RT_STREAM_TASK_FULL",
    "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT", "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT",
)
OF_MEMORY = ("ACL_ERROR_BAD_ALLOC", "ACL_ERROR_RT_MEMORY_ALLOCATION", "ACL_ERROR_RT_DEVICE_OOM")


class CheckError(RuntimeError):
    """What a check found wrong with an argument or a result; `outcome` says what was done."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


@dataclass(frozen=True)
class Retry:
    """When an operator is tried again: at most `attempts` times, for these codes, after growing waits.

    Parameters: attempts, in all; codes, names or numbers of CANN's errors (None: those that may be over a moment later,
    `cann.TRANSIENT`); wait, seconds before the second attempt; factor, by which each further wait is longer; most, the
    longest wait. ValueError for a code that CANN does not have, and for numbers that make no sense.
    """

    attempts: int = 3
    codes: Sequence[str | int] | None = None
    wait: float = 0.01
    factor: float = 2.0
    most: float = 1.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.wait < 0 or self.factor < 1 or self.most < 0:
            raise ValueError(
                "cann.Retry: expected at least 1 attempt, waits of at least 0 s and a factor of at least 1, got "
                f"attempts={self.attempts}, wait={self.wait}, factor={self.factor}, most={self.most}"
            )
        self.numbers()

    def numbers(self) -> frozenset[int]:
        """The codes as numbers."""
        return frozenset(code_number(one) for one in (TRANSIENT if self.codes is None else self.codes))

    def pause(self, attempt: int) -> float:
        """The seconds after that attempt, the first being 1."""
        return float(min(self.wait * self.factor ** (attempt - 1), self.most))


@dataclass
class Attempt:
    """One attempt: CANN's code (0: it succeeded) and message, its seconds, and those that were waited after it."""

    code: int
    message: str
    seconds: float
    waited: float = 0.0


@dataclass
class Outcome:
    """What safe execution did: the operator's `result`, every attempt, and the checks that were made."""

    operator: str
    result: Any = None
    attempts: list[Attempt] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """All but the result, for JSON."""
        return {"operator": self.operator, "attempts": [asdict(one) for one in self.attempts], "checks": self.checks}


def code_number(code: str | int) -> int:
    """The number of one of CANN's error codes; ValueError where it has none of that name or number."""
    known = _facts.error_names()
    numbers = {name: number for number, name in known.items()}
    if isinstance(code, str) and code in numbers:
        return numbers[code]
    if not isinstance(code, str) and code in known:
        return int(code)
    raise ValueError(f"cann.Retry: expected names or numbers of CANN's error codes, got {code!r}")


def finite(name: str, values: np.ndarray) -> str | None:
    """A check: no NaN and no infinity."""
    wrong = 0 if values.dtype.kind not in "fcV" else int((~np.isfinite(values)).sum())
    return f"{name}: {wrong} of {values.size} elements are not finite" if wrong else None


def within(low: Any, high: Any) -> Check:
    """A check: every element is from `low` to `high`, both included."""

    def check(name: str, values: np.ndarray) -> str | None:
        wrong = int((~((values >= low) & (values <= high))).sum())
        return f"{name}: {wrong} of {values.size} elements are not from {low} to {high}" if wrong else None

    check.__name__ = f"within({low}, {high})"
    return check


def shaped(*shape: int | None) -> Check:
    """A check: the shape is this one; None stands for any length."""

    def check(name: str, values: np.ndarray) -> str | None:
        fits = len(shape) == values.ndim and all(
            one in (None, length) for one, length in zip(shape, values.shape, strict=True)
        )
        return None if fits else f"{name}: expected shape {shape}, got {values.shape}"

    check.__name__ = f"shaped{shape}"
    return check


def safe(
    operator: str | Operator, /, *arguments: Any, before: Iterable[Check] = (), after: Iterable[Check] = (finite,),
    retry: Retry | None = None, **named: Any,
) -> Outcome:
    """Executes an operator, waits for it, and checks what it read and wrote; tries again where that may help.

    Parameters: operator, its name or what `cann.op` gives; arguments as those of the operator; before, checks of every
    tensor that it reads; after, checks of every tensor that it writes: functions of a name and the values as a
    numpy.ndarray, which return None or what is wrong (`cann.finite`, `cann.within(low, high)`, `cann.shaped(...)`, or
    one's own); retry, a `cann.Retry` (None: its defaults). Returns a `cann.Outcome`. CheckError for what a check
    finds, CannError for what CANN refuses after the last attempt; both have `outcome`. What is updated in place is
    copied first, and put back before another attempt.
    """
    called = op(operator) if isinstance(operator, str) else operator
    policy, outcome = retry or Retry(), Outcome(called.name)
    bound = called.checker.bind(arguments, named)
    read = {one.name for one in called.signature.parameters if one.is_tensor and one.direction != "out"}
    written = set(called.signature.written)
    _apply(before, bound, read, "before", outcome)
    kept = {name: values_of(bound[name]) for name in sorted(read & written) if bound.get(name) is not None}
    codes = policy.numbers()
    for attempt in range(1, policy.attempts + 1):
        begun = time.perf_counter()
        try:
            result = called(*arguments, **named)
            _devices.synchronize(_device_of(bound))
        except CannError as error:
            outcome.attempts.append(Attempt(error.code, str(error), time.perf_counter() - begun))
            if error.code not in codes or attempt == policy.attempts:
                error.outcome = outcome
                raise
            _recover(error.code, outcome.attempts[-1], policy.pause(attempt))
            for name, values in kept.items():
                put_back(bound[name], values)
        else:
            outcome.attempts.append(Attempt(0, "", time.perf_counter() - begun))
            outcome.result = result
            break
    _apply(after, bound, written, "after", outcome)
    return outcome


def _recover(code: int, attempt: Attempt, seconds: float) -> None:
    """Gives back what arrays keep where memory has run out, and waits."""
    if _facts.error_names().get(code) in OF_MEMORY:
        _core.free_all_blocks()
    attempt.waited = seconds
    time.sleep(seconds)


def _device_of(bound: dict[str, Any]) -> int:
    for value in bound.values():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, Tensor):
                return one.device
            if isinstance(one, ndarray):
                return int(str(one.device).partition(":")[2] or 0)
    return _devices.current_device()


def values_of(value: Any) -> Any:
    """The values of an array or a tensor as numpy.ndarray, of a list as a list of them."""
    if isinstance(value, list | tuple):
        return [values_of(one) for one in value]
    return to_numpy(value) if isinstance(value, Tensor) else array_to_numpy(value)


def put_back(to: Any, values: Any) -> None:
    """Writes values that `values_of` took."""
    if isinstance(to, list | tuple):
        for one, own in zip(to, values, strict=True):
            put_back(one, own)
    elif isinstance(to, Tensor):
        write(to, values)
    else:
        to[...] = values


def _apply(checks: Iterable[Check], bound: dict[str, Any], names: set[str], when: str, outcome: Outcome) -> None:
    for check in checks:
        outcome.checks.append(f"{when}: {getattr(check, '__name__', check)}")
        for name in sorted(names):
            value = bound.get(name)
            if value is None:
                continue
            taken = values_of(value)
            for each in taken if isinstance(taken, list) else [taken]:
                if problem := check(name, each):
                    raise CheckError(f"{outcome.operator}: {when} the call: {problem}", outcome)
