"""The tests of single operators in a process of their own on the simulator, for sessions that have no Ascend device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from device_marks import needs_built_simulator

from asnumpy.runtime import cann_search

TESTS = Path(__file__).resolve().parents[1]


@needs_built_simulator
def test_single_operators_on_the_simulator() -> None:
    if not cann_search.search().failure:
        pytest.skip("this session has an Ascend device and runs them itself")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS / "cann")], capture_output=True,
        text=True, check=False, cwd=TESTS.parent,
        env={**os.environ, "ASNUMPY_CANN": "sim", "ASNUMPY_DEVICE": "cpu", "ASNUMPY_EAGER": "", "CANNSIM_DEVICES": "2"},
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "no Ascend device" not in done.stdout, done.stdout[-2000:]
