"""What a program is: NumPy code written once for any array module, its inputs in three sizes, how results agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

try:
    from numba import prange
except ImportError:  # the compiled forms are then left out
    prange = range  # type: ignore[misc]

__all__ = ["EQUAL", "FUNCTIONS", "REORDERED", "SINGLE", "SIZES", "Agreement", "Program", "Size", "prange"]

Size = tuple[int, ...]
SIZES = ("small", "medium", "large")


@dataclass(frozen=True)
class Agreement:
    """How far results may lie from NumPy's, relative to the largest value, and why so far."""

    tolerance: float
    reason: str


EQUAL = Agreement(0.0, "elements are worked on one by one in the order of the text, so the bits are NumPy's")
REORDERED = Agreement(1e-10, "sums and matrix products of float64 add in another order")
FUNCTIONS = Agreement(1e-10, "exponentials, logarithms, angles may differ in the last bit; sums add in another order")
SINGLE = Agreement(1e-4, "sums and matrix products of float32 add in another order")


@dataclass(frozen=True)
class Program:
    """`work(xp, *inputs)` leaves its inputs as they were; `loops(*inputs)` is what one would write for numba."""

    name: str
    work: Callable[..., Any]
    initialise: Callable[[Size, np.random.Generator], tuple[Any, ...]]
    sizes: tuple[Size, Size, Size]
    agreement: Agreement
    loops: Callable[..., Any] | None = None
    parallel: bool = False  # whether `loops` is written with prange
