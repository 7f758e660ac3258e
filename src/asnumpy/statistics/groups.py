"""Sums of groups of values by gathers and sums along short axes, which every device has."""

from __future__ import annotations

import numpy as np

from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import take
from asnumpy.manipulation.joining import concatenate
from asnumpy.reduction.reductions import sum as add_up

_LEAST, _MOST = 8, 64  # values of a line: about twice as many as a group has on the average, within these


def _width(lengths: np.ndarray) -> int:
    filled = int(np.count_nonzero(lengths))
    average = int(lengths.sum()) // filled if filled else 0
    return min(_MOST, max(_LEAST, 2 << average.bit_length()))


def _gathered(starts: np.ndarray, lengths: np.ndarray, width: int, nothing: int) -> np.ndarray:
    """For each group a row of `width` places of values; `nothing` is the place of a zero."""
    step = np.arange(width)
    return np.where(step < lengths[:, None], starts[:, None] + step, nothing)


class Groups:
    """Where the values of each group lie: the indices of one gather after the other, on the values' device.

    A group's values are one line of the last gather. Long groups are divided into pieces first, so that few long ones
    do not make all lines long.
    """

    def __init__(self, lengths: np.ndarray, order: np.ndarray | None, near: ndarray) -> None:
        """`lengths` of the groups; `order` has the places of their values, None: one after the other."""
        self.gathers: list[ndarray] = []
        count = int(lengths.sum())
        while True:
            starts, width = np.cumsum(lengths) - lengths, _width(lengths)
            longest = int(lengths.max(initial=0))
            if longest <= width:
                places = _gathered(starts, lengths, max(longest, 1), count)
            else:
                pieces = -(-lengths // width)
                within = np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces)
                left = np.repeat(lengths, pieces) - within * width
                places = _gathered(np.repeat(starts, pieces) + within * width, left, width, count)
                lengths, count = pieces, len(within)
            if order is not None:
                places, order = np.append(order, len(order))[places], None
            self.gathers.append(asarray(places, device=near.device))
            if longest <= width:
                return

    def sums(self, values: ndarray, dtype: np.dtype) -> ndarray:
        """The sum of each group along the first axis of `values`; 0 where a group has none."""
        for places in self.gathers:
            with_zero = concatenate([values, zeros((1, *values.shape[1:]), values.dtype, device=values.device)])
            values = add_up(take(with_zero, places, 0), 1, dtype=dtype)
        return values
