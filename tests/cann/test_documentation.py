"""The examples of docs/cann.md, docs/devices.md and examples/operators.py run and say what they promise."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str = "cann.md") -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


def test_the_page_runs_from_top_to_bottom() -> None:
    names: dict[str, Any] = {}
    printed = io.StringIO()
    assert len(blocks()) > 6
    with contextlib.redirect_stdout(printed):
        for block in blocks():
            exec(compile(block, "docs/cann.md", "exec"), names)
    x = np.arange(6, dtype="f4").reshape(2, 3)
    said = printed.getvalue()
    assert str((x + 0.5 * (x + 1)) * 2) in said
    assert str(np.arange(12.0)[1:].reshape(-1)[[[0, 2], [4, 6], [8, 10]]] * 2) in said
    assert "did you mean aclnnAddcmul" in said and "(on the 910B), got int32" in said
    assert "aclnnTopk: k: expected an integer, got float 1.5" in said
    assert "streams=4" in said and "asnumpy_cann_calls_total" in said
    ap = names["ap"]
    np.testing.assert_array_equal(ap.to_numpy(names["found"]), np.argwhere(x))
    np.testing.assert_allclose(ap.to_numpy(names["results"][2]), np.exp(2 * x), rtol=1e-6)


def test_the_page_about_devices(simulator: None) -> None:
    """In a process of its own, with two devices; a line whose comment is a value gives that value."""
    checked = 0
    lines = ["import warnings", "warnings.simplefilter('ignore')"]
    for line in "".join(blocks("devices.md")).splitlines():
        expression, _, comment = line.partition("  # ")
        value = comment.strip().partition(";")[0]
        if value.startswith(("[", "Device(")):
            line = f"assert repr({expression.strip()}) in {(value, two_devices(value))!r}, {expression}"
            checked += 1
        lines.append(line)
    lines += ["(row,) = ap.fallbacks()", "print({**row, 'reason': ...})"]
    assert checked >= 2
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False,
        env={**os.environ, "CANNSIM_DEVICES": "2", "ASNUMPY_DEVICE": "", "ASNUMPY_FALLBACK": "warn",
             "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    assert f"# [{done.stdout.strip().replace('Ellipsis', '...')}]" in blocks("devices.md")[1]


def two_devices(value: str) -> str:
    return value.replace("Device('ascend:0')]", "Device('ascend:0'), Device('ascend:1')]")


def test_the_example_agrees_with_numpy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for arguments in ([], ["--numpy"]):
        monkeypatch.setattr(sys, "argv", ["operators.py", "--batches", "3", *arguments])
        runpy.run_path(str(ROOT / "examples" / "operators.py"))
        said.append([float(number) for number in re.findall(r"probability (\S+)", capsys.readouterr().out)])
    assert len(said[0]) == 3
    np.testing.assert_allclose(said[0], said[1], atol=1e-3)
