"""The command line: help, version, configuration, and the errors it gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import asnumpy as ap


def run(*arguments: str, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "asnumpy", *arguments], capture_output=True, text=True, timeout=timeout,
        env={**os.environ, **environment},
    )


def test_help_names_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "demo" in done.stdout and "info" in done.stdout


def test_version() -> None:
    assert run("--version").stdout.strip() == f"asnumpy {ap.__version__}"


def test_info_shows_the_configuration() -> None:
    done = run("info", ASNUMPY_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert "cpu" in done.stdout.lower() and "thread" in done.stdout.lower()


@pytest.mark.parametrize("arguments", [[], ["dance"], ["demo", "--threads", "0"], ["demo", "--threads", "many"]])
def test_wrong_use_exits_2_with_the_usage(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage" in done.stderr and "Traceback" not in done.stderr


def test_demo_without_its_extras_names_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules.update(dict.fromkeys(['matplotlib', 'PIL', 'tqdm']))\n"  # None: not to be found
    )
    path = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = run("demo", PYTHONPATH=os.pathsep.join(path))
    assert done.returncode == 2
    assert 'pip install "asnumpy[demo]"' in done.stderr and "Traceback" not in done.stderr
