"""Helps for authors of series: NumPy's functions, over arrays of ours."""

from asnumpy.polynomial._polyutils import (
    as_series,
    format_float,
    getdomain,
    mapdomain,
    mapparms,
    trimcoef,
    trimseq,
)

__all__ = ["as_series", "trimseq", "trimcoef", "getdomain", "mapdomain", "mapparms", "format_float"]
