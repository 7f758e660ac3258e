"""A module of the package run in a process of its own: what may hang or crash there is told here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any


def told_apart(
    module: str, *arguments: str, seconds: float, environment: Mapping[str, str] | None = None
) -> tuple[Any, str]:
    """The JSON in the last line that the module prints, and nothing; or None, and how the process ended without it.

    TimeoutExpired where it has not ended after that many seconds. `environment`: all its variables (None: these).
    """
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, timeout=seconds, check=False,
        env=environment,
    )
    try:
        return json.loads(done.stdout.splitlines()[-1]), ""
    except (ValueError, IndexError):
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        return None, f"ended with {how}: {last[0]}"
