"""`run --compare` and `run --report`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from device_marks import needs_built_simulator
from user_programs import run, written

import asnumpy as ap
from asnumpy.running import _agree, _numpys_draws, _report

AGREES = """import numpy as np
import os

rng = np.random.default_rng(3)
a = rng.normal(size=(200, 300))
np.random.seed(4)
b = np.random.rand(300)
print("mean", a.mean(), (a @ b)[:3])
os.makedirs("made")
np.save("made/product.npy", a @ b)
np.savez("several.npz", a=a, whole=np.arange(3))
np.savetxt("rows.csv", a[:3], delimiter=",")
print("took 0.%d s" % os.getpid())
with open("log.txt", "a") as file:
    file.write("one line\\n")
assert isinstance(rng, np.random.Generator)
"""
DIFFERS = """import numpy as np
import sys

ours = np.__name__ == "asnumpy"
print("line one")
print("value", 1.0 + ours * 1e-3)
np.save("saved.npy", np.arange(4) + ours)
if ours:
    open("more.txt", "w").write("x")
sys.exit(3 * ours)
"""


def test_runs_that_agree(tmp_path: Path) -> None:
    written(tmp_path, agrees=AGREES)
    (tmp_path / "log.txt").write_text("before\n")
    done = run("--compare", "--ignore", "^took", "agrees.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("NumPy ") and lines[1].startswith("asnumpy ") and " s " in lines[0]
    assert set(lines[3:]) == {
        "standard output: agrees", "made/product.npy: agrees", "several.npz: agrees", "rows.csv: agrees",
        "log.txt: agrees", "verdict: the runs agree",
    }
    assert (tmp_path / "log.txt").read_text() == "before\none line\n"  # as after one run
    assert np.load(tmp_path / "made/product.npy").shape == (200,)


def test_runs_that_differ(tmp_path: Path) -> None:
    written(tmp_path, differs=DIFFERS)
    done = run("--compare", "differs.py", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "exit status: differs: 0 with NumPy, 3 with asnumpy" in done.stdout
    assert "standard output: differs: line 2: '1.0' with NumPy, '1.001' with asnumpy" in done.stdout
    assert "saved.npy: differs: 4 of 4 elements" in done.stdout
    assert "more.txt: differs: only the run with asnumpy has written it" in done.stdout
    assert done.stdout.endswith("verdict: the runs differ\n")


@pytest.mark.parametrize(
    ("a", "b", "agree"),
    [
        ("x = 1.00000001", "x = 1.0", True),
        ("[1.  2.]", "[ 1. 2. ]", True),
        ("count 1000000", "count 1000001", False),
        ("nan -inf", "nan -inf", True),
        ("nan", "1.0", False),
        ("1.5", "1.51", False),
        ("x1 1.0", "x2 1.0", False),
        ("a\nb", "a", False),
        ("1e-3+2j", "0.001+2j", True),
        ("array([], dtype=float64)", "array([], dtype=float32)", False),
    ],
)
def test_texts(a: str, b: str, agree: bool) -> None:
    assert (_agree.Nearness(1e-5, 1e-8).of_texts(a, b) == "") is agree


def test_lines_that_do_not_count() -> None:
    assert _agree.Nearness(0, 0, ["^took"]).of_texts("took 1.5 s\na", "took 2 s\na") == ""
    assert "line 2" in _agree.Nearness(0, 0, ["^took"]).of_texts("took 1.5 s\na", "took 2 s\nb")


def test_arrays_and_files(tmp_path: Path) -> None:
    near = _agree.Nearness(1e-5, 1e-8)
    x = np.array([1.0, np.nan, 2.0])
    assert near.of_arrays(x, x * (1 + 1e-9)) == ""
    assert near.of_arrays(x, x * 1.1).startswith("2 of 3 elements, by up to 0.2")
    assert "float32" in near.of_arrays(x, x.astype(np.float32))
    assert near.of_arrays(np.array(["a"]), np.array(["a"])) == ""
    first, second = tmp_path / "a.bin", tmp_path / "b.bin"
    first.write_bytes(b"1"), second.write_bytes(b"2")
    assert near.of_files(str(first), str(second)).startswith("has other bytes")


def test_numpys_numbers_on_asnumpys_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ap, "random", ap.random)
    monkeypatch.setitem(__import__("sys").modules, "asnumpy.random", ap.random)
    _numpys_draws.install()
    rng, numpys = ap.random.default_rng(5), np.random.default_rng(5)
    drawn = rng.normal(ap.ones(4), 2.0)
    assert isinstance(drawn, ap.ndarray)
    np.testing.assert_array_equal(drawn.to_numpy(), numpys.normal(np.ones(4), 2.0))
    ours, theirs = ap.arange(10), np.arange(10)
    rng.shuffle(ours), numpys.shuffle(theirs)
    np.testing.assert_array_equal(ours.to_numpy(), theirs)
    out = ap.zeros(3)
    assert rng.random(out=out) is out
    np.testing.assert_array_equal(out.to_numpy(), numpys.random(3))
    old, theirs_old = ap.random.RandomState(1), np.random.RandomState(1)
    np.testing.assert_array_equal(old.permutation(ap.arange(5)).to_numpy(), theirs_old.permutation(np.arange(5)))
    ap.random.seed(2)
    assert ap.random.rand() == np.random.RandomState(2).rand()


REPORTED = """import numpy as np

