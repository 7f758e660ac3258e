"""The bounds of the memory that an array's elements occupy."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy.array.ndarray import ndarray


@public_in(np.lib.array_utils)
def byte_bounds(a: Any) -> tuple[int, int]:
    """The first address that an array's elements occupy, and the one behind the last; this runs what is pending."""
    if not isinstance(a, ndarray):
        return np.lib.array_utils.byte_bounds(a)
    if a._host_visible:
        return np.lib.array_utils.byte_bounds(_core.to_numpy_view(a, None))
    reach = [(length - 1) * step for length, step in zip(a.shape, a.strides, strict=True)] if a.size else []
    low = a._address + sum(min(one, 0) for one in reach)
    return low, low + sum(map(abs, reach)) + (a.itemsize if a.size else 0)
