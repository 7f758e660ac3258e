"""Programs whose only tie to a library is one import line; as a program, runs several of them with one library.

A child process runs all programs of one configuration, so that the imports are paid once. It prints one JSON object:
for each program what it printed, the warnings that it caused, and the end of its traceback if it failed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import traceback
import warnings
from typing import Any

LINE = "import asnumpy as np\n"

# What a user may have set in the environment: nothing but the device.
CONFIGURATIONS = {
    "numpy": {},
    "cpu": {"ASNUMPY_DEVICE": "cpu"},
    "npu": {"ASNUMPY_CANN": "sim"},
    "second of two": {"ASNUMPY_CANN": "sim", "CANNSIM_DEVICES": "2", "ASNUMPY_DEVICE": "ascend:1"},
}


def with_library(source: str, configuration: str) -> str:
    """The program as it is, or with NumPy in the place of asnumpy in its one import line."""
    assert source.count(LINE) == 1 and source.count("asnumpy") == 1, f"a program has one line {LINE!r} and no other tie"
    return source if configuration != "numpy" else source.replace(LINE, "import numpy as np\n")


def plain_environment() -> dict[str, str]:
    """Only default settings are tested: what the session set by the environment is taken out, but for eager mode."""
    return {
        name: value for name, value in os.environ.items()
        if not name.startswith(("ASNUMPY_", "CANNSIM_")) or name in ("ASNUMPY_EAGER", "ASNUMPY_CANNSIM_LIB")
    }


def outcomes(programs: dict[str, Any], configuration: str, patience: float = 300) -> dict[str, dict[str, Any]]:
    """Runs programs, each {"source", "path", "arguments"}, in a new process of that configuration."""
    given = {name: {**one, "source": with_library(one["source"], configuration)} for name, one in programs.items()}
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", __file__], input=json.dumps(given), capture_output=True, text=True,
        timeout=patience, env={**plain_environment(), **CONFIGURATIONS[configuration], "MPLBACKEND": "Agg"},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout)


def outcome(source: str, path: str, arguments: list[str]) -> dict[str, Any]:
    """Runs one program as `python path arguments` would."""
    printed, error = io.StringIO(), ""
    sys.argv = [path, *arguments]
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(source, path, "exec"), {"__name__": "__main__", "__file__": path})
        except BaseException:
            error = traceback.format_exc(limit=-6)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    said = [f"{one.category.__name__}: {one.message}" for one in caught]
    return {"printed": printed.getvalue(), "warnings": said, "error": error}


if __name__ == "__main__":
    print(json.dumps({name: outcome(**one) for name, one in json.load(sys.stdin).items()}))
