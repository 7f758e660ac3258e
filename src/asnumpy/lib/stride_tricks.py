"""Views made from strides: as_strided and sliding windows."""

from numpy import broadcast_shapes

from asnumpy.lib._stride_tricks import as_strided, sliding_window_view
from asnumpy.manipulation.shapes import broadcast_arrays, broadcast_to

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]
