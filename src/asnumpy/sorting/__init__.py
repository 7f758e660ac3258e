"""Order, searching and sets."""

from asnumpy.sorting.order import (
    argmax, argmin, argpartition, argsort, lexsort, partition, sort, sort_complex,
)
from asnumpy.sorting.search import digitize, searchsorted
from asnumpy.sorting.sets import (
    intersect1d, isin, setdiff1d, setxor1d, union1d, unique, unique_all, unique_counts, unique_inverse,
    unique_values,
)

__all__ = [
    "argmax", "argmin", "argpartition", "argsort", "digitize", "intersect1d", "isin", "lexsort", "partition",
    "searchsorted", "setdiff1d", "setxor1d", "sort", "sort_complex", "union1d", "unique", "unique_all",
    "unique_counts", "unique_inverse", "unique_values",
]
