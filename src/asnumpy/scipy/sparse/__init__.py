"""asnumpy.scipy.sparse: the names of scipy.sparse; its classes hold asnumpy arrays."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.sparse import csgraph as csgraph, linalg as linalg
from asnumpy.scipy.sparse._arrays import sparray, spmatrix
from asnumpy.scipy.sparse._classes import (
    bsr_array,
    bsr_matrix,
    coo_array,
    coo_matrix,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    dia_array,
    dia_matrix,
)
from asnumpy.scipy.sparse._functions import (
    isspmatrix,
    isspmatrix_bsr,
    isspmatrix_coo,
    isspmatrix_csc,
    isspmatrix_csr,
    isspmatrix_dia,
    issparse,
    on_host as _on_host,
)

__all__ = [
    "bsr_array", "bsr_matrix", "coo_array", "coo_matrix", "csc_array", "csc_matrix", "csr_array", "csr_matrix",
    "dia_array", "dia_matrix", "isspmatrix", "isspmatrix_bsr", "isspmatrix_coo", "isspmatrix_csc", "isspmatrix_csr",
    "isspmatrix_dia", "issparse", "sparray", "spmatrix",
]
__getattr__, __dir__ = _names_of(globals(), _on_host)
