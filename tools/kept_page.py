"""A page of docs that a tool writes: printed, written by --write, or compared by --check with what is there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def run(page: Path, text: Callable[[], str]) -> int:
    """What the tool's command line asks for; the exit status."""
    if "--write" in sys.argv:
        page.write_text(text())
    elif "--check" in sys.argv:
        if page.read_text() != text():
            tool = Path(sys.argv[0]).name
            print(f"docs/{page.name} is not current: python tools/{tool} --write", file=sys.stderr)
            return 1
    else:
        print(text(), end="")
    return 0
