"""The subset of C that elementwise kernels are written in: its words, its tree, and what is refused where."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from asnumpy.operators._words import Token, refusal


@dataclass(frozen=True)
class Literal:
    """A number with its type in C."""

    value: complex
    dtype: np.dtype
    at: int


@dataclass(frozen=True)
class Name:
    """A parameter, a variable, `i` or `n`."""

    name: str
    at: int


@dataclass(frozen=True)
class Index:
    """An element of a raw array."""

    name: str
    index: Expression
    at: int


@dataclass(frozen=True)
class Unary:
    """-x, +x, !x, ~x."""

    sign: str
    value: Expression
    at: int


@dataclass(frozen=True)
class Binary:
    """A sign between two values."""

    sign: str
    left: Expression
    right: Expression
    at: int


@dataclass(frozen=True)
class Choice:
    """condition ? left : right."""

    condition: Expression
    left: Expression
    right: Expression
    at: int


@dataclass(frozen=True)
class Cast:
    """(type)x, type(x), static_cast<type>(x)."""

    type: str
    value: Expression
    at: int


@dataclass(frozen=True)
class Call:
    """A function of numbers; `x.size()` is the call "size" of a Name."""

    name: str
    arguments: tuple[Expression, ...]
    at: int


Expression = Literal | Name | Index | Unary | Binary | Choice | Cast | Call


@dataclass(frozen=True)
class Assign:
    """target = value; with a type (or "auto") it declares the target."""

    target: Name | Index
    value: Expression | None
    type: str | None
    at: int


@dataclass(frozen=True)
class If:
    """if (condition) then; else otherwise."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    at: int


Statement = Assign | If

_WORDS = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)"
    r"|(?P<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
    r"|(?P<sign><<=|>>=|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|[-+*/%&|^<>=!~?:;,.(){}\[\]])",
    re.DOTALL,
)
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_REFUSED = {
    "for": "a loop", "while": "a loop", "do": "a loop", "switch": "switch", "goto": "goto", "return": "return",
    "break": "break", "continue": "continue",
}  # fmt: skip


