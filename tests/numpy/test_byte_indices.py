"""Indices and counts of grey values: what has one byte or two, with tables of all values and of fewer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import asnumpy as ap

DTYPES = ("u1", "u2", "i1", "i4", "u4", "i8", "u8")
TABLES = {
    "floats": np.linspace(-3, 9, 256),
    "bytes": np.arange(256, dtype="u1")[::-1].copy(),
    "colours": np.arange(768.0).reshape(256, 3),
    "all of two bytes": np.arange(70_000, dtype="f4"),
    "apart": np.arange(512.0)[::2],
    "one too few": np.arange(255.0),
    "none": np.zeros(0),
}
KEYS = (  # of a picture, by NumPy and by asnumpy
    lambda picture: picture,
    lambda picture: picture.ravel(),
    lambda picture: picture[:, 3],
    lambda picture: picture.T,
    lambda picture: picture.ravel()[::-3],
    lambda picture: picture[:0],
)


def drawn(dtype: str, many: int) -> np.ndarray:
    """A picture with the smallest and the largest value that has a place in most tables, negative ones too."""
    picture = np.random.default_rng(many).integers(0, 128, (many, 11))
    picture[0, 3] = 127 if dtype == "i1" else 255
    picture[-1, 3] = -1 if dtype.startswith("i") else 0
    return picture.astype(dtype)


def same(made, expected) -> None:
    made = np.asarray(made)
    assert made.dtype == expected.dtype and made.shape == expected.shape and np.array_equal(made, expected)


def outcome(table, key):
    try:
        return table[key]
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("many", [1, 40, 3000])
def test_tables(dtype, table, many):
    picture, theirs = drawn(dtype, many), TABLES[table]
    a, ours = ap.asarray(picture), ap.asarray(theirs)
    for key in KEYS:
        made, expected = outcome(ours, key(a)), outcome(theirs, key(picture))
        if isinstance(expected, str):
            assert made == expected
        else:
            same(made, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("many", [1, 40, 3000])
def test_writing_by_them(dtype, many):
    picture = drawn(dtype, many)
    a = ap.asarray(picture)
    for key, table in itertools.product(KEYS[1:3], ("floats", "bytes", "colours")):
        expected, made = TABLES[table].copy(), ap.asarray(TABLES[table])
        expected[key(picture)] = made[key(a)] = 7
        same(made, expected)
        expected[key(picture)] += 1
        made[key(a)] += 1
        same(made, expected)


@pytest.mark.parametrize("dtype", ["u1", "u2", "i4", "i8"])
@pytest.mark.parametrize("many", [0, 1, 40, 3000, 30_000])
@pytest.mark.parametrize("least", [0, 1, 255, 256, 257, 1000])
def test_counts(dtype, many, least):
    picture = np.random.default_rng(many).integers(0, 200, (many, 11)).astype(dtype)
    for values in (picture, picture // 50, picture + 55):
        for cut in (lambda x: x.ravel(), lambda x: x[:, 2]):
            same(ap.bincount(cut(ap.asarray(values)), minlength=least), np.bincount(cut(values), minlength=least))


def test_counts_and_tables_under_jit():
    def equalise(xp, picture):
        counts = xp.bincount(picture.ravel(), minlength=256)
        return (xp.cumsum(counts) * 255 // picture.size).astype(xp.uint8)[picture]

    compiled = ap.jit(lambda picture: equalise(ap, picture))
    for turn in range(3):
        picture = np.random.default_rng(turn).integers(0, 256, (120, 90)).astype(np.uint8)
        same(compiled(ap.asarray(picture)), equalise(np, picture))


def test_values_that_change_before_they_are_used():
    """What is recorded reads the index as the program has it."""
    picture, table = np.zeros((300, 400), np.uint8), np.arange(256.0)
    a, ours = ap.asarray(picture), ap.asarray(table)
    a[100:] = 9
    first = ours[a]
    a[...] = 255
    assert float(first[0, 0]) == 0 and float(first[299, 399]) == 9 and float(ours[a].min()) == 255
