"""Morphology of what is there and what is not, in a given number of steps. How many it takes until nothing changes
depends on the values: those calls are SciPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.ndimage as _theirs

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import full_like
from asnumpy.indexing.selection import select_where, truth
from asnumpy.scipy.ndimage._borders import before_and_after, extended, over_neighbours, over_windows
from asnumpy.scipy.ndimage._calls import (
    BOOL,
    Left,
    chosen_axes,
    composed,
    constant,
    handed,
    integer,
    origins_of,
    over_all_axes,
    plain,
    reflected,
    target,
)
from asnumpy.ufunc.functions import logical_and, logical_not, logical_or

_MANY = 16  # elements of a block from which on the axes are done one by one


def _structure(given: Any, axes: tuple[int, ...], ndim: int) -> np.ndarray:
    if given is None:
        given = _theirs.generate_binary_structure(len(axes), 1)
    return over_all_axes(constant(given, bool), axes, ndim)


def _step(a: ndarray, under: np.ndarray, origins: list[int], border: bool, dilates: bool) -> ndarray:
    """Whether all that lie under the structure are there, or any of them where it dilates."""
    fold = logical_or if dilates else logical_and
    if not under.any():
        return full_like(a, not dilates)
    if under.size >= _MANY and under.all():
        made = a
        for axis, (size, origin) in enumerate(zip(under.shape, origins, strict=True)):
            widths = [(0, 0)] * a.ndim
            widths[axis] = before_and_after(size, origin)
            made = over_windows(extended(made, widths, "constant", float(border)), axis, size, fold)
        return made
    there = list(map(tuple, np.argwhere(under).tolist()))

    def folded(at: Callable[[tuple[int, ...]], ndarray]) -> ndarray:
        return functools.reduce(fold, map(at, there))

    return over_neighbours(a, under.shape, origins, "constant", float(border), BOOL, folded)


def _steps(
    input: Any, structure: Any, iterations: Any, mask: Any, border_value: Any, origin: Any, axes: Any, dilates: bool
) -> ndarray:
    a = truth(plain(input))
    places, count = chosen_axes(axes, a.ndim), integer(iterations)
    if count < 1:
        raise Left
    border = bool(integer(border_value))
    under, origins = _structure(structure, places, a.ndim), origins_of(origin, places, a.ndim)
    if dilates:
        under, origins = np.flip(under), reflected(origins, under.shape)
    within = None
    if mask is not None:
        within = truth(plain(mask))
        if within.shape != a.shape:
            raise Left
    for _ in range(count):
        made = _step(a, under, origins, border, dilates)
        a = made if within is None else select_where(within, made, a, BOOL)
    return a


def _result(output: Any, shape: tuple[int, ...]) -> tuple[np.dtype, ndarray | None]:
    """Only an array says what dtype the result has."""
    if isinstance(output, np.ndarray):
        raise Left
    return target(output if isinstance(output, ndarray) else None, BOOL, shape)


def _handed(made: ndarray, output: Any, source: Any) -> ndarray:
    dtype, out = _result(output, made.shape)
    return handed(made if made.dtype == dtype else _core.cast(made, dtype), out,
                  source if isinstance(source, ndarray) else None)


@composed
def binary_erosion(
    input: Any, structure: Any = None, iterations: Any = 1, mask: Any = None, output: Any = None,
    border_value: Any = 0, origin: Any = 0, brute_force: Any = False, *, axes: Any = None,
) -> Any:
    return _handed(_steps(input, structure, iterations, mask, border_value, origin, axes, False), output, input)


@composed
def binary_dilation(
    input: Any, structure: Any = None, iterations: Any = 1, mask: Any = None, output: Any = None,
    border_value: Any = 0, origin: Any = 0, brute_force: Any = False, *, axes: Any = None,
) -> Any:
    return _handed(_steps(input, structure, iterations, mask, border_value, origin, axes, True), output, input)


@composed
def binary_opening(
    input: Any, structure: Any = None, iterations: Any = 1, output: Any = None, origin: Any = 0, mask: Any = None,
    border_value: Any = 0, brute_force: Any = False, *, axes: Any = None,
) -> Any:
    options = (structure, iterations, mask, border_value, origin, axes)
    return _handed(_steps(_steps(input, *options, False), *options, True), output, input)


@composed
def binary_closing(
    input: Any, structure: Any = None, iterations: Any = 1, output: Any = None, origin: Any = 0, mask: Any = None,
    border_value: Any = 0, brute_force: Any = False, *, axes: Any = None,
) -> Any:
    options = (structure, iterations, mask, border_value, origin, axes)
    return _handed(_steps(_steps(input, *options, True), *options, False), output, input)


@composed
def binary_hit_or_miss(
    input: Any, structure1: Any = None, structure2: Any = None, output: Any = None, origin1: Any = 0,
    origin2: Any = None, *, axes: Any = None,
) -> Any:
    a = truth(plain(input))
    places = chosen_axes(axes, a.ndim)
    hit = _structure(structure1, places, a.ndim)
    miss = np.logical_not(hit) if structure2 is None else _structure(structure2, places, a.ndim)
    shift = origins_of(origin1, places, a.ndim)
    other = shift if origin2 is None else origins_of(origin2, places, a.ndim)
    made = logical_and(_step(a, hit, shift, False, False), logical_not(_step(a, miss, other, False, True)))
    made = _handed(made, output, input)
    return None if isinstance(output, ndarray) else made  # as SciPy's
