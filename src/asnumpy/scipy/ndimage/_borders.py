"""Arrays continued beyond their edges, and what is folded over the neighbours of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.manipulation.padding import pad
from asnumpy.scipy.ndimage._calls import FLOAT64, Left

_PADS = {
    "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap", "reflect": "symmetric", "grid-mirror": "symmetric",
    "mirror": "reflect", "constant": "constant", "grid-constant": "constant",
}
_DIRECTLY = 32  # windows below this size are folded element by element, longer ones from windows of _PART
_PART = 8
_BLOCK = 1 << 25  # bytes of doubles that a filter along an axis has beside its arrays

Fold = Callable[[ndarray, ndarray], ndarray]


def checked(mode: Any) -> str:
    if not isinstance(mode, str) or mode not in _PADS:
        raise Left
    return mode


def holds(dtype: np.dtype, value: float) -> bool:
    """Whether an element of this dtype can be the value. 64-bit integers are doubles in SciPy, and so lose digits."""
    if dtype.kind in "iu" and dtype.itemsize == 8:
        return False
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return value != value or float(dtype.type(value)) == value
    if dtype.kind == "b":
        return value in (0.0, 1.0)
    limits = np.iinfo(dtype)
    return value.is_integer() and limits.min <= value <= limits.max


def narrow(a: ndarray, mode: str, cval: float) -> ndarray:
    """The array itself where its dtype has what SciPy's doubles have, beyond the edges too; else as doubles."""
    return a if narrows(a.dtype, mode, cval) else doubles(a)


def narrows(dtype: np.dtype, mode: str, cval: float) -> bool:
    return holds(dtype, cval if "constant" in mode else 0.0)


def doubles(a: ndarray) -> ndarray:
    return a if a.dtype == FLOAT64 else _core.cast(a, FLOAT64)


def extended(a: ndarray, widths: list[tuple[int, int]], mode: str, cval: float) -> ndarray:
    """The array with so many elements more before and after each axis."""
    if not any(map(any, widths)):
        return a
    name = _PADS[mode]
    return pad(a, widths, mode=name, **({"constant_values": cval} if name == "constant" else {}))


def before_and_after(size: int, origin: int) -> tuple[int, int]:
    """How many elements a window of this size reaches beyond the edges."""
    before = size // 2 + origin
    if not 0 <= before < size:
        raise Left
    return before, size - 1 - before


def part(a: ndarray, axis: int, start: int, count: int) -> ndarray:
    view: ndarray = a[(slice(None),) * axis + (slice(start, start + count),)]
    return view


def in_blocks(a: ndarray, axis: int, dtype: np.dtype, work: Callable[[ndarray], ndarray]) -> ndarray:
    """What `work` makes of the array along an axis. A large one is taken in parts beside each other, so that what is
    continued beyond the edges, in double precision, stays small."""
    if a.size == a.shape[axis] or a.size * FLOAT64.itemsize <= 2 * _BLOCK:
        return work(a)
    other = max((place for place in range(a.ndim) if place != axis), key=a.shape.__getitem__)
    count = max(1, _BLOCK // (FLOAT64.itemsize * (a.size // a.shape[other])))
    made = _core.empty(a.shape, dtype)
    for first in range(0, a.shape[other], count):
        _core.assign(part(made, other, first, count), work(part(a, other, first, count)))
    return made


def over_windows(line: ndarray, axis: int, size: int, fold: Fold) -> ndarray:
    """`fold` over `size` elements in a row, for each place along the axis where they begin."""
    length = line.shape[axis] - size + 1
    made: ndarray | None = None
    start, width = 0, 1
    while True:
        count = size if size < _DIRECTLY else size % _PART
        for _ in range(count):
            one = part(line, axis, start, length)
            made = one if made is None else fold(made, one)
            start += width
        if count == size:
            assert made is not None
            return made
        size //= _PART
        places = line.shape[axis] - (_PART - 1) * width
        wider = part(line, axis, 0, places)
        for place in range(1, _PART):
            wider = fold(wider, part(line, axis, place * width, places))
        line, width = wider, width * _PART


def over_neighbours(
    a: ndarray, shape: tuple[int, ...], origins: list[int], mode: str, cval: float, dtype: np.dtype,
    work: Callable[[Callable[[tuple[int, ...]], ndarray]], ndarray],
) -> ndarray:
    """What `work` makes of the elements at the places of a window of this shape, for each element of the array. It gets
    a function of the place, for all elements or, of a large array, for some rows at a time."""
    widths = [before_and_after(size, origin) for size, origin in zip(shape, origins, strict=True)]
    whole = extended(a, widths, mode, cval)

    def rows_from(first: int, rows: int) -> ndarray:
        counts = (rows, *a.shape[1:])

        def at(place: tuple[int, ...]) -> ndarray:
            starts = (place[0] + first, *place[1:])
            view: ndarray = whole[tuple(slice(one, one + count) for one, count in zip(starts, counts, strict=True))]
            return view

        return work(at)

    length = a.shape[0]
    if a.size * FLOAT64.itemsize <= 2 * _BLOCK:
        return rows_from(0, length)
    count = max(1, _BLOCK * length // (FLOAT64.itemsize * a.size))
    made = _core.empty(a.shape, dtype)
    for first in range(0, length, count):
        rows = min(count, length - first)
        _core.assign(part(made, 0, first, rows), rows_from(first, rows))
    return made
