"""A program that spends its time on the device's AICPU is told once; what must lie in C order does."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from device_marks import needs_simulator

import asnumpy as ap

pytestmark = needs_simulator

PROGRAM = """
import asnumpy as ap
ap.config.fallback = "{policy}"
x = ap.ones((1 << 20,), "{dtype}", device="ascend:0")
for _ in range(400):
    x = x + x[0]
    ap.synchronize()
"""


def told(dtype: str, policy: str = "warn") -> list[str]:
    program = PROGRAM.format(dtype=dtype, policy=policy)
    quick = os.environ | {"CANNSIM_COMPUTE": "0"}
    done = subprocess.run([sys.executable, "-c", program], env=quick, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "AICPU" in line and "asnumpy.config.float" in line]


def test_it_is_told_once_with_the_remedy() -> None:
    (line,) = told("float64")
    assert "ascend:0" in line and "aclnnAdd" in line


def test_fast_dtypes_and_quiet_programs_are_told_nothing() -> None:
    assert told("float32") == told("int64") == told("float64", "count") == []


def test_results_with_strides_where_cann_takes_none() -> None:
    plain = np.array([[1.0, np.inf, -np.inf], [np.nan, 2.0, np.inf]], np.float32)
    x = ap.from_numpy(plain, device="ascend:0")
    out = ap.ones((3, 4), bool, device="ascend:0")
    ap.isinf(x, out=out.T[:2, :3])
    expected = np.ones((3, 4), bool)
    np.isinf(plain, out=expected.T[:2, :3])
    np.testing.assert_array_equal(ap.to_numpy(out), expected)
    assert not [one for one in ap.demotions() if "IsInf" in one["what"]]
