"""Values between elements on the host: SciPy's loops over slabs of the result, which threads of the program's share.

Every element gets the coordinates that SciPy's loop over the whole result gives it, to the bit, so that results have
SciPy's bits, also where a coordinate lies on the edge of the array.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import scipy.ndimage

from asnumpy.host.blocks import in_blocks, parts_of, threads_for

_theirs: Any = scipy.ndimage

_EACH = 1 << 16  # elements that are looked up: for fewer another thread is not worth its awakening
_POINTS = 1 << 15  # whose coordinates exist at the same time in each thread, near its processor
_PADDED = ("nearest", "grid-constant")  # borders that the filter before splines has no formula for
_PAD = 12


class How(NamedTuple):
    order: int
    mode: str
    cval: float
    prefilter: bool = True
    grid: bool = False  # coordinates are of the elements' edges


class _Loops(NamedTuple):
    """SciPy's loops, whose public functions take neither a slab's first place nor what is padded already."""

    grid: Any
    points: Any
    code: Any


@cache
def loops() -> _Loops | None:
    """None where the installed SciPy has them not, or not as they are called here."""
    try:
        from scipy.ndimage import _nd_image, _ni_support  # type: ignore[attr-defined, unused-ignore]

        found = _Loops(_nd_image.zoom_shift, _nd_image.geometric_transform, _ni_support._extend_mode_to_code)
        line, made = np.arange(4.0) ** 2, np.empty((2, 3))
        mode, start = found.code("nearest"), np.array([0.75])
        found.grid(line, np.array([0.5]), start, made[0], 1, mode, 0.0, 0, False)
        found.points(line, None, np.array([[0.375, 0.875, 1.375]]), None, None, made[1], 1, mode, 0.0, 0, None, None)
        wanted = _theirs.map_coordinates(line, np.array([[0.375, 0.875, 1.375]]), order=1)
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError):
        return None
    return found if (made == wanted).all() else None


def _threads(points: int, ndim: int, order: int) -> int:
    """How many share so many points, around each of which elements are looked up."""
    return threads_for(points * (order + 1) ** ndim, _EACH)


def _cut(shape: tuple[int, ...], count: int, but: int = -1) -> int:
    """The axis that is cut into slabs: the first that has enough places, or the longest."""
    axes = [axis for axis in range(len(shape)) if axis != but]
    longest = max(axes, key=shape.__getitem__)
    return next((axis for axis in axes if shape[axis] >= 2 * count), longest)


def _slab(a: np.ndarray, axis: int, first: int, last: int) -> np.ndarray:
    return a[(slice(None),) * axis + (slice(first, last),)]


def _for_splines(a: np.ndarray, axes: Sequence[int], how: How) -> tuple[np.ndarray, int]:
    """The coefficients of splines along these axes, and how much was padded before and behind."""
    if not how.prefilter or how.order < 2:
        return a, 0
    pad = _PAD if how.mode in _PADDED else 0
    if pad:
        widths = [(pad, pad) if axis in axes else (0, 0) for axis in range(a.ndim)]
        if how.mode == "nearest":
            a = np.pad(a, widths, "edge")
        else:
            a = np.pad(a, widths, "constant", constant_values=how.cval)
    made = np.empty(a.shape)
    for axis in axes:
        along_lines(a, made, axis, how.order, partial(_theirs.spline_filter1d, order=how.order, mode=how.mode))
        a = made
    return made, pad


def along_lines(a: np.ndarray, made: np.ndarray, axis: int, work_of_each: int, loop: Callable[..., Any]) -> None:
    """Calls loop(a, axis=axis, output=made), which goes along that axis, on slabs across another one."""
    count = _threads(a.size, 1, work_of_each) if a.ndim > 1 else 1
    if count < 2:
        loop(a, axis=axis, output=made)
        return
    cut = _cut(a.shape, count, but=axis)
    slabs = parts_of(a.shape[cut], min(count, a.shape[cut]))

    def work(block: int) -> None:
        loop(_slab(a, cut, *slabs[block]), axis=axis, output=_slab(made, cut, *slabs[block]))

    in_blocks(work, len(slabs))


def averages(a: np.ndarray, out: np.ndarray, windows: Sequence[tuple[int, int, str, float, int]]) -> None:
    """Writes the averages over windows, axis by axis, each given as SciPy's function for one axis has it."""
    for axis, size, mode, cval, origin in windows:
        along_lines(a, out, axis, 1, partial(_theirs.uniform_filter1d, size=size, mode=mode, cval=cval, origin=origin))
        a = out


