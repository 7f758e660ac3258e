"""Ctrl-C during a flush raises KeyboardInterrupt, and afterwards every array still has its value."""

from __future__ import annotations

import pytest
from robust.processes import run_script

# A watcher sends SIGINT as soon as the queue is empty, which is when a flush has taken it. This is tried
# until the signal came before the last program.
SCRIPT = """
import os, signal, threading
import numpy as np
import asnumpy as ap
from asnumpy import _core

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits it ignored
ap.config.eager = False
ap.config.eager_size = 0
ap.config.num_threads = 1
plain = np.random.default_rng(0).uniform(1, 2, 500_000)


def backwards(xp, y, x, k):
    "No two of them in one program: each reads the one before backwards."
    return xp.sqrt(y[::-1] / 3 + x)


def by_rows(xp, y, x, k):
    "Ten of them run some lines at a time, the next reads backwards."
    y, x = y.reshape(1000, 500), x.reshape(1000, 500)
    return ((y[::-1] if k % 10 == 9 else y) / y.max(axis=1, keepdims=True) + x).reshape(-1)


middle_of_flush = 0
for attempt in range(8):
    x = ap.from_numpy(plain)
    ap.eval(x)
    y, expected, kept = x, plain, []
    for k in range(40):
        y, expected = STEP(ap, y, x, k), STEP(np, expected, plain, k)
        if k % 10 == 0:
            kept.append((y, expected))
    x += 1
    assert _core.pending_count() > 100

    def watch():
        while _core.pending_count():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=watch)
    interrupted = False
    try:
        watcher.start()
        FLUSH
        watcher.join()
        for _ in range(100_000):
            pass
    except KeyboardInterrupt:
        interrupted = True
    watcher.join()
    assert interrupted
    middle_of_flush += _core.pending_count() > 0
    z = y + 1  # recording goes on
    assert np.array_equal(ap.to_numpy(x), plain + 1)
    for mine, theirs in kept[::-1]:
        assert np.array_equal(ap.to_numpy(mine), theirs)
    assert np.array_equal(ap.to_numpy(y), expected)
    assert np.array_equal(ap.to_numpy(z), expected + 1)
    assert _core.pending_count() == 0
    if middle_of_flush == 2:
        break
assert middle_of_flush, "the signal never came during a flush"
print("fine")
"""


@pytest.mark.parametrize(
    "statement", ["ap.synchronize()", "ap.eval(y)", "float(y[0])", "np.asarray(y)", "ap.free_all_blocks()"]
)
@pytest.mark.parametrize("step", ["backwards", "by_rows"])
def test_interrupted_flush(statement: str, step: str) -> None:
    source = SCRIPT.replace("FLUSH", statement).replace("STEP", step)
    if "asarray" in statement:  # NumPy drops the exception and asks once more: the flush ends, then it is raised
        source = source.replace("middle_of_flush += _core.pending_count() > 0", "middle_of_flush += 1")
    done = run_script(source, ASNUMPY_DEVICE="cpu")  # where a flush takes its time
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr


def test_own_handler_is_called_and_its_exception_raised() -> None:
    source = (
        SCRIPT.replace("STEP", "backwards").replace("FLUSH", "ap.synchronize()")
        .replace("KeyboardInterrupt", "Stop")
        .replace(
            "middle_of_flush = 0",
            "middle_of_flush = 0\nclass Stop(Exception): pass\ndef stop(*_): raise Stop('handler')\n"
            "signal.signal(signal.SIGINT, stop)",
        )
    )
    done = run_script(source, ASNUMPY_DEVICE="cpu")  # where a flush takes its time
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr


def test_handler_that_returns_lets_the_flush_go_on() -> None:
    source = (
        SCRIPT.replace("STEP", "backwards")
        .replace("FLUSH", "ap.synchronize(); assert not calls or _core.pending_count() == 0")
        .replace(
            "middle_of_flush = 0",
            "calls = []\nsignal.signal(signal.SIGINT, lambda *_: calls.append(1))\nmiddle_of_flush = 0",
        )
        .replace("assert interrupted", "assert calls and not interrupted")
        .replace("middle_of_flush += _core.pending_count() > 0", "middle_of_flush += 1")
    )
    done = run_script(source, ASNUMPY_DEVICE="cpu")  # where a flush takes its time
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr


def test_handler_may_use_arrays() -> None:
    """Even those that the interrupted flush is about to compute."""
    source = SCRIPT.replace("STEP", "backwards").replace(
        "FLUSH", "ap.synchronize()"
    ).replace("assert interrupted", "assert seen").replace(
        "middle_of_flush = 0",
        "middle_of_flush = 0\nseen = []\n"
        "def look(*_): seen.append((float(y[3]) == expected[3], float((x + 1)[4]) == plain[4] + 2))\n"
        "signal.signal(signal.SIGINT, look)",
    ).replace("middle_of_flush += _core.pending_count() > 0", "middle_of_flush += seen.pop() == (True, True)")
    done = run_script(source, ASNUMPY_DEVICE="cpu")  # where a flush takes its time
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr
