"""Inputs of the row tests: per dtype the values where implementations differ, and random ones of every bit pattern."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

import asnumpy as ap
from asnumpy.dtypes.dtype import is_narrow, real_kind

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
INTEGERS = [np.dtype(code) for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")]
FLOATS = [np.dtype(np.float16), BFLOAT16, np.dtype(np.float32), np.dtype(np.float64)]
COMPLEX = [np.dtype(np.complex64), np.dtype(np.complex128)]
ALL = [np.dtype(bool), *INTEGERS, *FLOATS, *COMPLEX]
WEAK = [True, 3, 2.5, 1.5j]  # Python's scalars take the dtype of the array beside them

_FINITE = [
    0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 0.1, 1e-3, 3.14159265358979, 1.5707963267948966, 7.25, 8.0, 10.0, 16.0, 88.5,
    100.0, 127.5, 255.0, 1000.0, 2047.5, 2048.0, 65504.0, 1e5, 8388607.5, 16777216.0, 2147483648.0, 4503599627370495.5,
    9007199254740992.0, 9223372036854775808.0, 1e30, 709.5, 1e300,
]


def finfo(dtype: np.dtype) -> Any:
    return ap.finfo(dtype)


def is_float(dtype: np.dtype) -> bool:
    return dtype == BFLOAT16 or dtype.kind == "f"


def _integers(dtype: np.dtype) -> np.ndarray:
    info, width = np.iinfo(dtype), dtype.itemsize * 8
    values = {0, 1, 2, 3, 5, 7, 10, 100, width // 2, width - 1, width, width + 1, info.max, info.max - 1, info.max // 2}
    values |= {2**k for k in (4, 6, width // 2, width - 2)} | {2 ** (width // 2) - 1, 2 ** (width // 2) + 1}
    values |= {-v for v in values} | {info.min, info.min + 1, info.min // 2}
    return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)


def _floats(dtype: np.dtype) -> np.ndarray:
    info = finfo(dtype)
    with np.errstate(over="ignore"):
        values = np.array(_FINITE, np.float64).astype(dtype)
    one, smallest = np.ones((), dtype), np.array(info.smallest_subnormal).astype(dtype)
    normal, most, eps = (np.array(v).astype(dtype) for v in (info.smallest_normal, info.max, info.eps))
    special = [smallest, smallest * dtype.type(3), normal, normal - smallest, most, most / dtype.type(2), one + eps,
               one - eps / dtype.type(2), eps, np.array(np.inf).astype(dtype), np.sqrt(most), np.sqrt(normal)]
    values = np.unique(np.concatenate([values, np.array([np.asarray(v).astype(dtype) for v in special])]))
    return np.concatenate([values, -values, np.array([np.nan]).astype(dtype)])


def _codes(dtype: np.dtype) -> np.ndarray:
    """Every value of a narrow dtype of a byte; of complex32 those parts that differ in kind."""
    if dtype.itemsize == 1:
        limits = ml_dtypes.iinfo if real_kind(dtype) in "iu" else finfo
        return np.arange(1 << limits(dtype).bits, dtype=np.uint8).view(dtype)
    part = np.array([0.0, -0.0, 1.0, -2.5, 1e-7, 65504.0, np.inf, -np.inf, np.nan], np.float16)
    return np.stack(np.meshgrid(part, part), -1).reshape(-1).view(dtype)


def edges(dtype: np.dtype) -> np.ndarray:
    """One of each kind of value that the dtype has."""
    if is_narrow(dtype):
        return _codes(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        return _integers(dtype)
    if dtype.kind == "c":
        part = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-3, 40.0, np.inf, -np.inf, np.nan], dtype.char.lower())
        result = np.empty((part.size, part.size), dtype)
        result.real, result.imag = part[:, None], part[None, :]
        return result.ravel()
    return _floats(dtype)


def random(dtype: np.dtype, size: int, rng: np.random.Generator) -> np.ndarray:
    """A third of it any bit pattern (floats: any exponent), the rest of ordinary size."""
    if is_narrow(dtype):
        return rng.choice(_codes(dtype), size)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wild = rng.integers(info.min, info.max, size, dtype, endpoint=True)
        tame = rng.integers(max(info.min, -20), 20, size).astype(dtype)
    elif dtype.kind == "c":
        result = np.empty(size, dtype)
        result.real, result.imag = rng.normal(0, 3, size), rng.normal(0, 3, size)
        return result
    elif dtype.itemsize > 8:
        return rng.normal(0, 3, size).astype(dtype)
    else:
        wild = rng.integers(0, 256, size * dtype.itemsize, np.uint8).view(dtype).copy()
        with np.errstate(invalid="ignore"):
            wild[np.isnan(wild)] = np.nan  # signalling ones differ between NumPy's own loops for one layout and another
        tame = rng.normal(0, 3, size).astype(dtype)
    return np.where(rng.integers(0, 3, size) == 0, wild, tame)


def operands(dtypes: list[np.dtype], rng: np.random.Generator) -> list[np.ndarray]:
    """Every combination of edge values, then random ones, as one array per operand."""
    columns = [edges(dtype) for dtype in dtypes]
    if len(columns) > 1:
        if all(dtype.kind == "c" for dtype in dtypes):  # 144 squared is more than is needed
            columns[1:] = [rng.choice(column, 40, replace=False) for column in columns[1:]]
        columns = [grid.ravel() for grid in np.meshgrid(*columns, indexing="ij")]
    return [np.concatenate([column, random(dtype, 2500, rng)]) for column, dtype in zip(columns, dtypes, strict=True)]
