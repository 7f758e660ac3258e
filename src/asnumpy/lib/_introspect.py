"""What the loops of ufuncs are compiled for: NumPy's of each ufunc, ours as one instruction set."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.lib.introspect

from asnumpy import _core
from asnumpy._public import public_in


@public_in(np.lib.introspect)
def opt_func_info(func_name: str | None = None, signature: str | None = None) -> dict[str, Any]:
    """NumPy's table for the functions that match, with `"asnumpy"`: the instruction set that our kernels use.

    Parameters: `func_name` and `signature` are regular expressions, or None for all. Returns a dict by function's name.
    """
    found = dict(np.lib.introspect.opt_func_info(func_name, signature))
    for loops in found.values():
        for targets in loops.values():
            targets["asnumpy"] = _core.instruction_set()
    return found
