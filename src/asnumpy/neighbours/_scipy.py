"""Functions of SciPy's that are changed: its tables go by the function."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.interop.arrivals import put

__all__ = ["put_known"]


def put_known(package: str, name: str, theirs: Any, ours: Any) -> None:
    """Puts `ours` wherever the package has `theirs`; what SciPy's own tests know of the one holds for the other."""
    put(package, name, theirs, ours)
    capabilities = getattr(importlib.import_module("scipy._lib._array_api"), "xp_capabilities_table", {})
    if theirs in capabilities:
        capabilities[ours] = capabilities[theirs]
