"""`python -m asnumpy check` on the simulator: all of it passes, what is planted is found, what it found is used."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from device_marks import OTHERS, needs_built_simulator, needs_hardware, needs_one

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.check import STEPS
from asnumpy.check._functions import cases as function_cases
from asnumpy.check._steps import Scope

HEADER = Path(__file__).resolve().parents[2] / "core" / "ascend" / "library" / "cann.hpp"
NOT_OURS = {"ASNUMPY_DEVICE", "ASNUMPY_GRAPH_REPLAY", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"}



class Machine:
    """A machine of the test's own: its cache and its outputs are in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        plain = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
        machine = {"ASNUMPY_CANN": "sim", "XDG_CACHE_HOME": str(self.folder / "cache")}
        return subprocess.run(
            [sys.executable, *command], env={**plain, **machine, **environment}, capture_output=True, text=True,
            timeout=600, check=False,
        )

    def check(self, *arguments: str, **environment: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
        output = str(self.folder / "out")
        done = self.run("-m", "asnumpy", "check", "--output", output, *arguments, **environment)
        assert "Traceback" not in done.stderr, done.stderr
        return done, json.loads((self.folder / "out" / "check.json").read_text())

    def files(self) -> list[Path]:
        return sorted((self.folder / "cache" / "asnumpy" / "machines").glob("*"))


def failures(record: dict[str, Any], step: str) -> dict[str, str]:
    """The cases of a step that failed, with what was said."""
    found = next(one for one in record["steps"] if one["step"] == step)
    return {case["case"]: case["error"] for case in found["cases"] if case["state"] == "failed"}


Checked = tuple[Machine, subprocess.CompletedProcess[str], dict[str, Any]]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    machine = Machine(tmp_path_factory.mktemp("machine"))
    return machine, *machine.check("--quick")


@needs_built_simulator
def test_the_simulator_passes(checked: Checked) -> None:
    machine, done, record = checked
    assert done.returncode == 0, done.stdout
    assert [step["step"] for step in record["steps"]] == [step.name for step in STEPS]
    assert record["passed"] and record["complete"] and record["quick"] and record["simulated"]
    assert {step["state"] for step in record["steps"]} == {"passed"}
    assert record["asnumpy"] == ap.__version__ and record["chip"] == "Ascend910B1" and record["cann"]
    rows = next(step for step in record["steps"] if step["step"] == "elementwise")["cases"]
    assert len(rows) > 80 and all(case["state"] == "passed" for case in rows)
    assert record["figures"]["launches"]["launch_and_wait_seconds"] > 0
    page = (machine.folder / "out" / "check.html").read_text()
    assert "Ascend910B1" in page and "launch and wait seconds" in page
    assert not re.search(r"(src|href)\s*=|@import|url\(", page)


@needs_built_simulator
def test_info_tells_of_the_check(checked: Checked) -> None:
    machine, _, record = checked
    said = machine.run("-m", "asnumpy", "info").stdout
    assert f"Checked: {record['ended'][:10]}" in said and "nothing failed; graphs: passed" in said
    other = machine.run("-m", "asnumpy", "info", CANNSIM_CHIP="Ascend910B4").stdout
    assert "Checked: not yet with these versions" in other
    report = json.loads(machine.run("-m", "asnumpy", "info", "--json").stdout)
    assert report["checked"]["failed"] == [] and report["checked"]["complete"]


REPLAY = "import asnumpy as ap; ap.ones(3, device='ascend:0').tolist(); print(ap.config.graph_replay)"


@needs_built_simulator
@pytest.mark.parametrize(("environment", "replay"), [
    ({}, "True"), ({"CANNSIM_CHIP": "Ascend910B4"}, "False"), ({"ASNUMPY_GRAPH_REPLAY": "0"}, "False"),
    ({"XDG_CACHE_HOME": "/nowhere"}, "False"),
])  # fmt: skip
def test_graphs_are_replayed_where_the_check_passed(checked: Checked, environment: dict[str, str], replay: str) -> None:
    machine, *_ = checked
    assert machine.run("-c", REPLAY, **environment).stdout.strip() == replay


@needs_built_simulator
def test_what_was_done_is_not_done_again(checked: Checked) -> None:
    machine, _, before = checked
    done, record = machine.check("--quick", "--resume")
    assert done.returncode == 0 and done.stdout.count("earlier") == len(STEPS)
    assert record["steps"] == before["steps"]
    assert len(machine.files()) == 1  # and nothing is left beside it


PLANTED = [
    ({"CORRUPT": "aclnnExp"}, "elementwise", "exp", "elements differ"),
    ({"CRASH": "aclnnExp"}, "elementwise", "exp", "the process ended with signal 6"),
    ({"HANG": "aclnnCos"}, "elementwise", "cos", "hangs: cos has not ended"),
    ({"CORRUPT": "aclnnReduceSum"}, "reductions", "add.reduce", "elements differ"),
    ({"CORRUPT": "aclnnMatmul"}, "products", "exact: float32", "elements differ"),
    ({"CORRUPT": "aclnnIndexSelect,aclnnIndex"}, "structured", "take", "elements differ"),
    ({"CORRUPT": "aclnnInplaceCopy"}, "layouts", "written: transposed", "elements differ"),
    ({"FAULTS": "aclrtCreateEventWithFlag:0:207007"}, "functions", "aclrtEventElapsedTime", "207007"),
    ({"FAULTS": "aclrtMallocHost:0:207001"}, "functions", "aclrtMallocHost aclrtFreeHost aclrtMemcpyAsync", "207001"),
    ({"FAULTS": "aclmdlRICaptureEnd:0:207000"}, "graphs", "a program that recurs", "0 replays"),
    ({"LAG": "20000"}, "figures", "launches", "the device or its link is slow"),
]  # fmt: skip


@needs_built_simulator
@pytest.mark.parametrize(("planted", "step", "case", "said"), PLANTED)
def test_what_is_planted_is_found(
    planted: dict[str, str], step: str, case: str, said: str, tmp_path: Path
) -> None:
    environment = {f"CANNSIM_{name}": value for name, value in planted.items()}
    done, record = Machine(tmp_path).check(
        "--quick", "--timeout", "5" if "HANG" in planted else "60", "--only", f"{step}:{case}", **environment
    )
    assert done.returncode == 1 and f"failed: {step}" in done.stdout
    assert said in failures(record, step)[case]
    assert not record["passed"] and said in (tmp_path / "out" / "check.html").read_text()


@needs_built_simulator
def test_what_is_refused_is_listed(tmp_path: Path) -> None:
    """The values are right, by another way."""
    done, record = Machine(tmp_path).check("--quick", "--only", "elementwise:exp", CANNSIM_FAULTS="aclnnExp:0:161002")
    assert done.returncode == 0 and {one["code"] for one in record["demoted"]} == {161002}
    assert any(one["what"].startswith("aclnnExp(float32") for one in record["demoted"])
    assert "aclnnExp(float32" in (tmp_path / "out" / "check.html").read_text()


LEFT_OUT = """
import asnumpy as ap
from asnumpy import cannsim
cannsim.configure(log=True)
x = ap.ones(3, dtype="int32", device="ascend:0")
print((x + x).tolist(), [(one["what"], one["count"]) for one in ap.demotions()],
      any(call["function"] == "aclnnAdd" for call in cannsim.log()))
"""


@needs_built_simulator
def test_what_is_refused_is_not_tried_again_until_the_next_check(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    usual = machine.run("-c", LEFT_OUT).stdout
    assert usual == "[2, 2, 2] [] True\n"
    machine.check("--quick", "--only", "streams", CANNSIM_FAULTS="aclnnAdd:0:161002")
    said = machine.run("-c", LEFT_OUT).stdout
    assert said.startswith("[2, 2, 2] [(") and "('aclnnAdd(int32, int32, int32)', 0)" in said
    assert said.endswith(" False\n")
    another = "8.1" if os.environ.get("CANNSIM_CANN") == "8.0" else "8.0"
    for other in ({"CANNSIM_CHIP": "Ascend910B4"}, {"CANNSIM_CANN": another}):
        assert machine.run("-c", LEFT_OUT, **other).stdout == usual
    _, record = machine.check("--quick", "--only", "streams")
    assert record["demoted"] == []
    assert machine.run("-c", LEFT_OUT).stdout == usual


@needs_built_simulator
def test_what_comes_after_a_crash_is_checked(tmp_path: Path) -> None:
    done, record = Machine(tmp_path).check("--quick", "--only", "elementwise", CANNSIM_CRASH="aclnnExp,aclnnTan")
    cases = record["steps"][0]["cases"]
    failed = set(failures(record, "elementwise"))
    assert done.returncode == 1 and {"exp", "tan"} <= failed
    assert len(cases) == len({case["case"] for case in cases}) > 80 and len(failed) < 10
    assert cases[-1]["state"] == "passed"


@needs_built_simulator
def test_a_check_ends_in_time_and_goes_on_later(tmp_path: Path) -> None:
    """The second step hangs for longer than the whole check may take; without that, only what was left is done."""
    machine, steps = Machine(tmp_path), ("--only", "loading", "--only", "layouts", "--only", "graphs")
    begun = time.monotonic()
    done, record = machine.check("--quick", "--limit", "12", *steps, CANNSIM_HANG="aclnnInplaceCopy")
    assert time.monotonic() - begun < 40 and done.returncode == 0, done.stdout
    assert "not finished within 12 s: layouts, graphs; --resume goes on" in done.stdout
    assert [step["state"] for step in record["steps"]] == ["passed", "unfinished"]
    assert not record["complete"] and "not to their end" in (tmp_path / "out" / "check.html").read_text()
    done, record = machine.check("--quick", "--resume", *steps)
    assert done.returncode == 0 and done.stdout.count("earlier") == 1
    assert [step["state"] for step in record["steps"]] == ["passed"] * 3


@needs_built_simulator
@pytest.mark.parametrize("present", [("libascendcl.so", "libcannsim.so"), ()], ids=["in part", "none"])
def test_a_missing_library(present: tuple[str, ...], tmp_path: Path) -> None:
    libraries = tmp_path / "lib64"
    libraries.mkdir()
    for name in present:
        (libraries / name).symlink_to(cannsim.folder() / name)
    done, record = Machine(tmp_path).check("--only", "loading", ASNUMPY_CANN=str(tmp_path))
    assert done.returncode == 1
    assert "libopapi.so" in str(failures(record, "loading")) or "lib64" in str(failures(record, "loading"))
    assert record["failure"]


@needs_built_simulator
def test_two_devices(tmp_path: Path) -> None:
    done, record = Machine(tmp_path).check("--only", "processes", "--device", "ascend:1", CANNSIM_DEVICES="2")
    assert done.returncode == 0, done.stdout
    states = {case["case"]: case["state"] for case in record["steps"][0]["cases"]}
    assert states["two devices"] == states["two processes on two devices"] == "passed"


@needs_built_simulator
def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    done, record = Machine(tmp_path).check(
        "--device", "ascend:1", "--only", "loading", "--only", "elementwise", CANNSIM_DEVICES="1"
    )
    assert done.returncode == 1 and "ascend:1" in str(failures(record, "loading"))
    assert {step["state"] for step in record["steps"]} == {"failed"} and "ascend:1" in record["steps"][1]["error"]


@needs_built_simulator
def test_a_part_says_nothing_of_the_whole(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.check("--only", "graphs:in place")
    assert machine.files() == []  # of a step only one case ran
    assert machine.run("-c", REPLAY).stdout.strip() == "False"


CLOCK = """
from asnumpy import cannsim
import asnumpy as ap
x = ap.ones(16, device="ascend:0")
ap.synchronize()
cannsim.clear()
ap.eval(x + 1)
ap.synchronize()
print(sum(task["modelled_seconds"] for task in cannsim.report()["tasks"]))
"""


@needs_built_simulator
@pytest.mark.parametrize("chip", ["Ascend910B1", "Ascend910B4"])
def test_the_clock_takes_measured_figures(chip: str, tmp_path: Path) -> None:
    machine, file = Machine(tmp_path), tmp_path / "check.json"
    environment = {"ASNUMPY_EAGER": "0", "CANNSIM_CHIP": chip}
    file.write_text(json.dumps({"figures": {}, "profile": {"launch_seconds": 0.25}}, indent=1))
    usual = float(machine.run("-c", CLOCK, **environment).stdout)
    measured = float(machine.run("-c", CLOCK, **environment, CANNSIM_PROFILE=str(file)).stdout)
    assert 0 < usual < 1e-3 and 0.25 <= measured < 1
    file.write_text("{}")
    assert "CANNSIM_PROFILE" in machine.run("-c", CLOCK, **environment, CANNSIM_PROFILE=str(file)).stderr


@needs_built_simulator
def test_the_profile_is_what_was_measured(checked: Checked) -> None:
    record = checked[2]
    assert record["profile"]["link_bytes_per_second"] == record["figures"]["copies"]["up_pinned_bytes_per_second"]
    assert len(record["profile"]) == 4 and min(record["profile"].values()) > 0


def test_list_and_wrong_steps(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    listed = machine.run("-m", "asnumpy", "check", "--list")
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    assert listed.returncode == 0 and names == [step.name for step in STEPS]
    wrong = machine.run("-m", "asnumpy", "check", "--only", "dance")
    assert wrong.returncode == 2 and "expected one of loading," in wrong.stderr


@pytest.mark.skipif(not HEADER.exists(), reason="needs the source tree")
@needs_one
def test_each_function_that_the_backend_calls_is_checked() -> None:
    text = HEADER.read_text()
    used = set(re.findall(r"each\((\w+)\)", text[: text.index("struct Cann")]))
    by_others = {  # what every process of the check does
        "aclInit", "aclFinalize", "aclFinalizeReference", "aclGetRecentErrMsg", "aclrtSetDevice", "aclrtResetDevice",
        "aclrtCreateStream", "aclrtDestroyStream", "aclrtSynchronizeStream", "aclrtDestroyEvent",
        "aclsysGetCANNVersion", "aclrtGetVersion", "aclDestroyAclOpExecutor", "AclSetTensorAddr",
        "aclSetDynamicTensorAddr", "aclrtCtxSetSysParamOpt", "aclrtBinaryUnLoad", "each",
    }
    named = {word for name, _ in function_cases(Scope()) for word in name.split()}
    named |= {word.replace("aclCreate", "aclDestroy") for word in named}
    graphs = {name for name in used if name.startswith("aclmdlRI")}
    assert used - named - by_others - graphs == set()


@pytest.mark.npu
@needs_hardware
def test_the_device_passes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "asnumpy", "check", "--device", str(OTHERS[0]), "--output", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
