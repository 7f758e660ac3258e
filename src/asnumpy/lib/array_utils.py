"""Functions for authors of functions with axes: NumPy's own, which concern no elements, and the bounds of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy import _core
from asnumpy._array import ndarray

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]


def byte_bounds(a: Any) -> tuple[int, int]:
    """The first address that an array's elements occupy, and the one behind the last; this runs what is pending."""
    return np.lib.array_utils.byte_bounds(_core.to_numpy_view(a, None) if isinstance(a, ndarray) else a)
