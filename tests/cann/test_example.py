"""examples/operators.py says the same with the device's operators and with NumPy."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_agrees_with_numpy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for arguments in ([], ["--numpy"]):
        monkeypatch.setattr(sys, "argv", ["operators.py", "--batches", "3", *arguments])
        runpy.run_path(str(ROOT / "examples" / "operators.py"))
        said.append([float(number) for number in re.findall(r"probability (\S+)", capsys.readouterr().out)])
    assert len(said[0]) == 3
    np.testing.assert_allclose(said[0], said[1], atol=1e-3)
