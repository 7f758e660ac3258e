"""Python's built-in functions and those of `math` on numbers in lanes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from asnumpy._types import ndarray
from asnumpy.elementwise.lanes.arithmetic import INFINITE, SAFE, ULPS, as_float, as_int, binary, compare, on_host, truth
from asnumpy.elementwise.lanes.numpys import NUMPY
from asnumpy.elementwise.lanes.values import (
    LARGEST,
    SMALLEST,
    TINY,
    UNBOUND,
    Fallback,
    Lanes,
    Value,
    both,
    cast,
    constant,
    either,
    merge,
    negated,
    own_numbers,
    spread,
    truths,
)
from asnumpy.ufunc import functions as ufuncs
from asnumpy.ufunc.functions import absolute, isfinite, isinf, isnan

Function = Callable[..., Any]


def real(value: Value) -> Value:
    if value.kind == "c":
        return Value("f", value.data[0], error=value.error)
    return as_int(value) if value.kind == "b" else value


def imag(value: Value) -> Value:
    if value.kind == "c":
        return Value("f", value.data[1], error=value.error)
    return constant(0.0 if value.kind == "f" else 0)


def conjugate(value: Value) -> Value:
    return Value("c", (value.data[0], -value.data[1]), error=value.error) if value.kind == "c" else real(value)


def _absolute(lanes: Lanes, a: Value) -> Value:
    if a.scalar:
        return on_host(lanes, abs, a)
    if a.kind == "c":
        made = ufuncs.hypot(*a.data)
        lanes.require(either(isfinite(made), negated(both(isfinite(a.data[0]), isfinite(a.data[1])))))
        return Value("f", made, 0, error=INFINITE if a.error else ULPS)
    if a.kind == "f":
        return Value("f", absolute(a.data), 0, error=a.error)
    a = as_int(a)
    if a.low == SMALLEST:
        lanes.require(a.data != SMALLEST)
    return Value("i", absolute(a.data), 0, min(max(abs(a.low), abs(a.high)), LARGEST))


def _least(lanes: Lanes, name: str, values: tuple[Value, ...]) -> Any:
    """The first of several than which none is less (`Lt`) or greater (`Gt`), in the kind that it has."""
    if len(values) < 2:
        raise Fallback
    best: Any = values[0]
    for value in values[1:]:
        better = spread(lanes, lambda lanes, a, b: compare(lanes, name, a, b), value, best)
        best = merge(spread_truth(lanes, better), value, best)
    return best


def spread_truth(lanes: Lanes, value: Any) -> Any:
    """The mask of the lanes in which a value of any kinds is true."""
    found = spread(lanes, lambda lanes, a: truths(truth(lanes, a)), value)
    if found is UNBOUND:
        return False
    if not isinstance(found, Value):
        raise Fallback
    return found.data


def _whole(theirs: Function, ours: Function, edge: float = 0.0) -> Function:
    """A float made an int by a ufunc, which changes its result at numbers that end in `edge`."""
    def convert(lanes: Lanes, a: Value) -> Value:
        if a.kind == "c":
            raise Fallback
        if a.kind in "bi":
            return as_int(a)
        if a.scalar:
            return on_host(lanes, theirs, a)
        if a.error == INFINITE:
            raise Fallback
        if a.error:
            lanes.require(absolute(a.data - edge - ufuncs.rint(a.data - edge)) > absolute(a.data) * a.error + TINY)
        lanes.require(absolute(a.data) <= SAFE)  # neither NaN, nor infinite, nor too large
        return Value("i", cast(ours(a.data), "i"))

    return convert


def _to_float(lanes: Lanes, a: Value) -> Value:
    if a.kind == "c":
        raise Fallback
    return on_host(lanes, float, a) if a.scalar else as_float(a)


def _to_bool(lanes: Lanes, a: Value) -> Value:
    return truths(truth(lanes, a))


def _to_complex(lanes: Lanes, a: Value, *rest: Value) -> Value:
    if len(rest) > 1 or (rest and "c" in a.kind + rest[0].kind):
        raise Fallback
    if a.scalar and all(one.scalar for one in rest):
        return on_host(lanes, complex, a, *rest)
    if a.kind == "c":
        return a
    second = as_float(rest[0]) if rest else constant(0.0)
    first = as_float(a)
    return Value("c", (first.data, second.data), error=max(first.error, second.error) and INFINITE)


def _floats(lanes: Lanes, theirs: Function, values: tuple[Value, ...]) -> tuple[Value, ...] | Value:
    """The arguments of a function of `math` as floats, or its result where all lanes have the same."""
    if all(one.scalar for one in values):
        return on_host(lanes, theirs, *values)
    if any(one.kind == "c" or one.error == INFINITE for one in values):
        raise Fallback
    return tuple(as_float(one) for one in values)


def _of_floats(
    theirs: Function, ours: Function, *, within: Function | None = None, exact: bool = False,
    stretch: float | None = None, positive: bool = False, infinite: bool = True,
) -> Function:
    """A function of `math` by a ufunc.

    Outside `within` Python raises; so it does where the result is infinite and the arguments are not, and, where
    `infinite` is false, for infinite arguments. By `stretch` it enlarges a relative error; None: by any factor.
    """
    count = 2 if theirs in _BINARY else 1

    def apply(lanes: Lanes, *values: Value) -> Value:
        if len(values) != count:
            raise Fallback
        found = _floats(lanes, theirs, values)
        if isinstance(found, Value):
            return found
        numbers = [one.data for one in found]
        before = sum(one.error for one in found)
        if before and within is not None and (stretch is None or found[0].low < 0):
            raise Fallback
        made = ours(*numbers)
        if within is not None:
            fine = within(*numbers)
            lanes.require(fine if count == 2 else either(fine, isnan(numbers[0])))
        if not infinite:
            lanes.fail(isinf(numbers[0]))
        elif not exact:
            for one in numbers:
                lanes.fail(both(_is(isinf, made), _is(isfinite, one)) if count == 1 else _is(isinf, made))
        error = 0.0 if exact else ULPS
        if before:
            error = INFINITE if stretch is None else ULPS + before * stretch
        return Value("f", made, 0 if positive else SMALLEST, error=error)

    return apply


def _is(test: Function, data: Any) -> Any:
    return test(data) if isinstance(data, ndarray) else bool(test(data))


_BINARY = {math.atan2, math.copysign, math.fmod, math.hypot, math.pow}


def _class(theirs: Function, ours: Function) -> Function:
    def apply(lanes: Lanes, a: Value) -> Value:
        if a.kind == "c":
            raise Fallback
        return on_host(lanes, theirs, a) if a.scalar else truths(ours(as_float(a).data))

    return apply


def _log(lanes: Lanes, a: Value, *base: Value) -> Value:
    found = [_natural(lanes, one) for one in (a, *base)]
    return found[0] if not base else binary(lanes, "Div", *found)


def _scaled(theirs: Function, factor: float) -> Function:
    def apply(lanes: Lanes, a: Value) -> Value:
        found = _floats(lanes, theirs, (a,))
        return found if isinstance(found, Value) else binary(lanes, "Mult", found[0], constant(factor))

    return apply


def _rounded(lanes: Lanes, a: Value, *digits: Value) -> Value:
    if not digits:
        whole: Value = _to_int_half(lanes, a)
        return whole
    if a.kind in "bi" and len(digits) == 1 and digits[0].scalar and digits[0].kind in "bi" and digits[0].data >= 0:
        return as_int(a)
    raise Fallback


def _divmod(lanes: Lanes, a: Value, b: Value) -> tuple[Value, Value]:
    return binary(lanes, "FloorDiv", a, b), binary(lanes, "Mod", a, b)


def _power(lanes: Lanes, a: Value, b: Value) -> Value:
    found = _floats(lanes, math.pow, (a, b))
    if isinstance(found, Value):
        return found
    return binary(lanes, "Pow", found[0], found[1])


_natural = _of_floats(math.log, ufuncs.log, within=lambda x: x > 0)
_to_int, _to_int_half = _whole(math.trunc, ufuncs.trunc), _whole(round, ufuncs.rint, 0.5)

# What a function is called with: one argument after the other, of one kind each.
FUNCTIONS: dict[Any, Function] = {
    builtins.abs: _absolute, builtins.int: _to_int, builtins.float: _to_float, builtins.bool: _to_bool,
    builtins.complex: _to_complex, builtins.round: _rounded, builtins.divmod: _divmod,
    builtins.pow: lambda lanes, a, b: binary(lanes, "Pow", a, b),
    math.floor: _whole(math.floor, ufuncs.floor), math.ceil: _whole(math.ceil, ufuncs.ceil), math.trunc: _to_int,
    math.isnan: _class(math.isnan, isnan), math.isinf: _class(math.isinf, isinf),
    math.isfinite: _class(math.isfinite, isfinite),
    math.sqrt: _of_floats(math.sqrt, ufuncs.sqrt, within=lambda x: x >= 0, exact=True, stretch=1,
                         positive=True),
    math.fabs: _of_floats(math.fabs, absolute, exact=True, stretch=1, positive=True),
    math.copysign: _of_floats(math.copysign, ufuncs.copysign, exact=True),
    math.fmod: _of_floats(math.fmod, ufuncs.fmod, within=lambda x, y: both(y != 0, _is(isfinite, x)), exact=True),
    math.hypot: _of_floats(math.hypot, ufuncs.hypot, stretch=1, positive=True),
    math.atan2: _of_floats(math.atan2, ufuncs.arctan2, stretch=2), math.pow: _power,
    math.exp: _of_floats(math.exp, ufuncs.exp, positive=True),
    math.exp2: _of_floats(math.exp2, ufuncs.exp2, positive=True),
    math.expm1: _of_floats(math.expm1, ufuncs.expm1), math.log: _log,
    math.log2: _of_floats(math.log2, ufuncs.log2, within=lambda x: x > 0),
    math.log10: _of_floats(math.log10, ufuncs.log10, within=lambda x: x > 0),
    math.log1p: _of_floats(math.log1p, ufuncs.log1p, within=lambda x: x > -1),
    math.cbrt: _of_floats(math.cbrt, ufuncs.cbrt, stretch=1),
    math.sin: _of_floats(math.sin, ufuncs.sin, infinite=False),
    math.cos: _of_floats(math.cos, ufuncs.cos, infinite=False),
    math.tan: _of_floats(math.tan, ufuncs.tan, infinite=False),
    math.asin: _of_floats(math.asin, ufuncs.arcsin, within=lambda x: absolute(x) <= 1),
    math.acos: _of_floats(math.acos, ufuncs.arccos, within=lambda x: absolute(x) <= 1),
    math.atan: _of_floats(math.atan, ufuncs.arctan, stretch=1),
    math.sinh: _of_floats(math.sinh, ufuncs.sinh), math.cosh: _of_floats(math.cosh, ufuncs.cosh, positive=True),
    math.tanh: _of_floats(math.tanh, ufuncs.tanh, stretch=1),
    math.asinh: _of_floats(math.asinh, ufuncs.arcsinh, stretch=1),
    math.acosh: _of_floats(math.acosh, ufuncs.arccosh, within=lambda x: x >= 1),
    math.atanh: _of_floats(math.atanh, ufuncs.arctanh, within=lambda x: absolute(x) < 1),
    math.degrees: _scaled(math.degrees, 180 / math.pi), math.radians: _scaled(math.radians, math.pi / 180),
}
# These give one of their arguments, which keeps its kind.
CHOICES: dict[Any, Function] = {
    builtins.min: lambda lanes, *values: _least(lanes, "Lt", values),
    builtins.max: lambda lanes, *values: _least(lanes, "Gt", values),
}


def called(lanes: Lanes, function: Any, values: tuple[Any, ...]) -> Any:
    """The result of a function that is known; Fallback: it is not."""
    try:
        if function in CHOICES:
            return CHOICES[function](lanes, *values)
        known = FUNCTIONS.get(function) or NUMPY.get(function)
    except TypeError:  # it cannot be hashed
        raise Fallback from None
    if known is None:
        raise Fallback

    def checked(lanes: Lanes, *given: Value) -> Any:
        own_numbers(*given)
        return known(lanes, *given)

    return spread(lanes, checked, *values)


