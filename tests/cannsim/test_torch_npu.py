"""A program that is not ours on the simulator: the torch_npu wheel as it is, its results beside those of torch's CPU.

Left out unless asked for (`pytest -m torch_npu`): it makes an environment of its own and installs 250 MB of wheels.
ASNUMPY_TORCH_NPU_PYTHON names the Python of an environment that has them already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import case_program
import documented
import pytest

from cannsim import acl
from cannsim.torch_environment import their_environment, with_asnumpy

pytestmark = pytest.mark.torch_npu

PROGRAM = Path(__file__).with_name("torch_npu_program.py")
GROUPS = (
    "creation", "arithmetic", "functions", "logic", "reductions", "products", "movement", "indexing", "numbers",
    "networks", "autograd", "training", "models", "images", "printing", "device",
)  # fmt: skip

# What differs from the CPU on any NPU, because torch_npu does it so.
TORCH_NPU_DIFFERS = {
    ("arithmetic", "to double"): "torch_npu converts to float32 in place of float64, and warns",
    ("networks", "gelu"): "torch_npu computes both forms with aclnnGelu, which is the one with tanh",
}


@dataclass
class Outcome:
    versions: dict[str, str] = field(default_factory=dict)
    failures: dict[str, dict[str, str]] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    text: str = ""


@pytest.fixture(scope="session")
def outcome(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The program's run, once for all tests of this file."""
    report = tmp_path_factory.mktemp("run") / "report"
    environment = their_environment(report)
    run = subprocess.run(
        [str(python), str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    result = Outcome(text=run.stderr, report=json.loads(report.read_text()))
    for line in run.stdout.splitlines():
        if not line.startswith("{"):
            continue
        one = json.loads(line)
        if "case" in one:
            result.failures.setdefault(one["group"], {})[one["case"]] = one["failure"]
        else:
            result.versions = one
    return result


def test_torch_npu_finds_the_simulated_chip(outcome: Outcome) -> None:
    assert outcome.versions["torch"].startswith("2.13.0")
    assert outcome.versions["torch_npu"].startswith("2.13.0")
    assert outcome.versions["device"] == "Ascend910B1"


@pytest.mark.parametrize("group", GROUPS)
def test_results_are_those_of_the_cpu(outcome: Outcome, group: str) -> None:
    cases = outcome.failures[group]
    different = {name for name, failure in cases.items() if failure}
    expected = {name for place, name in TORCH_NPU_DIFFERS if place == group}
    assert different == expected, "\n".join(f"{name}: {cases.get(name)}" for name in sorted(different ^ expected))


def test_the_program_covers_what_it_should(outcome: Outcome) -> None:
    assert set(outcome.failures) == set(GROUPS)
    assert sum(map(len, outcome.failures.values())) >= 309
    ran = {task["name"] for task in outcome.report["tasks"] if task["name"].startswith("aclnn")}
    assert len(ran) >= 160, f"expected the operators to run on the simulator, got {sorted(ran)}"
    assert "fall back" not in outcome.text  # torch_npu says so when it computes on the CPU


def test_the_simulator_finds_nothing_wrong_but_what_torch_npu_leaves_at_the_end(outcome: Outcome) -> None:
    assert [one for one in outcome.report["findings"] if one["kind"] != "leak"] == []


def test_the_block_in_the_documentation_runs(python: Path, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "simulator.md"
    (block,) = [text for _, text in documented.blocks(page) if "import torch" in text]
    run = subprocess.run(
        [str(python), "-c", block], env=their_environment(tmp_path / "report"), capture_output=True, text=True,
        timeout=300, check=False,
    )
    assert run.returncode == 0, run.stderr


REFUSED = """
import torch, torch_npu
x = torch.ones(3, device="npu", dtype=torch.bfloat16)
try:
    torch.histc(x, 4)  # CANN has it of float16 and float32
    print("no exception")
except RuntimeError as error:
    print("aclnnHistc" in str(error))
print((x * 2).sum().item())
"""


def test_an_operator_that_fails_is_told_at_its_line_and_ends_the_report(python: Path) -> None:
    """Without torch_npu's queue, which `sim` switches off: there the exception comes later or not at all."""
    environment = {name: value for name, value in os.environ.items() if name != "TASK_QUEUE_ENABLE"}
    command = [sys.executable, "-m", "asnumpy", "sim", "--report", "--", "env", "-u", "PYTHONPATH", str(python), "-c"]
    run = subprocess.run(
        [*command, REFUSED], env=environment | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.splitlines()[-2:] == ["True", "6.0"]
    told, last = run.stderr.splitlines()[-2:]
    assert told == "operators refused: aclnnHistc (161002) 1 times"
    assert last.startswith("  values after the first of these are not to be trusted")


def test_memory_is_shared_with_arrays(python: Path, tmp_path: Path) -> None:
    """Both ways, in one process: arrays as tensors, tensors as arrays."""
    environment = with_asnumpy(python, tmp_path)
    program = PROGRAM.with_name("torch_npu_exchange.py")
    run = subprocess.run(
        [str(python), str(program)], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    case_program.check(run, least=8)
    found = (tmp_path / "findings").read_text() if (tmp_path / "findings").exists() else ""
    assert all(line.startswith("cannsim: leak: ") for line in found.splitlines()), found


def test_what_the_documentation_says_of_torch(python: Path, tmp_path: Path) -> None:
    """docs/from-torch-npu.md, name beside name, as far as torch's CPU has it."""
    run = subprocess.run(
        [str(python), str(PROGRAM.with_name("torch_names.py"))], env=with_asnumpy(python, tmp_path),
        capture_output=True, text=True, timeout=300, check=False,
    )
    case_program.check(run, least=6)


TENSOR = "import torch, torch_npu\nt = torch.ones(4, device='npu:0')\n"
ARRAY = "import asnumpy as ap\nx = ap.ones(4, device='ascend:0') * 2\nassert x.sum() == 8\n"


@pytest.mark.parametrize("beginning", [
    TENSOR + ARRAY, ARRAY + TENSOR, "import torch, torch_npu\n" + ARRAY + TENSOR, "import asnumpy\n" + TENSOR + ARRAY,
], ids=["torch_npu first", "asnumpy first", "torch_npu is imported first", "asnumpy is imported first"])  # fmt: skip
def test_who_starts_cann_first_ends_it_last(python: Path, tmp_path: Path, beginning: str) -> None:
    """Whichever comes first, both work until the process ends, and neither uses what the other has ended."""
    log = tmp_path / "log"
    use = "print((t + 1).sum().item(), float((x + 1).sum()))"
    run = subprocess.run(
        [str(python), "-c", f"{beginning}{use}\nimport atexit\natexit.register(lambda: {use})"],
        env=with_asnumpy(python, tmp_path) | {"CANNSIM_LOG": str(log)}, capture_output=True, text=True, timeout=300,
        check=False,
    )
    assert run.returncode == 0 and "Exception" not in run.stderr, run.stderr[-2000:]
    assert run.stdout.splitlines()[-2:] == ["8.0 12.0"] * 2
    calls = [one["function"] for one in json.loads(log.read_text())]
    assert calls.count("aclInit") == 2 and calls.count("aclFinalizeReference") == 1  # arrays let go of what they took
    if "aclFinalize" in calls:  # torch_npu ends CANN where it has started it
        after = calls[calls.index("aclFinalize") + 1 :]
        assert not [name for name in after if not name.startswith(("aclDestroy", "aclrtFree"))], after
        assert calls.index("aclFinalizeReference") < calls.index("aclFinalize")


def test_the_check_of_a_machine_runs_beside_it(python: Path, tmp_path: Path) -> None:
    environment = with_asnumpy(python, tmp_path) | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = ["-m", "asnumpy", "check", "--quick", "--only", "processes", "--output", str(tmp_path / "out")]
    run = subprocess.run(
        [str(python), *command], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    (step,) = json.loads((tmp_path / "out" / "check.json").read_text())["steps"]
    states = {case["case"]: case["state"] for case in step["cases"]}
    assert states["torch_npu imported before"] == states["torch_npu imported after"] == "passed"


def test_several_devices_of_another_chip(python: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"LD_LIBRARY_PATH": str(acl.folder()), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    lines = "import torch, torch_npu; torch.npu.set_device(1); print(torch.ones(2, device='npu:1').sum().item())"
    for devices, chip, works in ((2, "Ascend910_9391", True), (1, "Ascend910B1", False)):
        settings = environment | {"CANNSIM_DEVICES": str(devices), "CANNSIM_CHIP": chip}
        run = subprocess.run(
            [str(python), "-c", lines], env=settings, capture_output=True, text=True, timeout=300, check=False
        )
        assert (run.returncode == 0) == works, run.stderr[-2000:]
        assert ("2.0" in run.stdout) == works
