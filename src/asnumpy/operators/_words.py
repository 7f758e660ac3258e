"""What parsers of kernels and declarations share: a word of a text, and the error with its place."""

from __future__ import annotations

from dataclasses import dataclass


class KernelSyntaxError(ValueError):
    """A text is not in the subset of C that kernels, or not in the grammar that operators are written in.

    The message has its line and column.
    """


@dataclass(frozen=True)
class Token:
    """One word of the text; the kind is "name", "number", "sign" or "end"."""

    kind: str
    text: str
    at: int


def refusal(who: str, text: str, at: int, what: str) -> KernelSyntaxError:
    """The error with its place in the text."""
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    shown = text.splitlines()[line - 1] if text.strip() else ""
    return KernelSyntaxError(f"{who}: line {line}, column {column}: {what}\n    {shown}\n    {' ' * (column - 1)}^")
