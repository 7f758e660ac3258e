"""A process that uses single operators: it ends without leaks whatever it still holds, and may finalize and go on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PREAMBLE = "import numpy as np, threading\nimport asnumpy as ap\nfrom asnumpy import cann\n"
HOLDS = """
x = cann.from_numpy(np.ones(8, 'f4')); out = cann.empty(8)
array = ap.ones(8, dtype='float32', device='ascend:0')
never, ran = cann.op('aclnnExp').plan(x, out), cann.op('aclnnNeg').plan(array, out)
ran.run()
own = cann.op('aclnnAbs').plan(x, out, workspace='own')
with cann.batch(streams=3), cann.timing():
    for _ in range(5):
        cann.op('aclnnExp')(array, cann.empty(8))
worker = threading.Thread(target=lambda: cann.op('aclnnNeg')(x, out)); worker.start(); worker.join()
"""
AGAIN = """
for _ in range(3):
    x = cann.from_numpy(np.ones(8, 'f4')); out = cann.empty(8)
    plan = cann.op('aclnnNeg').plan(x, out)
    plan.run()
    assert cann.to_numpy(out).tolist() == [-1] * 8
    def work():
        cann.op('aclnnExp')(x, cann.empty(8)); cann.synchronize()
    worker = threading.Thread(target=work); worker.start(); worker.join()
    array = ap.ones(8, dtype='float32', device='ascend:0') + 1
    del plan, x, out
    cann.finalize()
    assert ap.to_numpy(array).tolist() == [2] * 8
    cann.finalize()
"""


@pytest.mark.parametrize("program", [HOLDS, HOLDS + "cann.finalize()", AGAIN], ids=["holds", "finalizes", "again"])
def test_ends_without_findings(simulator: None, program: str, tmp_path: Path) -> None:
    findings = tmp_path / "findings"
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + program], capture_output=True, text=True, check=False,
        env={**os.environ, "CANNSIM_FINDINGS": str(findings), "ASNUMPY_DEVICE": "cpu"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not findings.exists(), findings.read_text()
    assert done.stderr == ""
