"""Helps for authors of series: NumPy's functions, over arrays of ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.polynomial.polyutils as _numpy

from asnumpy._public import public_in
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import numpy_view
from asnumpy.host.whole import door

_MODULE = "asnumpy.polynomial.polyutils"

as_series = door(_numpy.as_series, _MODULE)
trimcoef = door(_numpy.trimcoef, _MODULE)
getdomain = door(_numpy.getdomain, _MODULE)


@public_in(_numpy)
def trimseq(seq: Any) -> Any:
    return seq[: len(_numpy.trimseq(numpy_view(seq)))]


@public_in(_numpy)
def mapparms(old: Any, new: Any) -> Any:
    return _numpy.mapparms(numpy_view(old), numpy_view(new))


@public_in(_numpy)
def mapdomain(x: Any, old: Any, new: Any) -> Any:
    offset, scale = mapparms(old, new)
    return offset + scale * (x if isinstance(x, (int, float, complex, np.generic, ndarray)) else asarray(x))


@public_in(_numpy)
def format_float(x: Any, parens: bool = False) -> str:
    return str(_numpy.format_float(x.dtype.type(x.item()) if isinstance(x, ndarray) else x, parens))
