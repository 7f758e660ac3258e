"""Expressions over a declaration, which Python and C++ evaluate alike: lengths, attributes, arithmetic, comparisons."""

from __future__ import annotations

import ast
import operator as arithmetic
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from asnumpy.operators._declaration import REQUIRED, Attribute, Declaration
from asnumpy.operators._words import refusal
from asnumpy.runtime import get_num_threads

KINDS = ("int", "float", "bool", "str", "tuple")
CASTS = {
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float", "float64": "double",
}  # fmt: skip
_ARITHMETIC: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%",
                                ast.Div: "/"}  # fmt: skip
_CHECKED = {"//": "floor_divided", "%": "modulo", "/": "divided"}  # functions of native.hpp
_COMPARISONS: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_C_TYPES = {"int": "int64_t", "float": "double", "bool": "bool"}


@dataclass(frozen=True)
class Value:
    """An expression in both languages; its type is int, float, bool, str, tensor, or a tuple of int or float."""

    python: str
    cpp: str
    type: str
    cast: str = ""    # the number's type, where it was given one


class Scope:
    """The names of a declaration that expressions may use; `outputs` are there when a kernel is launched."""

    def __init__(self, declaration: Declaration, who: str, *, outputs: bool) -> None:
        self.declaration, self.who = declaration, who
        self.tensors = [*declaration.inputs, *(declaration.outputs if outputs else ())]
        self.names: dict[str, Value] = {"threads": Value("threads()", "threads()", "int")} if outputs else {}
        lengths: dict[str, str] = {}
        for tensor in reversed(declaration.inputs):  # those that may be left out are the last ones
            for place, axis in reversed(list(enumerate(tensor.shape))):
                if isinstance(axis, str):
                    at = place - len(tensor.shape) if ... in tensor.shape[:place] else place
                    there = f"{tensor.name}.shape[{at}]"
                    if tensor.optional:
                        there = f"({there} if {tensor.name} is not None else {lengths.get(axis, '0')})"
                    lengths[axis] = there
        for axis in dict.fromkeys(one for tensor in declaration.inputs for one in tensor.shape if one in lengths):
            self.names[str(axis)] = Value(lengths[str(axis)], f"n_{axis}", "int")
        for one in declaration.attributes:
            if one.kind in KINDS and one.default is not None:
                self.names[one.name] = Value(one.name, f"a_{one.name}", attribute_type(one))
        for tensor in self.tensors:
            self.names[tensor.name] = Value(tensor.name, f"t_{tensor.name}", "tensor")

    def define(self, name: str, text: str) -> None:
        """A name of one's own for an expression."""
        if name in self.names or name in _FUNCTIONS or name in CASTS:
            raise ValueError(f"{self.who}: {name}: the name has a meaning already; take another one")
        self.names[name] = self.number(text)

    def number(self, text: str | int) -> Value:
        """The expression of a text, which is no tensor."""
        found = self.values(str(text))
        if len(found) != 1 or found[0].type == "tensor":
            raise ValueError(f"{self.who}: expected an expression of numbers, got {text!r}")
        return found[0]

    def values(self, text: str) -> list[Value]:
        """Several expressions, between commas.

        Raises
        ------
        KernelSyntaxError
            A ValueError with line and column, for what is no such expression.
        """
        try:
            tree = ast.parse(f"[{text}]", mode="eval").body
        except SyntaxError as error:
            raise refusal(self.who, text, max(0, (error.offset or 1) - 2), str(error.msg)) from None
        assert isinstance(tree, ast.List)
        return [_Reader(self, text).argument(each) for each in tree.elts]

    def function(self, values: list[Value]) -> Callable[..., Any]:
        """Of the tensors by their order, and the attributes by keyword: a tuple of the values."""
        keywords = [one.name for one in self.declaration.attributes]
        parameters = [one.name for one in self.tensors] + (["*", *keywords] if keywords else [])
        source = f"lambda {', '.join(parameters)}: ({' '.join(each.python + ',' for each in values)})"
        known = {"threads": get_num_threads, "_index": arithmetic.index, **{name: getattr(np, name) for name in CASTS}}
        made: Callable[..., Any] = eval(source, known)  # of our own words alone
        return made


