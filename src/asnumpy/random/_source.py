"""From parameters to a draw: what Generator and RandomState share beneath their methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import copysign, isnan
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._array import ndarray
from asnumpy._creation import normal_shape
from asnumpy.random.bit_generator import BitGenerator

FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)

# Words of the stream that each element of a draw takes.
_WORDS = {row["name"]: row["words"] for row in _core.rows() if "words" in row}

Check = Callable[[str, Any], None]  # of a parameter's name and value, a Python number or a NumPy array


def non_negative(name: str, value: Any) -> None:
    negative = copysign(1, value) < 0 and not isnan(value) if type(value) in (float, int) else (
        np.any(np.signbit(value) & ~np.isnan(value)))
    if negative:
        raise ValueError(f"{name} < 0")


def positive(name: str, value: Any) -> None:
    if np.any(value <= 0):
        raise ValueError(f"{name} <= 0")


def positive_number(name: str, value: Any) -> None:
    if np.any(np.isnan(value)):
        raise ValueError(f"{name} must not be NaN")
    positive(name, value)


def _nan(value: Any) -> str:
    return "is NaN" if np.ndim(value) == 0 else "contains NaNs"


def probability(name: str, value: Any) -> None:
    if not np.all((value >= 0) & (value <= 1)):
        raise ValueError(f"{name} < 0, {name} > 1 or {name} {_nan(value)}")


def positive_probability(name: str, value: Any) -> None:
    if not np.all((value > 0) & (value <= 1)):
        raise ValueError(f"{name} <= 0, {name} > 1 or {name} contains NaNs")


def probability_below_one(name: str, value: Any) -> None:
    if not np.all((value >= 0) & (value < 1)):
        raise ValueError(f"{name} < 0, {name} >= 1 or {name} {_nan(value)}")


def above_one(name: str, value: Any) -> None:
    if not np.all(value > 1):
        raise ValueError(f"{name} <= 1 or {name} {_nan(value)}")


def at_least_one(name: str, value: Any) -> None:
    if not np.all(value >= 1):
        raise ValueError(f"{name} < 1 or {name} {_nan(value)}")


MOST_POISSON = float(np.iinfo(np.int64).max - np.sqrt(np.iinfo(np.int64).max) * 10)


def poisson_mean(name: str, value: Any) -> None:
    if not np.all(value >= 0):
        raise ValueError(f"{name} < 0 or {name} {_nan(value)}")
    if not np.all(value <= MOST_POISSON):
        raise ValueError(f"{name} value too large")


@lru_cache(512)
def _constant(value: Any, kind: type, dtype: np.dtype) -> Any:
    """A parameter that is one number, as the core takes it; `kind` keeps equal numbers of different types apart."""
    return _core.new_from_numpy(np.array(value, dtype))


class Parameter:
    """One parameter of a draw: what the core reads, its shape, and its values on the host for the checks."""

    __slots__ = ("array", "is_scalar", "shape", "value")

    def __init__(self, value: Any, dtype: np.dtype = FLOAT64) -> None:
        kind = type(value)
        if kind is float or kind is int:
            self._set_number(float(value) if dtype is FLOAT64 else int(value), dtype)
            return
        if isinstance(value, ndarray):
            plain = _core.to_numpy_view(value, False)
        else:
            plain = np.asarray(value)
        if plain.ndim == 0:
            self._set_number(float(plain[()]) if dtype is FLOAT64 else int(plain[()]), dtype)
            return
        plain = plain.astype(dtype, casting="safe" if dtype is FLOAT64 else "unsafe", copy=False)
        self.value: Any = plain
        self.shape: tuple[int, ...] = plain.shape
        self.is_scalar = False
        self.array: Any = value if isinstance(value, ndarray) and value.dtype == dtype else _core.new_from_numpy(plain)

    def _set_number(self, value: Any, dtype: np.dtype) -> None:
        self.value = value
        self.shape = ()
        self.is_scalar = True
        self.array = _constant(value, dtype.type, dtype)


def size_shape(size: Any) -> tuple[int, ...]:
    """`size` as a shape; numbers and sequences of numbers that are whole."""
    if isinstance(size, (float, np.floating)):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{size}'")
    shape = normal_shape(size)
    if any(length < 0 for length in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def float_dtype(dtype: Any, function: str) -> np.dtype:
    """The dtype of a draw that is float64 or float32."""
    wanted = np.dtype(dtype)
    if not wanted.isnative:
        raise ValueError("Providing a dtype with a non-native byteorder is not supported. If you require "
                         "platform-independent byteorder, call byteswap when required.")
    if wanted not in (FLOAT64, FLOAT32):
        raise TypeError(f"Unsupported dtype {wanted!r} for {function}")
    return wanted


def check_output(out: Any, dtype: np.dtype, size: Any) -> None:
    """What `out=` must be: of the dtype and the size, contiguous and writeable."""
    ours = isinstance(out, ndarray)
    if ours:
        fits = (out.flags_c_contiguous or out.flags_f_contiguous) and out.flags_writeable
    else:
        flags = out.flags if isinstance(out, np.ndarray) else None
        fits = flags is not None and (flags.c_contiguous or flags.f_contiguous) and flags.behaved
    if not fits:
        raise ValueError("Supplied output array must be contiguous, writable, aligned, and in machine byte-order.")
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {dtype.name}, got {out.dtype.name}")
    if size is not None and size_shape(size) != out.shape:
        raise ValueError("size must match out.shape when used together")


class Source:
    """A bit generator, and the numbers that it gives."""

    _bit_generator: BitGenerator

    def fill(self, row: str, out: Any, parameters: tuple[Any, ...] = (), option: int = 0) -> Any:
        """Draws `out`, an array of ours in C order, from the next words of the stream."""
        name = f"random_{row}"
        words = _WORDS.get(name)
        if words is None:  # a joint draw: a word for each row of the last axis
            words = 1
            places = out.size // out.shape[-1] if out.size else 0
        else:
            places = out.size
        _core.draw(name, *self._bit_generator.reserve(words * places), out, parameters, option)
        return out

    def draw(
        self, function: str, size: Any, *given: tuple[str, Any, Check | None], row: str | None = None,
        dtype: np.dtype = FLOAT64, kinds: tuple[np.dtype, ...] | None = None, out: Any = None,
    ) -> Any:
        """Checks the parameters, given as (name, value, check), and draws.

        A Python number when `size` is None and every parameter is a number, else an array of the shape `size`, or of
        the parameters broadcast together.
        """
        parameters = []
        for position, (name, value, check) in enumerate(given):
            one = Parameter(value, kinds[position] if kinds else FLOAT64)
            if check is not None:
                try:
                    check(name, one.value)
                except ValueError as error:
                    raise ValueError(f"{function}: {error}") from None
            parameters.append(one)
        return self.draw_checked(function, size, parameters, row=row, dtype=dtype, out=out)

    def draw_checked(
        self, function: str, size: Any, parameters: list[Parameter], *, row: str | None = None,
        dtype: np.dtype = FLOAT64, out: Any = None,
    ) -> Any:
        """The draw itself, its parameters already made and checked."""
        if out is not None:
            size = out.shape
        elif size is None and all(one.is_scalar for one in parameters):
            made = self.fill(row or function, _core.empty((), dtype), tuple(one.array for one in parameters))
            return made.item()
        shapes = [one.shape for one in parameters if not one.is_scalar]
        if size is None:
            shape = np.broadcast_shapes(*shapes)
        else:
            shape = size_shape(size)
            if shapes and np.broadcast_shapes(shape, *shapes) != shape:
                raise ValueError(
                    f"{function}: Output size {shape} is not compatible with broadcast dimensions of inputs "
                    f"{np.broadcast_shapes(*shapes)}."
                )
        direct = isinstance(out, ndarray) and out.flags_c_contiguous
        made = out if direct else _core.empty(shape, dtype)
        self.fill(row or function, made, tuple(one.array for one in parameters))
        if out is None or direct:
            return made
        if isinstance(out, ndarray):
            _core.assign(out, made)
        else:
            out[...] = _core.to_numpy_view(made, False)
        return out
