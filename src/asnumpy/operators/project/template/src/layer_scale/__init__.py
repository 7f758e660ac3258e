"""layer_scale: rows of one length, scaled by a factor for each column.

>>> import asnumpy as ap
>>> from layer_scale import layer_scale
>>> layer_scale(ap.array([[3.0, 4.0]], dtype="float32"), ap.ones(2, dtype="float32"), eps=0.0)
array([[0.84852815, 1.1313709 ]], dtype=float32)
"""

from layer_scale import _ascend as _ascend #:ascend
from layer_scale import _cpu as _cpu #:cpu
from layer_scale import _cuda as _cuda #:cuda
from layer_scale._operator import layer_scale

__all__ = ["layer_scale"]
