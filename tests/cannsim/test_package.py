"""asnumpy.cannsim and `python -m asnumpy sim`."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from asnumpy import cannsim
from cannsim import acl

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from cannsim import acl
import numpy as np
acl.start()
x = np.ones(1000, np.float32)
print(acl.result("aclnnNeg", x, ..., out=np.empty_like(x)).sum())
"""


def test_settings_and_faults() -> None:
    with pytest.raises(TypeError, match="colour"):
        cannsim.configure(colour="red")
    with pytest.raises(ValueError, match="STRICT"):
        cannsim.configure(strict="sometimes")
    cannsim.configure(strict="error", devices=1, compute=True)
    cannsim.fail("aclrtMalloc", code=207001)
    with acl.refused(207001, "as planned"):
        acl.Memory(8)
    acl.Memory(8).free()
    with pytest.raises(ValueError, match=r"207001|100000"):
        cannsim.fail("aclrtMalloc", code=0)


def test_what_it_saw() -> None:
    cannsim.configure(log=True)
    memory = acl.Memory(8)
    memory.free()
    with acl.refused(100000):
        memory.free()
    cannsim.configure(log=False)
    assert [one["kind"] for one in cannsim.findings()] == ["double_free"] and cannsim.findings("leak") == []
    assert [line["function"] for line in cannsim.log() if line["function"].startswith("aclrt")] == [
        "aclrtMalloc",
        "aclrtFree",
        "aclrtFree",
    ]
    assert cannsim.operators()["aclnnAdd"] and len(cannsim.operators()) == 789
    before = cannsim.modelled_seconds()
    acl.run("aclnnNeg", np.ones(4, np.float32), np.ones(4, np.float32))
    assert cannsim.modelled_seconds() > before and "traceEvents" in cannsim.timeline()
    cannsim.clear()
    assert cannsim.findings() == [] and cannsim.log() == []


def test_a_program_runs_on_it_with_a_report(tmp_path: Path) -> None:
    script, trace = tmp_path / "program.py", tmp_path / "trace.json"
    script.write_text(PROGRAM)
    command = [
        sys.executable,
        "-m",
        "asnumpy",
        "sim",
        "--report",
        "--trace",
        str(trace),
        "--",
        sys.executable,
        str(script),
        str(Path(__file__).parents[1]),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert done.returncode == 0 and done.stdout.split() == ["-1000.0"], done.stderr
    assert (
        "aclnnNeg" in done.stderr
        and "modelled" in done.stderr
        and "peak" in done.stderr
        and "findings: none" in done.stderr
    )
    assert "aclnnNeg" in {event["name"] for event in json.loads(trace.read_text())["traceEvents"]}


REFUSED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from cannsim import acl
import numpy as np
acl.start()
for _ in range(2):
    try:
        acl.result("aclnnNeg", np.ones(4, np.float32), ..., out=np.empty(5, np.float32))
    except acl.AclError:
        pass
print(os.environ["TASK_QUEUE_ENABLE"])
"""


@pytest.mark.parametrize("given", [None, "1"])
def test_operators_that_were_refused_end_the_report(tmp_path: Path, given: str | None) -> None:
    (script := tmp_path / "program.py").write_text(REFUSED)
    command = [sys.executable, "-m", "asnumpy", "sim", "--report", "--", sys.executable, str(script)]
    environment = {name: value for name, value in os.environ.items() if name != "TASK_QUEUE_ENABLE"}
    environment |= {"TASK_QUEUE_ENABLE": given} if given else {}
    done = subprocess.run([*command, str(Path(__file__).parents[1])], capture_output=True, text=True, env=environment,
                          check=False)
    assert done.returncode == 0 and done.stdout.split() == [given or "0"], done.stderr
    told, last = done.stderr.splitlines()[-2:]
    assert told == "operators refused: aclnnNeg (161002) 2 times"
    assert last.startswith("  values after the first of these are not to be trusted")


def test_what_programs_log_has_its_numbers(capfd: pytest.CaptureFixture[str]) -> None:
    acl.rt.aclAppLog(3, b"here", b"file.cpp", 7, b"%d of %s", ctypes.c_int(2), b"three")
    acl.rt.aclAppLog(0, b"here", b"file.cpp", 7, b"%d of %s", ctypes.c_int(2), b"three")  # for debugging only
    assert capfd.readouterr().err == "aclAppLog: here: 2 of three\n"


def test_the_exit_status_is_the_programs() -> None:
    def status(*program: str) -> int:
        return subprocess.run(
            [sys.executable, "-m", "asnumpy", "sim", "--", *program], capture_output=True, check=False
        ).returncode

    assert status(sys.executable, "-c", "raise SystemExit(7)") == 7
    assert status("/no/such/program") == 127
