"""What SciPy's loops in slabs do for the CPU's arrays, where a composition is not as quick.

That is interpolation of order 1, and of higher ones but on the grids of large arrays; and averages over long windows.
Order 0, which only moves elements, short windows, a device's arrays and what is recorded are left to the compositions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.scipy._host import named, through
from asnumpy.scipy.ndimage import _correlation, _interpolation, _slabs
from asnumpy.scipy.ndimage._borders import before_and_after, checked, holds
from asnumpy.scipy.ndimage._calls import (
    BOOL,
    Left,
    answered,
    constant,
    integer,
    number,
    one_axis,
    plain,
    sequence,
    target,
)
from asnumpy.scipy.ndimage._slabs import How

_LONG = 16  # elements of a window: sums of fewer are composed more quickly


def _before(composed: Any) -> Callable[[Callable[..., Any]], Any]:
    """Marks what answers a call first, with SciPy's signature; what it leaves is the composition's."""

    def mark(body: Callable[..., Any]) -> Any:
        return beside(functools.update_wrapper(answered(body, composed), composed), composed.numpy)

    return mark


def _lies_here(input: Any) -> ndarray:
    a = plain(input)
    if not a._host_visible:
        raise Left
    return a


def _source(input: Any, order: Any, grid: bool = False) -> ndarray:
    """The array, where SciPy's loops are to run over it: for the points of a grid, or any others."""
    if _core.tracing() or not 1 <= integer(order) <= 5 or _slabs.loops() is None:
        raise Left
    a = _lies_here(input)
    if integer(order) > 1 and _interpolation.quicker(a, grid):
        raise Left
    return a


def _how(a: ndarray, order: Any, mode: Any, cval: Any, prefilter: Any, grid: Any = False) -> How:
    how = How(integer(order), checked(mode), number(cval), bool(prefilter), bool(grid))
    if how.order > 1 and how.mode == "grid-constant" and not holds(a.dtype, how.cval):
        raise Left
    return how


def _target(a: ndarray, output: Any, shape: tuple[int, ...]) -> ndarray:
    """What is to hold the result: of the CPU's memory, none of the source's, and no booleans, which are rounded so."""
    dtype, out = target(output, a.dtype, shape)
    if dtype == BOOL:
        raise Left
    if out is None:
        return _core.empty(shape, dtype, "C", a._device_name)
    if not out._host_visible or _core.may_share_memory(a, out):
        raise Left
    return out


def _filled(name: str, loop: Callable[..., None], arrays: tuple[ndarray, ...], *further: Any) -> ndarray:
    """The second of the arrays, written by a loop over NumPy's views of them all."""

    def function(*views: np.ndarray) -> np.ndarray:
        loop(*views, *further)
        return views[1]

    made: ndarray = through(named(function, f"scipy.ndimage.{name}"), arrays, {})
    return made


@_before(_interpolation.shift)
def shift(
    input: Any, shift: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    a = _source(input, order, True)
    how, moves = _how(a, order, mode, cval, prefilter), [-number(one) for one in sequence(shift, a.ndim)]
    if not np.isfinite(moves).all():
        raise Left
    out = _target(a, output, a.shape)
    return _filled("shift", _slabs.on_grid, (a, out), None, moves, how)


@_before(_interpolation.zoom)
def zoom(
    input: Any, zoom: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True, *, grid_mode: Any = False,
) -> Any:
    a = _source(input, order, True)
    how = _how(a, order, mode, cval, prefilter, grid_mode)
    factors, shape = _interpolation.zoomed(a.shape, zoom, how.mode, grid_mode)
    if prefilter and all(factor == 1 for factor in factors):
        raise Left
    out = _target(a, output, shape)
    less = 0 if how.grid else 1
    zooms = np.array([
        (old - less) / (new - less) if new > less else 1.0 for old, new in zip(a.shape, shape, strict=True)
    ])
    return _filled("zoom", _slabs.on_grid, (a, out), zooms, [0.0] * a.ndim, how)


@_before(_interpolation.map_coordinates)
def map_coordinates(
    input: Any, coordinates: Any, output: Any = None, order: Any = 3, mode: Any = "constant", cval: Any = 0.0,
    prefilter: Any = True,
) -> Any:
    a, points = _source(input, order), plain(coordinates)
    if points.ndim < 2 or points.shape[0] != a.ndim or not points._host_visible:
        raise Left
    how, out = _how(a, order, mode, cval, prefilter), _target(a, output, points.shape[1:])
    if _core.may_share_memory(points, out):
        raise Left
    return _filled("map_coordinates", _slabs.at_points, (a, out, points), how)


@_before(_interpolation.affine_transform)
def affine_transform(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, order: Any = 3,
    mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:
    a = _source(input, order)
    how = _how(a, order, mode, cval, prefilter)
    weights, start = _interpolation.affine(constant(matrix, np.float64), offset, a.ndim)
    shape = _interpolation.shape_of_affine(a, weights, output_shape, output)
    out = _target(a, output, shape)
    if weights.ndim == 1:
        _source(a, order, True)
        with np.errstate(all="ignore"):
            moves = start / weights
        if not np.isfinite(moves).all():
            raise Left
        return _filled("affine_transform", _slabs.on_grid, (a, out), weights.copy(), moves, how)
    if a.ndim != len(shape):
        raise Left
    turned = np.ascontiguousarray(weights)
    return _filled("affine_transform", _slabs.by_matrix, (a, out), range(a.ndim), turned, start, how)


@_before(_interpolation.rotate)
def rotate(
    input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None, order: Any = 3,
    mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:
    a = _source(input, order)
    how = _how(a, order, mode, cval, prefilter)
    plane, matrix, offset, shape = _interpolation.rotation(a.shape, number(angle), axes, reshape)
    out = _target(a, output, shape)
    return _filled("rotate", _slabs.by_matrix, (a, out), plane, matrix, offset, how)


def _averaged(name: str, input: Any, output: Any, windows: Callable[[ndarray], list[Any]]) -> ndarray:
    """By SciPy's sums, which run along: of long windows they take less than sums that begin anew at each place."""
    if _core.tracing():
        raise Left
    a = _lies_here(input)
    chosen = [one for one in windows(a) if one[1] > 1]
    if max((one[1] for one in chosen), default=0) < _LONG:
        raise Left
    for _, size, _, _, origin in chosen:
        before_and_after(size, origin)
    out = _target(a, output, a.shape)
    return _filled(name, _slabs.averages, (a, out), chosen)


@_before(_correlation.uniform_filter1d)
def uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    return _averaged("uniform_filter1d", input, output, lambda a: [
        (one_axis(axis, a.ndim), integer(size), checked(mode), number(cval), integer(origin))
    ])


@_before(_correlation.uniform_filter)
def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *,
    axes: Any = None,
) -> Any:
    def windows(a: ndarray) -> list[Any]:
        return _correlation.windows_of(a, size, mode, cval, origin, axes)

    return _averaged("uniform_filter", input, output, windows)
