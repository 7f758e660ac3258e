"""Rules in use: those of a file, or of the one that ASNUMPY_OPERATORS names when the package is loaded."""

from __future__ import annotations

import os

from asnumpy.operators import _builtins, _rules
from asnumpy.operators._rules import Rule


def use_rules(path: str | os.PathLike[str] | None) -> None:
    """Let a file say from now on which implementations compute operators, and where built-in operations go.

    Parameters
    ----------
    path : path or None
        A YAML file, as the environment variable ``ASNUMPY_OPERATORS`` names one at the start; None: no rules.

    Raises
    ------
    ValueError
        If something in the file is wrong: with its name and the line. The rules from before stay.
    ImportError
        If PyYAML is not installed.
    """
    rules = () if path is None else _rules.read(path)
    _builtins.use(rules)
    _rules.put(rules)


def rules() -> tuple[Rule, ...]:
    """The rules in use, in their order.

    Returns
    -------
    tuple of Rule
        Each has `file`, `line`, `patterns`, its conditions and `order`.
    """
    return _rules.current()
