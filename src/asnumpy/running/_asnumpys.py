"""Runs a program in this process with its own imports of NumPy rewritten."""

from __future__ import annotations

import os
from pathlib import Path

from asnumpy.running import _imports, _program
from asnumpy.runtime.origins import keep_origins

AFRESH = "asnumpy.running._spawned"


def run(program: _program.Program, report: Path | None = None, numpy_random: bool = False) -> None:
    """Runs it as `__main__`; program.Missing where there is none.

    numpy_random: its `numpy.random` draws NumPy's numbers.
    """
    is_path = not program.is_module and program.name != "-"
    folder = os.path.dirname(os.path.realpath(program.name)) if is_path else ""
    _imports.install(*([folder, program.name] if is_path and os.path.isdir(program.name) else [folder]))
    found = _program.find(program)
    if numpy_random:
        from asnumpy.running import _numpys_draws

        _numpys_draws.install()
    keep_origins()
    if report is not None:
        from asnumpy.running import _report

        _report.begin(report, found.path)
    _program.run(program, found, _imports.compiled, AFRESH)
