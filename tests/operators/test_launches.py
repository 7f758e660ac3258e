"""Launches by expressions: Python and C come to the same values, and what an expression cannot say is refused."""

from __future__ import annotations

import ctypes
import random

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy.operators import Launch
from operators.c_calls import on_host

pytestmark = needs_compiler


class Drawing:
    """Expressions over the names of `values`, drawn."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self, depth: int, whole: bool) -> str:
        pick = self.random.randrange(9) if depth else 0
        if pick < 2:
            names = ["n", "m", "by", "size(x)", "threads", str(self.random.randint(0, 9))]
            return self.random.choice(names if whole else ["eps", "0.5", "1e-3", "low"])
        one = self.number(depth - 1, whole)
        other = self.number(depth - 1, whole or self.random.random() < 0.5)
        if pick < 6:
            signs = ["+", "-", "*", "//", "%"] if whole else ["+", "-", "*", "/"]
            return f"({one} {self.random.choice(signs)} {other})"
        if pick == 6:
            return f"{self.random.choice(['min', 'max'])}({one}, {other}, {self.number(0, whole)})"
        if pick == 7:
            return f"-{one}"
        return f"({one} if {self.condition(depth - 1)} else {other})"

    def condition(self, depth: int) -> str:
        one, other = self.number(depth, True), self.number(depth, self.random.random() < 0.5)
        first = f"{one} {self.random.choice(['<', '<=', '==', '!='])} {other} {self.random.choice(['>', '>='])} by"
        return self.random.choice([first, f"not ({first})", f"(yes and {first})", f"(yes or not {first})"])


def test_expressions_are_the_same_in_both_languages(tmp_path, monkeypatch):
    drawing = Drawing(7)
    whole = [drawing.number(3, True) for _ in range(24)]
    broken = [drawing.number(3, False) for _ in range(24)]
    count = len(whole) + len(broken)
    parameters = [f"int64_t i{k}" for k in range(len(whole))] + [f"double d{k}" for k in range(len(broken))]
    values = [f"double(i{k})" for k in range(len(whole))] + [f"d{k}" for k in range(len(broken))]
    code = f"""
