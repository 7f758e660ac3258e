"""What a kernel's declaration says of its arguments, read from the source; and the arguments of a launch held to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy.operators._types import dtype_of

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
_BETWEEN = re.compile(r"\b(?:const|volatile|__gm__|__restrict__|__restrict|struct)\b")
_HALVES = {"__half": "half", "bfloat16_t": "bfloat16", "__nv_bfloat16": "bfloat16"}
_BYTES = {"void", "char", "unsigned char", "uint8_t", "int8_t"}  # that are pointed to: memory of whatever dtype


@dataclass(frozen=True)
class Declared:
    """One parameter; `dtype` is that of a number or of what a pointer points to, None where it is not known."""

    text: str
    name: str
    pointer: bool
    dtype: np.dtype | None


def declared(code: str, name: str) -> tuple[Declared, ...] | None:
    """The parameters of the kernel of that name, or of an instance such as ``fill<float>``; None if there is none."""
    plain = _COMMENT.sub(lambda found: '""' if found[0][0] == '"' else " ", code)
    base, _, rest = name.partition("<")
    for found in re.finditer(rf"\b{re.escape(base.strip())}\s*\(", plain):
        head = re.split(r"[;{}]", plain[: found.start()])[-1]
        inside = _until_closed(plain, found.end())
        if inside is None or not re.search(r"\bvoid\b", head):
            continue
        letters = _letters(head, rest.rpartition(">")[0])
        return tuple(_parameter(each, letters) for each in _split(inside) if each.strip() not in ("", "void"))
    return None


def _until_closed(text: str, start: int) -> str | None:
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return text[start:place]
    return None


def _split(text: str) -> list[str]:
    """At the commas that stand in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(sign, 0)
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _letters(head: str, given: str) -> dict[str, np.dtype]:
    """The types that a template's letters stand for in an instance."""
    found = re.search(r"\btemplate\s*<(.*?)>", head, re.DOTALL)
    if not (found and given):
        return {}
    names = [each.split()[-1] for each in _split(found[1]) if each.split()[:1] in (["class"], ["typename"])]
    types = [_dtype(each, {}) for each in _split(given)]
    return {name: dtype for name, dtype in zip(names, types, strict=False) if dtype is not None}


def _parameter(text: str, letters: dict[str, np.dtype]) -> Declared:
    shown = " ".join(text.split())
    words = _BETWEEN.sub(" ", shown.partition("=")[0]).replace("*", " * ").split()
    name = words.pop() if len(words) > 1 and words[-1].isidentifier() else ""
    pointer = "*" in words or words == ["GM_ADDR"]
    type_ = " ".join(word for word in words if word != "*")
    known = not (pointer and (type_ in _BYTES or words.count("*") > 1 or type_ == "GM_ADDR"))
    return Declared(shown, name, pointer, _dtype(type_, letters) if known else None)


def _dtype(text: str, letters: dict[str, np.dtype]) -> np.dtype | None:
    text = " ".join(text.split())
    text = _HALVES.get(text, text)
    return letters.get(text) or (dtype_of(text, letters) if re.fullmatch(r"[a-z][a-z0-9_ ]*", text) else None)


def fitted(kernel: str, parameters: Sequence[Declared], given: Sequence[Any], is_array: Any) -> list[Any]:
    """The arguments of a launch, Python's numbers in the declared types.

    Raises
    ------
    TypeError
        If there are more or fewer than the kernel has, or one is not what is declared.
    OverflowError
        If a whole number does not fit into its parameter.
    """
    if len(given) != len(parameters):
        listed = ", ".join(one.text for one in parameters)
        raise TypeError(f"{kernel}: expected {len(parameters)} arguments, workspace and tiling with them ({listed}), "
                        f"got {len(given)}")
    return [
        _fitted(f"{kernel}: argument {place}" + (f" ({one.name})" if one.name else ""), one, value, is_array)
        for place, (one, value) in enumerate(zip(parameters, given, strict=True))
    ]


def _fitted(where: str, one: Declared, value: Any, is_array: Any) -> Any:
    if is_array(value):
        if not one.pointer:
            raise TypeError(f"{where}: expected a number or a structure for '{one.text}', got an array")
        if one.dtype is not None and value.dtype not in (one.dtype, np.uint8):  # which is memory of whatever dtype
            raise TypeError(f"{where}: expected an array of {one.dtype} for '{one.text}', got one of {value.dtype}")
        return value
    number = isinstance(value, np.generic) and value.dtype.kind in "biufc"
    if one.pointer and (number or isinstance(value, int | float)):
        raise TypeError(f"{where}: expected an array for '{one.text}', got {type(value).__name__}")
    if one.pointer or one.dtype is None:
        return value
    if number:
        if value.dtype != one.dtype:
            raise TypeError(f"{where}: expected {one.dtype} or a Python number for '{one.text}', got {value.dtype}")
        return value
    if not isinstance(value, int | float):
        return value
    if isinstance(value, float) and one.dtype.kind in "biu":
        raise TypeError(f"{where}: expected a whole number for '{one.text}', got {value!r}")
    if isinstance(value, int) and one.dtype.kind in "iu":
        limits = np.iinfo(one.dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{where}: {value} does not fit into '{one.text}'")
    return one.dtype.type(value)
