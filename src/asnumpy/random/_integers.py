"""Whole numbers between bounds: `Generator.integers` and the legacy `randint`."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.host.door import numpy_view
from asnumpy.random._source import UINT64, Parameter, Source, size_shape

_WORD = (1 << 64) - 1


def _whole(value: Any) -> Any:
    """A bound as a Python int, or as a NumPy array of int64, uint64 or Python ints."""
    if type(value) is int:
        return value
    plain = np.asarray(numpy_view(value))
    if plain.ndim == 0:
        return int(plain.item())
    if plain.dtype == UINT64 or plain.dtype.kind in "iub":
        return plain if plain.dtype == UINT64 else plain.astype(np.int64, copy=False)
    return np.array([int(each) for each in plain.ravel().tolist()], object).reshape(plain.shape)


def _least(value: Any) -> int:
    return value if type(value) is int else int(value.min())


def _most(value: Any) -> int:
    return value if type(value) is int else int(value.max())


def _words(value: Any) -> Any:
    """The number modulo 2**64."""
    if type(value) is int:
        return value & _WORD
    if value.dtype == object:
        return np.array([each & _WORD for each in value.ravel().tolist()], UINT64).reshape(value.shape)
    return value.astype(UINT64)  # two's complement


def _word_parameter(value: Any) -> Parameter:
    return Parameter(value if type(value) is int else value.astype(UINT64, copy=False), UINT64)


@lru_cache
def _bounds(dtype: np.dtype) -> tuple[int, int]:
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def draw_integers(
    source: Source, function: str, low: Any, high: Any, size: Any, dtype: Any, endpoint: bool,
) -> Any:
    """`low` to `high`, which is one of the numbers with `endpoint`, each as likely as the others."""
    if high is None:
        low, high = 0, low
    wanted = np.dtype(dtype)
    if not wanted.isnative:
        raise ValueError("Providing a dtype with a non-native byteorder is not supported. If you require "
                         "platform-independent byteorder, call byteswap when required.")
    if wanted.kind not in "iub":
        raise TypeError(f"Unsupported dtype {wanted!r} for {function}")
    if size is not None and prod(size_shape(size)) == 0:  # nothing is drawn, whatever the bounds
        return _core.empty(size_shape(size), wanted)
    first, last = _bounds(wanted)
    lower, upper = _whole(low), _whole(high)
    empty = any(type(each) is not int and each.size == 0 for each in (lower, upper))
    if not empty:
        if _least(lower) < first:
            raise ValueError(f"{function}: low is out of bounds for {wanted.name}")
        if _most(upper) > (last if endpoint else last + 1):
            raise ValueError(f"{function}: high is out of bounds for {wanted.name}")
        wrong = lower > upper if endpoint else lower >= upper
        if wrong if type(wrong) is bool else np.any(wrong):
            sign = ">" if endpoint else ">="
            if type(lower) is int and lower == 0:
                raise ValueError(f"{function}: high {'<' if endpoint else '<='} 0")
            raise ValueError(f"{function}: low {sign} high")
    start = _words(lower)
    if type(lower) is int and type(upper) is int:
        count = upper - lower + endpoint & _WORD
        if size is None:
            drawn = source.draw_one("integers", [start, count])
            number = drawn - (1 << 64) if drawn > last else drawn
            return bool(number) if dtype is bool else number if dtype is int else wanted.type(number)
    else:
        with np.errstate(over="ignore"):
            count = np.add(np.subtract(_words(upper), start, dtype=UINT64), UINT64.type(endpoint))
    made = source.draw_checked(function, size, [_word_parameter(start), _word_parameter(count)], row="integers",
                               dtype=wanted)
    return made if isinstance(made, ndarray) else wanted.type(made)
