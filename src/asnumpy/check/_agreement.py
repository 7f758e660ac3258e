"""A function of an array module on the device and on NumPy: same values, within what is promised of the dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap

Form = Callable[..., Any]  # takes an array module, then arrays


def on_host(value: Any) -> np.ndarray:
    return ap.to_numpy(value) if isinstance(value, ap.ndarray) else np.asarray(value)


def parts(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def described(got: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> str:
    """The first wrong elements."""
    places = list(zip(*np.nonzero(np.atleast_1d(wrong)), strict=True))[:4]
    mine, theirs = np.atleast_1d(got), np.atleast_1d(expected)
    shown = [f"[{', '.join(map(str, at))}] is {mine[at]}, expected {theirs[at]}" for at in places]
    return f"{int(wrong.sum())} of {wrong.size} elements differ: " + "; ".join(shown)


def compare(got: Any, expected: Any, tolerance: float = 0.0, scale: Any = 1.0) -> None:
    """AssertionError unless equal, NaN where NaN is; floats may differ by `tolerance` times their eps and the scale."""
    mine, theirs = on_host(got), np.asarray(expected)
    if mine.shape != theirs.shape:
        raise AssertionError(f"the shape is {mine.shape}, expected {theirs.shape}")
    with np.errstate(all="ignore"):
        equal = mine == theirs
        if theirs.dtype.kind not in "biu":
            equal = equal | (np.isnan(mine) & np.isnan(theirs))
        if tolerance:
            wide = np.complex128 if theirs.dtype.kind == "c" else np.float64
            eps = float(ap.finfo(mine.dtype).eps)
            first, second = mine.astype(wide), theirs.astype(wide)
            equal = equal | (np.abs(first - second) <= tolerance * eps * (np.abs(second) + scale))
    if not equal.all():
        raise AssertionError(described(mine, theirs, ~equal))


def agree(form: Form, arrays: list[np.ndarray], label: str = "", tolerance: float = 0.0, scale: Any = 1.0) -> None:
    """The form on the device against NumPy's of the same arrays."""
    with np.errstate(all="ignore"):
        expected = parts(form(np, *arrays))
    try:
        got = parts(form(ap, *[ap.from_numpy(a) for a in arrays]))
        for mine, theirs in zip(got, expected, strict=True):
            dtype = np.asarray(theirs).dtype
            if isinstance(mine, ap.ndarray) and mine.dtype != dtype:
                raise AssertionError(f"the dtype is {mine.dtype}, expected {dtype}")
            compare(mine, theirs, tolerance if dtype.kind not in "biu" else 0.0, scale)
    except (AssertionError, RuntimeError, ValueError, TypeError, MemoryError) as error:
        about = label or ", ".join(f"{a.dtype}{a.shape}" for a in arrays)
        raise AssertionError(f"{about}: {type(error).__name__}: {error}") from error


def values(dtype: Any, shape: Any, seed: int = 0) -> np.ndarray:
    """Small whole numbers, which every dtype holds, with repetitions."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    whole = rng.integers(0 if dtype.kind == "u" else -20, 21, shape)
    return np.asarray(whole + 1j * rng.integers(-20, 21, shape) if dtype.kind == "c" else whole).astype(dtype)
