"""asnumpy.scipy.spatial: the names of scipy.spatial, and its module `distance`."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.spatial import distance as distance

__all__: list[str] = []
__getattr__, __dir__ = _names_of(globals())
