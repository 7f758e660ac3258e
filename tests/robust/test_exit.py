"""A process ends cleanly whatever is pending, exported, shared or running."""

from __future__ import annotations

import pytest
from robust.processes import run_script

HEAD = "import sys, os, threading, atexit\nimport numpy as np\nimport asnumpy as ap\n"
SHARED = "ap.config.device = 'cpu'\n"  # where the host shares the memory
SETTINGS = "ap.config.eager = False\nap.config.eager_size = 0\n"

CASES = {
    "pending work": "x = ap.ones(100_000) * 2 + 1",
    "pending work in a cycle": "class Box: pass\nb = Box(); b.me = b; b.x = ap.ones(100_000) + 1",
    "exports alive": (
        SHARED + "x = ap.ones(9) + 1\nview = np.asarray(x)\nbuffer = memoryview(x)\nassert view[3] == buffer[3]"
    ),
    "export outlives the array": SHARED + "view = np.asarray(ap.ones(1000) + 1)\nassert view.sum() == 2000",
    "host memory held": "a = np.ones(1000)\nx = ap.from_dlpack(a)\ny = x + 1\ndel a",
    "capsule never consumed": "c = (ap.ones(10) + 1).__dlpack__()",
    "tensor in a capsule": SHARED + "t = np.from_dlpack(ap.ones(10) + 1)\nassert t[0] == 2",
    "workers started": "x = ap.ones(3_000_000)\nassert float((x + 1).sum()) == 6_000_000",
    "thread still computing": (
        "def work():\n    while True:\n        float((ap.ones(200_000) + 1).sum())\n"
        "threading.Thread(target=work, daemon=True).start()\nfloat(ap.ones(10).sum())"
    ),
    "failed flush pending": (
        "x = [ap.ones(1 << 20) for _ in range(3)]\nap.eval(*x)\n"
        "ap.config.memory_limit = ap.memory_info()['in_use'] + (4 << 20)\nlate = [a * 2 for a in x]\n"
        "try:\n    ap.synchronize()\nexcept MemoryError:\n    pass\nelse:\n    raise AssertionError('no MemoryError')"
    ),
    "work at exit": "x = ap.ones(100_000)\natexit.register(lambda: print(float((x + 1).sum())))",
    "objects deleted late": (
        "class Late:\n    def __init__(self): self.x = ap.ones(5000) + 1\n"
        "    def __del__(self): assert float(self.x[0]) == 2\nlate = Late()\nsys.late = late"
    ),
    "recorded by a thread that has ended": (
        "def work(): work.x = ap.ones(5000) + 1\n"
        "t = threading.Thread(target=work); t.start(); t.join()\nassert work.x._pending"
    ),
    "trace running": "ap._core.trace_start(100)\nx = ap.ones(5000) + 1\nap.synchronize()",
}


@pytest.mark.parametrize("eager", ["", "1"], ids=["deferred", "eager"])
@pytest.mark.parametrize("case", CASES)
def test_process_ends_cleanly(case: str, eager: str) -> None:
    settings = "" if eager else SETTINGS
    if eager and case in ("recorded by a thread that has ended", "failed flush pending"):
        pytest.skip("nothing is ever pending when eager")
    done = run_script(HEAD + settings + CASES[case] + "\nprint('last line')", ASNUMPY_EAGER=eager)
    assert done.returncode == 0, f"status {done.returncode}: {done.stderr}"
    assert done.stderr == ""
    assert done.stdout.startswith("last line\n")
    assert case != "work at exit" or done.stdout == "last line\n200000.0\n"


def test_exit_by_exception_shows_only_it() -> None:
    done = run_script(HEAD + SETTINGS + "x = ap.ones(5000) + 1\nraise RuntimeError('mine')")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("RuntimeError: mine") and done.stderr.count("\nRuntimeError: mine") == 1
    assert done.stderr.count("Traceback") == 1


def test_sys_exit_and_os_exit() -> None:
    assert run_script(HEAD + SETTINGS + "x = ap.ones(5000) + 1\nsys.exit(3)").returncode == 3
    assert run_script(HEAD + SETTINGS + "x = ap.ones(5000) + 1\nos._exit(4)").returncode == 4


def test_importing_and_leaving() -> None:
    done = run_script("import asnumpy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
