"""Order and counts: sorted int64, the largest of whole numbers, how many fall into bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import kernel_of, launch

LONGEST = 4096  # a row that the kernel sorts: all of it lies on one core
LONGEST_TABLE = 8192
_HIGHEST = np.int64(-(2**63))
MOST_LARGEST, MOST_BINS = 2048, 2048


@operator("library.sort_int64(x: T[..., n]) -> y: T[..., n]", T="i8 u8")
def sort_int64(x: Any) -> Any:
    """Rows in rising order. The kernel takes rows of up to 4096; longer ones are quicker by CANN's own steps."""
    return ap.sort(x, axis=-1)


@kernel_of(sort_int64, when=lambda x: bool(x.shape[-1] <= LONGEST))
def _sort_int64(x: Any, y: Any) -> None:
    n = x.shape[-1]
    given, made = _with_sign(x), y.view(np.int64)
    launch("order", "sort_rows", [given, made, x.size // n, n], items=x.size // n, least=1)
    if x.dtype != made.dtype:
        made ^= _HIGHEST


@operator("library.argsort_int64(x: T[..., n]) -> places: i8[..., n]", T="i8 u8")
def argsort_int64(x: Any) -> Any:
    """Where the elements of each row stand in rising order, equal ones in theirs. The kernel takes up to 4096."""
    return ap.argsort(x, axis=-1, stable=True)


@kernel_of(argsort_int64, when=lambda x: bool(x.shape[-1] <= LONGEST))
def _argsort_int64(x: Any, places: Any) -> None:
    n = x.shape[-1]
    launch("order", "argsort_rows", [_with_sign(x), places, x.size // n, n], items=x.size // n, least=1)


def _with_sign(x: Any) -> Any:
    """int64 in the same order."""
    return x if x.dtype == np.int64 else x.view(np.int64) ^ _HIGHEST


def _some(x: Any, *, k: int) -> bool:
    return bool(0 < k <= min(x.shape[-1], MOST_LARGEST) and x.shape[-1] < 2**31)


@operator("library.top_k(x: T[..., n], *, k: int) -> values: T[..., k], places: i4[..., k]", T="i8 i4")
def top_k(x: Any, *, k: int) -> Any:
    """The k largest of each row in falling order, and where they stand; of equal ones the first come first."""
    if not 0 <= k <= x.shape[-1]:
        raise ValueError(f"library.top_k: k: expected 0 to {x.shape[-1]}, the length of the last axis, got {k}")
    places = ap.argsort(~x, axis=-1, stable=True)[..., :k]
    return ap.take_along_axis(x, places, axis=-1), places.astype(np.int32)


@kernel_of(top_k, when=_some)
def _top_k(x: Any, values: Any, places: Any, *, k: int) -> None:
    n = x.shape[-1]
    rows = x.size // n
    launch("order", f"top_{x.dtype.name}", [x, values, places, rows, n, k], items=rows, least=1)


@operator("library.search_int64(table: i8[m], x: i8[n], *, right: bool = False) -> places: i4[n]")
def search_int64(table: Any, x: Any, *, right: bool) -> Any:
    """Where numbers go into a sorted table, as NumPy's searchsorted. The kernel takes tables of up to 8192."""
    return ap.searchsorted(table, x, side="right" if right else "left").astype(np.int32)


@kernel_of(search_int64, when=lambda table, x, *, right: bool(0 < table.size <= LONGEST_TABLE))
def _search_int64(table: Any, x: Any, places: Any, *, right: bool) -> None:
    launch("order", "search", [table, x, places, x.size, table.size, int(right)], items=x.size, least=1024)


def _finite(x: Any, *, bins: int, low: float, high: float) -> bool:
    return bool(0 < bins <= MOST_BINS and -math.inf < low < high < math.inf)


@operator("library.histogram(x: f4[n], *, bins: int, low: float, high: float) -> counts: i4[bins]")
def histogram(x: Any, *, bins: int, low: float, high: float) -> Any:
    """How many numbers fall into each of equal bins, as NumPy's histogram.

    The kernel computes places in float32: a number within a rounding of an edge may fall on either side of it.
    """
    return ap.histogram(x, bins, (low, high))[0].astype(np.int32)


@kernel_of(histogram, when=_finite)
def _histogram(x: Any, counts: Any, *, bins: int, low: float, high: float) -> None:
    counts[...] = 0
    launch("order", "histogram", [x, counts, x.size, bins, low, high], items=x.size, least=8192)


@operator("library.bin_count(x: i4[n], *, bins: int) -> counts: i4[bins]")
def bin_count(x: Any, *, bins: int) -> Any:
    """How often each whole number from 0 on stands in x, as NumPy's bincount; others are left out."""
    inside = (x >= 0) & (x < bins)
    return ap.bincount(ap.where(inside, x, bins), minlength=bins + 1)[:bins].astype(np.int32)


@kernel_of(bin_count, when=lambda x, *, bins: bool(0 < bins <= MOST_BINS))
def _bin_count(x: Any, counts: Any, *, bins: int) -> None:
    counts[...] = 0
    launch("order", "count_whole", [x, counts, x.size, bins], items=x.size, least=8192)
