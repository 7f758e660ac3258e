"""A CANN that is missing, half-installed, or has no device: arrays are the CPU's; who asks for an NPU is told why."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import run_script

from asnumpy import cannsim

SCRIPT = """
import asnumpy as ap
assert float(ap.ones(3).sum()) == 3 and ap.ones(3).device == "cpu" and ap.devices() == ["cpu"]
try:
    ap.ones(3, device="ascend:0")
except RuntimeError as error:
    print(error)
"""


def message(cann: str, **variables: str) -> str:
    done = run_script(SCRIPT, ASNUMPY_CANN=cann, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_switched_off() -> None:
    assert "ASNUMPY_CANN=off" in message("off")


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    text = message(str(tmp_path / "absent"))
    assert "absent" in text and "does not exist" in text and "ASNUMPY_CANN=sim" in text


def test_a_folder_without_libraries(tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    assert "has no lib64/libascendcl.so" in message(str(tmp_path))


def test_libraries_that_cannot_be_opened(tmp_path: Path) -> None:
    folder = tmp_path / "lib64"
    folder.mkdir()
    (folder / "libascendcl.so").write_bytes(b"no library")
    assert "libascendcl.so: file too short" in message(str(tmp_path))


@pytest.mark.skipif(not (cannsim.folder() / "libascendcl.so").exists(), reason="this build has no simulator")
def test_half_of_the_libraries(tmp_path: Path) -> None:
    for name in ("libascendcl.so", "libcannsim.so"):
        (tmp_path / name).symlink_to(cannsim.folder() / name)
    text = message(str(tmp_path))
    assert "libascendcl.so was opened, but" in text and "libopapi.so: cannot open" in text


def test_no_simulator(tmp_path: Path) -> None:
    text = message("sim", ASNUMPY_CANNSIM_LIB=str(tmp_path))
    assert "simulator" in text and str(tmp_path) in text


@pytest.mark.skipif(not (cannsim.folder() / "libascendcl.so").exists(), reason="this build has no simulator")
def test_no_device() -> None:
    assert "sees no device (ACL_ERROR_RT_NO_DEVICE (207004)" in message("sim", CANNSIM_DEVICES="0")
