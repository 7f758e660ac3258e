"""From one element or row to the next, and rows by numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import CORES, blocks, kernel_of, launch

TILE = 4096


@operator("library.running_sum(x: T[n]) -> y: T[n]", T="i8 u8")
def running_sum(x: Any) -> Any:
    """Cumulative sums, which wrap."""
    return ap.cumsum(x)


@kernel_of(running_sum)
def _running_sum(x: Any, y: Any) -> None:
    partial = ap.empty(CORES, np.int64, device=x.device)
    x, y = x.view(np.int64), y.view(np.int64)
    launch("sums", "block_sums", [x, partial, x.size], items=x.size, least=TILE)
    launch("sums", "running_sum", [x, partial, y, x.size], items=x.size, least=TILE)


@operator("library.long_sum(x: f4[n]) -> y: f4[]")
def long_sum(x: Any) -> Any:
    """A sum that is rounded once: what each addition loses is added up beside it."""
    return ap.sum(x.astype(np.float64)).astype(np.float32)


@kernel_of(long_sum, when=lambda x: x.size > 0)
def _long_sum(x: Any, y: Any) -> None:
    partial = ap.empty(2 * CORES, np.float32, device=x.device)
    launch("sums", "long_sum_part", [x, partial, x.size], items=x.size, least=TILE)
    launch("sums", "long_sum_end", [partial, y, blocks(x.size, TILE)], items=1)


@operator("library.linear_recurrence(a: f4[t, c], b: f4[t, c]) -> h: f4[t, c]")
def linear_recurrence(a: Any, b: Any) -> Any:
    """h[t] = a[t] h[t - 1] + b[t] from zeros on, each column by itself."""
    h, factor, step = b.copy(), a.copy(), 1
    while step < a.shape[0]:  # pairs of steps are one step: (a, b) after (a', b') is (a a', a b' + b)
        before_h, before_factor = h[:-step].copy(), factor[:-step].copy()
        h[step:] += factor[step:] * before_h
        factor[step:] *= before_factor
        step *= 2
    return h


@kernel_of(linear_recurrence)
def _linear_recurrence(a: Any, b: Any, h: Any) -> None:
    launch("sequences", "recurrence", [a, b, h, *a.shape], items=a.shape[1], least=8)


@operator("library.gather_rows(table: T[rows, c], numbers: i4[n]) -> y: T[n, c]", T="f4 f2 bf2 i1 u1 i2 i4 i8 f8 c8")
def gather_rows(table: Any, numbers: Any) -> Any:
    """Rows of a table by their numbers; a number beyond the table gives zeros."""
    rows = table.shape[0]
    if not rows:
        return ap.zeros((numbers.size, table.shape[1]), table.dtype)
    inside = (numbers >= 0) & (numbers < rows)
    return ap.where(inside[:, None], table[ap.clip(numbers, 0, rows - 1)], ap.zeros((), table.dtype))


@kernel_of(gather_rows)
def _gather_rows(table: Any, numbers: Any, y: Any) -> None:
    n, columns = y.shape
    args = [table, numbers, y, n, columns * table.itemsize, table.shape[0]]
    launch("sequences", "gather_rows", args, items=n, least=8)


@operator("library.segment_sum(x: f4[n, c], numbers: i4[n], *, segments: int) -> y: f4[segments, c]")
def segment_sum(x: Any, numbers: Any, *, segments: int) -> Any:
    """Sums of the rows that have one number. Numbers beyond `segments` are left out.

    The kernel is quick where rows of one number follow one another. More than two cores that meet in a row add to it
    in no certain order.
    """
    inside = (numbers >= 0) & (numbers < segments)
    y = ap.zeros((segments + 1, x.shape[1]), np.float32)
    ap.add.at(y, ap.where(inside, numbers, segments), x)  # the last row takes what is left out
    return y[:segments]


@kernel_of(segment_sum)
def _segment_sum(x: Any, numbers: Any, y: Any, *, segments: int) -> None:
    y[...] = 0
    launch("sequences", "segment_sum", [x, numbers, y, *x.shape, segments], items=x.shape[0], least=16)


@operator("library.one_hot(numbers: i4[n], *, depth: int) -> y: f4[n, depth]")
def one_hot(numbers: Any, *, depth: int) -> Any:
    """Rows of zeros with a one at the place that the number says; a number beyond them gives zeros."""
    return (numbers[:, None] == ap.arange(depth, dtype=np.int32)).astype(np.float32)


@kernel_of(one_hot)
def _one_hot(numbers: Any, y: Any, *, depth: int) -> None:
    launch("sequences", "one_hot", [numbers, y, numbers.size, depth], items=numbers.size, least=8)
