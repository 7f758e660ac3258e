"""Calls of libraries of C in the form of MindSpore's custom operators."""

from __future__ import annotations

import ctypes

import numpy as np


def called(library: ctypes.CDLL, name: str, addresses: list[int], arrays: list[np.ndarray], stream: int = 0) -> int:
    """As MindSpore calls a custom operator."""
    count = len(arrays)
    shapes = [(ctypes.c_int64 * max(one.ndim, 1))(*one.shape) for one in arrays]
    pointers = [ctypes.cast(one, ctypes.POINTER(ctypes.c_int64)) for one in shapes]
    return getattr(library, name)(
        count, (ctypes.c_void_p * count)(*addresses), (ctypes.c_int * count)(*(one.ndim for one in arrays)),
        (ctypes.POINTER(ctypes.c_int64) * count)(*pointers),
        (ctypes.c_char_p * count)(*(one.dtype.name.encode() for one in arrays)), ctypes.c_void_p(stream), None,
    )  # fmt: skip


def on_host(library: ctypes.CDLL, name: str, *arrays: np.ndarray) -> str:
    """Called with arrays of NumPy's: what went wrong, or nothing."""
    failed = called(library, name, [one.ctypes.data for one in arrays], list(arrays))
    error = getattr(library, f"asnumpy_{name}_error")
    error.restype = ctypes.c_char_p
    told: str = error().decode()
    assert bool(failed) == bool(told)
    return told
