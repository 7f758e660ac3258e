"""Declarations of operators: what they say, what follows from them, and what is wrong where."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.operators import KernelSyntaxError


def test_what_follows_from_a_declaration():
    op = ap.operator(
        "mine.mixed(x: T[..., n], w: T[n, 3], bias: bf2[] = None, *, eps: float = 1, k: int, mode: str = 'a, b', "
        "flag: bool = True, to: dtype = float32, pads: tuple = (1, -2.5, None), some: int = None) "
        "-> y: T[..., 2*n], z: to[(n+1)*k, n - 1], count: int64[]",
        T="f2 float32, f8",
    )
    assert op.name == "mine.mixed" and op.__name__ == "mixed"
    letters = op.declaration.letters
    assert letters == {"T": (np.dtype("f2"), np.dtype("f4"), np.dtype("f8"))}
    signature = inspect.signature(op)
    assert list(signature.parameters) == "x w bias eps k mode flag to pads some out".split()
    defaults = {name: one.default for name, one in signature.parameters.items()}
    assert defaults["bias"] is None and defaults["eps"] == 1.0 and isinstance(defaults["eps"], float)
    assert defaults["k"] is inspect.Parameter.empty and defaults["mode"] == "a, b" and defaults["flag"] is True
    assert defaults["to"] == np.dtype("f4") and defaults["pads"] == (1, -2.5, None) and defaults["some"] is None
    assert signature.parameters["eps"].kind is inspect.Parameter.KEYWORD_ONLY
    assert str(signature).endswith("-> 'tuple[ndarray, ndarray, ndarray]'")
    text = op.__doc__
    assert "float16 or float32 or float64 (T), shape [..., n]." in text and "bias : array_like, optional" in text
    assert "shape [(n + 1)*k, n - 1]." in text
    again = ap.operator(str(op.declaration), T="f2 f4 f8")
    assert again.declaration == op.declaration


@pytest.mark.parametrize(
    ("text", "letters", "column", "said"),
    [
        ("", {}, 1, "expected the operator's name, got 'the end'"),
        ("f(x: T[n]) -> y: T[n]", {}, 6, "neither a dtype nor a letter for several; say which dtypes"),
        ("f(x: T[n] -> y: T[n]", {"T": "f4"}, 11, "expected ',', got '->'"),
        ("f(x: f4[n]) y: f4[n]", {}, 13, "expected '->', got 'y'"),
        ("f(x: f4) -> y: f4[n]", {}, 8, r"expected '\[' with the shape of 'x'"),
        ("f(x: f4[..., n, ...]) -> y: f4[n]", {}, 17, "'...' stands twice"),
        ("f(x: f4[1.5]) -> y: f4[]", {}, 9, "whole length, got 1.5"),
        ("f(x: f4[n], *, k: itn) -> y: f4[k]", {}, 19, "expected the type of an attribute, one of int, float"),
        ("f(x: f4[n], *, k: int = 2.5) -> y: f4[k]", {}, 25, "expected a default of type int, got 2.5"),
        ("f(x: f4[n], *, k: int = True) -> y: f4[k]", {}, 25, "expected a default of type int, got True"),
        ("f(x: f4[n], *, to: dtype = float33) -> y: to[n]", {}, 28, "expected the name of a dtype, got 'float33'"),
        ("f(x: f4[n], y: f4[n]) -> y: f4[n]", {}, 26, "the name 'y' stands twice"),
        ("f(x: f4[m]) -> y: f4[n]", {}, 16, "nothing tells the length 'n' of 'y'"),
        ("f(x: f4[n], b: f4[m] = None) -> y: f4[m]", {}, 33, "nothing tells the length 'm' of 'y'"),
        ("f(x: f4[2*n]) -> y: f4[2]", {}, 3, "nothing tells the length 'n' of 'x'"),
        ("f(x: f4[n], *, n: int = 3) -> y: f4[n]", {}, 16, "'n' is an attribute and the length"),
        ("f(x: f4[n]) -> y: Q[n]", {}, 16, "'Q' is neither a dtype, nor a letter of an input"),
        ("f(x: f4[n]) -> y: f4[...]", {}, 16, "'y' has '...', and no input has it"),
        ("f(x: f4[n], out: f4[n]) -> y: f4[n]", {}, 13, "'out' is the keyword"),
        ("f(x: f4[n], for: f4[n]) -> y: f4[n]", {}, 13, "'for' is a word of Python's"),
        ("f(x: f4[n]); -> y: f4[n]", {}, 12, "';' has no meaning"),
        ("f(x: f4[n]) -> y: f4[n] z", {}, 25, "expected the end of the declaration, got 'z'"),
        ("f(x: f4[n]) -> y: f4[n] = None", {}, 25, "an output has no default"),
        ("f(x: f4[n] = 3) -> y: f4[n]", {}, 14, "an input's only default is None, got '3'"),
        ("f(x: f4[n] = None, z: f4[n]) -> y: f4[n]", {}, 20, "must be given stands behind"),
        ("f(x: f4[n]) -> y: f4[n]", {"T": "f4"}, 1, "the letter T is given dtypes, but no input has it"),
        ("f(*, k: int, *, m: int) -> y: f4[k]", {}, 15, "'\\*' stands twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text, letters, column, said):
    with pytest.raises(KernelSyntaxError, match=said) as caught:
        ap.operator(text, **letters)
    assert f"line 1, column {column}:" in str(caught.value)
    assert str(caught.value).endswith(" " * (column + 3) + "^")


def test_dtypes_that_are_none():
    with pytest.raises(ValueError, match="operator: T: 'f44' is no dtype"):
        ap.operator("f(x: T[]) -> y: T[]", T="f4 f44")
    with pytest.raises(ValueError, match="T: expected its dtypes, such as T='f2 f4', got ''"):
        ap.operator("f(x: T[]) -> y: T[]", T="")
    made = ap.operator("f(x: T[]) -> y: T[]", T=[np.float32, "bfloat16", ap.int8])
    assert [dtype.name for dtype in made.declaration.letters["T"]] == ["float32", "bfloat16", "int8"]


def test_lines_of_a_longer_text():
    with pytest.raises(KernelSyntaxError, match="line 2, column 6: 'q9' is neither"):
        ap.operator("f(x: f4[n],\n  y: q9[n]) -> z: f4[n]")
