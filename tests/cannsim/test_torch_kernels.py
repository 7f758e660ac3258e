"""A library in C++ for torch and torch_npu with kernels of its own, built as its page says, on the simulator."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import documented
import pytest

from cannsim.torch_environment import with_asnumpy

pytestmark = pytest.mark.torch_npu

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("torch_basic_matmul.py")


@pytest.fixture(scope="module")
def built(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what the documented command builds."""
    folder = tmp_path_factory.mktemp("basic_matmul") / "build"
    command = [str(python), str(ROOT / "examples" / "basic_matmul" / "build.py"), "-o", str(folder)]
    environment = with_asnumpy(python, tmp_path_factory.mktemp("links"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


def test_basic_matmul_beside_torch(python: Path, built: Path, tmp_path: Path) -> None:
    """Called as a Python module and as torch.ops.AscendCTTorch.basic_matmul."""
    run = subprocess.run(
        [str(python), str(PROGRAM), str(built)], env=with_asnumpy(python, tmp_path), capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    head, *cases = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    assert head["cases"] == len(cases) >= 7
    assert not [case for case in cases if case["failure"]], [case for case in cases if case["failure"]]
    found = (tmp_path / "findings").read_text() if (tmp_path / "findings").exists() else ""
    assert all(line.startswith("cannsim: leak: ") for line in found.splitlines()), found


def test_the_block_in_the_documentation_runs(python: Path, built: Path, tmp_path: Path) -> None:
    (block,) = [text for _, text in documented.blocks(ROOT / "docs" / "frameworks.md") if "ascendct_torch" in text]
    environment = with_asnumpy(python, tmp_path)
    environment["PYTHONPATH"] += f":{built}"
    run = subprocess.run(
        [str(python), "-c", block], env=environment, cwd=built.parent, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