def _slabs_of_line(length: int, move: float, count: int) -> list[tuple[int, int, float]]:
    """Where slabs begin and end, and what SciPy's loop over one adds to its own places: there `places + move` are what
    they are in the loop over all. That adds once, so that a slab ends where adding twice rounds to something else."""
    wanted, found = np.arange(length) + move, []
    for first, last in parts_of(length, min(count, length)):
        while first < last:
            same = np.arange(last - first) + wanted[first] == wanted[first:last]
            end = last if same.all() else first + int(same.argmin())
            found.append((first, end, float(wanted[first])))
            first = end
    return found


def on_grid(a: np.ndarray, out: np.ndarray, zooms: np.ndarray | None, moves: Sequence[float], how: How) -> None:
    """Writes the values at (place + move) * zoom along each axis."""
    found = loops()
    assert found is not None
    coefficients, pad = _for_splines(a, range(a.ndim), how)
    count = _threads(out.size, out.ndim, how.order)
    axis, mode = _cut(out.shape, count), found.code(how.mode)
    slabs = _slabs_of_line(out.shape[axis], moves[axis], 2 * count if count > 1 else 1)  # who begins late takes fewer

    def work(block: int) -> None:
        first, last, move = slabs[block]
        shifts = np.array([move if one == axis else moves[one] for one in range(a.ndim)], np.float64)
        found.grid(coefficients, zooms, shifts, _slab(out, axis, first, last), how.order, mode, how.cval, pad, how.grid)

    in_blocks(work, len(slabs))


def at_points(a: np.ndarray, out: np.ndarray, points: np.ndarray, how: How) -> None:
    """Writes the values at points, whose first axis has their coordinates."""
    found = loops()
    assert found is not None
    coefficients, pad = _for_splines(a, range(a.ndim), how)
    count = _threads(out.size, a.ndim, how.order)
    axis, mode = _cut(out.shape, count), found.code(how.mode)
    # More than threads: where many points are outside, a slab takes less time.
    slabs = parts_of(out.shape[axis], min(out.shape[axis], 4 * count if count > 1 else 1))

    def work(block: int) -> None:
        some = _slab(points, axis + 1, *slabs[block])
        part = _slab(out, axis, *slabs[block])
        found.points(coefficients, None, some, None, None, part, how.order, mode, how.cval, pad, None, None)

    in_blocks(work, len(slabs))


def _places(
    shape: tuple[int, ...], axis: int, first: int, last: int, matrix: np.ndarray, offset: np.ndarray
) -> np.ndarray:
    """The matrix times the places of a slab, and the offset, added in the order in which SciPy's loop adds."""
    lengths = [last - first if one == axis else length for one, length in enumerate(shape)]
    lines = [
        np.arange(first, last, dtype=np.float64) if one == axis else np.arange(length, dtype=np.float64)
        for one, length in enumerate(shape)
    ]
    made = np.empty((len(offset), *lengths))
    for row, (weights, start) in enumerate(zip(matrix, offset, strict=True)):
        so_far: Any = start
        for one, (line, weight) in enumerate(zip(lines, weights, strict=True)):
            term = (line * weight).reshape((-1,) + (1,) * (len(shape) - one - 1))
            so_far = np.add(so_far, term, out=made[row] if one == len(shape) - 1 else None)
    return made


def by_matrix(
    a: np.ndarray, out: np.ndarray, axes: Sequence[int], matrix: np.ndarray, offset: np.ndarray, how: How
) -> None:
    """Writes the values at the matrix times the places along these axes, and the offset; the same for all others."""
    found = loops()
    assert found is not None
    coefficients, pad = _for_splines(a, axes, how)
    others = [axis for axis in range(a.ndim) if axis not in axes]
    from_planes = coefficients.transpose(*others, *axes)
    to_planes = out.transpose(*others, *axes) if others else out
    planes = list(np.ndindex(tuple(a.shape[axis] for axis in others)))
    count, mode = _threads(out.size, len(axes), how.order), found.code(how.mode)
    shape = to_planes.shape[len(others):]

    def transform(one: np.ndarray, part: np.ndarray, points: np.ndarray | None) -> None:
        given = (None, matrix, offset) if points is None else (points, None, None)
        found.points(one, None, *given, part, how.order, mode, how.cval, pad, None, None)

    def plane(block: int) -> None:
        transform(from_planes[planes[block]], to_planes[planes[block]], None)

    if count < 2:
        for block in range(len(planes)):
            plane(block)
        return
    if len(planes) >= 4 * count:
        in_blocks(plane, len(planes))
        return
    cut = _cut(shape, count)
    rows = math.prod(shape) // shape[cut]
    pieces = parts_of(shape[cut], min(shape[cut], max(count, -(-shape[cut] * rows // _POINTS))))
    slabs = list(itertools.product(pieces, planes))

    def work(block: int) -> None:
        piece, number = slabs[block]
        points = _places(shape, cut, *piece, matrix, offset)
        transform(from_planes[number], _slab(to_planes[number], cut, *piece), points)

    in_blocks(work, len(slabs))
