"""What a kernel's declaration says of its arguments, read from the source."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from asnumpy.operators._types import dtype_of

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
_BETWEEN = re.compile(r"\b(?:const|volatile|__gm__|__restrict__|__restrict|struct)\b")
_HALVES = {"__half": "half", "bfloat16_t": "bfloat16", "__nv_bfloat16": "bfloat16"}
_BYTES = {"void", "char", "unsigned char", "uint8_t", "int8_t"}  # that are pointed to: memory of whatever dtype


@dataclass(frozen=True)
class Declared:
    """One parameter; `dtype` is that of a number or of what a pointer points to, None where it is not known.

    `written` says of a pointer whether the kernel may write there: not through one to const; None is not known.
    """

    text: str
    name: str
    pointer: bool
    dtype: np.dtype | None
    written: bool | None = None


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
    plain = shown.partition("=")[0]
    words = _BETWEEN.sub(" ", plain).replace("*", " * ").split()
    name = words.pop() if len(words) > 1 and words[-1].isidentifier() else ""
    pointer = "*" in words or words == ["GM_ADDR"]
    type_ = " ".join(word for word in words if word != "*")
    known = not (pointer and (type_ in _BYTES or words.count("*") > 1 or type_ == "GM_ADDR"))
    written = None if words.count("*") != 1 else not re.search(r"\bconst\b", plain.partition("*")[0])
    return Declared(shown, name, pointer, _dtype(type_, letters) if known else None, written)


def _dtype(text: str, letters: dict[str, np.dtype]) -> np.dtype | None:
    text = " ".join(text.split())
    text = _HALVES.get(text, text)
    return letters.get(text) or (dtype_of(text, letters) if re.fullmatch(r"[a-z][a-z0-9_ ]*", text) else None)
