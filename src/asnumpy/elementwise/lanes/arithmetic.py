"""Python's operators on numbers in lanes; where Python would raise, or have a larger int, the lane is left to it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._types import ndarray
from asnumpy.creation.arrays import full
from asnumpy.elementwise.lanes.values import (
    KINDS,
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
    negated,
    own_numbers,
    truths,
)
from asnumpy.indexing.selection import where
from asnumpy.ufunc.functions import absolute, floor_divide, isfinite, power, remainder

EXACT = 2**53       # ints up to here are floats
SAFE = 9.2e18       # a float result up to here shows that the int fits
INFINITE = float("inf")
ULPS = 8 * 2.0**-52  # how far a function of ours may lie from the C library's: twice the 4 ulp that a row promises

# Python 3.14 computes real with complex part by part, and repairs infinities in products.
_BY_PARTS = sys.version_info >= (3, 14)


def _as_written() -> bool:
    """Whether this Python rounds each step of complex numbers: its compiler may have joined products and sums."""
    numbers = [complex(0.1, 0.7), complex(1 / 3, -1 / 7), complex(1.1, 2.3), complex(-3.7, 0.9)]
    for one in numbers:
        for other in numbers:
            parts = one.real, one.imag, other.real, other.imag
            if one * other != complex(*_product(*parts)) or one / other != complex(*_quotient(*parts)):
                return False
    return True


def _product(x: Any, y: Any, u: Any, v: Any) -> tuple[Any, Any]:
    return x * u - y * v, x * v + y * u


def _quotient(x: Any, y: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """CPython's quotient, which divides by the larger part first."""
    def by_real() -> tuple[Any, Any]:
        ratio = v / u
        below = u + v * ratio
        return (x + y * ratio) / below, (y - x * ratio) / below

    def by_imaginary() -> tuple[Any, Any]:
        ratio = u / v
        below = u * ratio + v
        return (x * ratio + y) / below, (y * ratio - x) / below

    if not isinstance(u, ndarray):
        return by_real() if abs(u) >= abs(v) else by_imaginary()
    wide, first, second = absolute(u) >= absolute(v), by_real(), by_imaginary()
    return where(wide, first[0], second[0]), where(wide, first[1], second[1])


