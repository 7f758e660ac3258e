"""Functions for authors of functions with axes: NumPy's own, which concern no elements."""

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

__all__ = ["normalize_axis_index", "normalize_axis_tuple"]
