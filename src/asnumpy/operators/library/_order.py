"""Order and counts: sorted int64, the largest of whole numbers, how many fall into bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import CORES, kernel_of, launch

RUN = 4096  # numbers that a core sorts at once
TABLE, LINE = 8192, 32  # what a core has of a table for all numbers, and for each
MOST_KEPT = RUN // 2  # of the largest, beside which as many others fit
MOST_BINS = 2048
_HIGHEST = np.int64(-(2**63))
_PLACES = 2**31  # which int32 counts


@operator("library.sort_int64(x: T[..., n]) -> y: T[..., n]", T="i8 u8")
def sort_int64(x: Any) -> Any:
    """Rows in rising order: runs of 4096, of which a pass over the memory merges pairs, until there is one."""
    return ap.sort(x, axis=-1)


@kernel_of(sort_int64)
def _sort_int64(x: Any, y: Any) -> None:
    n = x.shape[-1]
    rows, made = x.size // n, y.view(np.int64)
    lengths = _lengths(n)
    spare = ap.empty(x.shape, np.int64, device=x.device) if lengths else made
    from_, to = (spare, made) if len(lengths) % 2 else (made, spare)
    launch("order", "sort_runs", [_with_sign(x), from_, rows, n], items=rows * -(-n // RUN), least=1)
    for length in lengths:
        launch("order", "merge_runs", [from_, to, rows, n, length], items=rows * -(-n // RUN), least=1)
        from_, to = to, from_
    if x.dtype != made.dtype:
        made ^= _HIGHEST


@operator("library.argsort_int64(x: T[..., n]) -> places: i8[..., n]", T="i8 u8")
def argsort_int64(x: Any) -> Any:
    """Where the elements of each row stand in rising order, equal ones in theirs."""
    return ap.argsort(x, axis=-1, stable=True)


@kernel_of(argsort_int64, when=lambda x: bool(x.shape[-1] < _PLACES))
def _argsort_int64(x: Any, places: Any) -> None:
    n = x.shape[-1]
    if n <= RUN:
        launch("order", "argsort_rows", [_with_sign(x), places, x.size // n, n], items=x.size // n, least=1)
    else:
        places[...] = _sorted_and_places(_with_sign(x))[1]


def _sorted_and_places(x: Any) -> tuple[Any, Any]:
    """Rows of int64 in rising order, and where their elements stood, as int32."""
    n, device = x.shape[-1], x.device
    rows, items = x.size // n, x.size // n * -(-n // RUN)
    made = [(ap.empty(x.shape, np.int64, device=device), ap.empty(x.shape, np.int32, device=device)) for _ in range(2)]
    launch("order", "sort_placed_runs", [x, *made[0], rows, n], items=items, least=1)
    for length in _lengths(n):
        launch("order", "merge_placed_runs", [*made[0], *made[1], rows, n, length], items=items, least=1)
        made.reverse()
    return made[0]


def _lengths(n: int) -> list[int]:
    """Of the runs before each pass that merges them."""
    return [RUN << i for i in range((-(-n // RUN) - 1).bit_length())]


def _with_sign(x: Any) -> Any:
    """int64 in the same order."""
    return x if x.dtype == np.int64 else x.view(np.int64) ^ _HIGHEST


@operator("library.top_k(x: T[..., n], *, k: int) -> values: T[..., k], places: i4[..., k]", T="i8 i4")
def top_k(x: Any, *, k: int) -> Any:
    """The k largest of each row in falling order, and where they stand; of equal ones the first come first."""
    if not 0 <= k <= x.shape[-1]:
        raise ValueError(f"library.top_k: k: expected 0 to {x.shape[-1]}, the length of the last axis, got {k}")
    places = ap.argsort(~x, axis=-1, stable=True)[..., :k]
    return ap.take_along_axis(x, places, axis=-1), places.astype(np.int32)


@kernel_of(top_k, when=lambda x, *, k: bool(0 < k <= x.shape[-1] < _PLACES))
def _top_k(x: Any, values: Any, places: Any, *, k: int) -> None:
    if k > MOST_KEPT:
        rising, stood = _sorted_and_places((~x).astype(np.int64, copy=False))
        values[...], places[...] = ~rising[..., :k], stood[..., :k]
        return
    n, rows = x.shape[-1], x.size // x.shape[-1]
    given, placed = (x, x), 0  # the second has no places yet
    while True:  # rows that are too few for all cores in parts, and then what was kept of those
        parts = max(1, min(CORES // rows, n // max(RUN, 2 * k)))
        shape = (rows, parts * k)
        made = (values, places)
        if parts > 1:
            made = ap.empty(shape, x.dtype, device=x.device), ap.empty(shape, np.int32, device=x.device)
        args = [*given, *made, rows, n, k, parts, placed]
        launch("order", f"top_{x.dtype.name}", args, items=rows * parts, least=1)
        if parts == 1:
            return
        given, placed, n = made, 1, parts * k


@operator("library.search_int64(table: i8[m], x: i8[n], *, right: bool = False) -> places: i4[n]")
def search_int64(table: Any, x: Any, *, right: bool) -> Any:
    """Where numbers go into a sorted table, as NumPy's searchsorted."""
    return ap.searchsorted(table, x, side="right" if right else "left").astype(np.int32)


@kernel_of(search_int64, when=lambda table, x, *, right: bool(0 < table.size < _PLACES))
def _search_int64(table: Any, x: Any, places: Any, *, right: bool) -> None:
    tables = [table]
    while tables[-1].size > TABLE:  # the last ones of lines say which line a number goes to
        tables.append(ap.ascontiguousarray(tables[-1][LINE - 1 :: LINE]))
    args = [x, places, x.size]
    last = tables.pop()
    launch("places", "search", [last, *args, last.size, int(right)], items=x.size, least=1024)
    for one in reversed(tables):
        launch("places", "search_lines", [one, *args, one.size, int(right)], items=x.size, least=64)


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
    launch("places", "histogram", [x, counts, x.size, bins, low, high], items=x.size, least=8192)


@operator("library.bin_count(x: i4[n], *, bins: int) -> counts: i4[bins]")
def bin_count(x: Any, *, bins: int) -> Any:
    """How often each whole number from 0 on stands in x, as NumPy's bincount; others are left out."""
    inside = (x >= 0) & (x < bins)
    return ap.bincount(ap.where(inside, x, bins), minlength=bins + 1)[:bins].astype(np.int32)


@kernel_of(bin_count, when=lambda x, *, bins: bool(0 < bins <= MOST_BINS))
def _bin_count(x: Any, counts: Any, *, bins: int) -> None:
    counts[...] = 0
    launch("places", "count_whole", [x, counts, x.size, bins], items=x.size, least=8192)