class Condition:
    """Whether something holds for a call, by its inputs and attributes: an expression that is true or false."""

    def __init__(self, declaration: Declaration, text: str) -> None:
        scope = Scope(declaration, f"{declaration.name}: when", outputs=False)
        self.text, self.value = text, scope.number(text)
        if self.value.type != "bool":
            raise ValueError(f"{declaration.name}: when: expected a comparison, got {text!r}")
        self._holds = scope.function([self.value])

    def __call__(self, *inputs: Any, **attributes: Any) -> bool:
        """Of a call's inputs and attributes."""
        return bool(self._holds(*inputs, **attributes)[0])


_FUNCTIONS = ("size", "min", "max", "len", "given")


def attribute_type(one: Attribute) -> str:
    """As expressions know it; the default of a tuple says what is in it, whole numbers otherwise."""
    if one.kind != "tuple":
        return one.kind
    values = () if one.default is REQUIRED else one.default
    return "floats" if any(isinstance(value, float) for value in values) else "ints"


_NUMBERS = ("int", "float", "bool")


def c_text(text: str) -> str:
    """As a literal of C and C++, which takes bytes: three digits of each that is no plain sign."""
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return f'"{"".join(plain)}"'


class _Reader:
    """From the grammar of Python, whose subset expressions are, to both languages."""

    def __init__(self, scope: Scope, text: str) -> None:
        self._scope, self._text = scope, text

    def argument(self, node: ast.expr) -> Value:
        """What a kernel may get."""
        return self._number(node, (*_NUMBERS, "tensor"))

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp():
                return self._logic(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
            case ast.Subscript():
                return self._element(node)
        self._refuse(node, "expected names, numbers, + - * / // %, comparisons, and, or, not, x if y else z, min, max, "
                           "size, given, len, elements of tuples")

    def _refuse(self, node: ast.expr, what: str) -> NoReturn:
        line = getattr(node, "lineno", 1) - 1
        before = sum(len(each) + 1 for each in self._text.split("\n")[:line])
        raise refusal(self._scope.who, self._text, before + node.col_offset - (line == 0), what)

    def _number(self, node: ast.expr, types: tuple[str, ...] = _NUMBERS) -> Value:
        found = self.value(node)
        if found.type not in types:
            hint = f"; size({found.python}) is its number of elements" if found.type == "tensor" else ""
            self._refuse(node, f"expected {' or '.join(types)}, got {found.type}{hint}")
        return found

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool):
            return Value(str(node.value), str(node.value).lower(), "bool")
        if isinstance(node.value, int):
            return Value(str(node.value), f"int64_t{{{node.value}}}", "int")
        if isinstance(node.value, float):
            return Value(repr(node.value), repr(node.value), "float")
        if isinstance(node.value, str):
            return Value(repr(node.value), f"std::string_view({c_text(node.value)})", "str")
        self._refuse(node, f"expected a number, got {node.value!r}")

    def _name(self, node: ast.Name) -> Value:
        found = self._scope.names.get(node.id)
        if found is None:
            self._refuse(node, f"there is no {node.id!r}; there are {', '.join(self._scope.names)}")
        return found

    def _binary(self, node: ast.BinOp) -> Value:
        sign = _ARITHMETIC.get(type(node.op))
        if sign is None:
            self._refuse(node, "expected one of + - * / // %")
        types = ("int",) if sign in ("//", "%") else ("int", "float")
        left, right = self._number(node.left, types), self._number(node.right, types)
        type_ = "float" if sign == "/" or "float" in (left.type, right.type) else "int"
        both = f"({left.cpp} {sign} {right.cpp})"
        if sign in _CHECKED:
            both = f"{_CHECKED[sign]}({left.cpp}, {right.cpp})"
        return Value(f"({left.python} {sign} {right.python})", both, type_)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            one = self._number(node.operand, ("bool",))
            return Value(f"(not {one.python})", f"(!{one.cpp})", "bool")
        if not isinstance(node.op, ast.USub):
            self._refuse(node, "expected - or not")
        one = self._number(node.operand, ("int", "float"))
        return Value(f"(-{one.python})", f"(-{one.cpp})", one.type)

    def _comparison(self, node: ast.Compare) -> Value:
        given = [self._number(each, (*_NUMBERS, "str")) for each in (node.left, *node.comparators)]
        if any(one.type == "str" for one in given) and (
            len({one.type for one in given}) > 1 or not all(isinstance(each, ast.Eq | ast.NotEq) for each in node.ops)
        ):
            self._refuse(node, "expected text compared with text, by == or !=")
        signs = [_COMPARISONS.get(type(each)) for each in node.ops]
        if None in signs:
            self._refuse(node, "expected one of < <= > >= == !=")
        pairs = list(zip(given, signs, given[1:], strict=False))
        return Value("(" + " and ".join(f"{a.python} {sign} {b.python}" for a, sign, b in pairs) + ")",
                     "(" + " && ".join(f"{a.cpp} {sign} {b.cpp}" for a, sign, b in pairs) + ")", "bool")

    def _logic(self, node: ast.BoolOp) -> Value:
        given = [self._number(each, ("bool",)) for each in node.values]
        word, sign = ("and", "&&") if isinstance(node.op, ast.And) else ("or", "||")
        return Value("(" + f" {word} ".join(each.python for each in given) + ")",
                     "(" + f" {sign} ".join(each.cpp for each in given) + ")", "bool")

    def _choice(self, node: ast.IfExp) -> Value:
        test = self._number(node.test, ("bool",))
        one, other = self._number(node.body), self._number(node.orelse)
        if "bool" in (one.type, other.type) and one.type != other.type:
            self._refuse(node, f"expected two numbers of one type, got {one.type} and {other.type}")
        type_ = "float" if "float" in (one.type, other.type) else one.type
        return Value(f"({one.python} if {test.python} else {other.python})",
                     f"({test.cpp} ? {_C_TYPES[type_]}({one.cpp}) : {_C_TYPES[type_]}({other.cpp}))", type_)

    def _element(self, node: ast.Subscript) -> Value:
        of = self.value(node.value)
        if of.type not in ("ints", "floats"):
            self._refuse(node, f"expected an element of a tuple, got one of {of.type}")
        place = self._number(node.slice, ("int",))
        convert = "_index" if of.type == "ints" else "float"
        return Value(f"{convert}({of.python}[{place.python}])", f"{of.cpp}[{place.cpp}]", of.type[:-1])

    def _call(self, node: ast.Call) -> Value:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("size", "given") and len(node.args) == 1 and not node.keywords:
            of = self.value(node.args[0])
            if of.type != "tensor":
                self._refuse(node.args[0], f"expected an input or an output, got {of.type}")
            if name == "given":
                return Value(f"({of.python} is not None)", f"{of.cpp}.there", "bool")
            return Value(f"(0 if {of.python} is None else {of.python}.size)", f"{of.cpp}.size", "int")
        if name == "len" and len(node.args) == 1 and not node.keywords:
            of = self.value(node.args[0])
            if of.type not in ("ints", "floats"):
                self._refuse(node.args[0], f"expected a tuple, got {of.type}")
            return Value(f"len({of.python})", f"{of.cpp}.count", "int")
        if name in ("min", "max") and len(node.args) > 1 and not node.keywords:
            given = [self._number(each, ("int", "float")) for each in node.args]
            type_ = "float" if any(each.type == "float" for each in given) else "int"
            listed = ", ".join(f"{_C_TYPES[type_]}({each.cpp})" for each in given)
            return Value(f"{name}({', '.join(each.python for each in given)})", f"std::{name}({{{listed}}})", type_)
        if name in CASTS and len(node.args) == 1 and not node.keywords:
            one = self._number(node.args[0], ("int", "float") if name.startswith("float") else ("int",))
            type_ = "float" if name.startswith("float") else "int"
            cast = f"converted<{CASTS[name]}>({one.cpp})"
            return Value(f"{name}({one.python})", cast, type_, CASTS[name])
        self._refuse(node, f"expected size(x), min(...), max(...) or a dtype, such as int32(n), got {name or 'a call'}")
