"""From parameters to a draw: what Generator and RandomState share beneath their methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from math import copysign
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.config._settings import Precision
from asnumpy.creation.arrays import normal_shape
from asnumpy.host.door import numpy_view
from asnumpy.random._bit_generator import BitGenerator

FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)

# Words of the stream that each element of a draw takes.
_DRAWS = {row["name"]: row for row in _core.rows() if "words" in row}
_WORDS = {name: row["words"] for name, row in _DRAWS.items()}

Check = Callable[[str, Any], None]  # of a parameter's name and value, a Python number or a NumPy array


def _rule(holds: Callable[[Any], Any], text: str) -> Check:
    """A check by a comparison that both numbers and arrays have; the text may name the parameter and what NaN does."""

    def check(name: str, value: Any) -> None:
        right = holds(value)
        if not (right if type(right) is bool else np.all(right)):
            raise ValueError(text.format(name=name, nan="is NaN" if np.ndim(value) == 0 else "contains NaNs"))

    return check


def _not_negative(value: Any) -> Any:
    if type(value) is float or type(value) is int:
        return copysign(1, value) > 0 or value != value
    return ~np.signbit(value) | np.isnan(value)


non_negative = _rule(_not_negative, "{name} < 0")
positive = _rule(lambda value: (value <= 0) ^ True, "{name} <= 0")
positive_number = _rule(lambda value: value > 0, "{name} <= 0 or {name} {nan}")
probability = _rule(lambda value: (value >= 0) & (value <= 1), "{name} < 0, {name} > 1 or {name} {nan}")
positive_probability = _rule(
    lambda value: (value > 0) & (value <= 1), "{name} <= 0, {name} > 1 or {name} contains NaNs")
probability_below_one = _rule(lambda value: (value >= 0) & (value < 1), "{name} < 0, {name} >= 1 or {name} {nan}")
above_one = _rule(lambda value: value > 1, "{name} <= 1 or {name} {nan}")
at_least_one = _rule(lambda value: value >= 1, "{name} < 1 or {name} {nan}")

MOST_POISSON = float(np.iinfo(np.int64).max - np.sqrt(np.iinfo(np.int64).max) * 10)
_known_mean = _rule(lambda value: value >= 0, "{name} < 0 or {name} {nan}")
_possible_mean = _rule(lambda value: value <= MOST_POISSON, "{name} value too large")


def poisson_mean(name: str, value: Any) -> None:
    _known_mean(name, value)
    _possible_mean(name, value)


@lru_cache(512)
def _constant(value: Any, dtype: np.dtype) -> Any:
    """A parameter that is one number, as the core takes it."""
    return _core.new_from_numpy(np.array(value, dtype), "random", "cpu")


class Parameter:
    """One parameter of a draw: what the core reads, its shape and device, and its values on the host for the checks."""

    __slots__ = ("array", "device", "is_scalar", "shape", "value")

    def __init__(self, value: Any, dtype: np.dtype = FLOAT64) -> None:
        kind = type(value)
        if kind is float or kind is int:
            self._set_number(float(value) if dtype is FLOAT64 else int(value), dtype)
            return
        plain = np.asarray(numpy_view(value))
        if plain.ndim == 0:
            self._set_number(float(plain.item()) if dtype is FLOAT64 else int(plain.item()), dtype)
            return
        plain = plain.astype(dtype, casting="safe" if dtype is FLOAT64 else "unsafe", copy=False)
        self.value: Any = plain
        self.shape: tuple[int, ...] = plain.shape
        self.is_scalar = False
        self.array: Any = value if isinstance(value, ndarray) and value.dtype == dtype else _core.new_from_numpy(plain)
        self.device: str | None = value._device_name if isinstance(value, ndarray) else None

    def _set_number(self, value: Any, dtype: np.dtype) -> None:
        self.value = value
        self.shape = ()
        self.is_scalar = True
        self.device = None
        self.array = _constant(value, dtype)


def size_shape(size: Any) -> tuple[int, ...]:
    """`size` as a shape; numbers and sequences of numbers that are whole."""
    if isinstance(size, (float, np.floating)):
        raise TypeError(f"expected a sequence of integers or a single integer, got '{size}'")
    shape = normal_shape(size)
    if shape and min(shape) < 0:
        raise ValueError("negative dimensions are not allowed")
    return shape


def float_dtype(dtype: Any, function: str) -> np.dtype:
    """The dtype of a draw that is float64 or float32."""
    wanted: np.dtype = np.dtype(dtype)
    if not wanted.isnative:
        raise ValueError("Providing a dtype with a non-native byteorder is not supported. If you require "
                         "platform-independent byteorder, call byteswap when required.")
    if wanted not in (FLOAT64, FLOAT32):
        raise TypeError(f"Unsupported dtype {wanted!r} for {function}")
    return wanted


def check_output(out: Any, dtype: np.dtype, size: Any, c_order: bool) -> None:
    """What `out=` must be: of the dtype and the size, contiguous (with `c_order`: in C order) and writeable."""
    if isinstance(out, ndarray):
        fits = (out._flags_c_contiguous or (out._flags_f_contiguous and not c_order)) and out._flags_writeable
    else:
        flags = out.flags if isinstance(out, np.ndarray) else None
        fits = flags is not None and flags.behaved and (flags.c_contiguous or (flags.f_contiguous and not c_order))
    if not fits:
        raise ValueError(f"Supplied output array must be {'C-' if c_order else ''}contiguous, writable, aligned, and "
                         "in machine byte-order.")
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {dtype.name}, got {out.dtype.name}")
    if size is not None and size_shape(size) != out.shape:
        raise ValueError("size must match out.shape when used together")


def rounded(drawn: Any) -> Any:
    """Numbers that were drawn, in the precision that `config.float` asks for: those of float64, rounded."""
    if Precision.single and isinstance(drawn, ndarray) and drawn.dtype == FLOAT64:
        return _core.cast(drawn, FLOAT32)
    return drawn


def stored(out: Any, made: ndarray) -> Any:
    """What was drawn, put into `out` where that is an array of ours or NumPy's."""
    if out is None:
        return made
    if isinstance(out, ndarray):
        _core.assign(out, made)
    else:
        out[...] = numpy_view(made)
    return out


