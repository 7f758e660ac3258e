"""Functions of scipy.sparse that ask what an object is, and those that put sparse arrays together."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.sparse as _theirs

from asnumpy._types import ndarray
from asnumpy.scipy.sparse import _door
from asnumpy.scipy.sparse._arrays import Sparse, spmatrix
from asnumpy.scipy.sparse._door import Held
from asnumpy.scipy.sparse._moves import moved

_MOVING = frozenset("hstack vstack block_array block_diag bmat tril triu".split())  # put values of arrays elsewhere


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


def _has_dense(value: Any) -> bool:
    return any(map(_has_dense, value)) if isinstance(value, (list, tuple)) else isinstance(value, (ndarray, np.ndarray))


def on_host(theirs: Any, name: str) -> Any:
    """What a program gets for a name of SciPy's; what only moves values runs where they lie."""
    by_scipy = _door.on_host(theirs, name)
    if name.rpartition(".")[2] not in _MOVING:
        return by_scipy

    @functools.wraps(by_scipy)
    def move(*args: Any, **kwargs: Any) -> Any:
        plain = kwargs.get("dtype") is None and not _has_dense([*args, *kwargs.values()])
        made = moved(theirs, *args, **kwargs) if plain else NotImplemented
        return by_scipy(*args, **kwargs) if made is NotImplemented else made

    return move
