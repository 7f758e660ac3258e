"""Axes as NumPy's functions in C read them."""

from __future__ import annotations

from operator import index
from typing import Any

from numpy.exceptions import AxisError
from numpy.lib.array_utils import normalize_axis_index


def axis_of(axis: Any, ndim: int) -> int:
    """The axis counted from the front. AxisError also where it is no C int, OverflowError where it has no 64 bits."""
    if axis is True or axis is False:
        raise TypeError("an integer is required for the axis")
    try:
        return normalize_axis_index(index(axis), ndim)
    except OverflowError:
        if not -(2**63) <= axis < 2**63:
            raise
    raise AxisError(axis, ndim)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """One axis, or a tuple of several different ones."""
    if type(axis) is not tuple:
        return (axis_of(axis, ndim),)
    axes = tuple([axis_of(one, ndim) for one in axis])
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes
