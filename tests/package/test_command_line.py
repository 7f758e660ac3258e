"""The command line: help, version, configuration, and the errors it gives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from device_marks import needs_built_simulator

import asnumpy as ap
from asnumpy.demo import report


def run(*arguments: str, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "asnumpy", *arguments], capture_output=True, text=True, timeout=timeout,
        env={**os.environ, **environment},
    )


def test_help_names_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "demo" in done.stdout and "info" in done.stdout


def test_version() -> None:
    assert run("--version").stdout.strip() == f"asnumpy {ap.__version__}"


def test_info_shows_the_configuration() -> None:
    done = run("info", ASNUMPY_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert "cpu" in done.stdout.lower() and "thread" in done.stdout.lower()


@pytest.mark.parametrize("arguments", [[], ["dance"], ["demo", "--threads", "0"], ["demo", "--threads", "many"]])
def test_wrong_use_exits_2_with_the_usage(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage" in done.stderr and "Traceback" not in done.stderr


def test_demo_without_its_extras_names_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules.update(dict.fromkeys(['matplotlib', 'PIL', 'tqdm']))\n"  # None: not to be found
    )
    path = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = run("demo", PYTHONPATH=os.pathsep.join(path))
    assert done.returncode == 2
    assert 'pip install "asnumpy[demo]"' in done.stderr and "Traceback" not in done.stderr


@needs_built_simulator
def test_demo_on_the_simulator_tells_what_is_measured_and_what_is_modelled(tmp_path: Path) -> None:
    for package in ("matplotlib", "PIL", "tqdm"):
        pytest.importorskip(package)
    # A device of so little memory gets small work.
    done = run("demo", "--quick", "--output", str(tmp_path), ASNUMPY_CANN="sim", ASNUMPY_DEVICE="ascend:0",
               ASNUMPY_FALLBACK="warn", ASNUMPY_IMPLICIT_COPIES="error", CANNSIM_MEMORY="48M")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "Warning" not in done.stderr
    lines = done.stdout.splitlines()
    assert "ascend:0 (a simulated Ascend910" in lines[0]
    columns = [lines[1].index(name) for name in report.SIMULATED]
    assert "ratio" not in lines[1]
    rows = lines[3 : lines.index("")]
    work = {row[: columns[1]].strip() for row in rows}
    assert {"a + b, int32", "a * b, float64", "a @ b, float32", "Canny edges", "whole pipeline"} <= work
    for row in rows:
        measured, host, modelled = row[columns[1] :].replace("*", "").split()[-4:-1]
        assert float(measured) > 0 and float(host) > 0 and 0 < float(modelled) < 1000
        assert "WRONG" not in row
    below = done.stdout.split("\n\n")[1:]
    assert "Nothing ran on hardware" in below[0] and "measured on this host" in below[0] and "modelled" in below[0]
    assert below[1].startswith("left to the host: ") and "\n" not in below[1]
    assert {file.name for file in tmp_path.iterdir()} == {"photograph.png", "equalised.png", "edges.png"}


def test_only_measured_times_have_a_ratio() -> None:
    measured = report.Outcome("g", "work", "9", 0.004, 0.002, True, "equal")
    assert "asnumpy ms  ratio  agreement" in report.table([measured]).splitlines()[0]
    assert report.table([measured]).split()[-2:] == ["2.00", "equal"]
    modelled = report.Outcome("g", "work", "9", 0.004, 0.002, True, "equal", modelled_seconds=0.0005, left=True)
    head, _, row = report.table([modelled]).splitlines()
    assert "ratio" not in head and "device ms (modelled)" in head
    assert row.split() == ["work", "9", "4.000", "2.000", "0.500*", "equal"]
