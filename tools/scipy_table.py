"""Writes docs/scipy.md: the names of asnumpy.scipy, and which of them are compositions of array operations.

`python tools/scipy_table.py` prints the page, `--write` puts it in its place, `--check` says whether it is current.
"""

from __future__ import annotations

import importlib
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import scipy

import asnumpy.scipy
import kept_page
from asnumpy.scipy._host import Distribution
from asnumpy.scipy._names import kind_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scipy.md"
TABLE = "## What runs where"


def modules() -> list[ModuleType]:
    names = [
        *asnumpy.scipy.__all__, "signal.windows", "sparse.csgraph", "sparse.linalg", "spatial.distance",
    ]
    return [importlib.import_module(f"asnumpy.scipy.{name}") for name in sorted(names)]


def _entry(module: ModuleType, name: str) -> str:
    value: Any = getattr(module, name)
    own = value._own if isinstance(value, Distribution) else {}
    return f"`{name}`" + (f" ({', '.join(sorted(own))})" if own else "")


def listed(module: ModuleType, kind: str) -> list[str]:
    """The names of a module that are of this kind, as the page shows them."""
    return [_entry(module, name) for name in sorted(module.__all__) if kind_of(module, name) == kind]


def _paragraph(text: str) -> str:
    return textwrap.fill(text, 150, break_long_words=False, break_on_hyphens=False)


def table() -> str:
    parts = [
        TABLE,
        f"Written by `tools/scipy_table.py` for SciPy {scipy.__version__}; do not edit it by hand. Of a distribution "
        "the methods in brackets are composed, the others SciPy's. Classes (but those of `interpolate`) and constants "
        "not listed are SciPy's own.",
    ]
    for module in modules():
        parts.append(f"### {module.__name__.removeprefix('asnumpy.')}")
        for kind, title in (("device", "Composed"), ("host", "By SciPy on the host")):
            names = listed(module, kind)
            if names:
                parts.append(_paragraph(f"{title} ({len(names)}): {', '.join(names)}."))
    return "\n\n".join(parts) + "\n"


def text() -> str:
    """The page: its own words as they stand, and the table."""
    return PAGE.read_text().partition(TABLE)[0] + table()


def written_for() -> str:
    """The version of SciPy whose names the page has."""
    found = re.search(r"for SciPy (\S+);", PAGE.read_text())
    assert found is not None
    return found.group(1)


if __name__ == "__main__":
    sys.exit(kept_page.run(PAGE, text))
