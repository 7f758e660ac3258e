"""Helps for authors of series: NumPy's functions, over arrays of ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.polyutils as _numpy

from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.polynomial._series import plain, through_door

__all__ = list(_numpy.__all__)
globals().update(through_door(_numpy, ("as_series", "trimcoef", "getdomain"), __name__))


def trimseq(seq: Any) -> Any:
    return seq[: len(_numpy.trimseq(plain(seq)))]


def mapparms(old: Any, new: Any) -> Any:
    return _numpy.mapparms(plain(old), plain(new))


def mapdomain(x: Any, old: Any, new: Any) -> Any:
    offset, scale = mapparms(old, new)
    return offset + scale * (x if isinstance(x, (int, float, complex, np.generic, ndarray)) else asarray(x))


def format_float(x: Any, parens: bool = False) -> str:
    return str(_numpy.format_float(x.dtype.type(x.item()) if isinstance(x, ndarray) else x, parens))


for _name in ("trimseq", "mapparms", "mapdomain", "format_float"):
    globals()[_name].__doc__ = getattr(_numpy, _name).__doc__
