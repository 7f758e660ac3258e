"""What functions under jit may not do, and that nothing is left behind."""

from __future__ import annotations

import numpy as np
import pytest
from test_jit import given, same

import asnumpy as ap


def test_reading_a_value_is_an_error_with_the_line():
    def chooses(x):
        if x.max() > 0:  # here
            return x
        return -x

    reads = [
        chooses, lambda x: float(x[0]), lambda x: np.asarray(x), lambda x: x[x > 1], lambda x: ap.nonzero(x),
        lambda x: x.tolist(), lambda x: range(int(x[0])),
    ]  # fmt: skip
    for function in reads:
        with pytest.raises(ap.TracingError, match=r"ap\.where"):
            ap.jit(function)(given(1, 8))
    with pytest.raises(ap.TracingError, match=r"chooses, .*test_jit_errors.py:\d+: if x.max\(\) > 0:  # here"):
        ap.jit(chooses)(given(1, 8))
    assert isinstance(ap.TracingError(), RuntimeError)
    same(given(1, 8) + 1, given(1, 8) + 1)  # nothing is left behind


def test_an_array_that_is_kept_outside_is_an_error():
    kept = []
    fast = ap.jit(lambda x: kept.append(x * 2))
    with pytest.raises(ap.TracingError, match="kept by something outside"):
        fast(given(1, 8))


def test_an_exception_of_the_function_passes_through():
    @ap.jit
    def wrong(x):
        x += 1
        raise KeyError("mine")

    x = given(1, 8)
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            wrong(x)
    with pytest.raises(ValueError, match="broadcast"):
        ap.jit(lambda x: x + ap.ones(3))(x)
    same(x + 1, given(1, 8) + 1)


def test_indices_are_checked_at_each_call():
    fast = ap.jit(lambda x, i: x[i])
    x = given(1, 8)
    same(fast(x, ap.array([1, -8])), x[ap.array([1, -8])])
    with pytest.raises(IndexError, match="index 8 is out of bounds for axis 0 with size 8"):
        fast(x, ap.array([1, 8]))
    same(fast(x, ap.array([1, 2])), x[ap.array([1, 2])])


def test_read_only_arguments():
    x = given(1, 8)
    x.flags.writeable = False

    @ap.jit
    def writes(x):
        x += 1
        return x

    with pytest.raises(ValueError, match="read-only"):
        writes(x)
    same(writes(given(1, 8)), given(1, 8) + 1)
