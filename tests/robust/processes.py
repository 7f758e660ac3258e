"""Running pieces of a test in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable

import asnumpy as ap

PATIENCE = 120.0  # seconds after which a process counts as stuck


def run_script(source: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A new interpreter that runs `source` with this asnumpy."""
    path = os.pathsep.join(
        [os.path.dirname(os.path.dirname(ap.__file__)), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", source], capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


def start_child(work: Callable[[], None]) -> int:
    """Forks; the child runs `work` and ends with status 0, or prints what went wrong and ends with 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that this process has threads is the point
        child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    return child


def wait_for(child: int) -> None:
    """The child must end by itself, with status 0."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0, f"the child ended with {os.waitstatus_to_exitcode(status)}"
            return
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child did not end: a deadlock")
