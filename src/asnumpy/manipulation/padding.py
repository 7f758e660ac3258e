"""pad: the middle is copied once, the borders are assigned as views of what is already there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host
from asnumpy.ufunc.functions import maximum, minimum, rint

_ALL = slice(None)
_KEYWORDS = {
    "empty": (), "edge": (), "wrap": (), "constant": ("constant_values",), "linear_ramp": ("end_values",),
    "maximum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
    "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
}


def _pairs(given: Any, ndim: int) -> list[tuple[Any, Any]]:
    """A (before, after) pair per axis."""
    if type(given) is int:
        return [(given, given)] * ndim
    plain = np.asarray(given)
    return [tuple(one) for one in np.broadcast_to(plain, (ndim, 2)).tolist()]


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    if isinstance(pad_width, dict):
        table: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            table[axis] = width if isinstance(width, (tuple, list)) else (width, width)
        pad_width = table
    if type(pad_width) is not int or pad_width.bit_length() > 63:
        pad_width = np.asarray(pad_width)
        if pad_width.dtype.kind != "i":
            raise TypeError("`pad_width` must be of integral type.")
    widths = _pairs(pad_width, ndim)
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    return widths


def _at(axis: int, key: slice) -> tuple[slice, ...]:
    return (_ALL,) * axis + (key,)


def _runs(mode: str, length: int, first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Where the positions from `first` to before `last` of a padded axis have their elements: runs of first position,
    count, and step, which is -1, 0 or 1. The axis itself has the positions from 0 to before `length`."""
    if mode == "edge" or (mode == "reflect" and length == 1):
        yield (0 if first < 0 else length - 1), last - first, 0
        return
    back = {"wrap": 0, "symmetric": length, "reflect": length - 2}[mode]  # of a period: where it runs backwards
    while first < last:
        at = first % (length + back)
        if at < length:
            count = min(length - at, last - first)
            yield at, count, 1
        else:
            at -= length
            count = min(back - at, last - first)
            yield (length if mode == "symmetric" else length - 1) - 1 - at, count, -1
        first += count


def _mirror(out: ndarray, axis: int, length: int, width: tuple[int, int], mode: str) -> None:
    """edge, wrap, reflect, symmetric: the elements of the borders are copied run by run."""
    before, after = width
    for start, low, high in ((0, -before, 0), (before + length, length, length + after)):
        for at, count, step in _runs(mode, length, low, high):
            first = before + at
            if step == 0:
                source = out[_at(axis, slice(first, first + 1))]
            elif step == 1:
                source = out[_at(axis, slice(first, first + count))]
            else:
                last = first - count
                source = out[_at(axis, slice(first, last if last >= 0 else None, -1))]
            _core.assign(out[_at(axis, slice(start, start + count))], source)
            start += count


def _statistic(part: ndarray, axis: int, mode: str) -> ndarray:
    if mode == "median":
        made = host(np.median, part, axis, keepdims=True)
    elif mode == "mean":
        made = part.mean(axis=axis, keepdims=True)
    else:
        return (maximum if mode == "maximum" else minimum).reduce(part, axis=axis, keepdims=True)
    return rint(made) if part.dtype.kind in "iu" else made


@public
def pad(array: ArrayLike, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> ndarray:
    a = asarray(array)
    widths = _widths(pad_width, a.ndim)
    if callable(mode):
        return host(np.pad, a, widths, mode, **kwargs)
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_KEYWORDS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if mode == "linear_ramp" or kwargs.get("reflect_type", "even") != "even":
        return host(np.pad, a, widths, mode, **kwargs)
    shape = tuple(before + n + after for n, (before, after) in zip(a.shape, widths, strict=True))
    out = _core.empty(shape, a.dtype, "F" if a._flags_f_contiguous and not a._flags_c_contiguous else "C")
    middle = tuple(slice(before, before + n) for n, (before, _) in zip(a.shape, widths, strict=True))
    _core.assign(out[(*middle, ...)], a)
    if mode == "empty":
        return out
    values = _constants(kwargs.get("constant_values", 0), a) if mode == "constant" else []
    if mode in ("maximum", "minimum") and any(0 in pair for pair in _stat_lengths(kwargs, a.ndim)):
        raise ValueError("stat_length of 0 yields no value for padding")
    for axis, (length, (before, after)) in enumerate(zip(a.shape, widths, strict=True)):
        # borders of earlier axes are complete: what is read along this axis spans them, as in NumPy; the later axes
        # are not padded yet, so that only their middle is read and written
        part = out[(_ALL,) * (axis + 1) + middle[axis + 1:] + (...,)]
        if not before and not after:
            continue
        ends = (_at(axis, slice(0, before)), _at(axis, slice(before + length, None)))
        if mode == "constant":
            for end, value in zip(ends, values[axis], strict=True):
                _core.assign(part[end], value)
        elif length == 0:
            raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
        elif mode in ("maximum", "minimum", "mean", "median"):
            _pad_statistic(part, axis, before, length, ends, mode, _stat_lengths(kwargs, a.ndim)[axis])
        else:
            _mirror(part, axis, length, (before, after), mode)
    return out


def _stat_lengths(kwargs: dict[str, Any], ndim: int) -> list[tuple[Any, Any]]:
    given = kwargs.get("stat_length")
    return [(None, None)] * ndim if given is None else _pairs(given, ndim)


def _constants(given: Any, a: ndarray) -> list[tuple[Any, Any]]:
    """As the array's dtype has them, without the question whether it does."""
    if type(given) is int and given == 0:
        return [(0, 0)] * a.ndim
    return [tuple(np.asarray(one).astype(a.dtype).item() for one in pair) for pair in _pairs(np.asarray(given), a.ndim)]


def _pad_statistic(
    out: ndarray, axis: int, before: int, length: int, ends: tuple[Any, Any], mode: str, counts: tuple[Any, Any],
) -> None:
    made = []
    for count, front in zip(counts, (True, False), strict=True):
        if count is not None and count < 0:
            raise ValueError("index can't contain negative values")
        used = length if count is None else min(int(count), length)
        start = before if front else before + length - used
        made.append(_statistic(out[_at(axis, slice(start, start + used))], axis, mode))
    for end, value in zip(ends, made, strict=True):
        _core.assign(out[end], value)
