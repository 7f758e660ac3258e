"""Views made from strides: as_strided and sliding windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.arrays import normal_shape
from asnumpy.creation.convert import asarray


@public_in(np.lib.stride_tricks)
def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True,
) -> ndarray:
    a = asarray(x)
    lengths = a.shape if shape is None else normal_shape(shape)
    steps = a.strides if strides is None else normal_shape(strides)
    return _core.as_strided(a, lengths, steps, 0, writeable and a._flags_writeable)


@public_in(np.lib.stride_tricks)
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False,
) -> ndarray:
    a = asarray(x)
    window = normal_shape(window_shape)
    if any(length < 0 for length in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(a.ndim))
        if len(window) != a.ndim:
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; "
                f"got {len(window)} window_shape elements and `x.ndim` is {a.ndim}."
            )
    else:
        axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(
                "Must provide matching length window_shape and axis; "
                f"got {len(window)} window_shape elements and {len(axes)} axes elements."
            )
    lengths = list(a.shape)
    for one, length in zip(axes, window, strict=True):
        if lengths[one] < length:
            raise ValueError("window shape cannot be larger than input array shape")
        lengths[one] -= length - 1
    strides = a.strides + tuple(a.strides[one] for one in axes)
    return _core.as_strided(a, (*lengths, *window), strides, 0, writeable and a._flags_writeable)