class Parser:
    """From a text to its statements.

    `is_type` says which words are types: C's, NumPy's, and the kernel's own letters.
    """

    def __init__(self, text: str, kernel: str, is_type: Callable[[str], bool]) -> None:
        self._text, self._kernel, self._is_type = text, kernel, is_type
        self._tokens = self._words()
        self._next = 0

    def statements(self) -> tuple[Statement, ...]:
        """All of them."""
        found: list[Statement] = []
        while self._peek().kind != "end":
            found += self._statement()
        return tuple(found)

    def expression_alone(self) -> Expression:
        """A text that is one expression."""
        found = self._expression()
        if self._peek().kind != "end":
            self.refuse(f"expected the end of the expression, got '{self._peek().text}'", self._peek().at)
        return found

    def refuse(self, what: str, at: int) -> NoReturn:
        """Raises the error with its place in the text."""
        raise refusal(self._kernel, self._text, at, what)

    def _words(self) -> list[Token]:
        tokens, at = [], 0
        while at < len(self._text):
            found = _WORDS.match(self._text, at)
            if not found:
                self.refuse(f"'{self._text[at]}' has no meaning in a kernel", at)
            if found.lastgroup != "space":
                tokens.append(Token(str(found.lastgroup), found.group(), at))
            at = found.end()
        return [*tokens, Token("end", "the end", len(self._text))]

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def _take(self, text: str | None = None) -> Token:
        token = self._peek()
        if text is not None and token.text != text:
            self.refuse(f"expected '{text}', got '{token.text}'", token.at)
        self._next += 1
        return token

    def _accept(self, *texts: str) -> Token | None:
        return self._take() if self._peek().kind == "sign" and self._peek().text in texts else None

    def _statement(self) -> list[Statement]:
        token = self._peek()
        if self._accept(";"):
            return []
        if self._accept("{"):
            return self._block()
        if token.text == "if":
            return [self._if()]
        if token.text in _REFUSED:
            self.refuse(f"{_REFUSED[token.text]} is not in the subset of C that kernels are written in", token.at)
        if token.text == "const" or self._begins_declaration():
            return self._declaration()
        found = self._assignment()
        self._end_of_statement()
        return [found]

    def _end_of_statement(self) -> None:
        # The last one may go without its semicolon.
        if self._peek().kind != "end":
            self._take(";")

    def _block(self) -> list[Statement]:
        found: list[Statement] = []
        while not self._accept("}"):
            if self._peek().kind == "end":
                self.refuse("expected '}', got the end", self._peek().at)
            found += self._statement()
        return found

    def _if(self) -> If:
        at = self._take().at
        self._take("(")
        condition = self._expression()
        self._take(")")
        then = tuple(self._statement())
        otherwise: tuple[Statement, ...] = ()
        if self._peek().text == "else":
            self._take()
            otherwise = tuple(self._statement())
        return If(condition, then, otherwise, at)

    def _begins_declaration(self) -> bool:
        if self._peek().kind != "name" or not (self._peek().text == "auto" or self._is_type(self._peek().text)):
            return False
        return self._peek(1).kind == "name"

    def _type(self) -> str:
        if self._peek().text == "const":
            self._take()
        token = self._take()
        if token.kind != "name" or not (token.text == "auto" or self._is_type(token.text)):
            self.refuse(f"expected a type, got '{token.text}'", token.at)
        words = [token.text]
        while self._peek().kind == "name" and self._is_type(" ".join([*words, self._peek().text])):
            words.append(self._take().text)
        return " ".join(words)

    def _declaration(self) -> list[Statement]:
        type_, found = self._type(), list[Statement]()
        while True:
            token = self._take()
            if token.kind != "name":
                self.refuse(f"expected a name, got '{token.text}'", token.at)
            value = self._expression() if self._accept("=") else None
            if value is None and type_ == "auto":
                self.refuse(f"'{token.text}' is declared auto and has no value", token.at)
            found.append(Assign(Name(token.text, token.at), value, type_, token.at))
            if not self._accept(","):
                break
        self._end_of_statement()
        return found

    def _assignment(self) -> Assign:
        step = self._accept("++", "--")
        target = self._postfix()
        step = step or self._accept("++", "--")
        if not isinstance(target, Name | Index):
            self.refuse("expected an assignment", target.at)
        if step:
            one = Literal(1, np.dtype(np.int32), step.at)
            return Assign(target, Binary(step.text[0], target, one, step.at), None, step.at)
        sign = self._take()
        if sign.text == "=":
            return Assign(target, self._expression(), None, sign.at)
        if sign.kind == "sign" and sign.text.endswith("=") and sign.text not in ("==", "!=", "<=", ">="):
            return Assign(target, Binary(sign.text[:-1], target, self._expression(), sign.at), None, sign.at)
        self.refuse(f"expected an assignment, got '{sign.text}'", sign.at)

    def _expression(self) -> Expression:
        condition = self._level(0)
        question = self._accept("?")
        if not question:
            return condition
        left = self._expression()
        self._take(":")
        return Choice(condition, left, self._expression(), question.at)

    def _level(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while sign := self._accept(*_LEVELS[level]):
            left = Binary(sign.text, left, self._level(level + 1), sign.at)
        return left

    def _unary(self) -> Expression:
        sign = self._accept("-", "+", "!", "~")
        if sign:
            return Unary(sign.text, self._unary(), sign.at)
        token = self._peek()
        if token.text in ("++", "--", "*", "&"):
            self.refuse(f"'{token.text}' is not in the subset of C that kernels are written in", token.at)
        if token.text == "(" and self._peek(1).kind == "name" and self._is_type(self._peek(1).text):
            self._take()
            type_ = self._type()
            self._take(")")
            return Cast(type_, self._unary(), token.at)
        return self._postfix()

    def _postfix(self) -> Expression:
        token = self._take()
        if token.kind == "number":
            return self._number(token)
        if token.text == "(":
            inner = self._expression()
            self._take(")")
            return inner
        if token.kind != "name":
            self.refuse(f"expected a value, got '{token.text}'", token.at)
        if token.text in ("true", "false"):
            return Literal(token.text == "true", np.dtype(np.bool_), token.at)
        if token.text == "static_cast":
            self._take("<")
            type_ = self._type()
            self._take(">")
            self._take("(")
            inner = self._expression()
            self._take(")")
            return Cast(type_, inner, token.at)
        if self._accept("("):
            arguments = self._arguments()
            name = token.text.removeprefix("std::")
            if self._is_type(name):
                if len(arguments) != 1:
                    self.refuse(f"{name}(...) takes one value, got {len(arguments)}", token.at)
                return Cast(name, arguments[0], token.at)
            return Call(name, arguments, token.at)
        if self._accept("["):
            index = self._expression()
            self._take("]")
            return Index(token.text, index, token.at)
        if self._accept("."):
            method = self._take()
            if method.text != "size":
                self.refuse(
                    f"'.{method.text}' is not in the subset of C that kernels are written in; '.size()' is", method.at
                )
            self._take("(")
            self._take(")")
            return Call("size", (Name(token.text, token.at),), token.at)
        return Name(token.text, token.at)

    def _arguments(self) -> tuple[Expression, ...]:
        found = list[Expression]()
        if self._accept(")"):
            return ()
        while True:
            found.append(self._expression())
            if not self._accept(","):
                break
        self._take(")")
        return tuple(found)

    def _number(self, token: Token) -> Literal:
        text = token.text.lower()
        if text.startswith("0x"):
            digits, suffix = re.fullmatch(r"(0x[0-9a-f]+?)([ul]*)", text).groups()  # type: ignore[union-attr]
        else:
            digits = text.rstrip("ulf")
            suffix = text[len(digits) :]
        if not text.startswith("0x") and ("." in digits or "e" in digits or "f" in suffix):
            return Literal(float(digits), np.dtype(np.float32 if "f" in suffix else np.float64), token.at)
        value = int(digits, 16 if digits.startswith("0x") else 8 if re.fullmatch(r"0\d+", digits) else 10)
        kinds = ["i4", "i8", "u8"] if "u" not in suffix else ["u4", "u8"]
        for kind in kinds[int("l" in suffix) :]:
            dtype = np.dtype(kind)
            if value < 1 << (8 * dtype.itemsize - (dtype.kind == "i")):
                return Literal(value, dtype, token.at)
        self.refuse(f"{token.text} is larger than any integer type", token.at)
