"""asnumpy.ctypeslib: arrays and C pointers over one memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.ctypeslib import as_ctypes_type, c_intp, load_library, ndpointer

from asnumpy import _core
from asnumpy.array.ndarray import ndarray

__all__ = ["as_array", "as_ctypes", "as_ctypes_type", "c_intp", "load_library", "ndpointer"]


def as_array(obj: Any, shape: Any = None) -> ndarray:
    """An array over the memory of a ctypes array or pointer. A pointer needs a shape.

    What it shares with C is computed at once: operations on it are not deferred.
    """
    return _core.wrap_numpy(np.ctypeslib.as_array(obj, shape), "ctypeslib.as_array")


def as_ctypes(obj: Any) -> Any:
    """A ctypes array over the memory of an array, which must be C-contiguous and writeable."""
    return np.ctypeslib.as_ctypes(_core.to_numpy_view(obj, None) if isinstance(obj, ndarray) else obj)
