"""Functions for authors of functions with axes: NumPy's own, which concern no elements, and the bounds of memory."""

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy.lib._array_utils import byte_bounds

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]
