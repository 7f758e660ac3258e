"""asnumpy.scipy.linalg: the names of scipy.linalg; on a device, what asnumpy.linalg computes there is computed there."""

from asnumpy.scipy._linalg import det, inv, norm, solve, svdvals
from asnumpy.scipy._names import names_of as _names_of

__all__, __getattr__, __dir__ = _names_of(globals())
