"""The page about asnumpy.scipy names what the present build has, and what of it is composed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import scipy

TOOL = Path(__file__).resolve().parents[2] / "tools" / "scipy_table.py"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scipy_table", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_current() -> None:
    module = tool()
    if module.written_for() == scipy.__version__:
        assert module.PAGE.read_text() == module.text(), "python tools/scipy_table.py --write"
    page = " ".join(module.PAGE.read_text().split())
    for one in module.modules():  # another SciPy has other names; what is composed is ours
        composed = module.listed(one, "device")
        assert composed == [] or f"Composed ({len(composed)}): {', '.join(composed)}." in page, one.__name__


def test_it_is_loaded_when_it_is_used() -> None:
    program = (
        "import sys, asnumpy as ap\n"
        "assert not any(name.startswith(('scipy', 'asnumpy.scipy')) for name in sys.modules)\n"
        "assert 'scipy' in dir(ap) and 'special' in dir(ap.scipy)\n"
        "assert 'asnumpy.scipy.special' not in sys.modules\n"
        "assert ap.scipy.special.__name__ == 'asnumpy.scipy.special'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