a = np.linspace(0.0, 1.0, 300_000)
b = np.sqrt(a * 2.0 + 1.0)
c = np.cumsum(b)
print(np.linalg.svd(np.ones((40, 30)), compute_uv=False)[0] > 1, float(c[-1]) > 1)
"""


def test_a_report(tmp_path: Path) -> None:
    written(tmp_path, reported=REPORTED)
    done = run("--report", "out.html", "reported.py", cwd=tmp_path, ASNUMPY_EAGER="0", ASNUMPY_CANN="off")
    assert done.returncode == 0 and done.stdout == "True True\n", done.stderr
    page = (tmp_path / "out.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "http" not in page and "<script" not in page
    fused = page.partition("What was fused")[2].partition("What fell back")[0]
    assert "multiply add sqrt" in fused and "reported.py:4 <code>b = np.sqrt(a * 2.0 + 1.0)" in fused
    lines = page.partition("Time by line")[2].partition("What was fused")[0]
    assert "reported.py:4" in lines and "reported.py:5" in lines and "reported.py:6" in lines
    assert "numpy.linalg.svd" in page and "Memory" in page and "<svg" in page
    assert "Forecast" not in page


@needs_built_simulator
def test_a_forecast(tmp_path: Path) -> None:
    written(tmp_path, reported=REPORTED)
    done = run("--report", "out.html", "reported.py", cwd=tmp_path, ASNUMPY_EAGER="0", ASNUMPY_CANN="sim")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out.html").read_text()
    forecast = page.partition("Forecast")[2]
    assert "Modelled, not measured" in forecast and "how far it is off is not known" in forecast
    assert "aclnn" in forecast


def test_times_are_counted_once() -> None:
    def event(name: str, start: int, duration: int, lines: str = "", **more: object) -> dict[str, object]:
        return {"name": name, "category": "run", "start_ns": start, "duration_ns": duration, "bytes": 0, "thread": 0,
                "detail": "", "lines": lines, **more}

    events = [
        event("flush", 0, 100, "a.py:9"),
        event("program", 10, 40, "a.py:1,2", detail="(3,) 2 steps: multiply add"),
        event("program", 60, 20, "a.py:2; b.py:3", detail="(3,) 1 steps: sqrt"),
        event("upload", 65, 5),  # within the second program
    ]
    found = _report.by_line(events)
    assert {place: line.nanoseconds for place, line in found.items()} == {
        ("a.py", 9): 40, ("a.py", 1): 20, ("a.py", 2): 30, ("b.py", 3): 10}
    assert dict(found["a.py", 2].operations) == {"multiply": 1, "add": 1, "sqrt": 1, "upload": 1}
    assert sum(line.nanoseconds for line in found.values()) == 100
