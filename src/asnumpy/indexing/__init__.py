"""Elements chosen or written by position or condition, and the arrays of positions for it."""

from asnumpy.indexing import fancy
from asnumpy.indexing.grids import (
    bartlett, blackman, diag, diag_indices, diag_indices_from, diagflat, fill_diagonal, fromfunction, hamming,
    hanning, indices, ix_, kaiser, mask_indices, meshgrid, tri, tril, tril_indices, tril_indices_from, triu,
    triu_indices, triu_indices_from, vander,
)
from asnumpy.indexing.selection import (
    argwhere, choose, compress, count_nonzero, extract, flatnonzero, nonzero, piecewise, ravel_multi_index, select,
    take, take_along_axis, unravel_index, where,
)
from asnumpy.indexing.tricks import c_, mgrid, ogrid, r_
from asnumpy.indexing.writing import copyto, place, put, put_along_axis, putmask

__all__ = [
    "argwhere", "bartlett", "blackman", "c_", "choose", "compress", "copyto", "count_nonzero", "diag",
    "diag_indices", "diag_indices_from", "diagflat", "extract", "fill_diagonal", "flatnonzero", "fromfunction",
    "hamming", "hanning", "indices", "ix_", "kaiser", "mask_indices", "meshgrid", "mgrid", "nonzero", "ogrid",
    "piecewise", "place", "put", "put_along_axis", "putmask", "r_", "ravel_multi_index", "select", "take",
    "take_along_axis", "tri", "tril", "tril_indices", "tril_indices_from", "triu", "triu_indices",
    "triu_indices_from", "unravel_index", "vander", "where",
]
