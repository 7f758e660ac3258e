"""Programs in processes of their own whose store of machine code is theirs alone, and compilers that are scripts."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

PROGRAM = """
import os, sys, time
import numpy as np
import asnumpy as ap
from asnumpy import compiled
from asnumpy.compiled import _service
from asnumpy.runtime import machine_code
ap.config.eager_size = 0
rng = np.random.default_rng(7)
x, y, z = (ap.asarray(rng.standard_normal(30_000).astype("f4")) for _ in range(3))
def f():
    return ((x * y + z) * x - y) * z + ap.where(x > y, x, z)
a, b, c = (np.array(one) for one in (x, y, z))  # memory that is shared is written at once
wanted = ((a * b + c) * a - b) * c + np.where(a > b, a, c)
def right():
    return bool((np.asarray(f()) == wanted).all())
def beside():
    return machine_code.beside
def soon(condition, work=lambda: None):
    end = time.monotonic() + 120
    while not condition() and time.monotonic() < end:
        work()
    return condition()
"""


def variables(folder: Path, **environment: str) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(folder), "ASNUMPY_MACHINE_CODE": "wait", "ASNUMPY_DEVICE": "cpu",
            "ASNUMPY_EAGER": "0", **environment}  # fmt: skip


def process(code: str, folder: Path, **environment: str) -> str:
    """What a program prints that begins with PROGRAM, with a store of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + textwrap.dedent(code)], capture_output=True, text=True, timeout=240,
        env=variables(folder, **environment),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "asnumpy" / "kernels").glob("*"))


def fake(path: Path, body: str) -> str:
    """A compiler that is a script."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)
