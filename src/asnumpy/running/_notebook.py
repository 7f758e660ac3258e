"""`%load_ext asnumpy`: from then on `import numpy` in a notebook's cells, and in modules beside it, is asnumpy."""

from __future__ import annotations

import sys
from typing import Any

import numpy

from asnumpy.running import _imports
from asnumpy.runtime.origins import keep_origins, leave_origins

_installed: dict[int, tuple[Any, Any]] = {}  # by the shell's id: the transformer, the finder


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext asnumpy`. Names that cells have already imported keep NumPy until they import it again."""
    if id(shell) in _installed:
        return
    transformer, finder = _imports.Imports(), _imports.install()
    shell.ast_transformers.append(transformer)
    _installed[id(shell)] = transformer, finder
    keep_origins()
    before = sorted(name for name, value in shell.user_ns.items() if value is numpy and not name.startswith("_"))
    if before:
        print(f"asnumpy: {', '.join(before)} is still NumPy, from an earlier cell; run its import again")


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext asnumpy`. What was imported stays what it is."""
    transformer, finder = _installed.pop(id(shell), (None, None))
    if transformer is not None:
        shell.ast_transformers.remove(transformer)
        sys.meta_path.remove(finder)
        leave_origins()
