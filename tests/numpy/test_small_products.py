"""Products of small vectors, matrices and stacks, of every pair of shapes: values, dtypes and errors are NumPy's."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap

SHAPES: list[tuple[int, ...]] = [
    (), (3,), (0,), (4,), (3, 4), (4, 3), (0, 3), (3, 0),
    (2, 3, 4), (2, 4, 3), (1, 4, 3), (5, 2, 3, 4), (2, 1, 4, 3), (0, 2, 3), (2, 0, 4, 3),
]  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "matmul": lambda xp, a, b: xp.matmul(a, b),
    "@": lambda xp, a, b: operator.matmul(a, b),
    "dot": lambda xp, a, b: xp.dot(a, b),
}


def outcome(function: Callable[..., Any], xp: Any, a: Any, b: Any) -> Any:
    try:
        return function(xp, a, b)
    except (ValueError, TypeError) as refused:
        return refused


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_pair_of_shapes(name: str, dtype: str) -> None:
    rng = generator()
    for left in SHAPES:
        for right in SHAPES:
            a, b = (rng.integers(-2, 3, shape).astype(dtype) for shape in (left, right))
            for turned in (False, True):
                x, y = (ap.array(a).T, ap.array(b)) if turned else (ap.array(a), ap.array(b))
                expected = outcome(FUNCTIONS[name], np, a.T if turned else a, b)
                got = outcome(FUNCTIONS[name], ap, x, y)
                if isinstance(expected, Exception):
                    assert type(got) is type(expected) and str(got) == str(expected)
                else:
                    assert np.shape(got) == np.shape(expected) and got.dtype == expected.dtype
                    np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "bool", "complex128"])
def test_sums_over_axes(dtype: str) -> None:
    """Every choice and order of axes that meet, of arrays in and out of order: as np.tensordot."""
    rng = generator()
    for ndim_a, ndim_b in itertools.product((1, 2, 3), repeat=2):
        for length in (0, 1, 2):
            for axes_a in itertools.permutations(range(-1, ndim_a - 1), min(length, ndim_a)):
                for axes_b in itertools.permutations(range(ndim_b), len(axes_a)):
                    if len(axes_b) != len(axes_a):
                        continue
                    shape_a = [3, 2, 4][:ndim_a]
                    shape_b = [5, 3, 2][:ndim_b]
                    for one, other in zip(axes_a, axes_b, strict=True):
                        shape_b[other] = shape_a[one]
                    a, b = (rng.integers(-2, 3, shape).astype(dtype) for shape in (shape_a, shape_b))
                    axes = (list(axes_a), axes_b)
                    expected = np.tensordot(a, b, axes)
                    for x, y in ((ap.array(a), ap.array(b)), (ap.array(a.T.copy()).T, ap.array(b)[::-1][::-1])):
                        got = ap.tensordot(x, y, axes)
                        assert got.shape == expected.shape and got.dtype == expected.dtype
                        np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("axes", [0, 1, 2, -1, 5, (0, 1), ([0, 0], [1, 1]), ([0], [7]), ([0], [0, 1]), ((1.5,), (0,))])
def test_axes_are_judged_as_numpys(axes: Any) -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    judged(lambda xp, x, y: xp.tensordot(x, y, axes), a, b)


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((2, 3), (2, 3))])
def test_empty_and_misfitting_sums(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    judged(lambda xp, x, y: xp.tensordot(x, y, 1), *(np.ones(shape) for shape in shapes))


def judged(function: Callable[..., Any], a: np.ndarray, b: np.ndarray) -> None:
    """The same value as NumPy's, or an exception of the same class."""
    refusals = (ValueError, TypeError, IndexError)
    try:
        expected = function(np, a, b)
    except refusals as refused:
        with pytest.raises(type(refused)):
            function(ap, ap.array(a), ap.array(b))
        return
    got = function(ap, ap.array(a), ap.array(b))
    assert np.shape(got) == np.shape(expected)
    np.testing.assert_array_equal(np.asarray(got), expected)
