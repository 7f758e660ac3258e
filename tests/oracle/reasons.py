"""Why a test of NumPy's does not pass here: the rules of reasons.toml, the first that fits decides."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("reasons.toml")


@dataclass(frozen=True)
class Rule:
    """A test that does not pass has this reason if its name fits one of `tests` and its error fits `error`."""

    reason: str
    tests: tuple[str, ...]
    error: str | None

    def names(self, test: str) -> str | None:
        """The pattern that the test's name fits; "" where the rule is for tests of any name."""
        if not self.tests:
            return ""
        return next((pattern for pattern in self.tests if _fits(pattern, test)), None)

    def explains(self, error: str) -> bool:
        return self.error is None or re.search(self.error, error) is not None


def _fits(pattern: str, test: str) -> bool:
    """`*` stands for anything; a pattern also fits every parametrisation of the test it names."""
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression + r"(\[.*\])?", test, re.DOTALL) is not None


def read(file: Path = FILE) -> list[Rule]:
    with file.open("rb") as stream:
        table = tomllib.load(stream)
    rules = []
    for entry in table.get("differs", []):
        unknown = set(entry) - {"reason", "tests", "error"}
        if unknown or not entry.get("reason") or not (entry.get("tests") or entry.get("error")):
            raise ValueError(f"{file.name}: a rule has a reason, and tests or an error or both; got {entry}")
        rules.append(Rule(entry["reason"], tuple(entry.get("tests", ())), entry.get("error")))
    return rules


def explain(rules: Sequence[Rule], test: str, error: str) -> tuple[Rule, str] | None:
    """The first rule that explains why `test` ended with `error`, and the pattern of it that fits."""
    for rule in rules:
        pattern = rule.names(test)
        if pattern is not None and rule.explains(error):
            return rule, pattern
    return None
