"""Which implementation would compute a call, and why the others would not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from asnumpy.operators import _builtins, _dispatch, _registry
from asnumpy.operators._call import Call
from asnumpy.operators._dispatch import Choice
from asnumpy.operators._operator import Operator


@dataclass(frozen=True)
class Explanation:
    """What would compute a call: `chosen` is the implementation's name, None where nothing can."""

    call: Call | str  # of a built-in operation its name and device
    choices: tuple[Choice | _builtins.Choice, ...]

    @property
    def chosen(self) -> str | None:
        """The first that can."""
        return next((one.name for one in self.choices if not one.why_not), None)

    def __str__(self) -> str:
        call = self.call
        if isinstance(call, str):
            return "\n".join([call, *_listed(self.choices)])
        letters = ", ".join(f"{letter} = {dtype.name}" for letter, dtype in call.letters.items())
        sizes = ", ".join(f"{name} = {size}" for name, size in call.sizes.items() if name not in call.attributes)
        batch = f"... = {call.batch}" if any(one.batched for one in call.declaration.inputs) else ""
        lines = [f"{call.declaration.name} on {call.device}: " + "; ".join(filter(None, [letters, sizes, batch]))]
        return "\n".join([*lines, *_listed(self.choices)] if self.choices else [*lines, "  nothing computes it"])

    __repr__ = __str__


def _listed(choices: Iterable[Choice | _builtins.Choice]) -> Iterator[str]:
    """A line for each."""
    chosen = False
    for one in choices:
        if one.why_not:
            yield f"  no   {one.name}: {one.why_not}"
        else:
            yield f"  {'next' if chosen else 'runs'} {one.name}: {one.why}"
            chosen = True


def explain(op: Operator | Callable[..., Any] | str, /, *args: Any, **kwargs: Any) -> Explanation:
    """Say which implementation would compute a call, and why; nothing runs.

    Parameters
    ----------
    op : Operator, function or str
        The operator, a function of NumPy's that asnumpy has, or the name of one.
    *args, **kwargs
        Those of the call.

    Returns
    -------
    Explanation
        Its text lists the implementations in the order in which they are tried; `chosen` is the first that can.
    """
    named = _builtins.operations()
    builtin = op if isinstance(op, str) else next((name for name, one in named.items() if one is op), "")
    if builtin in named:
        device, choices = _builtins.candidates(builtin, args, kwargs)
        return Explanation(f"{builtin} on {device}", tuple(choices))
    found = op if isinstance(op, Operator) else _registry.get(cast(str, op))
    call = found.bind(*args, **kwargs)
    return Explanation(call, tuple(_dispatch.candidates(found.implementations, call)))
