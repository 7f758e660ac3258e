"""Types of kernels: C's words, NumPy's names, the kernel's own letters; and what C makes of two of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_C: dict[str, type[np.generic]] = {
    "bool": np.bool_, "char": np.int8, "signed char": np.int8, "unsigned char": np.uint8, "short": np.int16,
    "unsigned short": np.uint16, "int": np.int32, "signed": np.int32, "unsigned": np.uint32, "unsigned int": np.uint32,
    "long": np.int64, "long int": np.int64, "unsigned long": np.uint64, "long long": np.int64,
    "unsigned long long": np.uint64, "long long int": np.int64,
    "size_t": np.uint64, "ptrdiff_t": np.int64, "half": np.float16, "float": np.float32,
    "double": np.float64,
    **{f"{sign}int{bits}_t": getattr(np, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip
_NUMPY = {
    f"{kind}{bits}"
    for kind, widths in {"int": (8, 16, 32, 64), "uint": (8, 16, 32, 64), "float": (16, 32, 64)}.items()
    for bits in widths
}
_WORDS = {word for name in _C for word in name.split()} | _NUMPY | {"complex64", "complex128", "bfloat16"}


def is_letter(word: str) -> bool:
    """A kernel's own type: one upper-case letter, or such with digits behind it."""
    return re.fullmatch(r"[A-Z]\d*", word) is not None


def is_type(word: str) -> bool:
    """Whether a word begins a type, or several are one."""
    return word in _WORDS or word in _C or is_letter(word)


def dtype_of(name: str, letters: dict[str, np.dtype]) -> np.dtype | None:
    """The dtype of a type's name; None where a letter is not known yet."""
    if is_letter(name):
        return letters.get(name)
    if name in _C:
        return np.dtype(_C[name])
    if name == "bfloat16":
        import ml_dtypes

        found: np.dtype = np.dtype(ml_dtypes.bfloat16)
        return found
    try:
        return np.dtype(name)
    except TypeError:
        return None


def promoted(dtype: np.dtype) -> np.dtype:
    """C computes with small integers as int."""
    return np.dtype(np.int32) if dtype.kind in "b" or (dtype.kind in "iu" and dtype.itemsize < 4) else dtype


def common(a: np.dtype, b: np.dtype) -> np.dtype:
    """What C makes of two types: the wider float, else the wider integer, without a sign where both are as wide."""
    a, b = promoted(a), promoted(b)
    if a == b:
        return a
    if a.kind in "iu" and b.kind in "iu":
        if a.itemsize != b.itemsize:
            return a if a.itemsize > b.itemsize else b
        return a if a.kind == "u" else b
    if a.kind in "iu":
        return b
    if b.kind in "iu":
        return a
    return np.promote_types(a, b)


@dataclass(frozen=True)
class Parameter:
    """One parameter: "T x", "raw float32 y"."""

    name: str
    type: str
    raw: bool


def parameters(text: str, kernel: str, role: str) -> tuple[Parameter, ...]:
    """From "T x, raw float32 y" to parameters.

    Raises
    ------
    ValueError
        If a part is not a type and a name, or names the index `i` or the count `n`.
    """
    found = []
    for part in text.split(",") if text.strip() else []:
        words = part.split()
        raw = "raw" in words[:-2]
        words = [word for word in words[:-1] if word not in ("raw", "const", "_non_const")] + words[-1:]
        if len(words) < 2 or not words[-1].isidentifier():
            raise ValueError(f"{kernel}: {role}: expected a type and a name such as 'T x', got {part.strip()!r}")
        name, type_ = words[-1], " ".join(words[:-1])
        if name in ("i", "n", "_ind"):
            raise ValueError(
                f"{kernel}: {role}: {name!r} is what a kernel calls the index or the count; take another name"
            )
        if not is_letter(type_) and dtype_of(type_, {}) is None:
            raise ValueError(f"{kernel}: {role}: {type_!r} of {name!r} is neither a type nor a letter for one")
        found.append(Parameter(name, type_, raw))
    return tuple(found)
