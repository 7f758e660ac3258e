"""Environments for programs with torch and torch_npu, which have their own Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import scipy

import asnumpy as ap
from asnumpy import cannsim
from cannsim import acl

TORCH = ("torch==2.13.0+cpu",)
PLUGIN = ("torch_npu==2.13.0",)
TESTS = Path(__file__).parents[1]
NEEDS = ("numpy", "pyyaml")


def pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


def torch_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has torch for the CPU and torch_npu, and nothing of ours."""
    if given := os.environ.get("ASNUMPY_TORCH_NPU_PYTHON"):
        return Path(given)
    folder = tmp_path_factory.mktemp("torch_npu")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    made = folder / "bin" / "python"
    for arguments in (["--no-deps", *TORCH, *PLUGIN], [*TORCH, *NEEDS]):
        installed = pip(made, "install", "--quiet", *arguments)
        if installed.returncode:
            reason = (installed.stderr.strip().splitlines() or ["no message"])[-1]
            pytest.skip(f"pip finds no {' '.join(arguments)} (its sources need torch's build for the CPU): {reason}")
    return made


def their_environment(report: Path) -> dict[str, str]:
    """The environment of a program that finds the simulator and nothing else of ours."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    environment |= cannsim.environment(report=report)
    return environment | {"LD_LIBRARY_PATH": str(acl.folder()), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}


def with_asnumpy(python: Path, folder: Path, **settings: Any) -> dict[str, str]:
    """The environment of a program that imports torch_npu and asnumpy; `folder` gets links to packages."""
    version = "import sys; print(sys.implementation.cache_tag)"
    theirs = subprocess.run([str(python), "-c", version], capture_output=True, text=True, check=True).stdout.strip()
    if theirs != sys.implementation.cache_tag:
        pytest.skip(f"asnumpy is built for {sys.implementation.cache_tag}, torch_npu's environment has {theirs}")
    site = Path(scipy.__file__).parents[1]
    for name in ("scipy", "scipy.libs", "ml_dtypes"):  # what asnumpy needs and that environment may lack
        if (site / name).exists():
            (folder / name).symlink_to(site / name)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASNUMPY_")}
    environment |= cannsim.environment(strict="error", findings=folder / "findings", **settings)
    return environment | {
        "LD_LIBRARY_PATH": str(acl.folder()), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "ASNUMPY_CANN": "sim",
        "ASNUMPY_CANNSIM_LIB": str(acl.folder()),
        "PYTHONPATH": os.pathsep.join([str(Path(ap.__file__).parents[1]), str(folder), str(TESTS)]),
    }
