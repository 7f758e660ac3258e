"""The operators that are installed, as text."""

from __future__ import annotations

from asnumpy import operators


def lines() -> list[str]:
    """A line each: the declaration and what computes it."""
    found = operators.registered().values()
    if not found:
        return ["no operator is installed; python -m asnumpy operator new NAME begins one"]
    return [f"{one.declaration}\n    {', '.join(each.name for each in one.implementations)}" for one in found]
