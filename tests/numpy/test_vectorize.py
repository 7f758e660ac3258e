"""vectorize: what it traces fuses, what it cannot trace is called per element, and both give NumPy's values."""

from __future__ import annotations

import io
import math
import sys

import numpy as np
import pytest
from agreement import agree, sample

import asnumpy as ap

TRACED = {
    "arithmetic": lambda x, y: (x + 2) * y - x / (y * y + 1),
    "ufuncs": lambda x, y: np.exp(-x * x) + np.sin(y),
    "our ufuncs": lambda x, y: ap.sqrt(abs(x)) + ap.maximum(x, y),
    "comparison": lambda x, y: x > y,
    "two results": lambda x, y: (x + y, x < y),
    "the argument": lambda x, y: x,
    "reflected": lambda x, y: 2 - x + 3 * y,
    "division with remainder": lambda x, y: divmod(x, abs(y) + 1),
}
CALLED = {
    "branch": lambda x, y: x - y if x > y else x + y,
    "math": lambda x, y: math.cos(x) + y,
    "conversion": lambda x, y: int(x) + y,
    "swallowed": lambda x, y: _sine_or_zero(x) + y,
    "constant": lambda x, y: 4,
    "builtin": lambda x, y: max(x, y),
    "attribute": lambda x, y: x.real + y,
    "chain": lambda x, y: 0 < x < y,
    "rounding": lambda x, y: round(x) + y,
    "membership": lambda x, y: x in (1.0, 2.0),
    "text": lambda x, y: len(f"{x}") + y,
}


def _sine_or_zero(x):
    try:
        return math.sin(x)
    except TypeError:
        return x * 0


def _called(function, *args):
    """The result, and how often the function was called."""
    calls = []

    def counting(*values):
        calls.append(values)
        return function(*values)

    return ap.vectorize(counting)(*args), len(calls)


@pytest.mark.parametrize("dtype", ["float64", "int64", "complex128"])
@pytest.mark.parametrize("name", TRACED)
def test_traced(name, dtype):
    function = TRACED[name]
    if dtype == "complex128" and name in ("division with remainder", "comparison", "two results", "our ufuncs"):
        pytest.skip("complex numbers have neither remainder nor order")
    a, b = sample((40, 3), dtype), sample(3, dtype, 1)
    agree(lambda xp, x, y: xp.vectorize(function)(x, y), a, b, ulp=4)
    _, calls = _called(function, ap.asarray(a), ap.asarray(b))
    assert calls == 2


@pytest.mark.parametrize("name", CALLED)
def test_called_per_element(name):
    function = CALLED[name]
    a, b = sample((10, 3), "float64"), sample(3, "float64", 1)
    agree(lambda xp, x, y: xp.vectorize(function)(x, y), a, b)
    _, calls = _called(function, ap.asarray(a), ap.asarray(b))
    assert calls >= a.size


def test_traced_code_is_deferred_and_fuses():
    a = ap.from_numpy(np.arange(100_000.0))
    with ap.config.using(eager=False):
        made = ap.vectorize(lambda x: np.exp(-x) * x + 1)(a)
        assert made._pending
        assert ap.explain(made, file=io.StringIO()).count("program ") == 1


def test_what_differs_from_call_to_call_is_not_traced():
    rng = np.random.default_rng(3)
    made = ap.vectorize(lambda x: x + rng.random())(ap.zeros(100))
    assert len(set(made.tolist())) == 100


def test_options():
    a = sample(7, "float64")
    agree(lambda xp, x: xp.vectorize(lambda v: v * 2, otypes="f")(x), a)
    agree(lambda xp, x: xp.vectorize(lambda v: (v * 2, v), otypes=[np.int64, np.complex64])(x), np.arange(5))
    agree(lambda xp, x: xp.vectorize(lambda v, n=2: v ** n, excluded=["n"])(x, n=3), a)
    agree(lambda xp, x: xp.vectorize(lambda p, v: p[0] * v + p[1], excluded=[0])([2.0, 1.0], x), a)
    agree(lambda xp, x: xp.vectorize(lambda v, w: v - w)(x, w=3.0), a)
    agree(lambda xp, x: xp.vectorize(lambda v: v.sum(), signature="(n)->()")(x), sample((3, 4), "float64"), ulp=2)
    agree(lambda xp, x: xp.vectorize(np.convolve, signature="(n),(m)->(k)")(x, [1.0, 2, 1]), np.eye(4))
    agree(lambda xp, x: xp.vectorize(lambda v: 1 if v > 0 else -1, cache=True)(x), a)
    agree(lambda xp, x: xp.vectorize(lambda v: v + 1)(x), np.zeros((0, 3)))
    agree(lambda xp, x: xp.vectorize(lambda v: v + 1, otypes="d")(x), np.zeros((0, 3)))
    agree(lambda xp, x: xp.vectorize(lambda v, w: v + w)(x, [1, 2]), np.zeros(3))
    agree(lambda xp, x: xp.vectorize(lambda v: v + undefined)(x), a)  # noqa: F821
    agree(lambda xp: xp.vectorize(lambda v: v * 2)(3))


def test_a_cached_first_call_means_a_call_for_each_element():
    calls = []
    made = ap.vectorize(lambda x: calls.append(x) or x * 2, cache=True)(ap.arange(5))
    assert made.tolist() == [0, 2, 4, 6, 8] and len(calls) == 5
    assert _called(lambda x: x * 2, ap.arange(5))[1] == 2


def test_functions_are_not_kept_alive():
    def function(x):
        return x

    references = sys.getrefcount(function)
    for _ in range(10):
        ap.frompyfunc(function, 1, 1)(ap.arange(3))
        ap.vectorize(function)(ap.arange(3))
    assert sys.getrefcount(function) == references


def test_decorator():
    @ap.vectorize(otypes="d")
    def twice(x):
        """Two times x."""
        return x * 2

    @ap.vectorize
    def half(x):
        return x / 2

    assert twice(ap.arange(3)).tolist() == [0.0, 2.0, 4.0]
    assert half([1, 2]).tolist() == [0.5, 1.0]
    assert twice.__doc__ == "Two times x."


def test_frompyfunc():
    add = ap.frompyfunc(lambda x, y: x + y, 2, 1)
    made = add(ap.arange(4), [[1], [2]])
    assert isinstance(made, np.ndarray) and made.dtype == object and made.tolist() == [[1, 2, 3, 4], [2, 3, 4, 5]]
    assert add.reduce(ap.arange(5)) == 10
    assert add.accumulate(ap.arange(5)).tolist() == [0, 1, 3, 6, 10]
    assert add.outer([1, 2], [3, 4]).tolist() == [[4, 5], [5, 6]]
    assert (add.nin, add.nout, add.nargs) == (2, 1, 3)
    text = ap.frompyfunc(hex, 1, 1)(ap.asarray([10, 11]))
    assert isinstance(text, np.ndarray) and text.tolist() == ["0xa", "0xb"]
    quotient, rest = ap.frompyfunc(divmod, 2, 2)(ap.arange(5), 2)
    assert quotient.tolist() == [0, 0, 1, 1, 2] and rest.tolist() == [0, 1, 0, 1, 0]
    assert ap.frompyfunc(lambda x, y: x * y, 2, 1, identity=1).reduce(ap.zeros(0, int)) == 1
