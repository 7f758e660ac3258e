"""The structure of a kernel's tiling data, found in the files of its operator's host."""

from __future__ import annotations

import re
from pathlib import Path

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DEFINITION = re.compile(r"\bBEGIN_TILING_DATA_DEF\s*\(\s*(\w+)\s*\).*?\bEND_TILING_DATA_DEF\b\s*;?", re.DOTALL)
_REGISTRATION = re.compile(r"\bREGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*(?:\w+::)*(\w+)\s*\)")


def _letters(name: str) -> str:
    """`HammingDistance` and `hamming_distance` alike."""
    return name.replace("_", "").lower()


def host_structures(source: Path) -> str | None:
    """The tiling structures of a kernel in ``op_kernel/``, as its operator's host in ``op_host/`` declares them.

    Of the host's headers nothing else is taken: the rest of them needs the host's own libraries.

    Returns
    -------
    str or None
        A header's text; None where the kernel brings its structure itself, or no host stands beside it.
    """
    beside = source.resolve().parent
    text = _COMMENT.sub("", source.read_text(errors="replace"))
    if beside.name != "op_kernel" or not re.search(r"\bGET_TILING_DATA\w*\s*\(", text):
        return None
    for header in sorted((beside.parent / "op_host").glob("*.h")):
        declared = _COMMENT.sub("", header.read_text(errors="replace"))
        operators = [name for name, _ in _REGISTRATION.findall(declared)]
        if _letters(source.stem) not in map(_letters, operators) or header.name in text:
            continue
        parts = [*_DEFINITION.finditer(declared), *_REGISTRATION.finditer(declared)]
        lines = [part.group() for part in sorted(parts, key=lambda part: part.start())]
        body = "\n".join(["namespace optiling {", *lines, "}  // namespace optiling"])
        return f'#include "register/tilingdata_base.h"\n{body}\n'
    return None
