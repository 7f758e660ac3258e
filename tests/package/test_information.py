"""`python -m asnumpy info` and show_config: what they say of machines that have CANN, a part of it, or none."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from device_marks import needs_built_simulator

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.runtime import diagnosis

NONE = {"ASNUMPY_CANN", "ASNUMPY_DEVICE", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH"}


def info(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if name not in NONE}
    return subprocess.run(
        [sys.executable, "-m", "asnumpy", "info", *arguments], capture_output=True, text=True, timeout=300, check=False,
        env={**plain, **environment},
    )


def report(**cann: Any) -> dict[str, Any]:
    """A machine without anything, but for what is given."""
    blank: dict[str, Any] = {
        "asked": "", "tried": [], "folder": "", "loaded": False, "simulated": False, "version": "", "chip": "",
        "devices": 0, "missing": [], "absent": [], "failure": "CANN was not found", "libraries": [], "operators": None,
        "operator_files": "", "doubts": [],
    }
    extra = {name: cann.pop(name) for name in ("device_nodes", "driver", "kernels", "environment") if name in cann}
    environment = dict.fromkeys(diagnosis.VARIABLES) | extra.pop("environment", {})
    nothing: dict[str, Any] = {"device_nodes": [], "driver": None, "kernels": None}
    return nothing | {"cann": blank | cann, "environment": environment} | extra


def node(name: str, usable: bool = True) -> dict[str, Any]:
    return {"path": f"/dev/{name}", "usable": usable, "group": "HwHiAiUser"}


FOUND = {"loaded": True, "failure": "", "devices": 2, "version": "8.1.RC1", "folder": "/cann/lib64"}
OPP = {"ASCEND_OPP_PATH": "/cann/opp"}


def what(given: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.what, one.remedy) for one in diagnosis.problems(given)]


@pytest.mark.parametrize("given", [
    report(), report(asked="off"), report(**FOUND, environment=OPP, driver="24.1"),
    report(**FOUND, environment={**OPP, "ASNUMPY_DEVICE": "ascend:1"}, driver="24.1", device_nodes=[node("davinci0")]),
    report(**FOUND, environment={"ASNUMPY_DEVICE": "cpu"}, simulated=True),
])  # fmt: skip
def test_nothing_is_wrong(given: dict[str, Any]) -> None:
    assert what(given) == []


NPU = {"device_nodes": [node("davinci0")], "driver": "24.1"}
HIDDEN = {"ASCEND_RT_VISIBLE_DEVICES": "7"}
BLIND = {"loaded": True, "failure": "CANN 8.1 sees no device"}
PART = [("/cann (ASNUMPY_CANN)", "libascendcl.so was opened, but libopapi.so: cannot open")]


@pytest.mark.parametrize(("given", "said", "remedy"), [
    (report(**NPU), "there are devices (/dev/davinci0) and no CANN", "source set_env.sh"),
    (report(**{**NPU, "device_nodes": [node("davinci0", False)]}, **FOUND, environment=OPP),
     "no permission on /dev/davinci0", "usermod -aG HwHiAiUser"),
    (report(tried=PART, asked="/cann"), "CANN is installed in part: /cann (ASNUMPY_CANN): libascendcl.so was opened",
     "install the whole toolkit"),
    (report(loaded=True, missing=["aclrtMalloc"], folder="/old"), "the CANN in /old lacks aclrtMalloc", "CANN 8.0 or"),
    (report(**BLIND), "CANN sees no device", "--device=/dev/davinci_manager"),
    (report(**BLIND, **NPU, environment=HIDDEN), "CANN sees no device", "ASCEND_RT_VISIBLE_DEVICES hides devices"),
    (report(asked="/nowhere"), "ASNUMPY_CANN=/nowhere: nothing was found there", "the one with lib64"),
    (report(asked="sim"), "ASNUMPY_CANN=sim: nothing was found there", "ASNUMPY_CANNSIM_LIB"),
    (report(**FOUND, device_nodes=[node("davinci0")], environment=OPP), "no driver's version file", "the driver"),
    (report(**FOUND), "ASCEND_OPP_PATH is not set", "set_env.sh"),
    (report(**FOUND, doubts=["the OPP package was not found; install it"]), "OPP package was not found", "install it"),
    (report(**FOUND, kernels=[], environment=OPP), "the toolkit has no compiled operators", "Ascend-cann-kernels"),
    (report(**FOUND, operators={"documented": 771, "lacking": ["aclnnErf"]}, environment=OPP),
     "lacks 1 of 771 operators: aclnnErf", "newer CANN"),
    (report(environment={"ASNUMPY_DEVICE": "gpu"}), "ASNUMPY_DEVICE=gpu names no device", "ascend:N"),
    (report(**FOUND, environment={**OPP, "ASNUMPY_DEVICE": "ascend:5"}), "ASNUMPY_DEVICE=ascend:5, but CANN", "cpu"),
])  # fmt: skip
def test_a_problem_has_a_remedy(given: dict[str, Any], said: str, remedy: str) -> None:
    found = what(given)
    assert len(found) == 1, found
    assert said in found[0][0] and remedy in found[0][1]


def test_files_of_a_machine(tmp_path: Path) -> None:
    for name in ("davinci0", "davinci12", "davinci_manager", "davinci_x", "hisi_hdc", "null"):
        (tmp_path / "dev").mkdir(exist_ok=True)
        (tmp_path / "dev" / name).touch()
    names = [Path(one["path"]).name for one in diagnosis.device_nodes(tmp_path)]
    assert names == ["davinci0", "davinci12", "davinci_manager", "hisi_hdc"]
    assert all(one["usable"] and one["group"] for one in diagnosis.device_nodes(tmp_path))
    assert diagnosis.driver(tmp_path) is None
    folder = tmp_path / diagnosis.DRIVER
    folder.mkdir(parents=True)
    (folder / "version.info").write_text("package_name=driver\nVersion=24.1.rc2\n")
    assert diagnosis.driver(tmp_path) == "24.1.rc2"
    assert diagnosis.kernels(None) is None and diagnosis.kernels(str(tmp_path)) is None
    kernels = tmp_path / "opp" / "built-in" / "op_impl" / "ai_core" / "tbe" / "kernel" / "ascend910b"
    kernels.mkdir(parents=True)
    assert diagnosis.kernels(str(tmp_path)) == ["ascend910b"]


@needs_built_simulator
def test_the_simulator_is_labelled() -> None:
    done = info(ASNUMPY_CANN="sim", CANNSIM_CANN="9.0", CANNSIM_DEVICES="2", CANNSIM_MEMORY="4G")
    assert done.returncode == 0, done.stdout + done.stderr
    for text in (
        "(the simulator: no hardware is used)", "operators: 789 of 789", "ascend:1  Ascend910B", "4.0 GiB",
        "(simulated)",
        "verified on the simulator, not yet on hardware", "ASNUMPY_CANN               sim", "config.num_threads",
    ):
        assert text in done.stdout, text


@needs_built_simulator
def test_an_older_cann_lacks_what_it_never_had_and_that_is_no_problem() -> None:
    done = info(ASNUMPY_CANN="sim", CANNSIM_CANN="8.1")
    assert done.returncode == 0, done.stdout + done.stderr
    (have, documented), = re.findall(r"operators: (\d+) of (\d+)", done.stdout)
    assert have == documented != "789" and "facts in use: 8.1" in done.stdout
    assert "functions of other versions, done without: aclFinalizeReference" in done.stdout


@needs_built_simulator
def test_json_is_the_whole_report() -> None:
    done = info("--json", ASNUMPY_CANN="sim")
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["problems"] == []
    assert found["cann"]["simulated"] is True and found["devices"][0]["device"] == "ascend:0"
    assert found["devices"][0]["memory_total"] > 2**30 and found["verified"] == diagnosis.VERIFIED
    assert {"asnumpy", "numpy", "python", "environment", "driver", "device_nodes", "configuration"} <= set(found)


def test_a_wrong_path_exits_1_with_the_remedy(tmp_path: Path) -> None:
    done = info(ASNUMPY_CANN=str(tmp_path / "nowhere"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "does not exist" in done.stdout and "Problem: ASNUMPY_CANN=" in done.stdout and "To do: " in done.stdout
    assert "Traceback" not in done.stderr


@needs_built_simulator
def test_half_a_toolkit_exits_1_and_names_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    for name in ("libascendcl.so", "libcannsim.so", "libnnopbase.so"):
        (tmp_path / "lib64" / name).symlink_to(cannsim.folder() / name)
    done = info(ASNUMPY_CANN=str(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Problem: CANN is installed in part" in done.stdout and "libopapi.so" in done.stdout


def test_a_cann_that_ends_the_process_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    source = tmp_path / "broken.c"
    source.write_text("#include <stdlib.h>\n__attribute__((constructor)) static void die(void) { abort(); }\n")
    library = tmp_path / "lib64" / "libascendcl.so"
    library.parent.mkdir()
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    monkeypatch.setenv("ASNUMPY_CANN", str(tmp_path))
    monkeypatch.setenv("ASNUMPY_DEVICE", "cpu")
    found, problem = diagnosis.probe()
    assert problem is not None and not found["loaded"]
    assert "ended with signal 6" in problem.what and "ASNUMPY_CANN=off" in problem.remedy


def test_wrong_use_exits_2() -> None:
    assert info("--yaml").returncode == 2


def test_show_config_says_what_is_verified() -> None:
    shown = ap.show_config("dicts")
    assert shown is not None and "verified on the simulator, not yet on hardware" in shown["verified"]
    assert shown["ascend"]
