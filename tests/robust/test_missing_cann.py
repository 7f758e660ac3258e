"""A CANN that is missing, half-installed, or has no device: arrays are the CPU's; who asks for an NPU is told why.

Where somebody has named a CANN, or one is there, that is said without being asked."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from device_marks import needs_built_simulator
from processes import run_script

from asnumpy import cannsim

SCRIPT = """
import asnumpy as ap
assert float(ap.ones(3).sum()) == 3 and ap.ones(3).device == "cpu" and ap.devices() == ["cpu"]
for _ in range(2):
    try:
        ap.ones(3, device="ascend:0")
    except ap.cann.CannError as error:
        print(error)
    assert ap.cann.device_count() == 0
"""
ALONE = {"ASNUMPY_DEVICE": "", "ASCEND_HOME_PATH": "", "ASCEND_TOOLKIT_HOME": ""}


def message(cann: str, **variables: str) -> str:
    """What is said twice; and once, as a warning, where that is due."""
    done = run_script(SCRIPT, **ALONE, ASNUMPY_CANN=cann, **variables)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout[: len(done.stdout) // 2], done.stdout[len(done.stdout) // 2 :]
    assert first == second and first.startswith("device ascend:0 cannot be used: ") and '"cpu"' in first
    warned = done.stderr.count("FallbackWarning: new arrays are made on the cpu: ")
    assert warned == (cann not in ("", "off")) and ("ASNUMPY_DEVICE=cpu" in done.stderr) == warned
    silent = run_script("import asnumpy as ap\nap.ones(3)", **ALONE | {"ASNUMPY_DEVICE": "cpu"}, ASNUMPY_CANN=cann)
    assert (silent.returncode, silent.stderr) == (0, "")
    return first


def test_switched_off() -> None:
    assert "ASNUMPY_CANN=off" in message("off")


def test_nothing_is_there() -> None:
    """A machine without CANN, as most are: nobody is bothered."""
    if Path("/usr/local/Ascend/ascend-toolkit/latest").exists():
        pytest.skip("this machine has CANN")
    text = message("")
    assert "libascendcl.so (the loader's path)" in text and "source its set_env.sh" in text and "to sim" in text


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    text = message(str(tmp_path / "absent"))
    assert "absent" in text and "does not exist" in text
    assert "to the toolkit's folder (the one with lib64), or to sim" in text
    assert "SIM (ASNUMPY_CANN): does not exist" in message("SIM")


def test_a_folder_without_libraries(tmp_path: Path) -> None:
    (tmp_path / "lib64").mkdir()
    assert "has no lib64/libascendcl.so" in message(str(tmp_path))


def test_libraries_that_cannot_be_opened(tmp_path: Path) -> None:
    folder = tmp_path / "lib64"
    folder.mkdir()
    (folder / "libascendcl.so").write_bytes(b"no library")
    assert "libascendcl.so: file too short" in message(str(tmp_path))
    (folder / "libascendcl.so").write_bytes(b"no library" * 100)
    assert "libascendcl.so: invalid ELF header" in message(str(tmp_path))
    assert "is a file, not a folder" in message(str(folder / "libascendcl.so"))


def library(path: Path, source: str) -> None:
    if not (compiler := shutil.which("cc")):
        pytest.skip("no C compiler")
    path.with_suffix(".c").write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(path), str(path.with_suffix(".c"))], check=True)


def test_libraries_that_lack_functions(tmp_path: Path) -> None:
    for name in ("libascendcl.so", "libnnopbase.so", "libopapi.so"):
        library(tmp_path / name, "int aclInit(const char* path) { return 0; }")
    text = message(str(tmp_path))
    assert f"CANN in {tmp_path} is too old or incomplete; it lacks aclFinalize, " in text
    assert re.search(r" and \d\d more; install CANN 8.0 or newer", text) and "aclInit" not in text


@needs_built_simulator
@pytest.mark.parametrize("function", ["aclInit", "aclrtGetDeviceCount"])
def test_cann_that_does_not_start(function: str) -> None:
    text = message("sim", CANNSIM_FAULTS=f"{function}:0:507000")
    assert "507000" in text and ("driver" in text if function == "aclInit" else "sees no device" in text)


@needs_built_simulator
def test_half_of_the_libraries(tmp_path: Path) -> None:
    for name in ("libascendcl.so", "libcannsim.so"):
        (tmp_path / name).symlink_to(cannsim.folder() / name)
    text = message(str(tmp_path))
    assert "libascendcl.so was opened, but" in text and "libopapi.so: cannot open" in text


def test_no_simulator(tmp_path: Path) -> None:
    text = message("sim", ASNUMPY_CANNSIM_LIB=str(tmp_path))
    assert "simulator" in text and str(tmp_path) in text


@needs_built_simulator
def test_no_device() -> None:
    text = message("sim", CANNSIM_DEVICES="0")
    assert "sees no device (ACL_ERROR_RT_NO_DEVICE (207004)" in text and "CANNSIM_DEVICES" in text


@needs_built_simulator
@pytest.mark.parametrize(("device", "cann", "said"), [
    ("gpu", "sim", r'ValueError: environment variable ASNUMPY_DEVICE: .* expected "cpu", "ascend" or .*, got "gpu"'),
    ("cuda:0", "off", r'ValueError: .* ASNUMPY_DEVICE: .* expected "cpu", "ascend" or "ascend:N", got "cuda:0"'),
    ("ascend:7", "sim", r"ValueError: .* ASNUMPY_DEVICE: device ascend:7 does not exist: there are 2 Ascend devices, "
     r"ascend:0 to ascend:1"),
    ("ascend", "off", r"CannError: .* ASNUMPY_DEVICE: device ascend:0 cannot be used: CANN is switched off .*; unset"),
])  # fmt: skip
def test_a_wrong_default(device: str, cann: str, said: str) -> None:
    """It is told when it is needed, and `python -m asnumpy info` works all the same."""
    variables = {"ASNUMPY_CANN": cann, "CANNSIM_DEVICES": "2", "ASNUMPY_DEVICE": device}
    for first in ("ap.ones(3)", "ap.Device()", "ap.asarray([1])", "ap.zeros((2, 2)) + 1"):
        source = f"import asnumpy as ap\nassert ap.ones(3, device='cpu').tolist() == [1] * 3\nprint('here')\n{first}"
        done = run_script(source, **variables)
        assert (done.returncode, done.stdout) == (1, "here\n")
        assert re.search(said, done.stderr.splitlines()[-1]), done.stderr
    done = run_script("import sys, asnumpy.__main__ as program\nsys.exit(program.main(['info']))", **variables)
    assert (done.returncode, done.stderr) == (1, ""), done.stderr
    assert f"Problem: ASNUMPY_DEVICE={device}" in done.stdout and re.search(r"\ndevice +none: ", done.stdout)


@needs_built_simulator
@pytest.mark.parametrize("use", [
    "ap.zeros(2, device={0!r})", "ap.Device({0!r}).__enter__()", "setattr(ap.config, 'device', {0!r})",
    "ap.ones(2).to_device({0!r})", "ap.memory_info({0!r})", "ap.from_numpy(np.ones(2), device={0!r})",
    "ap.asarray([1], device={0!r})", "ap.free_all_blocks({0!r})", "ap.from_dlpack(np.ones(3), device={0!r})",
])  # fmt: skip
def test_a_device_that_does_not_exist(use: str) -> None:
    tries = [(use.format(name), words) for name, words in (
        ("ascend:2", "device ascend:2 does not exist: there are 2 Ascend devices, ascend:0 to ascend:1"),
        ("tpu:0", 'expected "cpu", "ascend" or "ascend:N", got "tpu:0"'),
    )]
    source = "import numpy as np\nimport asnumpy as ap\n" + "".join(
        f"try:\n    {call}\nexcept ValueError as error:\n    assert {words!r}.replace('\"', '') in "
        f"str(error).replace('\"', '').replace(\"'\", ''), error\nelse:\n    raise AssertionError({call!r})\n"
        for call, words in tries
    )
    done = run_script(source, ASNUMPY_CANN="sim", CANNSIM_DEVICES="2", ASNUMPY_DEVICE="")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def installed(folder: Path, operators: str = "libopapi.so") -> Path:
    """A folder with the simulator's libraries in the place of CANN's."""
    folder.mkdir(parents=True)
    for name in ("libascendcl.so", "libnnopbase.so", "libcannsim.so"):
        (folder / name).symlink_to(cannsim.folder() / name)
    (folder / operators).symlink_to(cannsim.folder() / "libopapi.so")
    return folder


@needs_built_simulator
@pytest.mark.parametrize("operators", ["libopapi_math.so", "libaclnn_math.so"])
def test_operators_in_libraries_of_their_own(tmp_path: Path, operators: str) -> None:
    """Versions divide the operators differently; the folder where users install it is found without a word."""
    folder = installed(tmp_path / "Ascend" / "cann" / "lib64", operators)
    done = run_script(
        "import asnumpy as ap\nassert (ap.ones(3, dtype='f4') + 1).sum() == 6 and ap.devices() == ['cpu', 'ascend:0']\n"
        "from asnumpy.runtime import cann_search\nprint(*cann_search.search().opened())",
        **ALONE, ASNUMPY_CANN="", HOME=str(tmp_path), CANNSIM_DEVICES="1",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [Path(path) for path in done.stdout.split()] == [
        folder / name for name in ("libascendcl.so", "libnnopbase.so", operators)
    ]


@needs_built_simulator
def test_a_vendor_s_operators_come_first(tmp_path: Path) -> None:
    """What a user has installed beside CANN's operators is found, and shown by `info`."""
    vendor = tmp_path / "op_api" / "lib" / "libcust_opapi.so"
    vendor.parent.mkdir(parents=True)
    library(vendor, """
        int aclnnNegGetWorkspaceSize(void* self, void* out, unsigned long* size, void** executor) { return 561000; }
        int aclnnNeg(void* workspace, unsigned long size, void* executor, void* stream) { return 0; }
    """)
    source = """
import asnumpy as ap
from asnumpy import cann
x, out = cann.empty(4), cann.empty(4)
cann.op("aclnnAbs")(x, out)
try:
    cann.op("aclnnNeg")(x, out)
except cann.CannError as error:
    assert error.code == 561000, error
else:
    raise AssertionError("the vendor's operator was not called")
"""
    variables = {**ALONE, "ASNUMPY_CANN": "sim", "ASCEND_CUSTOM_OPP_PATH": f"{tmp_path / 'absent'}:{tmp_path}"}
    done = run_script(source, **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    done = run_script("import sys, asnumpy.__main__ as program\nsys.exit(program.main(['info']))", **variables)
    assert f"            {vendor}\n" in done.stdout
