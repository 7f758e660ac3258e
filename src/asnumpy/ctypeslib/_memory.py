"""asnumpy.ctypeslib: arrays and C pointers over one memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.ctypeslib

from asnumpy._public import public_in
from asnumpy.host.door import numpy_view
from asnumpy.runtime.devices import over_host_memory


@public_in(np.ctypeslib)
def as_array(obj: Any, shape: Any = None) -> Any:
    """An array over the memory of a ctypes array or pointer. A pointer needs a shape.

    What it shares with C is computed at once: operations on it are not deferred. Where new arrays are a device's, it
    is a numpy.ndarray.
    """
    return over_host_memory(np.ctypeslib.as_array(obj, shape), "ctypeslib.as_array")


@public_in(np.ctypeslib)
def as_ctypes(obj: Any) -> Any:
    """A ctypes array over the memory of an array, which must be C-contiguous and writeable."""
    return np.ctypeslib.as_ctypes(numpy_view(obj))
