"""Assignment to elements picked by a list or an array along one axis: values, broadcasting and errors are NumPy's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap


def indices(rng: np.random.Generator, length: int) -> list[int]:
    """Up to three positions on an axis, now and then one that is outside."""
    if not length:
        return [0] * int(rng.integers(3))
    return [int(i) for i in rng.integers(-length - (rng.random() < 0.1), length, rng.integers(0, 4))]


def key_of(xp: Any, form: int, axis: int, picked: list[int]) -> Any:
    part = picked if form == 0 else xp.asarray(np.array(picked, int))
    return part if axis == 0 and form < 2 else (*[slice(None)] * axis, part, *[Ellipsis] * (form == 2))


def assign(xp: Any, target: Any, key: Any, value: Any) -> str:
    try:
        target[key] = value
    except (IndexError, ValueError, TypeError) as refused:
        return repr(refused)
    return ""


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128"])
def test_random_assignments(dtype: str) -> None:
    rng = generator()
    for _ in range(400):
        shape = tuple(int(n) for n in rng.integers(0, 5, rng.integers(1, 4)))
        axis, form = int(rng.integers(len(shape))), int(rng.integers(3))
        picked = indices(rng, shape[axis])
        due = (*shape[:axis], len(picked), *shape[axis + 1 :])
        lengths = [due, due[1:], (), (1,), tuple(1 if rng.random() < 0.5 else n for n in due), (2,)]
        values = rng.integers(0, 9, lengths[rng.integers(6)]).astype(dtype if rng.random() < 0.7 else "float32")
        expected = rng.integers(0, 9, shape).astype(dtype)
        got = ap.array(expected)
        said = assign(np, expected, key_of(np, form, axis, picked), values)
        given = ap.array(values) if rng.random() < 0.7 else values
        assert assign(ap, got, key_of(ap, form, axis, picked), given) == said
        np.testing.assert_array_equal(np.asarray(got), expected)


def test_rows_change_places() -> None:
    a = ap.arange(20.0).reshape(4, 5)
    a[[1, 3]] = a[[3, 1]]
    a[[0, 0]] = ap.array([[1.0], [2.0]])
    assert a[:, 0].tolist() == [2.0, 15.0, 10.0, 5.0]


LISTS: list[Any] = [
    [2], [0, 0, 3], [-1, -4], [4], [-5], [], [True, False, True, True], [1, True], [2**63], [2**70], [1.0], ["1"],
    [None], [[1, 2]], [[1], [2]], [1, [2]],
]


@pytest.mark.parametrize("shape", [(4,), (4, 3), (4, 2, 3), ()])
def test_lists_as_keys(shape: tuple[int, ...]) -> None:
    for key in LISTS:
        read: list[Any] = []
        for xp in (np, ap):
            a = xp.arange(float(np.prod(shape, dtype=int))).reshape(shape)
            try:
                found = np.asarray(a[key]).copy()
                a[key] = 7
                a[key] = -a[key]
            except (IndexError, OverflowError, TypeError, ValueError) as refused:
                read.append((type(refused), None, np.asarray(a).copy()))
            else:
                read.append((found.shape, found.tolist(), np.asarray(a).copy()))
        assert read[0][:2] == read[1][:2], key
        np.testing.assert_array_equal(read[0][2], read[1][2])


def test_a_list_that_is_a_key_is_read_once() -> None:
    a, key = ap.arange(6), [1, 2]
    picked = a[key]
    a[key] = 9
    key.append(5)
    assert picked.tolist() == [1, 2]
    assert a.tolist() == [0, 9, 9, 3, 4, 5]


@pytest.mark.parametrize("dtype", ["float64", "int16", "bool", "complex64"])
def test_random_assignments_to_views(dtype: str) -> None:
    """Leading axes of length one are left out, what does not fit is refused, and only what fits is warned of."""
    rng = generator()
    for _ in range(300):
        theirs = np.arange(60).reshape(3, 4, 5).astype(dtype)
        ours = ap.array(theirs)
        key = tuple(rng.choice([slice(None), slice(1, 2), slice(0, 0), 0, None, Ellipsis], rng.integers(4)).tolist())
        if key.count(Ellipsis) > 1:
            continue
        target = list(theirs[key].shape)
        shape = [1] * int(rng.integers(3)) + [int(rng.choice([n, n, 1, n + 1])) for n in target[int(rng.integers(2)) :]]
        value = rng.normal(size=shape).astype(rng.choice(["float32", "complex128", "int64", "bool"]))
        told = []
        for xp, array, given in ((np, theirs, value), (ap, ours, ap.asarray(value))):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                told.append((assign(xp, array, key, given).split("(")[0], [one.category for one in caught]))
        assert told[0] == told[1], (key, shape)
        np.testing.assert_array_equal(ap.to_numpy(ours), theirs)
