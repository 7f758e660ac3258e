"""Classes derived from ndarray, and others with `__array_wrap__`: of which class the results of ufuncs are."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import EXACT, ndarray
from asnumpy.ufunc.operands import overrides, priority

is_derived = _core.is_derived
_PLAIN = frozenset({np.ndarray, bool, int, float, complex, list, tuple, str, type(None)})
_NUMBERS = (bool, int, float, complex, str, bytes, np.generic)
_SCALAR_PRIORITY = -1000000.0


def concerns(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a class other than the arrays' own has a say in what a call gives."""
    for value in args:
        kind = type(value)
        if kind not in EXACT and kind not in _PLAIN and _has_wrap(value):
            return True
    if not kwargs:
        return False
    out = kwargs.get("out")
    return any(is_derived(value) for value in (kwargs.get("where"), *(out if isinstance(out, tuple) else (out,))))


def _has_wrap(value: Any) -> bool:
    """NumPy's own arrays apart, whose classes NumPy keeps."""
    return hasattr(type(value), "__array_wrap__") and not isinstance(value, (np.ndarray, np.generic))


def plain(value: Any) -> Any:
    """A view of an array of a derived class that is of none; whatever else as it is."""
    return _core.as_plain(value) if is_derived(value) else value


def chosen(inputs: Any) -> Any:
    """The input whose `__array_wrap__` makes the results: of the highest priority the first. None: they stay plain."""
    found, best = None, None
    for value in inputs:
        kind = type(value)
        if kind is np.ndarray or kind in EXACT or isinstance(value, _NUMBERS):
            number = isinstance(value, _NUMBERS) or _core.is_number(value)
            own, rank = None, _SCALAR_PRIORITY if number else 0.0
        elif _has_wrap(value):
            own, rank = value, priority(value)
        else:
            continue
        before_plain = rank == 0.0 and found is None
        if best is None or best < rank or (own is not None and before_plain and best <= rank):
            found, best = own, rank
    return found


def wrapped(result: Any, source: Any, context: Any = None) -> Any:
    """A new array or number as `source.__array_wrap__` makes it; None for `source`: as it is."""
    if source is None:
        return result
    if type(result) is not np.ndarray and not isinstance(result, ndarray):
        return result
    if not own_wrap(source):
        return as_class(result, source)
    number = _core.is_number(result)
    array: Any = result
    return _wrap(source, _core.as_plain(array) if number else array, context, number)


def as_class(result: Any, source: Any) -> Any:
    """A new array or number as an object of the class of `source`; one that only NumPy holds stays what it is."""
    return _core.Array.__new__(type(source), result, source) if isinstance(result, ndarray) else result


def own_wrap(value: Any) -> bool:
    """Whether its class says itself how arrays become objects of it."""
    return all(type(value).__array_wrap__ is not kind.__array_wrap__ for kind in EXACT)  # type: ignore[attr-defined]


def _wrap(source: Any, array: Any, context: Any, number: bool) -> Any:
    if not is_derived(source) and isinstance(array, ndarray) and isinstance(source.__array__(), np.ndarray):
        array = np.asarray(array)  # what the other class speaks
    try:
        return _core.call_back(source.__array_wrap__, (array, context, number), {})
    except TypeError as refusal:
        for given in ((array, context), (array,)):  # as before NumPy 2
            try:
                made = _core.call_back(source.__array_wrap__, given, {})
            except TypeError:
                continue
            warnings.warn("__array_wrap__ must accept context and return_scalar arguments (positionally) in the "
                          "future. (Deprecated NumPy 2.0)", DeprecationWarning, stacklevel=2)
            return made
        raise refusal


def _of_output(result: Any, out: Any, context: Any) -> Any:
    """What a call gives for an array that it was given to write to."""
    if not is_derived(out):
        return result
    return _wrap(out, out, context, False) if own_wrap(out) else out


def _outs(out: Any, count: int) -> tuple[Any, ...]:
    given = out if isinstance(out, tuple) else (out,)
    return given if len(given) == count else (None,) * count


def call(function: Any, run: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function(*args, **kwargs)` with results of the class that NumPy gives them; `run` is that of plain arrays."""
    out = kwargs.get("out")
    if overrides([*args, *(out if isinstance(out, tuple) else (out,)), kwargs.get("where")]):
        return run(function, args, kwargs)
    given = {
        name: tuple(map(plain, value)) if isinstance(value, tuple) else plain(value) for name, value in kwargs.items()
    }
    result = run(function, tuple(map(plain, args)), given)
    outs = _outs(args[function.nin:] if len(args) > function.nin else out, function.nout)
    everything = args[: function.nin] if all(one is None for one in outs) else (*args[: function.nin], *outs)
    source = chosen(args[: function.nin]) if kwargs.get("subok", True) else None
    made = []
    for place, one in enumerate(result if function.nout > 1 else (result,)):
        context = (function, everything, place)
        made.append(wrapped(one, source, context) if outs[place] is None else _of_output(one, outs[place], context))
    return tuple(made) if function.nout > 1 else made[0]


def fold(run: Any, array: Any, out: Any) -> Any:
    """The same of `run(array, out)`, a method of a ufunc with one input and no context."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if overrides((array, target)):
        return run(array, out)
    result = run(plain(array), plain(target))
    return wrapped(result, chosen((array,))) if target is None else _of_output(result, target, None)
