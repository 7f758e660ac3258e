"""The transforms of scipy.fft that NumPy has too."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.fft as _theirs

from asnumpy import fft as _own
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.scipy._host import on_host

_FLOATS = (np.float32, np.float64)
_COMPLEX = (np.complex64, np.complex128)
_REAL_ONLY = ("ihfft", "rfft", "rfft2", "rfftn")


def _takes(name: str, x: Any) -> bool:
    """Whether both libraries mean the same by the transform of such elements."""
    return isinstance(x, ndarray) and x.ndim > 0 and (
        x.dtype in _FLOATS or (x.dtype in _COMPLEX and name not in _REAL_ONLY)
    )


def _transform(name: str) -> Any:
    theirs, own = getattr(_theirs, name), getattr(_own, name)
    whole = on_host(theirs, f"scipy.fft.{name}")

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        # the first three options have the same names and order in both: n, axis, norm or s, axes, norm
        if len(args) <= 3 and kwargs.keys() <= {"n", "s", "axis", "axes", "norm"} and _takes(name, x):
            return own(x, *args, **kwargs)
        return whole(x, *args, **kwargs)

    functools.update_wrapper(call, theirs)
    call.__module__ = "asnumpy.scipy.fft"
    return beside(call, theirs)


def _shift(name: str) -> Any:
    theirs, own = getattr(_theirs, name), getattr(_own, name)

    def call(x: Any, axes: Any = None) -> Any:
        return own(x, axes)

    functools.update_wrapper(call, theirs)
    call.__module__ = "asnumpy.scipy.fft"
    return beside(call, theirs)


fft = _transform("fft")
fft2 = _transform("fft2")
fftn = _transform("fftn")
hfft = _transform("hfft")
ifft = _transform("ifft")
ifft2 = _transform("ifft2")
ifftn = _transform("ifftn")
ihfft = _transform("ihfft")
irfft = _transform("irfft")
irfft2 = _transform("irfft2")
irfftn = _transform("irfftn")
rfft = _transform("rfft")
rfft2 = _transform("rfft2")
rfftn = _transform("rfftn")
fftshift = _shift("fftshift")
ifftshift = _shift("ifftshift")
