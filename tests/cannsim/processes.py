"""Child processes that use the simulator wrongly, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from cannsim import acl

HEAD = "import ctypes, sys\nimport numpy as np\nfrom cannsim import acl\nfrom cannsim.acl import *\nacl.start()\n"


def child(
    code: str, *, started: bool = True, timeout: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs the lines in a process of their own, with CANNSIM_<name>=value for each keyword."""
    settings = os.environ | {f"CANNSIM_{name.upper()}": value for name, value in environment.items()}
    settings |= {"ASNUMPY_CANNSIM_LIB": str(acl.folder()), "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    text = (HEAD if started else HEAD.replace("acl.start()\n", "")) + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", text], env=settings, capture_output=True, text=True, timeout=timeout, check=False
    )
