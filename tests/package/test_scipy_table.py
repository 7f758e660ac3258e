"""The page about asnumpy.scipy names what the present build has, and what of it is composed."""

from __future__ import annotations

import subprocess
import sys

import scipy

import scipy_table


def test_page_is_current() -> None:
    if scipy_table.written_for() == scipy.__version__:
        assert scipy_table.PAGE.read_text() == scipy_table.text(), "python tools/scipy_table.py --write"
    page = " ".join(scipy_table.PAGE.read_text().split())
    for one in scipy_table.modules():  # another SciPy has other names; what is composed is ours
        composed = scipy_table.listed(one, "device")
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
