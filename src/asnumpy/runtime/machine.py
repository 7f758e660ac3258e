"""What a check found on this machine: a file in the user's cache, for each chip, CANN and asnumpy one of its own."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

from asnumpy.config._settings import suppose
from asnumpy.runtime import cann_search
from asnumpy.runtime.demotions import apply_demotions

FORM = 2  # of the file
_anew = False


def cache_folder(name: str) -> Path:
    """A folder of that name in the user's cache: below XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "asnumpy" / name


def folder() -> Path:
    """Where such files are."""
    return cache_folder("machines")


def path_of(chip: str, version: str, simulated: bool) -> Path:
    """The file of this chip with this CANN and the asnumpy that is loaded; the simulator is a machine of its own."""
    parts = [chip or "unknown", version or "unknown", sys.modules["asnumpy"].__version__]
    parts += ["simulated"] * simulated
    return folder() / ("_".join(re.sub(r"[^A-Za-z0-9.+-]+", "-", part) for part in parts) + ".json")


def not_ours(found: os.stat_result) -> str:
    """Why a file or folder may hold what others have put there; empty: it may not."""
    if found.st_uid != os.geteuid():
        return f"belongs to user {found.st_uid}"
    return "can be written by others" if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def read(path: Path) -> dict[str, Any] | None:
    """The file's record; None where there is none that this version can read, or others may have written it."""
    try:
        if not_ours(path.parent.lstat()) or not_ours(path.stat()):
            return None
        record = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and record.get("form") == FORM else None


def check_anew() -> None:
    """For a process that checks: it takes nothing from the check before, and finds out itself what CANN refuses."""
    global _anew
    _anew = True


def take_what_was_checked() -> None:
    """Does without what CANN refused in a check with these versions, and switches on what only a check may.

    What the program has set itself stays.
    """
    if _anew:
        return
    found = cann_search.search()
    record = read(path_of(found.chip, found.version, found.simulated))
    if record is None:
        return
    apply_demotions(record["demoted"])
    if states(record).get("graphs") == "passed":
        suppose("graph_replay", True)


def states(record: dict[str, Any]) -> dict[str, str]:
    """What became of each step."""
    return {one["step"]: one["state"] for one in record["steps"]}


def summary(record: dict[str, Any] | None) -> dict[str, Any] | None:
    """Of a record what `info` tells: when, how long, with which versions, what failed, what is missing."""
    if record is None:
        return None
    became = states(record)
    return {
        "when": record["ended"], "quick": record["quick"], "complete": record["complete"],
        "failed": [name for name, state in became.items() if state == "failed"],
        "graphs": became.get("graphs", "not checked"),
        **{name: record[name] for name in ("asnumpy", "numpy", "cann", "driver", "chip")},
    }
