"""Kernels that are wrong in one way each, `wrong/*.cpp`: what strict mode says, and where."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel, together

pytestmark = needs_compiler

FILES = sorted((HERE / "wrong").glob("*.cpp"))
NAMES = [path.stem for path in FILES]
TEXTS = {path.stem: path.read_text() for path in FILES}


def said(name: str, what: str, default: str) -> str:
    """What a file's first lines say of its kernel: `// rule: race`."""
    found = re.search(rf"^// {what}: (\S+)$", TEXTS[name], re.MULTILINE)
    return found.group(1) if found else default


def marked(name: str) -> list[int]:
    """The lines that are marked as wrong; one of two in no certain order is named, and which is not certain."""
    return [number for number, line in enumerate(TEXTS[name].splitlines(), 1) if line.endswith("  // wrong")]


@functools.cache
def kernels(kind: str) -> Kernel:
    chosen = [path for path in FILES if said(path.stem, "kind", "vector") == kind]
    return together(chosen, [[path.stem] for path in chosen], kind)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_is_found_and_named(name):
    kind, blocks = said(name, "kind", "vector"), int(said(name, "blocks", "1"))
    x, y = (np.arange(1024, dtype=np.float32) % 8 for _ in range(2))
    ran = kernels(kind)(name, blocks, x, y, np.zeros(1024, np.float32))
    assert ran.findings
    for finding in ran.findings:
        found = re.match(r"(\w+), (AI[VC]) (\d+), ([\w.]+):(\d+): \[(\w+)\] .{20}", finding)
        assert found, finding
        kernel, core, number, file, line, rule = found.groups()
        assert (kernel, file, rule) == (name, f"{name}.cpp", said(name, "rule", "")), finding
        assert core == ("AIC" if kind == "cube" else "AIV") or kind == "mix_1_2"
        assert int(number) < blocks * 2 and int(line) in marked(name), finding


@pytest.mark.parametrize("name", NAMES)
def test_the_files_say_what_is_wrong(name):
    assert TEXTS[name].startswith("// Wrong: ") and said(name, "rule", "") and marked(name)


def test_there_are_twenty():
    assert len(FILES) >= 20
    assert len({said(name, "rule", "") for name in NAMES}) >= 12
