"""The devices besides the CPU that this session has, marks for tests that need some, and what work left them."""

from __future__ import annotations

import os
from typing import Any

import pytest
from host_compiler import compiler

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.operators._cuda import _driver
from asnumpy.runtime import cann_search

OTHERS = [device for device in ap.devices() if device != "cpu"]
SIMULATED = bool(OTHERS) and cann_search.search().simulated
each_device = pytest.mark.parametrize("device", ap.devices(), ids=str)
needs_one = pytest.mark.skipif(not OTHERS, reason="no device besides the CPU; ASNUMPY_CANN=sim simulates one")
needs_two = pytest.mark.skipif(len(OTHERS) < 2, reason="needs two devices besides the CPU")
SIMULATOR_BUILT = (cannsim.folder() / "libcannsim.so").exists()
# For tests that start processes of their own on the simulator, whatever this one runs on.
needs_built_simulator = pytest.mark.skipif(not SIMULATOR_BUILT, reason="this build has no simulator")
needs_simulator = pytest.mark.skipif(not SIMULATED, reason="only the simulator keeps a log and can be told to fail")
needs_gpu = pytest.mark.skipif(_driver() is None, reason="there is no NVIDIA GPU with its driver")
needs_hardware = pytest.mark.skipif(not OTHERS or SIMULATED, reason="needs a real Ascend device")


_OLD = os.environ.get("CANNSIM_CANN", "9.0").startswith("8")
needs_own_kernels = pytest.mark.skipif(
    compiler() is None or (_OLD and ap.Device() != "cpu"),
    reason="kernels are compiled here: there is no compiler, or CANN 8 has none at run time",
)


def left_devices() -> list[dict[str, Any]]:
    return [one for one in ap.fallbacks() if one["device"] != "cpu"]
