"""The host's C++ compiler, without which no test of a kernel can run."""

from __future__ import annotations

import os
import shutil

import pytest


def compiler() -> str | None:
    """Its command; None: there is none."""
    return os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")


needs_compiler = pytest.mark.skipif(
    compiler() is None, reason="kernels are compiled here, and there is no C++ compiler"
)
