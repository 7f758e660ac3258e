"""Operators of one's own in torch, on its CPU and on simulated NPUs: a library in C++, and asnumpy's operators."""

from __future__ import annotations

import subprocess
from pathlib import Path

import case_program
import documented
import pytest

from cannsim.torch_environment import with_asnumpy

pytestmark = pytest.mark.torch_npu

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what the documented command builds."""
    folder = tmp_path_factory.mktemp("basic_matmul") / "build"
    command = [str(python), str(ROOT / "examples" / "basic_matmul" / "build.py"), "-o", str(folder)]
    environment = with_asnumpy(python, tmp_path_factory.mktemp("links"))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert [path.name for path in folder.iterdir()] == ["ascendct_torch.so"]  # with its kernels in it
    return folder


def check_program(python: Path, folder: Path, program: str, *arguments: str) -> None:
    """Runs a program of this folder, whose cases must pass, and in which the simulator finds nothing wrong."""
    run = subprocess.run(
        [str(python), str(Path(__file__).with_name(program)), *arguments], env=with_asnumpy(python, folder),
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    case_program.check(run, least=10)
    found = (folder / "findings").read_text() if (folder / "findings").exists() else ""
    assert all(line.startswith("cannsim: leak: ") for line in found.splitlines()), found


def test_basic_matmul_beside_torch(python: Path, built: Path, tmp_path: Path) -> None:
    """Called as a Python module and as torch.ops.AscendCTTorch.basic_matmul."""
    check_program(python, tmp_path, "torch_basic_matmul.py", str(built))


@pytest.mark.parametrize("queue", ["0", "2"])
def test_operators_of_ours_are_torchs(
    python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, queue: str
) -> None:
    """Also with the queue in which torch_npu holds back what it launches."""
    monkeypatch.setenv("TASK_QUEUE_ENABLE", queue)
    check_program(python, tmp_path, "torch_operators.py")


@pytest.mark.parametrize("which", ["to_torch", "ascendct_torch"])
def test_the_blocks_in_the_documentation_run(python: Path, built: Path, tmp_path: Path, which: str) -> None:
    (block,) = [text for _, text in documented.blocks(ROOT / "docs" / "frameworks.md") if which in text]
    environment = with_asnumpy(python, tmp_path)
    environment["PYTHONPATH"] += f":{built}"
    run = subprocess.run(
        [str(python), "-c", block], env=environment, cwd=built.parent, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
