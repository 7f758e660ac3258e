"""Python functions applied along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.manipulation.shapes import moveaxis


@public
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any) -> ndarray:
    a = asarray(arr)
    axis = normalize_axis_index(axis, a.ndim)
    lines = moveaxis(a, axis, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    out: Any = None
    inner: tuple[int, ...] = ()
    for place in np.ndindex(outer):
        made = asarray(_core.call_back(func1d, (lines[place], *args), kwargs))
        if out is None:
            inner = made.shape
            out = _core.empty(outer + inner, made.dtype)
        _core.assign(out[(*place, ...)], made)  # with the ellipsis it is a view even of one element
    # the axes of the results stand where the axis was
    count = len(inner)
    order = (*range(axis), *range(len(outer), len(outer) + count), *range(axis, len(outer)))
    return _core.transpose(out, order)