def _common_device(function: str, parameters: list[Parameter], out: Any) -> str | None:
    """Where the result lies: beside the parameters that are arrays of ours; None: on this thread's device."""
    devices = {one.device for one in parameters if one.device is not None}
    if isinstance(out, ndarray):
        devices.add(out._device_name)
    if len(devices) > 1:
        first, second = sorted(devices)[:2]
        raise ValueError(
            f"{function}: its arrays lie on two devices, {first} and {second}; move one to the other: "
            f'a.to_device("{second}")'
        )
    return devices.pop() if devices else None


class Source:
    """A bit generator, and the numbers that it gives."""

    _bit_generator: BitGenerator

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._bit_generator,)

    def fill(self, row: str, out: ndarray, parameters: tuple[Any, ...] = (), option: int = 0) -> ndarray:
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
        dtype: np.dtype = FLOAT64, kinds: tuple[np.dtype, ...] | None = None, out: Any = None, asked: bool = False,
    ) -> Any:
        """Checks the parameters, given as (name, value, check), and draws.

        A Python number when `size` is None and every parameter is a number, else an array of the shape `size`, or of
        the parameters broadcast together; in the precision of `config.float`, unless a dtype was `asked` for.
        """
        parameters = []
        numbers: list[Any] | None = [] if out is None else None
        for position, (name, value, check) in enumerate(given):
            one: Any
            kind = FLOAT64 if kinds is None else kinds[position]
            if numbers is not None and (type(value) is float or type(value) is int):
                one = float(value) if kind is FLOAT64 else value
                numbers.append(one)
                parameters.append(one)
            else:
                one = Parameter(value, kind)
                parameters.append(one)
                one = one.value
            if check is not None:
                try:
                    check(name, one)
                except ValueError as error:
                    raise ValueError(f"{function}: {error}") from None
        if numbers is not None and len(numbers) == len(parameters):
            if size is not None:
                arrays = tuple(map(_constant, numbers, kinds or repeat(FLOAT64)))
                drawn = self.fill(row or function, _core.empty(size_shape(size), dtype, "C", None), arrays)
                return drawn if asked else rounded(drawn)
            if dtype is not FLOAT32:
                return self.draw_one(row or function, numbers)
        made = [one if type(one) is Parameter else Parameter(one, kinds[position] if kinds else FLOAT64)
                for position, one in enumerate(parameters)]
        drawn = self.draw_checked(function, size, made, row=row, dtype=dtype, out=out)
        return drawn if asked or out is not None else rounded(drawn)

    def draw_one(self, row: str, numbers: list[Any]) -> Any:
        """One number, the parameters being numbers: without an array, and at once."""
        if _core.tracing():
            return self.recorded_one(row, numbers)
        name = f"random_{row}"
        return _core.draw_one(name, *self._bit_generator.reserve(_WORDS[name]), *numbers)

    def recorded_one(self, row: str, numbers: list[Any]) -> Any:
        """The same as a number without a value: each call of the function that is traced draws another."""
        drawn = _DRAWS[f"random_{row}"]
        made = self.fill(row, _core.empty((), drawn["result"]), tuple(map(_constant, numbers, drawn["parameters"])))
        return _core.returned(made)

    def draw_checked(
        self, function: str, size: Any, parameters: list[Parameter], *, row: str | None = None,
        dtype: np.dtype = FLOAT64, out: Any = None,
    ) -> Any:
        """The draw itself, its parameters already made and checked."""
        if out is not None:
            size = out.shape
        elif size is None and all(one.is_scalar for one in parameters):
            if dtype is FLOAT64 or dtype is INT64:
                drawn = self.draw_one(row or function, [one.value for one in parameters])
                return drawn - (1 << 64) if drawn >= 1 << 63 else drawn
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
        device = _common_device(function, parameters, out)
        arrays = tuple(one.array for one in parameters)
        if isinstance(out, ndarray) and out._flags_c_contiguous:
            return self.fill(row or function, out, arrays)
        return stored(out, self.fill(row or function, _core.empty(shape, dtype, "C", device), arrays))
