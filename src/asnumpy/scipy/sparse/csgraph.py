"""asnumpy.scipy.sparse.csgraph: the names of scipy.sparse.csgraph, for sparse arrays of ours."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.sparse._door import on_host as _on_host

__all__: list[str] = []
__getattr__, __dir__ = _names_of(globals(), _on_host)
