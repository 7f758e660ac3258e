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
AT_ONCE = 512  # the longest row in a batch, of which eight lie beside each other
LONGEST = 1 << 22  # whose tables take 64 MB


@operator("library.fft_rows(x: c8[..., n], *, inverse: bool = False, scaled: bool = True) -> y: c8[..., n]")
def fft_rows(x: Any, *, inverse: bool, scaled: bool) -> Any:
    """The Fourier transform of each row, as NumPy's fft and ifft. The kernel takes powers of two from 2 to 2**22.

    An inverse is divided by its length where it is `scaled`.
    """
    if not x.shape[-1]:
        raise ValueError("library.fft_rows: x: expected rows of at least one number, got none")
    if not inverse:
        return ap.fft.fft(x).astype(np.complex64)
    return ap.fft.ifft(x, norm="backward" if scaled else "forward").astype(np.complex64)


def _power_of_two(x: Any, *, inverse: bool, scaled: bool) -> bool:
    n = x.shape[-1]
    return bool(2 <= n <= LONGEST and n & (n - 1) == 0)


def _turned(powers: np.ndarray, n: int, inverse: bool) -> tuple[np.ndarray, np.ndarray]:
    """Real and imaginary parts of the n-th roots of 1, in double precision."""
    angle = (1 if inverse else -1) * 2 * np.pi * (powers % n) / n
    return np.cos(angle), np.sin(angle)


def _turns(n: int, inverse: bool) -> np.ndarray:
    """What each stage of a batch of rows turns its numbers by."""
    stages: list[np.ndarray] = []
    s = BATCH // n
    while s < BATCH:
        stages += _turned(np.arange(BATCH // 2) // s * s, BATCH, inverse)
        s *= 2
    return np.concatenate(stages)


def _there(device: str, *tables: np.ndarray) -> tuple[Any, ...]:
    kinds = {"i": np.uint32, "f": np.float32}
    return tuple(ap.from_numpy(one.astype(kinds[one.dtype.kind]), device=device) for one in tables)


@lru_cache(maxsize=64)
def _tables(n: int, inverse: bool, device: str) -> tuple[Any, ...]:
    """Where numbers of a batch of rows come from and go to, in bytes, and what each stage turns them by."""
    rows = BATCH // n
    element, row = np.divmod(np.arange(BATCH), rows)
    return _there(device, (row * n + element) * 8, _into_rows(n), _turns(n, inverse))


def _into_rows(n: int) -> np.ndarray:
    """Where the numbers of rows that lie beside each other are in two planes, in bytes."""
    rows = BATCH // n
    place, part = np.divmod(np.arange(2 * BATCH), 2)
    into: np.ndarray = (place % n * rows + place // n + part * BATCH) * 4
    return into


def factors(n: int) -> list[int]:
    """Powers of two whose product n is, as even as they can be, none too long for a batch."""
    bits = n.bit_length() - 1
    count = -(-bits // (AT_ONCE.bit_length() - 1))
    return [1 << (bits + i) // count for i in range(count)]


@lru_cache(maxsize=12)
def _factor_tables(n: int, f: int, s: int, inverse: bool, device: str) -> tuple[Any, ...]:
    """Of one factor: where numbers of a batch go, what each stage turns them by, and what the whole is turned by."""
    beside, rest = BATCH // f, n // (f * s)
    place, part = np.divmod(np.arange(2 * BATCH), 2)
    go = _into_rows(f) if s == 1 else (place + part * BATCH) * 4
    if rest == 1:
        return _there(device, go, _turns(f, inverse), np.zeros(1))
    k, column = np.divmod(np.arange(BATCH), beside)
    if s == 1:  # neighbours differ: a table for each batch of a row, or one for several rows
        p = np.arange(max(1, rest // beside))[:, None] * beside + column % rest
    else:
        p = np.arange(rest)[:, None] + np.zeros_like(column)
    table = np.stack(_turned(k * p, f * rest, inverse), axis=1)
    return _there(device, go, _turns(f, inverse), table.reshape(-1))


@kernel_of(fft_rows, when=_power_of_two)
def _fft_rows(x: Any, y: Any, *, inverse: bool, scaled: bool) -> None:
    n, device = x.shape[-1], str(x.device)
    rows, scale = x.size // n, 1 / n if inverse and scaled else 1.0
    if n <= AT_ONCE:
        args = [x, *_tables(n, inverse, device), y, rows, n, scale]
        launch("transforms", "fourier", args, items=math.ceil(x.size / BATCH), least=1)
        return
    s, given, all_factors = 1, x, factors(n)
    for f in all_factors:
        last = s * f == n
        made = y if last else ap.empty(x.shape, x.dtype, device=x.device)
        args = [given, *_factor_tables(n, f, s, inverse, device), made, rows, n, f, s, int(not last)]
        args.append(scale if last else 1.0)
        launch("transforms", "fourier_factor", args, items=math.ceil(x.size / BATCH), least=1)
        s, given = s * f, made


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