#include <cstdint>
extern "C" void store(int64_t, int64_t, double* y, {', '.join(parameters)}) {{
    const double values[] = {{{', '.join(values)}}};
    for (int k = 0; k < {count}; ++k) y[k] = values[k];
}}
"""
    declaration = (
        f"expressed(x: f4[m, n], *, by: int, eps: float, low: float = -2.5, yes: bool = True) -> y: f8[{count}]"
    )
    monkeypatch.setenv("ASNUMPY_NUM_THREADS", str(ap.config.num_threads))
    told = set()
    for number, (m, n, by, eps) in enumerate([(2, 3, 4, 0.25), (1, 7, -3, -1.5), (3, 3, 0, 0.0)]):
        usable = []
        for text in (*whole, *broken):  # those that divide by zero here are looked at alone, below
            names = {"n": n, "m": m, "by": by, "eps": eps, "low": -2.5, "yes": True, "threads": ap.config.num_threads,
                     "size": lambda x: x, "x": m * n, "min": min, "max": max}  # fmt: skip
            try:
                found = eval(text, names)
                usable.append(text if text in broken or abs(found) < 2**62 else "0")
            except ZeroDivisionError:
                usable.append("0" if text in whole else "0.0")
                told.add(text)
        op = ap.operator(declaration)
        op.cpu(Launch(op, ap.RawKernel(code, "store"), blocks=1, args=", ".join(["y", *usable])))
        x, y = np.ones((m, n), np.float32), np.zeros(count)
        expected = ap.to_numpy(op(ap.asarray(x, device="cpu"), by=by, eps=eps))
        assert len(set(expected.tolist())) > 20
        made = ap.operators.to_library(op, tmp_path / str(number), native=True, by=by, eps=eps)
        assert on_host(ctypes.CDLL(str(made[0])), "expressed", x, y) == ""
        np.testing.assert_array_equal(y, expected)
    assert told


@pytest.mark.parametrize("text", ["n // by", "n % by", "eps / by"])
def test_a_division_by_zero(tmp_path, text):
    op = ap.operator("divided(x: f4[n], *, by: int, eps: float) -> y: f8[1]")
    kernel = ap.RawKernel('extern "C" void one(long, long, double* y, double a) { *y = a; }', "one")
    op.cpu(Launch(op, kernel, blocks=1, args=f"y, {text}"))
    x, y = np.ones(3, np.float32), np.zeros(1)
    with pytest.raises(ZeroDivisionError):
        op(ap.asarray(x, device="cpu"), by=0, eps=1.0)
    made = ap.operators.to_library(op, tmp_path, by=0, eps=1.0)
    assert on_host(ctypes.CDLL(str(made[0])), "divided", x, y).startswith("ZeroDivisionError: ")


def test_numbers_fit_their_parameters(tmp_path):
    op = ap.operator("fits(x: u1[n], *, by: int) -> y: i4[1]")
    kernel = ap.RawKernel('extern "C" void fits(long, long, int* y, int a) { *y = a; }', "fits")
    op.cpu(Launch(op, kernel, blocks="n", args="y, by"))
    x, y = np.zeros(1, np.uint8), np.zeros(1, np.int32)
    fits, large = -(2**31), 2**31
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path / "fits", by=fits)[0]))
    assert on_host(library, "fits", x, y) == "" and y[0] == fits
    assert op(ap.asarray(x, device="cpu"), by=fits).tolist() == [fits]
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path / "large", by=large)[0]))
    assert on_host(library, "fits", x, y) == f"OverflowError: {large} does not fit into a kernel's parameter"
    with pytest.raises(OverflowError):
        op(ap.asarray(x, device="cpu"), by=large)
    library = ctypes.CDLL(str(ap.operators.to_library(op, tmp_path / "none")[0]))
    assert "fits: by: expected a value; this form has no attributes" in on_host(library, "fits", x, y)
    library = ctypes.CDLL(str(tmp_path / "fits" / "libfits.so"))
    assert "blocks: expected at least 1, got 0" in on_host(library, "fits", x[:0], y)


def test_what_a_launch_cannot_say():
    kernel = ap.RawKernel('extern "C" void k(long, long, float* y) {}', "k")
    plain = ap.operator("plain(x: f4[m, n], *, by: int = 1, eps: float = 0.5, how: str = 'a') -> y: f4[m, 2*n]")
    for given, error, text in (
        ({"args": "x, rows"}, ValueError, "column 4: there is no 'rows'; there are threads, m, n, by, eps, how, x, y"),
        ({"args": "x, n +"}, ValueError, "Launch: plain: line 1"),
        ({"args": "x[0]"}, ValueError, "column 1: expected an element of a tuple, got one of tensor"),
        ({"args": "[n]"}, ValueError, "column 1: expected names, numbers"),
        ({"args": "x + 1"}, ValueError, "expected int or float, got tensor; size(x) is its number of elements"),
        ({"args": "eps // 2"}, ValueError, "expected int, got float"),
        ({"args": "f(n)"}, ValueError, "expected size(x), min(...), max(...) or a dtype, such as int32(n), got f"),
        ({"args": "x", "blocks": "eps"}, ValueError, "blocks: expected an int, got a float: eps"),
        ({"args": "x", "blocks": "x"}, ValueError, "expected an expression of numbers, got 'x'"),
        ({"args": "how"}, ValueError, "column 1: expected int or float or bool or tensor, got str"),
        ({"args": "how < 'b'"}, ValueError, "expected text compared with text, by == or !="),
        ({"args": "how == 1"}, ValueError, "expected text compared with text, by == or !="),
        ({"args": "given(n)"}, ValueError, "expected an input or an output, got int"),
        ({"args": "len(how)"}, ValueError, "expected a tuple, got str"),
        ({"args": "x", "workspace": "eps"}, ValueError, "workspace: expected an int, got a float: eps"),
        ({"args": "x", "tiling": "x"}, ValueError, "tiling: expected numbers, got 'x'"),
        ({"args": "x", "n": "2"}, ValueError, "n: the name has a meaning already"),
    ):  # fmt: skip
        with pytest.raises(error) as told:
            Launch(plain, kernel, **({"blocks": 1} | given))
        assert text in str(told.value)
    with pytest.raises(TypeError, match="Launch: expected one of RawKernel, got int"):
        Launch(plain, 3, blocks=1, args="x")
    for text in ("f(x: f4[n], *, t: dtype) -> y: f4[n]", "f(x: f4[n], *, eps: float = None) -> y: f4[n]"):
        with pytest.raises(ValueError, match=r"Launch: f: .*; attach a function that launches the kernel"):
            Launch(ap.operator(text), kernel, blocks=1, args="x")
    with pytest.raises(ValueError, match="plain: when: expected a comparison, got 'n'"):
        plain.cpu(lambda x, y, *, by, eps, how: None, when="n")