_HOST: dict[str, Callable[..., Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv,
    "FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow, "LShift": operator.lshift,
    "RShift": operator.rshift, "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor,
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge, "USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert,
}
_AS_WRITTEN = _as_written()


def on_host(lanes: Lanes, function: Callable[..., Any], *values: Value) -> Value:
    """The same numbers in all lanes: Python computes once."""
    try:
        return constant(function(*(value.number for value in values)))
    except (ArithmeticError, ValueError, TypeError):
        lanes.fail()
        return UNBOUND


def as_int(value: Value) -> Value:
    return value if value.kind == "i" else Value("i", cast(value.data, "i"), value.low, value.high)


def as_float(value: Value) -> Value:
    return value if value.kind == "f" else Value("f", cast(value.data, "f"), 0 if value.low >= 0 else SMALLEST)


def exactly_float(lanes: Lanes, value: Value) -> Value:
    """An int as a float of the same value: where Python looks at all digits, larger ones are left to it."""
    if value.kind == "i" and not -EXACT <= value.low <= value.high <= EXACT:
        if value.scalar:
            lanes.require(int(float(value.data)) == value.data)
        else:
            lanes.require(both(value.data <= EXACT, value.data >= -EXACT))
    return as_float(value)


def nonzero(value: Value) -> Any:
    if value.kind == "c":
        return either(value.data[0] != 0, value.data[1] != 0)
    if value.kind == "i" and (value.low > 0 or value.high < 0):
        return True
    return value.data if value.kind == "b" else value.data != 0


def truth(lanes: Lanes, value: Value) -> Any:
    """The mask of the lanes in which a value is true."""
    if value.error:
        lanes.require(absolute(value.data) > TINY)
    return nonzero(value)


def binary(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    own_numbers(a, b)
    if a.scalar and b.scalar:
        if name == "Pow" and ("c" in a.kind + b.kind or a.numpy or b.numpy):
            raise Fallback
        return on_host(lanes, _HOST[name], a, b)
    kind = KINDS[max(KINDS.index(a.kind), KINDS.index(b.kind))]
    if name.startswith("Bit") and kind == "b":
        return truths(_HOST[name](a.data, b.data))
    if kind == "c":
        return _complex(lanes, name, a, b)
    if kind == "f":
        return _float(lanes, name, as_float(a), as_float(b))
    return _int(lanes, name, as_int(a), as_int(b))


def _fitting(lanes: Lanes, name: str, a: Value, b: Value, bounds: list[int]) -> Value:
    """An int result; where its bounds do not show that it fits, its float does."""
    low, high = min(bounds), max(bounds)
    if low < SMALLEST or high > LARGEST:
        lanes.require(absolute(_HOST[name](as_float(a).data, as_float(b).data)) <= SAFE)
        low, high = max(low, SMALLEST), min(high, LARGEST)
    return Value("i", _HOST[name](a.data, b.data), low, high)


def _int(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    for one in (a, b):
        if one.scalar and not SMALLEST <= one.data <= LARGEST:
            raise Fallback
    corners = [(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    if name in ("Add", "Sub", "Mult"):
        return _fitting(lanes, name, a, b, [_HOST[name](x, y) for x, y in corners])
    if name == "Div":
        return _float(lanes, name, exactly_float(lanes, a), exactly_float(lanes, b))
    if name in ("FloorDiv", "Mod"):
        return _divided(lanes, name, a, b)
    if name == "Pow":
        return _int_power(lanes, a, b)
    if name in ("LShift", "RShift"):
        return _shifted(lanes, name, a, b)
    if name not in _HOST:
        raise Fallback
    bits = max(abs(one).bit_length() for pair in corners for one in pair)
    low = 0 if min(a.low, b.low) >= 0 else -(2**bits)
    return Value("i", _HOST[name](a.data, b.data), max(low, SMALLEST), min(2**bits - 1, LARGEST))


def _divided(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    if b.low <= 0 <= b.high:
        lanes.require(nonzero(b))
    if a.low == SMALLEST and b.low <= -1 <= b.high:
        lanes.require(a.data != SMALLEST)
    if b.scalar and b.low > 0 and b.low & (b.low - 1) == 0:  # a power of two: its digits are at hand
        if name == "Mod":
            return Value("i", a.data & (b.low - 1), 0, b.low - 1)
        return Value("i", a.data >> (b.low.bit_length() - 1), a.low // b.low, a.high // b.low)
    if name == "Mod":
        return Value("i", remainder(a.data, b.data), min(b.low + 1, 0), max(b.high - 1, 0))
    largest = min(max(abs(a.low), abs(a.high)), LARGEST)
    return Value("i", floor_divide(a.data, b.data), -largest, largest)


def _int_power(lanes: Lanes, a: Value, b: Value) -> Value:
    if not b.scalar or b.data > 64:
        raise Fallback
    if b.data < 0:
        return _float(lanes, "Pow", as_float(a), as_float(b))
    if b.data == 0:
        return constant(1)
    made: Value | None = None
    square, exponent = a, b.data
    while exponent:
        if exponent & 1:
            made = square if made is None else _int(lanes, "Mult", made, square)
        exponent >>= 1
        if exponent:
            square = _int(lanes, "Mult", square, square)
    return made or a


def _shifted(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    if b.low < 0 or b.high > 62:
        lanes.require(both(b.data >= 0, b.data <= 62) if not b.scalar else 0 <= b.data <= 62)
        b = Value("i", b.data, 0, 62)
    if name == "RShift":
        return Value("i", a.data >> b.data, min(a.low, 0), max(a.high, 0))
    if max(abs(a.low), abs(a.high)) << b.high > LARGEST:
        lanes.require(absolute(as_float(a).data * power(2.0, as_float(b).data)) <= SAFE)
    return Value("i", a.data << b.data)


def _float(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    error = a.error + b.error + ULPS if a.error or b.error else 0.0
    low = 0 if min(a.low, b.low) >= 0 else SMALLEST
    if name in ("Add", "Sub"):  # a difference of what is nearly equal may be all error
        lost = error and (name == "Sub" or low < 0)
        low = SMALLEST if name == "Sub" else low
        return Value("f", _HOST[name](a.data, b.data), low, error=INFINITE if lost else error)
    if name == "Mult":
        return Value("f", a.data * b.data, low, error=error)
    if name == "Pow":
        return _float_power(lanes, a, b)
    if name not in ("Div", "FloorDiv", "Mod"):
        raise Fallback
    lanes.require(nonzero(b) if not b.error else absolute(b.data) > TINY)
    if name == "Div":
        return Value("f", a.data / b.data, low, error=error)
    if error:
        raise Fallback
    return Value("f", (floor_divide if name == "FloorDiv" else remainder)(a.data, b.data))


def _float_power(lanes: Lanes, a: Value, b: Value) -> Value:
    if a.error or b.error:
        raise Fallback
    if b.scalar and b.data in (0.0, 1.0):
        return a if b.data else constant(1.0)
    squared = b.scalar and b.data == 2
    made = a.data * a.data if squared else power(a.data, b.data)
    # a negative base has complex powers, 0 has no negative ones, and what is too large raises
    lanes.require(either(isfinite(made), negated(both(_finite(a.data), _finite(b.data)))))
    return Value("f", made, 0 if squared or a.low >= 0 else SMALLEST, error=ULPS)


def _finite(data: Any) -> Any:
    return bool(isfinite(data)) if isinstance(data, float) else isfinite(data)


def _complex(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    (x, y), (u, v) = (one.data if one.kind == "c" else (as_float(one).data, None) for one in (a, b))
    error = INFINITE if a.error or b.error else 0.0
    if not _BY_PARTS:
        y, v = 0.0 if y is None else y, 0.0 if v is None else v
    if name in ("Add", "Sub"):
        plain = _HOST[name]
        imaginary = y if v is None else plain(y, v) if y is not None else v if name == "Add" else -v
        return Value("c", (plain(x, u), imaginary), error=error)
    if name == "Pow" and b.scalar and b.kind in "bi" and 0 < b.data <= 8:
        return _complex_power(lanes, a, b.data)
    if name not in ("Mult", "Div") or not _AS_WRITTEN:
        raise Fallback
    if name == "Div":
        if y is None or v is None:  # by Python's newer rules
            raise Fallback
        lanes.require(nonzero(b))
        if isinstance(u, ndarray) != isinstance(v, ndarray):
            u, v = (one if isinstance(one, ndarray) else full(lanes.shape, one, np.float64) for one in (u, v))
        made = _quotient(x, y, u, v)
    elif y is None:
        made = x * u, x * v
    elif v is None:
        made = x * u, y * u
    else:
        made = _product(x, y, u, v)
    if _BY_PARTS or name == "Div":
        lanes.require(both(_finite(made[0]), _finite(made[1])))
    return Value("c", made, error=error)


def _complex_power(lanes: Lanes, a: Value, exponent: int) -> Value:
    """CPython's loop for whole exponents, which multiplies by 1 first."""
    if sys.version_info >= (3, 15) or a.error:
        raise Fallback
    made, square, bit = Value("c", (1.0, 0.0)), a, 1
    while exponent >= bit:
        if exponent & bit:
            made = _complex(lanes, "Mult", made, square)
        bit *= 2
        if exponent >= bit:
            square = _complex(lanes, "Mult", square, square)
    lanes.require(both(_finite(made.data[0]), _finite(made.data[1])))
    return made


def compare(lanes: Lanes, name: str, a: Value, b: Value) -> Value:
    if a.scalar and b.scalar:
        return on_host(lanes, _HOST[name], a, b)
    kind = KINDS[max(KINDS.index(a.kind), KINDS.index(b.kind))]
    if kind == "c":
        if name not in ("Eq", "NotEq") or a.error or b.error:
            raise Fallback
        (x, y), (u, v) = (
            one.data if one.kind == "c" else (exactly_float(lanes, one).data, 0.0) for one in (a, b)
        )
        same = both(x == u, y == v)
        return truths(same if name == "Eq" else negated(same))
    if kind == "f":
        a, b = exactly_float(lanes, a), exactly_float(lanes, b)
        if a.error or b.error:
            if INFINITE in (a.error, b.error):
                raise Fallback
            blur = absolute(a.data) * a.error + absolute(b.data) * b.error + TINY
            lanes.fail(absolute(a.data - b.data) <= blur)
    else:
        a, b = as_int(a), as_int(b)
        if any(one.scalar and not SMALLEST <= one.data <= LARGEST for one in (a, b)):
            raise Fallback
    return truths(_HOST[name](a.data, b.data))


def unary(lanes: Lanes, name: str, a: Value) -> Value:
    if name == "Not":
        return truths(negated(truth(lanes, a)))
    own_numbers(a)
    if a.scalar:
        return on_host(lanes, _HOST[name], a)
    if a.kind == "c":
        if name == "Invert":
            raise Fallback
        return a if name == "UAdd" else Value("c", (-a.data[0], -a.data[1]), error=a.error)
    if a.kind == "f":
        if name == "Invert":
            raise Fallback
        return a if name == "UAdd" else Value("f", -a.data, error=a.error)
    a = as_int(a)
    if name == "UAdd":
        return a
    if name == "USub":
        if a.low == SMALLEST:
            lanes.require(a.data != SMALLEST)
        return Value("i", -a.data, max(-a.high, SMALLEST), min(-a.low, LARGEST))
    return Value("i", ~a.data, -a.high - 1, -a.low - 1)
