"""Grids and joins that are written as an index: mgrid, ogrid, r_, c_."""

from __future__ import annotations

import itertools
import math
import numbers
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import array
from asnumpy.creation.ranges import computed, computed_result
from asnumpy.host.door import host_result
from asnumpy.host.keys import numpys_key
from asnumpy.manipulation.joining import concatenate


def _numbers(part: slice) -> tuple[Any, Any, Any]:
    """Start, stop and step of a line; a step that counts points is their number."""
    step = 1 if part.step is None else part.step
    counted = isinstance(step, numbers.Complex) and not isinstance(step, numbers.Real)
    return 0 if part.start is None else part.start, part.stop, abs(step) if counted else step


def _length(part: slice) -> int:
    start, stop, step = _numbers(part)
    return int(step) if step is not part.step and part.step is not None else math.ceil((stop - start) / step)


class _OpenGrid:
    """ogrid: one line of coordinates for each axis, of length one along the others."""

    __doc__ = f"{__doc__}\n\n{np.ogrid.__doc__}"

    def __getitem__(self, key: Any) -> Any:
        return computed_result(np.ogrid.__getitem__, numpys_key(key))  # lines are short: NumPy makes them


class _FullGrid:
    """mgrid: the coordinates of every point, axis by axis."""

    __doc__ = f"{__doc__}\n\n{np.mgrid.__doc__}"

    def __getitem__(self, key: Any) -> Any:
        key = numpys_key(key)
        if not isinstance(key, tuple):
            return computed_result(np.ogrid.__getitem__, key)
        # before the lines: it is what may be too large
        made = _core.empty((len(key), *map(_length, key)), np.result_type(0, *itertools.chain(*map(_numbers, key))))
        for place, line in enumerate(computed_result(np.ogrid.__getitem__, key)):
            _core.assign(made[place, ...], line)
        return made


class _Joiner:
    """r_ and c_: arrays, numbers and ranges joined along an axis, as numpy.r_ describes."""

    def __init__(self, source: Any, axis: int, ndmin: int, line: int) -> None:
        self._source, self._directives = source, (axis, ndmin, line)
        self.__doc__ = source.__doc__

    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        axis, ndmin, line = self._directives
        if isinstance(parts[0], str):
            written = parts[0].split(",")
            if not 1 <= len(written) <= 3 or not all(one.strip().lstrip("-").isdigit() for one in written):
                return host_result(self._source.__getitem__, key)  # matrices, and errors in NumPy's words
            given = [int(one) for one in written]
            axis, ndmin, line = *given, *(axis, ndmin, line)[len(given):]
            parts = parts[1:]
        if not parts or any(isinstance(part, str) for part in parts):
            return host_result(self._source.__getitem__, key)
        try:
            return self._joined(parts, axis, ndmin, line)
        except _core.UnsupportedDtype:
            return host_result(self._source.__getitem__, key)

    def _joined(self, parts: tuple[Any, ...], axis: int, ndmin: int, line: int) -> Any:
        kinds: list[Any] = []
        joined = []
        for part in parts:
            if type(part) in np.ScalarType:
                kinds.append(part)
                joined.append(part)
                continue
            made = self._line(part, ndmin, line) if isinstance(part, slice) else self._array(part, ndmin, line)
            kinds.append(made.dtype)
            joined.append(made)
        dtype = np.result_type(*kinds)
        return concatenate([array(one, dtype=dtype, copy=None, subok=True, ndmin=ndmin) for one in joined], axis)

    @staticmethod
    def _line(part: slice, ndmin: int, line: int) -> ndarray:
        made = array(computed(np.r_.__getitem__, numpys_key(part)), copy=None, ndmin=ndmin)
        return made if line == -1 or ndmin < 2 else made.swapaxes(-1, line)

    @staticmethod
    def _array(part: Any, ndmin: int, line: int) -> ndarray:
        made = array(part, copy=None, subok=True, ndmin=ndmin)
        added = ndmin - np.ndim(part)
        if line == -1 or added <= 0:
            return made
        # the new axes stand in front; the array's own first axis moves to `line`
        first = line if line >= 0 else line + added + 1
        axes = list(range(ndmin))
        return made.transpose(axes[:first] + axes[added:] + axes[first:added])


mgrid = _FullGrid()
ogrid = _OpenGrid()
r_ = _Joiner(np.r_, 0, 1, -1)
c_ = _Joiner(np.c_, -1, 2, 0)
