"""What the data file documents of an operator, and arrays of its dtypes in the layouts that tensors may have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from cannsim import comparing
from cannsim.comparing import BFLOAT16, layouts

FILE = Path(__file__).resolve().parents[2] / "core" / "cann" / "data" / "operators.json"


@cache
def facts() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def parameters(operator: str) -> list[dict[str, Any]]:
    return facts()[operator]


def dtypes(operator: str, parameter: str) -> list[np.dtype]:
    """The dtypes that the simulator computes with: documented, or known from headers or sources."""
    names = facts()["_meta"]["letters"]
    one = next(one for one in parameters(operator) if one["name"] == parameter)
    letters = taken(one)
    return [dtype_of(name) for letter, name in names.items() if letter in letters and name != "complex32"]


def dtype_of(name: str) -> np.dtype:
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


def taken(one: dict[str, Any]) -> str:
    """The letters of the dtypes that the parameter takes by documents, headers or sources, in the newest version."""
    return one["dtypes"] + one.get("headers", "") + one.get("sources", "")


def undocumented(operator: str, parameter: str) -> np.dtype | None:
    """A dtype that the operator does not take there, by whatever is known."""
    names = facts()["_meta"]["letters"]
    letters = taken(next(one for one in parameters(operator) if one["name"] == parameter))
    known = [dtype_of(names[letter]) for letter in letters if names[letter] != "complex32"]
    others = map(dtype_of, ("complex128", "uint64", "uint32", "float64"))
    return next((one for one in others if one not in known), None)


values = partial(comparing.values, integers=(-40, 90))  # some are outside of short axes, few are equal


def outs(like: np.ndarray) -> Iterator[np.ndarray]:
    """Outputs of that shape and dtype: contiguous, and with gaps."""
    yield np.zeros(like.shape, like.dtype)
    if like.ndim:
        yield list(layouts(np.zeros(like.shape, like.dtype)))[2]


def same(got: np.ndarray, expected: Any) -> None:
    """Equal bit for bit, but for the sign of zeros."""
    expected = np.asarray(expected)
    assert got.shape == expected.shape, f"expected shape {expected.shape}, got {got.shape}"
    assert got.dtype == expected.dtype, f"expected dtype {expected.dtype}, got {got.dtype}"
    differ = (got != expected) & ~((got != got) & (expected != expected))
    assert not np.any(differ), f"expected {expected}, got {got}"
