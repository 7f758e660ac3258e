"""What an operator is declared to be: plain data, and what follows from it: signature, docstring, lengths."""

from __future__ import annotations

import inspect
import operator as arithmetic
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import EllipsisType
from typing import Any

import numpy as np

from asnumpy.dtypes.dtype import EXTENDED

# An axis: its length, a symbol for it, or what is computed from those.
Axis = int | str | tuple[str, "Axis", "Axis"]
# Of a shape: `...` stands for any axes, which broadcast.
Shape = tuple[Axis | EllipsisType, ...]

SIGNS = {"+": arithmetic.add, "-": arithmetic.sub, "*": arithmetic.mul, "//": arithmetic.floordiv}
KINDS: dict[str, type] = {"int": int, "float": float, "bool": bool, "str": str, "dtype": np.dtype, "tuple": tuple}
REQUIRED: Any = inspect.Parameter.empty

_DTYPES = {np.dtype(name).name: np.dtype(name) for name in "?bhilBHILefdFD"} | EXTENDED
_SHORT = {f"{dtype.kind}{dtype.itemsize}": dtype for name, dtype in _DTYPES.items() if name not in EXTENDED}
_SHORT |= {"bf2": EXTENDED["bfloat16"]}


def dtype_named(name: str) -> np.dtype | None:
    """The dtype of a name such as float32, f4, bfloat16 or bf2; None where there is none."""
    return _DTYPES.get(name) or _SHORT.get(name)


@dataclass(frozen=True)
class Tensor:
    """An input or an output: its type is a letter or a dtype's name, an optional input may be None."""

    name: str
    type: str
    shape: Shape
    optional: bool = False

    @cached_property
    def batched(self) -> bool:
        """Whether it has axes that broadcast."""
        return ... in self.shape

    @cached_property
    def core(self) -> tuple[Axis, ...]:
        """The axes that are declared."""
        return tuple(axis for axis in self.shape if not isinstance(axis, EllipsisType))

    def __str__(self) -> str:
        axes = ", ".join("..." if isinstance(axis, EllipsisType) else axis_text(axis) for axis in self.shape)
        return f"{self.name}: {self.type}[{axes}]" + " = None" * self.optional


@dataclass(frozen=True)
class Attribute:
    """A keyword: the kind is one of KINDS; REQUIRED stands for no default."""

    name: str
    kind: str
    default: Any = REQUIRED

    def __str__(self) -> str:
        if self.default is REQUIRED:
            return f"{self.name}: {self.kind}"
        default = self.default.name if isinstance(self.default, np.dtype) else repr(self.default)
        return f"{self.name}: {self.kind} = {default}"


@dataclass(frozen=True)
class Declaration:
    """All of it; `letters` are types of one's own, each with the dtypes that it may be, in the order of preference."""

    name: str
    inputs: tuple[Tensor, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[Tensor, ...]
    letters: Mapping[str, tuple[np.dtype, ...]]

    def __str__(self) -> str:
        given = [str(one) for one in self.inputs]
        if self.attributes:
            given += ["*", *map(str, self.attributes)]
        return f"{self.name}({', '.join(given)}) -> {', '.join(map(str, self.outputs))}"

    def dtypes_of(self, tensor: Tensor) -> tuple[np.dtype, ...]:
        """The dtypes that it may have."""
        if tensor.type in self.letters:
            return self.letters[tensor.type]
        dtype = dtype_named(tensor.type)
        return () if dtype is None else (dtype,)  # none: an attribute says it

    def signature(self) -> inspect.Signature:
        """As Python shows it."""
        both, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(one.name, both, default=None if one.optional else REQUIRED,
                              annotation="ArrayLike | None" if one.optional else "ArrayLike")
            for one in self.inputs
        ]
        parameters += [
            inspect.Parameter(one.name, keyword, default=one.default, annotation=annotation(one))
            for one in self.attributes
        ]
        several = len(self.outputs) > 1
        made = f"tuple[{', '.join(['ndarray'] * len(self.outputs))}]" if several else "ndarray"
        out = inspect.Parameter("out", keyword, default=None, annotation=f"{made} | None")
        return inspect.Signature([*parameters, out], return_annotation=made)

    def document(self, about: str = "") -> str:
        """A docstring: what its author says of it, and each parameter."""
        lines = [str(self), "", *([about, ""] if about else []), "Parameters", "----------"]
        for tensor in self.inputs:
            lines += [tensor.name + f" : array_like{', optional' * tensor.optional}", f"    {self._words(tensor)}"]
        for one in self.attributes:
            default = "" if one.default is REQUIRED else ", optional"
            lines += [f"{one.name} : {one.kind}{default}"]
            if one.default is not REQUIRED:
                lines += [f"    {str(one).partition(' = ')[2]} otherwise."]
        lines += ["out : ndarray, optional" if len(self.outputs) == 1 else "out : tuple of ndarray, optional",
                  "    Where the result is written.", "", "Returns", "-------"]
        for tensor in self.outputs:
            lines += [f"{tensor.name} : ndarray", f"    {self._words(tensor)}"]
        return "\n".join(lines)

    def _words(self, tensor: Tensor) -> str:
        names = [dtype.name for dtype in self.dtypes_of(tensor)] or [f"the dtype {tensor.type}"]
        letter = f" ({tensor.type})" if tensor.type in self.letters and len(names) > 1 else ""
        axes = str(tensor).removesuffix(" = None").partition("[")[2]
        return f"{' or '.join(names)}{letter}, shape [{axes}."


def annotation(attribute: Attribute) -> str:
    """The type of an attribute's value, as stubs and signatures have it."""
    name = {"dtype": "DTypeLike", "tuple": "tuple[Any, ...]"}.get(attribute.kind, attribute.kind)
    return f"{name} | None" if attribute.default is None else name


def axis_text(axis: Axis) -> str:
    """As it is written."""
    if not isinstance(axis, tuple):
        return str(axis)
    sign, left, right = axis
    parts = [f"({axis_text(one)})" if isinstance(one, tuple) and sign in "*//" else axis_text(one)
             for one in (left, right)]
    if sign == "-" and isinstance(right, tuple):
        parts[1] = f"({axis_text(right)})"
    return f" {sign} ".join(parts) if sign in "+-" else sign.join(parts)


def symbols(axis: Axis) -> Iterator[str]:
    """The symbols in it."""
    if isinstance(axis, str):
        yield axis
    elif isinstance(axis, tuple):
        for part in axis[1:]:
            yield from symbols(part)


def length(axis: Axis, sizes: Mapping[str, int]) -> int:
    """Of an axis, with the symbols' values."""
    if isinstance(axis, int):
        return axis
    if isinstance(axis, str):
        return sizes[axis]
    sign, left, right = axis
    made: int = SIGNS[sign](length(left, sizes), length(right, sizes))
    return made

