"""asnumpy.scipy.sparse.linalg: the names of scipy.sparse.linalg, for sparse arrays of ours."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.sparse._door import on_host as _on_host
from asnumpy.scipy.sparse._iterative import bicgstab, cg, gmres

__all__ = ["bicgstab", "cg", "gmres"]
__getattr__, __dir__ = _names_of(globals(), _on_host)
