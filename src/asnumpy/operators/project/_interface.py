"""The operators of a project as libraries for C, with their headers: what a wheel holds for programs without Python.

    python -m asnumpy.operators.project._interface PACKAGE FOLDER OPERATOR...
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from asnumpy import operators
from asnumpy.operators.frameworks import _native


def write(package: str, folder: Path, names: Sequence[str]) -> list[str]:
    """Write ``include/<name>.h`` and ``lib/lib<name>.so`` of each; returns a line for each that C cannot call alone."""
    importlib.import_module(package)
    left_out = []
    for name in names:
        operator = operators.get(name)
        if why := _native.why_not(operator, "cpu") or _native.unvalued(operator):
            left_out.append(f"{name}: no library for C: {why}")
            continue
        with tempfile.TemporaryDirectory() as work:
            library, header, _ = operators.to_library(operator, work, native=True)
            for path, part in ((library, "lib"), (header, "include")):
                (folder / part).mkdir(parents=True, exist_ok=True)
                shutil.copy(path, folder / part)
    return left_out


if __name__ == "__main__":
    for line in write(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]):
        print(line)
