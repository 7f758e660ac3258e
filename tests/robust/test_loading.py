"""CANN is loaded when a device is first asked for: not by the import, and never where everything is the CPU's."""

from __future__ import annotations

import subprocess
import sys

import pytest
from device_marks import needs_built_simulator
from robust.processes import run_script

pytestmark = needs_built_simulator

HEAD = """
def loaded():
    with open("/proc/self/maps") as maps:
        return any(name in line for line in maps for name in ("ascendcl", "libopapi", "nnopbase", "cannsim.so"))
import numpy as np
import asnumpy as ap
from asnumpy import config, fft, linalg, nn, random, testing, cann
assert not loaded(), "by the import"
"""
ON_THE_CPU = """
x = ap.arange(12.0).reshape(3, 4)
ap.linspace(0, 1, 5); ap.concatenate([x, x]); ap.linalg.svd(x); ap.sort(x); ap.random.default_rng(1).normal(size=4)
x[x > 3] = 0; x += 1; print(x, file=open("/dev/null", "w")); np.asarray(x); ap.asarray(np.ones(3)); x.tolist()
import pickle; pickle.loads(pickle.dumps(x)); ap.from_dlpack(np.ones(3)); ap.memory_info(); ap.synchronize()
assert all(one["device"] == "cpu" for one in ap.fallbacks())
assert x.device == "cpu" == ap.Device("cpu") and x.device != ap.Device("ascend:1")
with ap.Device("cpu"), config.using(device="cpu"):
    ap.zeros_like(x, device="cpu"); x.to_device("cpu"); nn.softmax(x)
"""
FIRST_QUESTIONS = [
    "ap.ones(3)", "ap.Device()", "ap.devices()", "ap.config.device", "ap.asarray([1, 2])", "ap.memory_info()",
    "ap.random.default_rng(1).random(3)", "ap.show_config('dicts')", "cann.device_count()", "ap.linspace(0, 1, 3)",
    "ap.from_numpy(np.ones(3))", "ap.zeros(2, device='ascend:0')",
]


def run(source: str, device: str) -> None:
    done = run_script(HEAD + source, ASNUMPY_CANN="sim", ASNUMPY_DEVICE=device, CANNSIM_STRICT="abort",
                      ASNUMPY_FALLBACK="count")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_program_of_the_cpu_loads_nothing() -> None:
    run(ON_THE_CPU + "assert not loaded()", "cpu")


def test_arrays_that_name_the_cpu_load_nothing() -> None:
    run("with ap.Device('cpu'):\n    x = ap.ones(3) + ap.linspace(0, 1, 3)\n"
        "y = ap.ones(3, device='cpu'); z = ap.from_dlpack(np.ones(3))\nassert not loaded()", "")


def test_a_memory_limit_waits_for_the_device() -> None:
    done = run_script(HEAD + """assert ap.memory_info()["limit"] == 1 << 30 == config.memory_limit and loaded()
assert ap.memory_info("ascend:0")["limit"] == 1 << 30 and ap.memory_info("cpu")["limit"] == 0""",
        ASNUMPY_CANN="sim", ASNUMPY_DEVICE="", ASNUMPY_MEMORY_LIMIT="1GiB")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("question", FIRST_QUESTIONS)
def test_the_first_question_decides(question: str) -> None:
    run(f"{question}\nassert loaded() and ap.Device() == 'ascend:0' == ap.ones(2).device", "")


def test_a_device_may_be_used_beside_a_default_that_is_the_cpu() -> None:
    run("x = ap.ones(3, device='ascend:0')\nassert loaded() and ap.Device() == 'cpu'\n"
        "assert ap.linspace(x, 2, 4).device == 'ascend:0' == ap.pad(x, 1).device and ap.ones(3).device == 'cpu'", "cpu")


def test_what_lies_on_the_cpu_stays_there_before_the_default_is_decided() -> None:
    run("x = ap.from_dlpack(np.arange(4.0))\nassert not loaded()\n"
        "assert ap.pad(x, 1).device == 'cpu' == ap.linspace(x, 2, 4).device and ap.Device() == 'ascend:0'", "")


def test_an_import_that_fails_says_what_is_missing() -> None:
    source = "import sys; sys.modules['ml_dtypes'] = None; import asnumpy"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "ImportError" in done.stderr and "ml_dtypes" in done.stderr
