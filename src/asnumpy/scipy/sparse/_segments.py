"""Which values of a sparse array belong together, by its index arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.statistics.groups import Groups


def by_pointers(pointers: ndarray) -> np.ndarray:
    """How many values each row of a compressed array has."""
    return np.diff(_core.numpy_copy(pointers))


def sorted_by(numbers: ndarray, count: int, near: ndarray) -> Groups:
    """Groups of the values that have the same number, in the order in which they stand."""
    known = _core.numpy_copy(numbers)
    return Groups(np.bincount(known, minlength=count), np.argsort(known, kind="stable"), near)


def numbers_of(pointers: ndarray, dtype: Any, near: ndarray) -> ndarray:
    """The number of the row, for each value of a compressed array."""
    counts = by_pointers(pointers)
    return asarray(np.repeat(np.arange(len(counts), dtype=dtype), counts), device=near.device)
