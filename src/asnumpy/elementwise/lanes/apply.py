"""A scalar function applied to arrays as np.vectorize does it, with all lanes at once; a few lanes may be Python's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.arrays import empty, full
from asnumpy.creation.convert import asarray
from asnumpy.elementwise.lanes.arithmetic import as_float
from asnumpy.elementwise.lanes.functions import FUNCTIONS
from asnumpy.elementwise.lanes.interpreter import call
from asnumpy.elementwise.lanes.source import source_of
from asnumpy.elementwise.lanes.values import (
    LARGEST,
    UNBOUND,
    Fallback,
    Lanes,
    Mixed,
    Value,
    both,
    cast,
    constant,
    spread,
    truths,
)
from asnumpy.ufunc.errstate import errstate, watching
from asnumpy.ufunc.functions import isfinite, isinf

SMALL = 32                 # fewer elements are soon called
_ELEMENTS = "?bBhHiIlLqQefdFD"  # of these Python makes numbers that it computes with
_EXACT = "?lqdD"           # and of these results have the same dtype as if NumPy's scalars were computed with


@dataclass
class Arguments:
    """The arguments of a call: those that the function takes by element, and the others."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    excluded: set[Any]

    def changed(self, change: Callable[[Any], Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, those that are taken by element changed."""
        return (
            [one if place in self.excluded else change(one) for place, one in enumerate(self.args)],
            {name: one if name in self.excluded else change(one) for name, one in self.kwargs.items()},
        )

    @property
    def elements(self) -> list[Any]:
        found = [one for place, one in enumerate(self.args) if place not in self.excluded]
        return found + [one for name, one in self.kwargs.items() if name not in self.excluded]


def compiled(function: Any, arguments: Arguments, otypes: Any) -> Any:
    """What np.vectorize gives; None: the function has to be called with each element."""
    source = source_of(function)
    if source is None or not source.chooses or watching():
        return None
    arrays = [one for one in arguments.elements if isinstance(one, (ndarray, np.ndarray))]
    if not arrays or not all(_taken(one) for one in arguments.elements):
        return None
    try:
        shape = np.broadcast_shapes(*(one.shape for one in arrays))
    except ValueError:
        return None
    size = math.prod(shape)
    if (size < SMALL and not _core.tracing()) or (size == 0 and otypes is None):
        return None
    return _apply(function, arguments, otypes, shape, arrays[0])


def _taken(one: Any) -> bool:
    if isinstance(one, ndarray):
        return one.dtype.char in _ELEMENTS
    if isinstance(one, np.ndarray):
        return type(one) is np.ndarray and one.dtype.char in _ELEMENTS and one.dtype.isnative
    return type(one) in (bool, int, float, complex)


@beside
def _apply(function: Any, arguments: Arguments, otypes: Any, shape: tuple[int, ...], _beside: Any) -> Any:
    lanes = Lanes(shape)
    # read before anything is recorded, since asking for a value runs what is recorded
    first = arguments.changed(_first) if otypes is None and not _core.tracing() else None
    try:
        with errstate(all="ignore"):
            args, kwargs = arguments.changed(lambda one: _lane(lanes, one))
            result = call(lanes, function, tuple(args), 0, kwargs)
    except (Fallback, ArithmeticError, TypeError, ValueError, AttributeError, RecursionError):
        return None
    several = isinstance(result, tuple)
    results = result if isinstance(result, tuple) else (result,)
    if several and len(results) == 1:
        return None
    dtypes: Any
    if _core.tracing():
        dtypes = _known_dtypes(results, arguments) if otypes is None else list(otypes)
        if lanes.lost is not False or dtypes is None:
            return None
    elif first is not None:  # NumPy's way: the function is called with the first elements, scalars of NumPy's
        outputs = function(*first[0], **first[1])
        dtypes = [np.asarray(one).dtype.char for one in (outputs if isinstance(outputs, tuple) else (outputs,))]
    else:
        dtypes = list(otypes or ())
    made = _delivered(lanes, results, dtypes)
    if made is not None and not (_core.tracing() and lanes.lost is not False):
        made = _patched(lanes, made, function, arguments)
    elif _core.tracing():
        return None
    if made is None:
        return _called(function, arguments, dtypes)
    return tuple(made) if several else made[0]


def _lane(lanes: Lanes, one: Any) -> Value:
    """An argument as Python would get its elements."""
    if not isinstance(one, (ndarray, np.ndarray)):
        return constant(one)
    if one.ndim == 0 and not _core.tracing():
        return constant(np.asarray(one).item())
    array = asarray(one)
    if array.shape != lanes.shape:
        array = _core.broadcast_to(array, lanes.shape)
    kind = array.dtype.kind
    if kind == "b":
        return truths(array)
    if kind == "c":
        return Value("c", (cast(array.real, "f"), cast(array.imag, "f")))
    if kind == "f":
        return Value("f", cast(array, "f"))
    limits = np.iinfo(array.dtype)
    if limits.max > LARGEST:
        lanes.require(array <= np.uint64(LARGEST))
    return Value("i", cast(array, "i"), int(limits.min), min(int(limits.max), LARGEST))


def _known_dtypes(results: tuple[Any, ...], arguments: Arguments) -> list[str] | None:
    """The dtypes of results, where they can be told without a call."""
    arrays = [one for one in arguments.elements if isinstance(one, (ndarray, np.ndarray))]
    if any(one.dtype.char not in _EXACT[1:] for one in arrays):
        return None
    if any(not isinstance(one, Value) or one is UNBOUND for one in results):
        return None
    return [{"b": "?", "i": "l", "f": "d", "c": "D"}[one.kind] for one in results]


def _first(one: Any) -> Any:
    if isinstance(one, ndarray):
        one = np.asarray(one[(slice(0, 1),) * one.ndim])
    return np.asarray(one).flat[0]


def _delivered(lanes: Lanes, results: tuple[Any, ...], dtypes: list[str]) -> list[ndarray] | None:
    """The results in the dtypes that are wanted; a number that NumPy would not convert so is left to Python."""
    if len(results) != len(dtypes) or any(np.dtype(one).char not in _ELEMENTS for one in dtypes):
        return None
    made = []
    try:
        with errstate(all="ignore"):
            for result, wanted in zip(results, map(np.dtype, dtypes), strict=True):
                value = spread(lanes, lambda lanes, a, wanted=wanted: _converted(lanes, a, wanted), result)
                while isinstance(value, Mixed):  # lanes without a number are Python's
                    value = next(part for _, part in value.parts if part is not UNBOUND)
                if value is UNBOUND:
                    return None
                one = value.data if isinstance(value.data, ndarray) else full(lanes.shape, value.data, wanted)
                made.append(_core.broadcast_to(one, lanes.shape) if one.shape != lanes.shape else one)
    except (Fallback, ArithmeticError, TypeError, ValueError):
        return None
    return made


def _converted(lanes: Lanes, a: Value, wanted: np.dtype[Any]) -> Value:
    """A value as an array of a dtype, as NumPy converts Python's numbers."""
    if a.scalar:
        try:
            with np.errstate(all="raise"):
                return Value("out", np.array([a.number], dtype=object).astype(wanted)[0])
        except (ArithmeticError, TypeError, ValueError):
            lanes.fail()
            return UNBOUND
    if wanted.kind == "c":
        return Value("out", _complex(lanes, a, wanted))
    if a.kind == "c" and wanted.kind != "b":
        raise Fallback
    if wanted.kind == "b":
        found = FUNCTIONS[bool](lanes, a).data
    elif wanted.kind == "f":
        return Value("out", _rounded(lanes, as_float(a).data, wanted))
    else:
        whole = FUNCTIONS[int](lanes, a)
        limits = np.iinfo(wanted)
        if whole.low < limits.min:
            lanes.require(whole.data >= int(limits.min))
        if whole.high > limits.max:
            lanes.require(whole.data <= int(limits.max))
        found = whole.data
    return Value("out", _core.cast(found, wanted))


def _rounded(lanes: Lanes, data: ndarray, wanted: np.dtype[Any]) -> ndarray:
    made = _core.cast(data, wanted)
    if wanted.itemsize < 8:
        lanes.fail(both(isinf(made), isfinite(data)))
    return made


def _complex(lanes: Lanes, a: Value, wanted: np.dtype[Any]) -> ndarray:
    part = np.dtype(np.float32 if wanted.itemsize == 8 else np.float64)
    made = empty(lanes.shape, wanted)
    for target, one in zip((made.real, made.imag), a.data if a.kind == "c" else (as_float(a).data, 0.0), strict=True):
        target[...] = _rounded(lanes, one, part) if isinstance(one, ndarray) else one
    return made


def _patched(lanes: Lanes, made: list[ndarray], function: Any, arguments: Arguments) -> list[ndarray] | None:
    """The results with Python's in the lanes that were left to it; None: it raises, or there are too many."""
    if lanes.lost is False:
        return made
    lost = _core.broadcast_to(lanes.lost, lanes.shape).reshape(-1)
    count = int(lost.sum())
    if count == 0:
        return made
    if count * 2 > lost.size:
        return None
    places = lost.nonzero()[0]

    def elements(one: Any) -> list[Any]:
        if not isinstance(one, (ndarray, np.ndarray)):
            return [one] * count
        taken = _core.broadcast_to(asarray(one), lanes.shape).reshape(-1)[places]
        return np.asarray(taken).tolist()  # type: ignore[no-any-return]

    args, kwargs = arguments.changed(elements)
    outputs: list[Any] = []
    try:
        for number in range(count):
            given = [one if place in arguments.excluded else one[number] for place, one in enumerate(args)]
            named = {name: one if name in arguments.excluded else one[number] for name, one in kwargs.items()}
            output = function(*given, **named)
            outputs.append(output if isinstance(output, tuple) else (output,))
        columns = []
        for place, one in enumerate(made):
            column = np.empty(count, dtype=object)
            column[:] = [output[place] for output in outputs]
            columns.append(column.astype(one.dtype))
    except Exception:  # whatever it is, the call for all elements words it, or does not meet it
        return None
    if any(len(output) != len(made) for output in outputs):
        return None
    results = []
    for one, column in zip(made, columns, strict=True):
        flat = one.reshape(-1)
        flat[places] = asarray(column)
        results.append(flat.reshape(lanes.shape))
    return results


def _called(function: Any, arguments: Arguments, dtypes: list[str]) -> Any:
    """What NumPy does after the call that told the dtypes."""
    plain = Arguments(arguments.args, arguments.kwargs, set())
    args, kwargs = plain.changed(lambda one: np.asarray(one) if isinstance(one, ndarray) else one)
    many = np.vectorize(function, otypes=dtypes, excluded=arguments.excluded)
    return many(*args, **kwargs)


