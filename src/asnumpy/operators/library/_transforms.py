"""Fourier transforms of rows, and distances of points."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import kernel_of, launch

BATCH = 4096  # numbers that a core transforms at once
LONGEST = 512


@operator("library.fft_rows(x: c8[..., n], *, inverse: bool = False) -> y: c8[..., n]")
def fft_rows(x: Any, *, inverse: bool) -> Any:
    """The Fourier transform of each row, as NumPy's fft and ifft. The kernel takes powers of two from 2 to 512."""
    if not x.shape[-1]:
        raise ValueError("library.fft_rows: x: expected rows of at least one number, got none")
    return (ap.fft.ifft if inverse else ap.fft.fft)(x).astype(np.complex64)


def _power_of_two(x: Any, *, inverse: bool) -> bool:
    n = x.shape[-1]
    return bool(2 <= n <= LONGEST and n & (n - 1) == 0)


@lru_cache(maxsize=64)
def _tables(n: int, inverse: bool, device: str) -> tuple[Any, ...]:
    """Where numbers of a batch come from and go to, in bytes, and what each stage turns them by."""
    rows = BATCH // n
    element, row = np.divmod(np.arange(BATCH), rows)
    come = (row * n + element) * 8
    place, part = np.divmod(np.arange(2 * BATCH), 2)
    go = (place % n * rows + place // n + part * BATCH) * 4
    turns, s = [], rows
    while s < BATCH:
        angle = (1 if inverse else -1) * 2 * np.pi * (np.arange(BATCH // 2) // s) * s / BATCH
        turns += [np.cos(angle), np.sin(angle)]
        s *= 2
    made = come.astype(np.uint32), go.astype(np.uint32), np.concatenate(turns).astype(np.float32)
    return tuple(ap.from_numpy(one, device=device) for one in made)


@kernel_of(fft_rows, when=_power_of_two)
def _fft_rows(x: Any, y: Any, *, inverse: bool) -> None:
    n = x.shape[-1]
    rows = x.size // n
    tables = _tables(n, inverse, str(x.device))
    scale = 1 / n if inverse else 1.0
    launch("transforms", "fourier", [x, *tables, y, rows, n, scale], items=math.ceil(x.size / BATCH), least=1)


@operator("library.pairwise_distance(x: f4[n, d], y: f4[m, d]) -> z: f4[n, m]")
def pairwise_distance(x: Any, y: Any) -> Any:
    """The Euclidean distance of each point of x from each of y, from their differences."""
    difference = x[:, None] - y
    return ap.sqrt(ap.sum(difference * difference, axis=-1))


@kernel_of(pairwise_distance)
def _pairwise_distance(x: Any, y: Any, z: Any) -> None:
    (n, m), d = z.shape, x.shape[1]
    columns = ap.ascontiguousarray(y.T)
    items = math.ceil(n / 32) * math.ceil(m / 512)
    launch("transforms", "distances", [x, columns, z, n, m, d], items=items, least=1)
