"""Runs of programs in processes of their own, for the tests of `python -m asnumpy run`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import asnumpy

SOURCE = str(Path(asnumpy.__file__).parents[1])


def written(folder: Path, **texts: str) -> Path:
    """Modules by their names; returns the folder."""
    for name, text in texts.items():
        path = folder / (name.replace("__in__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def python(*arguments: str, cwd: Path, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    paths = [environment.pop("PYTHONPATH", ""), SOURCE, os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, input=given, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


def run(*arguments: str, cwd: Path, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "asnumpy", "run", *arguments, cwd=cwd, given=given, **environment)
