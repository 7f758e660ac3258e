"""Which programs and snippets do not yet do what they do with NumPy, where, and why: the lines of failing.txt."""

from __future__ import annotations

import functools
from pathlib import Path


@functools.cache
def _table() -> dict[tuple[str, str], str]:
    """The reasons by place (cpu, npu, or both) and name."""
    table = {}
    for line in Path(__file__).with_name("failing.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            where, name, reason = (part.strip() for part in line.split("|"))
            for place in ("cpu", "npu") if where == "both" else (where,):
                table[place, name] = reason
    return table


def reason_to_fail(name: str, place: str) -> str:
    """Why this does not pass there, or an empty string."""
    return _table().get((place, name), "")
