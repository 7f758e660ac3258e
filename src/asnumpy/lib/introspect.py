"""What the loops of ufuncs are compiled for: NumPy's of each ufunc, ours as one instruction set."""

from __future__ import annotations

from typing import Any

from numpy.lib.introspect import opt_func_info as _of_numpy

from asnumpy import _core

__all__ = ["opt_func_info"]


def opt_func_info(func_name: str | None = None, signature: str | None = None) -> dict[str, Any]:
    """NumPy's table for the functions that match, with `"asnumpy"`: the instruction set that our kernels use.

    Parameters: `func_name` and `signature` are regular expressions, or None for all. Returns a dict by function's name.
    """
    found = dict(_of_numpy(func_name, signature))
    for loops in found.values():
        for targets in loops.values():
            targets["asnumpy"] = _core.instruction_set()
    return found
