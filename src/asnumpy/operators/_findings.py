"""What a check of an operator has found, as data that prints."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Failure:
    """One thing that is wrong: in which case, of which implementation, and what."""

    case: int
    implementation: str
    device: str
    what: str
    arguments: str

    def __str__(self) -> str:
        return f"{self.implementation} on {self.device}, case {self.case} ({self.arguments}): {self.what}"


@dataclass
class Check:
    """What a check has found."""

    operator: str
    seed: int
    cases: int
    ran: Counter[str] = field(default_factory=Counter)       # comparisons by implementation and device
    not_run: dict[str, str] = field(default_factory=dict)    # and why
    gradients: int = 0
    refusals: int = 0
    failures: list[Failure] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    def __str__(self) -> str:
        state = "passed" if self.passed else f"FAILED {len(self.failures)} times"
        lines = [f"{self.operator}: {state}; {self.cases} cases, seed {self.seed}"]
        lines += [f"  {name}: compared {count} times" for name, count in self.ran.items()]
        lines += [f"  {name}: not run: {why}" for name, why in self.not_run.items() if not self.ran[name]]
        if self.gradients:
            lines.append(f"  gradients: compared {self.gradients} times with differences")
        lines.append(f"  wrong arguments: {self.refusals} refused")
        lines += [f"  {one}" for one in self.failures[:10]]
        if len(self.failures) > 10:
            lines.append(f"  and {len(self.failures) - 10} more")
        if self.failures:
            lines.append(f"  the first again: check({self.operator!r}, seed={self.seed}, only={self.failures[0].case})")
        return "\n".join(lines)

    __repr__ = __str__
