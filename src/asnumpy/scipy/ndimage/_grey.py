"""Morphology of grey values: erosion and dilation, and what is made of one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy._types import ndarray
from asnumpy.scipy.ndimage._calls import (
    BOOL,
    Left,
    chosen_axes,
    composed,
    constant,
    handed,
    integer,
    plain,
    reflected,
    sequence,
    target,
)
from asnumpy.scipy.ndimage._order import extreme
from asnumpy.ufunc.functions import add, bitwise_xor, subtract


def _erosion(a: Any, output: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any,
             axes: Any) -> ndarray:
    made: ndarray = extreme(True, a, size, footprint, structure, output, mode, cval, origin, axes)
    return made


def _turned(given: Any, dtype: Any) -> np.ndarray | None:
    return None if given is None else np.flip(constant(given, dtype))


def _dilation(a: Any, output: Any, size: Any, footprint: Any, structure: Any, mode: Any, cval: Any, origin: Any,
              axes: Any) -> ndarray:
    """The largest under the window that is turned around."""
    structure, footprint = _turned(structure, np.float64), _turned(footprint, bool)
    places = chosen_axes(axes, a.ndim)
    window = footprint if footprint is not None else structure
    if window is not None:
        shape = window.shape
    elif size is None:
        raise Left
    else:
        shape = tuple(integer(one) for one in sequence(size, len(places)))
    given = [integer(one) for one in sequence(origin, len(places))]
    if len(shape) != len(given):
        raise Left
    made: ndarray = extreme(False, a, size, footprint, structure, output, mode, cval, reflected(given, shape), axes)
    return made


@composed
def grey_erosion(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    return _erosion(plain(input), output, size, footprint, structure, mode, cval, origin, axes)


@composed
def grey_dilation(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    return _dilation(plain(input), output, size, footprint, structure, mode, cval, origin, axes)


@composed
def grey_opening(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    window = (size, footprint, structure, mode, cval, origin, axes)
    return _dilation(_erosion(plain(input), None, *window), output, *window)


@composed
def grey_closing(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    window = (size, footprint, structure, mode, cval, origin, axes)
    return _erosion(_dilation(plain(input), None, *window), output, *window)


# --- differences: where the result has another dtype, NumPy's rules of casting decide, in SciPy's function ---


def _own(a: ndarray, output: Any) -> ndarray | None:
    dtype, out = target(output, a.dtype, a.shape)
    if dtype != a.dtype:
        raise Left
    return out


@composed
def morphological_gradient(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    a, window = plain(input), (size, footprint, structure, mode, cval, origin, axes)
    out = _own(a, output)
    if a.dtype == BOOL:
        raise Left
    return handed(subtract(_dilation(a, None, *window), _erosion(a, None, *window)), out)


@composed
def morphological_laplace(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    a, window = plain(input), (size, footprint, structure, mode, cval, origin, axes)
    out = _own(a, output)
    if a.dtype == BOOL:
        raise Left
    both = add(_dilation(a, None, *window), _erosion(a, None, *window))
    return handed(subtract(subtract(both, a), a), out)


def _difference(larger: ndarray, smaller: ndarray) -> ndarray:
    return bitwise_xor(larger, smaller) if larger.dtype == BOOL else subtract(larger, smaller)


@composed
def white_tophat(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    a, window = plain(input), (size, footprint, structure, mode, cval, origin, axes)
    out = _own(a, output)
    return handed(_difference(a, _dilation(_erosion(a, None, *window), None, *window)), out)


@composed
def black_tophat(
    input: Any, size: Any = None, footprint: Any = None, structure: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, *, axes: Any = None,
) -> Any:
    a, window = plain(input), (size, footprint, structure, mode, cval, origin, axes)
    out = _own(a, output)
    return handed(_difference(_erosion(_dilation(a, None, *window), None, *window), a), out)
