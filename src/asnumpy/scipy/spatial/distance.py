"""asnumpy.scipy.spatial.distance: the names of scipy.spatial.distance."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.spatial._distance import cdist, pdist

__all__ = ["cdist", "pdist"]
__getattr__, __dir__ = _names_of(globals())
