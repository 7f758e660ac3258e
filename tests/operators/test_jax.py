"""Operators in JAX, the real package, in a process of its own: that of this environment, or of ASNUMPY_JAX_PYTHON."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import case_program
import documented
import pytest
from host_compiler import needs_compiler

import asnumpy as ap

PATH = os.pathsep.join([str(Path(ap.__file__).parents[1]), str(Path(case_program.__file__).parent)])
PYTHON = os.environ.get("ASNUMPY_JAX_PYTHON") or (sys.executable if importlib.util.find_spec("jax") else None)
pytestmark = [
    pytest.mark.skipif(PYTHON is None, reason="jax is not installed, nor named by ASNUMPY_JAX_PYTHON"),
    needs_compiler,
]  # fmt: skip


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": PATH, "JAX_PLATFORMS": "cpu"}
    return subprocess.run([str(PYTHON), *arguments], env=environment, capture_output=True, text=True, timeout=300,
                          check=False)  # fmt: skip


def test_operators_of_ours_are_functions_of_jax() -> None:
    done = run(str(Path(__file__).with_name("jax_program.py")))
    case_program.check(done, least=8)


def test_the_block_in_the_documentation_runs() -> None:
    page = Path(__file__).parents[2] / "docs" / "frameworks.md"
    (block,) = [text for _, text in documented.blocks(page) if "to_jax" in text]
    done = run("-c", block)
    assert done.returncode == 0, done.stderr
