"""Functions of scipy.sparse that ask what an object is."""

from __future__ import annotations

from typing import Any

import scipy.sparse as _theirs

from asnumpy.scipy.sparse._arrays import Sparse, spmatrix
from asnumpy.scipy.sparse._door import Held


def issparse(x: Any) -> bool:
    """Whether it is a sparse array or matrix, of ours or SciPy's."""
    return isinstance(x, Sparse) or _theirs.issparse(x)


def isspmatrix(x: Any) -> bool:
    """Whether it is a sparse matrix, of ours or SciPy's."""
    return isinstance(x, spmatrix) or _theirs.isspmatrix(x)


def _of_format(name: str) -> Any:
    theirs = getattr(_theirs, f"isspmatrix_{name}")

    def asks(x: Any) -> bool:
        return (isinstance(x, spmatrix) and isinstance(x, Held) and x.format == name) or theirs(x)

    asks.__name__ = asks.__qualname__ = theirs.__name__
    asks.__doc__ = f"Whether it is a sparse matrix of the format {name!r}, of ours or SciPy's."
    return asks


isspmatrix_csr, isspmatrix_csc, isspmatrix_coo = _of_format("csr"), _of_format("csc"), _of_format("coo")
isspmatrix_bsr, isspmatrix_dia = _of_format("bsr"), _of_format("dia")
