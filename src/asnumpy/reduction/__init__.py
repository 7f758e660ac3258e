"""Sums, products, extremes and truth over axes, and their running forms."""

from asnumpy.reduction.reductions import (
    all, amax, amin, any, cumprod, cumsum, cumulative_prod, cumulative_sum, max, min, prod, sum,
)

__all__ = [
    "all", "amax", "amin", "any", "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "max", "min", "prod",
    "sum",
]
