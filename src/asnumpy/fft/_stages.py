"""Transforms of single precision on a device: stages of matrix products of at most 64 terms, with twiddles between.

A length is split by its largest divisor of at most 64 until it is no longer than that; where it has no such divisor,
Bluestein's chirp makes it a convolution, of a power of two; such lengths a kernel of the operator library transforms,
where there is one. All factors come from float64 and stay on the device.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import asarray
from asnumpy.manipulation.joining import concatenate
from asnumpy.runtime.kernels import made_by_kernel
from asnumpy.ufunc.functions import conjugate, matmul

_RADIX = 64  # the products of a stage keep a cube core busy, and have few terms to round
_COMPLEX = np.dtype(np.complex64)
_REAL = np.dtype(np.float32)


def _roots(powers: np.ndarray, n: int, sign: int) -> np.ndarray:
    """exp(sign 2 pi i p / n), in double precision."""
    return np.exp(sign * 2j * np.pi * (powers % n) / n)


@functools.lru_cache(32)
def _roots_of_product(rows: int, columns: int, n: int, sign: int, device: str) -> ndarray:
    """The roots' powers 0 to rows - 1 times 0 to columns - 1: a transform's matrix, or the twiddles of a stage."""
    powers = np.arange(rows)[:, None] * np.arange(columns)
    return asarray(_roots(powers, n, sign).astype(_COMPLEX), device=device)


@functools.lru_cache(8)
def _chirp(n: int, sign: int, device: str) -> tuple[ndarray, ndarray]:
    """exp(sign pi i j^2 / n), and the transform of its conjugate with both ends joined, divided by its length."""
    places = np.arange(n)
    chirp = _roots(places * places, 2 * n, sign)
    length = 1 << (2 * n - 2).bit_length()
    around = np.zeros(length, np.complex128)
    around[:n] = chirp.conj()
    around[length - n + 1:] = chirp[:0:-1].conj()
    kernel = np.fft.fft(around) / length
    return asarray(chirp.astype(_COMPLEX), device=device), asarray(kernel.astype(_COMPLEX), device=device)


def _transformed(x: ndarray, sign: int) -> ndarray:
    """The sums of x[j] exp(sign 2 pi i j k / n) along the last axis."""
    n = x.shape[-1]
    device = x._device_name
    if not n & (n - 1):
        made = made_by_kernel("fft.fft", x, inverse=sign > 0, scaled=False)
        if made is not None:
            return made  # type: ignore[no-any-return]
    if n <= _RADIX:
        flat = x.reshape(-1, n)
        return matmul(flat, _roots_of_product(n, n, n, sign, device)).reshape(x.shape)
    radix = next((r for r in range(_RADIX, 1, -1) if n % r == 0), None)
    if radix is None:
        return _convolved(x, sign)
    rest = n // radix
    parts = matmul(_roots_of_product(radix, radix, radix, sign, device), x.reshape(-1, radix, rest))
    parts = _transformed(parts * _roots_of_product(radix, rest, n, sign, device), sign)
    return parts.swapaxes(-1, -2).reshape(x.shape)


def _convolved(x: ndarray, sign: int) -> ndarray:
    n = x.shape[-1]
    chirp, kernel = _chirp(n, sign, x._device_name)
    spectrum = _transformed(_of_length(x * chirp, kernel.shape[-1]), -1)
    return _transformed(spectrum * kernel, 1)[..., :n] * chirp


def _of_length(x: ndarray, n: int) -> ndarray:
    """Cut off, or continued with zeros, along the last axis."""
    if x.shape[-1] >= n:
        return x[..., :n]
    missing = zeros((*x.shape[:-1], n - x.shape[-1]), x.dtype, device=x._device_name)
    return concatenate((x, missing), axis=-1)


def _scaled(x: ndarray, n: int, norm: str | None, inverse: bool) -> ndarray:
    if norm == "ortho":
        return x * (1 / math.sqrt(n))
    return x * (1 / n) if (norm == "forward") != inverse else x


def _line(name: str, a: ndarray, n: int, axis: int, norm: str | None) -> ndarray:
    """One of NumPy's transforms along an axis; n is the length of its real or longer side."""
    x = a.swapaxes(axis, -1)
    inverse = name in ("ifft", "irfft", "ihfft")
    if name in ("irfft", "hfft"):
        half = _of_length(x.astype(_COMPLEX), n // 2 + 1)
        half = conjugate(half) if name == "hfft" else half
        # the imaginary parts of the ends fall out of the real result
        made = _transformed(concatenate((half, conjugate(half[..., (n - 1) // 2:0:-1])), axis=-1), 1).real
    else:
        made = _transformed(_of_length(x, n).astype(_COMPLEX), 1 if name == "ifft" else -1)
        made = made[..., :n // 2 + 1] if name in ("rfft", "ihfft") else made
        made = conjugate(made) if name == "ihfft" else made
    return _scaled(made, n, norm, inverse).swapaxes(axis, -1)


_HALVES: Callable[[str], bool] = {"irfft", "hfft"}.__contains__
_OF_REAL = frozenset({"rfft", "ihfft", "rfft2", "rfftn"})


def transform_there(
    name: str, a: ndarray, lengths: Sequence[Any], axes: Sequence[int], norm: str | None,
) -> ndarray | None:
    """NumPy's transform of this name; None where NumPy computes in double precision, or has to say what is wrong."""
    if a.dtype != _REAL and (a.dtype != _COMPLEX or name in _OF_REAL):
        return None
    ends = [axis + a.ndim if axis < 0 else axis for axis in axes]
    if not a.size or not ends or len(set(ends)) < len(ends) or not all(0 <= axis < a.ndim for axis in ends):
        return None
    *others, last = ends
    line = name.rstrip("n2")
    usual = [a.shape[axis] for axis in others]
    usual.append(2 * (a.shape[last] - 1) if _HALVES(line) else a.shape[last])
    try:
        given = list(lengths) if len(lengths) else [None] * len(ends)
        counts = [known if n is None else index(n) for n, known in zip(given, usual, strict=True)]
    except (TypeError, ValueError):
        return None
    if min(counts) < 1:
        return None
    inner = "ifft" if line.startswith("i") else "fft"
    if line == "irfft":
        for axis, n in zip(others, counts, strict=False):
            a = _line(inner, a, n, axis, norm)
        return _line(line, a, counts[-1], last, norm)
    a = _line(line, a, counts[-1], last, norm)
    for axis, n in zip(reversed(others), reversed(counts[:-1]), strict=True):
        a = _line(inner, a, n, axis, norm)
    return a
