"""Which implementation would compute a call, and why the others would not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from asnumpy.operators import _dispatch, _registry
from asnumpy.operators._binding import Call
from asnumpy.operators._dispatch import Choice
from asnumpy.operators._operator import Operator


@dataclass(frozen=True)
class Explanation:
    """What would compute a call: `chosen` is the implementation's name, None where nothing can."""

    call: Call
    choices: tuple[Choice, ...]

    @property
    def chosen(self) -> str | None:
        """The first that can."""
        return next((one.name for one in self.choices if not one.why_not), None)

    def __str__(self) -> str:
        call = self.call
        letters = ", ".join(f"{letter} = {dtype.name}" for letter, dtype in call.letters.items())
        sizes = ", ".join(f"{name} = {size}" for name, size in call.sizes.items() if name not in call.attributes)
        batch = f"... = {call.batch}" if any(one.batched for one in call.declaration.inputs) else ""
        lines = [f"{call.declaration.name} on {call.device}: " + "; ".join(filter(None, [letters, sizes, batch]))]
        chosen = False
        for one in self.choices:
            if one.why_not:
                lines.append(f"  no   {one.name}: {one.why_not}")
            else:
                lines.append(f"  {'next' if chosen else 'runs'} {one.name}: {one.why}")
                chosen = True
        return "\n".join(lines if self.choices else [*lines, "  nothing computes it"])

    __repr__ = __str__


def explain(op: Operator | str, /, *args: Any, **kwargs: Any) -> Explanation:
    """Say which implementation would compute a call, and why; nothing runs.

    Parameters
    ----------
    op : Operator or str
        The operator, or its name.
    *args, **kwargs
        Those of the call.

    Returns
    -------
    Explanation
        Its text lists the implementations in the order in which they are tried; `chosen` is the first that can.
    """
    found = _registry.get(op) if isinstance(op, str) else op
    call = found.bind(*args, **kwargs)
    return Explanation(call, tuple(_dispatch.candidates(found.implementations, call)))
