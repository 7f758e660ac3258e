"""Sets: what is distinct, in common, or missing. Sizes depend on data: all of it runs at once, on the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host, host_result
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel


@public
def unique(
    ar: ArrayLike, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: int | None = None, *, equal_nan: bool = True, sorted: bool = True,
) -> Any:
    # the oldest NumPy supported has no `sorted`, and sorts
    extra = {} if sorted else {"sorted": sorted}
    asked = (return_index, return_inverse, return_counts)
    return host_result(np.unique, asarray(ar), *asked, axis, equal_nan=equal_nan, **extra)


class UniqueAllResult(NamedTuple):
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(NamedTuple):
    values: ndarray
    counts: ndarray


class UniqueInverseResult(NamedTuple):
    values: ndarray
    inverse_indices: ndarray


@public
def unique_all(x: ArrayLike) -> UniqueAllResult:
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@public
def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@public
def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@public
def unique_values(x: ArrayLike) -> ndarray:
    """The values are sorted, which NumPy leaves open."""
    return host(np.unique, asarray(x), equal_nan=False)


@public
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> ndarray:
    found: ndarray = unique(concatenate((ravel(ar1), ravel(ar2))))
    return found


@public
def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    return host_result(np.intersect1d, asarray(ar1), asarray(ar2), assume_unique, return_indices)


@public
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    return host(np.setdiff1d, asarray(ar1), asarray(ar2), assume_unique)


@public
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> ndarray:
    return host(np.setxor1d, asarray(ar1), asarray(ar2), assume_unique)


@public
def isin(
    element: ArrayLike, test_elements: ArrayLike, assume_unique: bool = False, invert: bool = False, *,
    kind: str | None = None,
) -> ndarray:
    return host(np.isin, asarray(element), test_elements, assume_unique, invert, kind=kind)
