"""Operators in JAX, the real package, in a process of its own: that of this environment, or of ASNUMPY_JAX_PYTHON."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import documented
import pytest
from host_compiler import needs_compiler

import asnumpy as ap

PYTHON = os.environ.get("ASNUMPY_JAX_PYTHON") or (sys.executable if importlib.util.find_spec("jax") else None)
pytestmark = [
    pytest.mark.skipif(PYTHON is None, reason="jax is not installed, nor named by ASNUMPY_JAX_PYTHON"),
    needs_compiler,
]  # fmt: skip


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(ap.__file__).parents[1]), "JAX_PLATFORMS": "cpu"}
    return subprocess.run([str(PYTHON), *arguments], env=environment, capture_output=True, text=True, timeout=300,
                          check=False)  # fmt: skip


def test_operators_of_ours_are_functions_of_jax() -> None:
    done = run(str(Path(__file__).with_name("jax_program.py")))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    head, *cases = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert head["cases"] == len(cases) >= 7
    assert not [case for case in cases if case["failure"]], [case for case in cases if case["failure"]]


def test_the_block_in_the_documentation_runs() -> None:
    page = Path(__file__).parents[2] / "docs" / "frameworks.md"
    (block,) = [text for _, text in documented.blocks(page) if "to_jax" in text]
    done = run("-c", block)
    assert done.returncode == 0, done.stderr
