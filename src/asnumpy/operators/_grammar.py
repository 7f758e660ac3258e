"""From the text of a declaration to its data: words, grammar, and what is wrong where.

    declaration := name "(" [input {"," input}] ["," "*" "," attribute {"," attribute}] ")" "->" output {"," output}
    input       := name ":" type "[" axes "]" ["=" "None"]
    attribute   := name ":" kind ["=" literal]
    output      := name ":" type "[" axes "]"
    axes        := [axis {"," axis}], one of which may be "..."
    axis        := product {("+" | "-") product};  product := atom {("*" | "//") atom}
    atom        := integer | symbol | "(" axis ")"
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np

from asnumpy.operators._declaration import (
    KINDS,
    Attribute,
    Axis,
    Declaration,
    Shape,
    Tensor,
    dtype_named,
    symbols,
)
from asnumpy.operators._words import Token, refusal

_WORDS = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<text>'[^'\n]*'|\"[^\"\n]*\")"
    r"|(?P<sign>->|\.\.\.|//|[-+*:,=.()\[\]])"
)
_RESERVED = ("out",)


def parse(text: str, letters: Mapping[str, str | Iterable[Any]]) -> Declaration:
    """The declaration that a text states.

    Raises
    ------
    KernelSyntaxError
        A ValueError with line, column and the line itself.
    """
    return _Parser(text, {letter: dtypes(letter, given) for letter, given in letters.items()}).declaration()


def dtypes(letter: str, given: str | Iterable[Any]) -> tuple[np.dtype, ...]:
    """From "f2 f4", or a sequence of dtypes, to dtypes."""
    names = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    found = []
    for name in names:
        dtype = dtype_named(name) if isinstance(name, str) else np.dtype(name)
        if dtype is None:
            raise ValueError(
                f"operator: {letter}: {name!r} is no dtype; write float32 or f4, bfloat16 or bf2, int64..."
            )
        found.append(dtype)
    if not found:
        raise ValueError(f"operator: {letter}: expected its dtypes, such as {letter}='f2 f4', got {given!r}")
    return tuple(dict.fromkeys(found))


class _Parser:
    def __init__(self, text: str, letters: dict[str, tuple[np.dtype, ...]]) -> None:
        self._text, self._letters, self._who = text, letters, "operator"
        self._tokens = self._words()
        self._next = 0
        self._places: dict[str, int] = {}  # of every parameter's name

    def declaration(self) -> Declaration:
        name = self._dotted_name()
        self._who = name
        inputs, attributes = self._parameters()
        self._take("->")
        outputs = [self._tensor(output=True)]
        while self._accept(","):
            outputs.append(self._tensor(output=True))
        if self._peek().kind != "end":
            self._refuse(f"expected the end of the declaration, got '{self._peek().text}'")
        made = Declaration(name, tuple(inputs), tuple(attributes), tuple(outputs), self._letters)
        self._check(made)
        return made

    def _words(self) -> list[Token]:
        tokens, at = [], 0
        while at < len(self._text):
            found = _WORDS.match(self._text, at)
            if not found:
                raise refusal(self._who, self._text, at, f"'{self._text[at]}' has no meaning in a declaration")
            if found.lastgroup != "space":
                tokens.append(Token(str(found.lastgroup), found.group(), at))
            at = found.end()
        return [*tokens, Token("end", "the end", len(self._text))]

    def _refuse(self, what: str, at: int | None = None) -> NoReturn:
        raise refusal(self._who, self._text, self._peek().at if at is None else at, what)

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self, text: str) -> Token:
        if self._peek().text != text:
            self._refuse(f"expected '{text}', got '{self._peek().text}'")
        self._next += 1
        return self._tokens[self._next - 1]

    def _accept(self, text: str) -> bool:
        found = self._peek().kind == "sign" and self._peek().text == text
        self._next += found
        return found

    def _name(self, what: str) -> Token:
        token = self._peek()
        if token.kind != "name":
            self._refuse(f"expected {what}, got '{token.text}'")
        if keyword.iskeyword(token.text):
            self._refuse(f"'{token.text}' is a word of Python's; take another name")
        self._next += 1
        return token

    def _dotted_name(self) -> str:
        name = self._name("the operator's name").text
        while self._accept("."):
            name += "." + self._name("a name").text
        return name

    def _new_name(self, what: str) -> str:
        token = self._name(what)
        if token.text in _RESERVED:
            self._refuse(f"'{token.text}' is the keyword for arrays to write to; take another name", token.at)
        if token.text in self._places:
            self._refuse(f"the name '{token.text}' stands twice", token.at)
        self._places[token.text] = token.at
        return token.text

    def _parameters(self) -> tuple[list[Tensor], list[Attribute]]:
        inputs: list[Tensor] = []
        attributes: list[Attribute] = []
        keywords = False
        self._take("(")
        while not self._accept(")"):
            if inputs or keywords:
                self._take(",")
            if self._accept("*"):
                if keywords:
                    self._refuse("'*' stands twice")
                keywords = True
                self._take(",")
            if keywords:
                attributes.append(self._attribute())
                continue
            at = self._peek().at
            inputs.append(self._tensor(output=False))
            if inputs[-1].optional < any(one.optional for one in inputs):
                self._refuse("an input that must be given stands behind one that may be left out", at)
        return inputs, attributes

    def _tensor(self, output: bool) -> Tensor:
        name = self._new_name("an output" if output else "an input")
        self._take(":")
        at = self._peek().at
        type_ = self._name("a dtype or a letter for several").text
        if not output:
            self._expect_type(type_, at)
        if self._peek().text != "[":
            self._refuse(f"expected '[' with the shape of '{name}' ([...] for any, [] for a scalar), "
                         f"got '{self._peek().text}'")
        shape = self._shape()
        optional = False
        if self._peek().text == "=":
            if output:
                self._refuse("an output has no default")
            self._next += 1
            if self._peek().text != "None":
                self._refuse(f"an input's only default is None, got '{self._peek().text}'")
            self._next += 1
            optional = True
        return Tensor(name, type_, shape, optional)

    def _expect_type(self, word: str, at: int) -> None:
        if word in self._letters or dtype_named(word) is not None:
            return
        hint = f"; say which dtypes the letter has: {word}='f2 f4'" if word[:1].isupper() else ""
        self._refuse(f"'{word}' is neither a dtype nor a letter for several{hint}", at)

    def _shape(self) -> Shape:
        self._take("[")
        axes: list[Any] = []
        while not self._accept("]"):
            if axes:
                self._take(",")
            if self._peek().text == "..." and ... in axes:
                self._refuse("'...' stands twice in one shape")
            axes.append(... if self._accept("...") else self._axis())
        return tuple(axes)

    def _axis(self) -> Axis:
        left = self._product()
        while (sign := self._peek().text) in ("+", "-"):
            self._next += 1
            left = (sign, left, self._product())
        return left

    def _product(self) -> Axis:
        left = self._atom()
        while (sign := self._peek().text) in ("*", "//"):
            self._next += 1
            left = (sign, left, self._atom())
        return left

    def _atom(self) -> Axis:
        token = self._peek()
        if self._accept("("):
            inner = self._axis()
            self._take(")")
            return inner
        if token.kind == "number":
            if not token.text.isdigit():
                self._refuse(f"an axis has a whole length, got {token.text}")
            self._next += 1
            return int(token.text)
        return self._name("an axis").text

    def _attribute(self) -> Attribute:
        name = self._new_name("an attribute")
        self._take(":")
        token = self._name("a type")
        if token.text not in KINDS:
            self._refuse(f"expected the type of an attribute, one of {', '.join(KINDS)}, got '{token.text}'", token.at)
        if not self._accept("="):
            return Attribute(name, token.text)
        at = self._peek().at
        default = self._literal(token.text == "dtype")
        if default is not None:
            kind = KINDS[token.text]
            if kind is float and type(default) is int:
                default = float(default)
            if not isinstance(default, kind) or (kind is int and isinstance(default, bool)):
                self._refuse(f"expected a default of type {token.text}, got {default!r}", at)
        return Attribute(name, token.text, default)

    def _literal(self, of_dtype: bool = False) -> Any:
        token = self._peek()
        self._next += token.kind != "end"
        if token.kind == "number":
            return int(token.text) if token.text.isdigit() else float(token.text)
        if token.kind == "text":
            return token.text[1:-1]
        if token.text in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[token.text]
        if token.kind == "name" and of_dtype and dtype_named(token.text) is not None:
            return dtype_named(token.text)
        if token.text in ("-", "+") and self._peek().kind == "number":
            number = self._literal()
            return -number if token.text == "-" else number
        if token.text == "(":
            items: list[Any] = []
            while not self._accept(")"):
                if items:
                    self._take(",")
                    if self._accept(")"):
                        break
                items.append(self._literal())
            return tuple(items)
        expected = "the name of a dtype" if of_dtype else "a number, a text, True, False, None or a tuple of these"
        self._refuse(f"expected {expected}, got '{token.text}'", token.at)

    def _check(self, made: Declaration) -> None:
        """What only the whole shows: letters and symbols that nothing tells."""
        used = {tensor.type for tensor in made.inputs}
        for letter in self._letters:
            if letter not in used:
                known = ", ".join(sorted(used)) or "none"
                self._refuse(f"the letter {letter} is given dtypes, but no input has it; the inputs have {known}", 0)
        kinds = {one.name: one.kind for one in made.attributes}
        told = {axis for tensor in made.inputs if not tensor.optional for axis in tensor.core if isinstance(axis, str)}
        maybe = {axis for tensor in made.inputs for axis in tensor.core if isinstance(axis, str)}
        for tensor in (*made.inputs, *made.outputs):
            at, output = self._places[tensor.name], tensor in made.outputs
            if output and not made.dtypes_of(tensor) and kinds.get(tensor.type) != "dtype":
                self._refuse(f"'{tensor.type}' is neither a dtype, nor a letter of an input, nor an attribute of type "
                             f"dtype", at)
            for symbol in dict.fromkeys(symbol for axis in tensor.core for symbol in symbols(axis)):
                lengths = told | {name for name, kind in kinds.items() if kind == "int"}
                if symbol not in (lengths if output else lengths | maybe):
                    self._refuse(f"nothing tells the length '{symbol}' of '{tensor.name}': it is no axis of an input "
                                 f"that must be given, and no attribute of type int", at)
            if output and tensor.batched and not any(one.batched for one in made.inputs):
                self._refuse(f"'{tensor.name}' has '...', and no input has it", at)
        for attribute in made.attributes:
            if attribute.kind == "int" and attribute.name in maybe:
                self._refuse(f"'{attribute.name}' is an attribute and the length of an input's axis",
                             self._places[attribute.name])

