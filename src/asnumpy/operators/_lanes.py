"""Running a kernel's statements on whole arrays, branches by selection: so they are deferred and fused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from asnumpy import creation, indexing, manipulation
from asnumpy.array import ndarray
from asnumpy.operators._syntax import (
    Assign,
    Binary,
    Call,
    Cast,
    Choice,
    Expression,
    If,
    Index,
    Literal,
    Name,
    Parser,
    Statement,
    Unary,
)
from asnumpy.operators._types import common, dtype_of, promoted
from asnumpy.ufunc import (
    absolute,
    add,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    cbrt,
    ceil,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    exp2,
    expm1,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    greater,
    greater_equal,
    hypot,
    invert,
    isfinite,
    isinf,
    isnan,
    left_shift,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logical_and,
    logical_not,
    logical_or,
    multiply,
    negative,
    nextafter,
    not_equal,
    power,
    right_shift,
    rint,
    signbit,
    sin,
    sinh,
    sqrt,
    subtract,
    tan,
    tanh,
    trunc,
)


def _rounded(x: Any) -> Any:
    # C's round: halves go away from zero.
    whole = trunc(x)
    return whole + copysign(indexing.where(absolute(x - whole) >= 0.5, x.dtype.type(1), x.dtype.type(0)), x)


# Functions of floats; of integers they are of double, as in C.
_OF_FLOATS: Mapping[str, Callable[..., Any]] = {
    "exp": exp, "exp2": exp2, "expm1": expm1, "log": log, "log2": log2, "log10": log10,
    "log1p": log1p, "sqrt": sqrt, "cbrt": cbrt, "sin": sin, "cos": cos, "tan": tan,
    "asin": arcsin, "acos": arccos, "atan": arctan, "sinh": sinh, "cosh": cosh,
    "tanh": tanh, "asinh": arcsinh, "acosh": arccosh, "atanh": arctanh, "floor": floor,
    "ceil": ceil, "trunc": trunc, "rint": rint, "nearbyint": rint, "fabs": absolute,
    "pow": power, "atan2": arctan2, "hypot": hypot, "fmod": fmod, "fmin": fmin,
    "fmax": fmax, "copysign": copysign, "nextafter": nextafter,
    "rsqrt": lambda x: 1 / sqrt(x), "round": _rounded,
}  # fmt: skip
_TESTS: Mapping[str, Callable[..., Any]] = {
    "isnan": isnan, "isinf": isinf, "isfinite": isfinite, "signbit": signbit,
}  # fmt: skip
_COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "==": equal, "!=": not_equal, "<": less, ">": greater, "<=": less_equal, ">=": greater_equal,
}  # fmt: skip
_BITS: Mapping[str, Callable[..., Any]] = {
    "&": bitwise_and, "|": bitwise_or, "^": bitwise_xor, "<<": left_shift, ">>": right_shift,
}  # fmt: skip
_PLAIN: Mapping[str, Callable[..., Any]] = {"+": add, "-": subtract, "*": multiply}


def _divided(a: Any, b: Any) -> Any:
    # C cuts the quotient of integers towards zero.
    return floor_divide(a - fmod(a, b), b)


class Lanes:
    """The state of all lanes: what each name holds, and which lanes a branch has."""

    def __init__(self, parser: Parser, letters: dict[str, np.dtype], shape: tuple[int, ...], values: dict[str, Any],
                 raw: dict[str, ndarray], device: Any) -> None:  # fmt: skip
        self.values, self._raw = values, raw
        self._parser, self._letters, self._shape, self._device = parser, letters, shape, device
        self._mask: Any = None
        self._number: ndarray | None = None  # the index `i`, made when it is asked for

    def run(self, statements: tuple[Statement, ...]) -> None:
        """All of them, one after the other."""
        for statement in statements:
            if isinstance(statement, If):
                self._branch(statement)
            else:
                self._assign(statement)

    def value(self, expression: Expression) -> Any:
        """What an expression is in every lane: an array, or a NumPy scalar where all lanes have the same."""
        match expression:
            case Literal():
                return expression.dtype.type(expression.value)
            case Name():
                return self._named(expression)
            case Index():
                return self._element(expression)
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case Choice():
                condition = self._truth(expression.condition)
                left = self._within(condition, expression.left)
                right = self._within(logical_not(condition), expression.right)
                dtype = common(left.dtype, right.dtype)
                return indexing.where(condition, _as(left, dtype), _as(right, dtype))
            case Cast():
                return _as(self.value(expression.value), self._dtype(expression.type, expression.at))
            case Call():
                return self._call(expression)

    def _dtype(self, name: str, at: int) -> np.dtype:
        dtype = dtype_of(name, self._letters)
        if dtype is None:
            self._parser.refuse(f"'{name}' is not the type of any argument", at)
        return dtype

    def _branch(self, statement: If) -> None:
        condition, before = self._truth(statement.condition), self._mask
        self._mask = _both(before, condition)
        self.run(statement.then)
        self._mask = _both(before, logical_not(condition))
        self.run(statement.otherwise)
        self._mask = before

    def _assign(self, statement: Assign) -> None:
        target = statement.target
        if isinstance(target, Index):
            return self._store(target, self.value(statement.value))  # type: ignore[arg-type]
        name = target.name
        if statement.type is not None:
            if name in self._raw or name in ("i", "n"):
                self._parser.refuse(f"'{name}' is taken", statement.at)
            if statement.value is None:
                self.values[name] = self._dtype(statement.type, statement.at).type(0)
                return None
            value = self.value(statement.value)
            dtype = value.dtype if statement.type == "auto" else self._dtype(statement.type, statement.at)
            self.values[name] = _as(value, dtype)
            return None
        if name not in self.values:
            self._parser.refuse(f"'{name}' is not declared", target.at)
        held = self.values[name]
        value = _as(self.value(statement.value), held.dtype)  # type: ignore[arg-type]
        self.values[name] = value if self._mask is None else indexing.where(self._mask, value, held)
        return None

    def _named(self, name: Name) -> Any:
        if name.name in self.values:
            return self.values[name.name]
        if name.name == "i":
            if self._number is None:
                count = int(np.prod(self._shape, dtype=np.int64))
                self._number = creation.arange(count, dtype=np.int64, device=self._device).reshape(self._shape)
            return self._number
        if name.name == "n":
            return np.int64(np.prod(self._shape, dtype=np.int64))
        if name.name in self._raw:
            self._parser.refuse(f"'{name.name}' is raw: its elements are {name.name}[index]", name.at)
        self._parser.refuse(f"'{name.name}' is not declared", name.at)

    def _place(self, index: Index) -> tuple[ndarray, Any]:
        if index.name not in self._raw:
            self._parser.refuse(f"'{index.name}' is not a raw array", index.at)
        place = self.value(index.index)
        if place.dtype.kind not in "iub":
            self._parser.refuse(f"an index has an integer type, this one has {place.dtype}", index.at)
        return self._raw[index.name], _as(place, np.dtype(np.int64))

    def _element(self, index: Index) -> Any:
        array, place = self._place(index)
        if self._mask is not None:
            place = indexing.where(self._mask, place, np.int64(0))  # a lane without the branch looks nowhere else
        return indexing.take(manipulation.ravel(array), creation.asarray(place))

    def _store(self, index: Index, value: Any) -> None:
        array, place = self._place(index)
        if not array.flags.c_contiguous:
            self._parser.refuse(f"'{index.name}' does not lie in C order; a raw array that is written must", index.at)
        place = manipulation.broadcast_to(creation.asarray(place), self._shape)
        value = manipulation.broadcast_to(creation.asarray(_as(value, array.dtype)), self._shape)
        if self._mask is not None:
            mask = manipulation.broadcast_to(creation.asarray(self._mask), self._shape)
            place, value = place[mask], value[mask]
        array.reshape(-1)[place] = value

    def _unary(self, unary: Unary) -> Any:
        value = self.value(unary.value)
        if unary.sign == "!":
            return logical_not(value)
        value = _as(value, promoted(value.dtype))
        if unary.sign == "~":
            self._expect_integers(unary.at, unary.sign, value)
            return invert(value)
        return negative(value) if unary.sign == "-" else value

    def _binary(self, binary: Binary) -> Any:
        sign = binary.sign
        if sign in ("&&", "||"):
            left = self._truth(binary.left)
            reached = left if sign == "&&" else logical_not(left)
            right = self._within(reached, binary.right)
            return (logical_and if sign == "&&" else logical_or)(left, right)
        left, right = self.value(binary.left), self.value(binary.right)
        dtype = promoted(left.dtype) if sign in ("<<", ">>") else common(left.dtype, right.dtype)
        if sign in _BITS or sign == "%":
            self._expect_integers(binary.at, sign, left, right)
        left, right = _as(left, dtype), _as(right, dtype)
        if sign in _COMPARISONS:
            return _COMPARISONS[sign](left, right)
        if sign == "%":
            return fmod(left, right)
        if sign == "/":
            return _divided(left, right) if dtype.kind in "iu" else divide(left, right)
        return (_PLAIN | _BITS)[sign](left, right)  # type: ignore[operator]

    def _expect_integers(self, at: int, sign: str, *values: Any) -> None:
        for value in values:
            if value.dtype.kind not in "iub":
                self._parser.refuse(f"'{sign}' takes integers, got {value.dtype}", at)

    def _call(self, call: Call) -> Any:
        name = call.name
        if name == "size":
            return self._size(call)
        values = [self.value(each) for each in call.arguments]
        short = name[:-1] if name.endswith("f") and name[:-1] in _OF_FLOATS else name
        expected = (
            2
            if short in ("min", "max", "pow", "atan2", "hypot", "fmod", "fmin", "fmax", "copysign", "nextafter")
            else 1
        )
        if short not in _OF_FLOATS and short not in _TESTS and short not in ("min", "max", "abs"):
            known = ", ".join(sorted({*_OF_FLOATS, *_TESTS, "min", "max", "abs"}))
            self._parser.refuse(f"'{name}' is not a function that kernels know; they know {known}", call.at)
        if len(values) != expected:
            self._parser.refuse(f"{name} takes {expected} value{'s' * (expected > 1)}, got {len(values)}", call.at)
        dtype = values[0].dtype if expected == 1 else common(values[0].dtype, values[1].dtype)
        if short in ("min", "max"):
            # C's are a < b ? a : b: a NaN on the right wins.
            left, right = (_as(value, dtype) for value in values)
            return indexing.where(left < right if short == "min" else left > right, left, right)
        if short == "abs":
            return absolute(_as(values[0], promoted(dtype)))
        if dtype.kind in "iub":
            dtype = np.dtype(np.float64)
        return (_OF_FLOATS | _TESTS)[short](*[_as(value, dtype) for value in values])  # type: ignore[operator]

    def _size(self, call: Call) -> np.int64:
        name = call.arguments[0]
        if not isinstance(name, Name) or (name.name not in self._raw and name.name != "_ind"):
            self._parser.refuse("'.size()' is asked of a raw array or of _ind", call.at)
        if name.name == "_ind":
            return np.int64(np.prod(self._shape, dtype=np.int64))
        return np.int64(self._raw[name.name].size)

    def _truth(self, expression: Expression) -> Any:
        value = self.value(expression)
        return value if value.dtype.kind == "b" else not_equal(value, value.dtype.type(0))

    def _within(self, condition: Any, expression: Expression) -> Any:
        before = self._mask
        self._mask = _both(before, condition)
        try:
            return self.value(expression)
        finally:
            self._mask = before


def _both(mask: Any, condition: Any) -> Any:
    return condition if mask is None else logical_and(mask, condition)


def _as(value: Any, dtype: np.dtype) -> Any:
    return value if value.dtype == dtype else value.astype(dtype)
