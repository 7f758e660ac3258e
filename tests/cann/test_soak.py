"""Threads, streams, two devices, faults and full memory for a while: right values throughout, and balanced books."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("soak.py")


@pytest.mark.parametrize("seconds", [4, pytest.param(600, marks=pytest.mark.thorough)])
def test_nothing_is_left(simulator: None, seconds: int, tmp_path: Path) -> None:
    findings = tmp_path / "findings"
    settings = {"DEVICES": "2", "STRICT": "abort", "MEMORY": "256M", "FINDINGS": str(findings)}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(PROGRAM), str(seconds)], capture_output=True, text=True, check=False,
        timeout=seconds + 240, env={**os.environ, **{f"CANNSIM_{name}": value for name, value in settings.items()}},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]
    assert not findings.exists(), findings.read_text()
    figures = json.loads(done.stdout)
    print(done.stdout)
    assert figures["findings"] == []
    assert figures["pools"] == [{"in_use": 0, "cached": 0, "blocks": 0}] * 2, "arrays or blocks are left"
    for device in figures["memory"]:  # what stays is the engine's own, until the process ends
        assert device["used"] < 100_000 and device["allocations"] - device["frees"] <= 2, device
    counts = figures["counts"]
    for kind in ("program", "views", "updates", "travel", "batch", "refused", "failed: planned", "memory was full"):
        assert counts.get(kind), f"{kind} never happened: {counts}"
    if len(figures["resident"]) > 10 and seconds >= 60:  # a slow leak of the host's memory would show
        early, late = figures["resident"][len(figures["resident"]) // 4], figures["resident"][-1]
        assert late < early * 1.1, figures["resident"]
