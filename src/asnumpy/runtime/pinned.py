"""NumPy arrays over pinned host memory, which a device reads and writes by itself while the host goes on."""

from __future__ import annotations

import math
import operator
from typing import Any, Literal

import numpy as np

from asnumpy import _core
from asnumpy._public import public


def _lengths(shape: Any) -> tuple[int, ...]:
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(operator.index(length) for length in shape)


def _device(device: Any) -> str:
    """The device whose driver pins: where there is an NPU, also for a thread that works on the CPU."""
    if device is not None:
        return _core.device_name(device)
    chosen = _core.default_device()
    return chosen if chosen != "cpu" else _core.devices()[-1]


def _new(
    function: str, shape: Any, dtype: Any, order: Literal["C", "F"], device: Any,
) -> tuple[np.ndarray, np.ndarray | None]:
    """An array, and the bytes it lies on where they are pinned; else it is an ordinary one of zeros."""
    lengths, wanted = _lengths(shape), np.dtype(dtype)
    if order not in ("C", "F"):
        raise ValueError(f"{function}: expected order 'C' or 'F', got {order!r}")
    layout: Literal["C", "F"] = "F" if order == "F" else "C"
    if wanted.hasobject:
        raise TypeError(f"{function}: expected a dtype of plain bytes, got {wanted}")
    where = _device(device)
    nbytes = math.prod(lengths) * wanted.itemsize
    memory = _core.pinned_memory(nbytes, where) if nbytes > 0 and min(lengths, default=0) >= 0 else None
    if memory is None:
        return np.zeros(lengths, wanted, layout), None
    return np.ndarray(lengths, wanted, buffer=memory, order=layout), memory


def _order(a: Any) -> Literal["C", "F"]:
    return "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"


@public
def empty_pinned(shape: Any, dtype: Any = float, order: Literal["C", "F"] = "C", *, device: Any = None) -> np.ndarray:
    """A NumPy array with any values over pinned memory, for copies to and from a device that do not hold up the host.

    Parameters: shape, dtype and order ('C' or 'F') as for numpy.empty; device, whose driver pins the memory (None:
    where new arrays are made, else the last one there is; other devices use it as well). Returns a numpy.ndarray; the
    memory goes back to a cache with the last view of it. Where no device needs it, it is ordinary memory. ValueError
    for another order or a negative length, MemoryError when there is none left.
    """
    return _new("empty_pinned", shape, dtype, order, device)[0]


@public
def zeros_pinned(shape: Any, dtype: Any = float, order: Literal["C", "F"] = "C", *, device: Any = None) -> np.ndarray:
    """A NumPy array of zeros over pinned memory.

    Parameters: as for empty_pinned. Returns a numpy.ndarray.
    """
    made, memory = _new("zeros_pinned", shape, dtype, order, device)
    if memory is not None:
        memory[...] = 0
    return made


@public
def empty_like_pinned(a: Any, dtype: Any = None, *, device: Any = None) -> np.ndarray:
    """As empty_pinned, with the shape and memory order of an array, and its dtype unless another is given.

    Parameters: a, an array of asnumpy's or NumPy's; dtype; device as for empty_pinned. Returns a numpy.ndarray.
    """
    return empty_pinned(a.shape, a.dtype if dtype is None else dtype, _order(a), device=device)


@public
def zeros_like_pinned(a: Any, dtype: Any = None, *, device: Any = None) -> np.ndarray:
    """A NumPy array of zeros over pinned memory, like another array.

    Parameters: as for empty_like_pinned. Returns a numpy.ndarray.
    """
    return zeros_pinned(a.shape, a.dtype if dtype is None else dtype, _order(a), device=device)
