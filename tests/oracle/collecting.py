"""A pytest plugin that collects NumPy's test modules with asnumpy in place of numpy.

Used by running.py: `pytest -p oracle.noting -p oracle.collecting --outcomes FILE numpy/lib/tests/test_shape_base.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracle import stand_in


class StandInModule(pytest.Module):
    """A test module of NumPy's, executed with the stand-ins instead of imported."""

    def _getobj(self) -> Any:
        return stand_in.load(self.path.read_text(encoding="utf-8"), str(self.path), f"oracle_{self.path.stem}")


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    module: pytest.Module = StandInModule.from_parent(parent, path=module_path)
    return module


def pytest_configure(config: pytest.Config) -> None:
    for marker in ("slow", "thread_unsafe", "parallel_threads", "iterations", "leaks_references", "valgrind_error"):
        config.addinivalue_line("markers", f"{marker}: one of NumPy's markers")
