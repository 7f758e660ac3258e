"""asnumpy.scipy.linalg: the names of scipy.linalg; what asnumpy.linalg computes on a device is computed there."""

from asnumpy.scipy._linalg import det, inv, norm, solve, svdvals
from asnumpy.scipy._names import names_of as _names_of

__all__ = ["det", "inv", "norm", "solve", "svdvals"]
__getattr__, __dir__ = _names_of(globals())
