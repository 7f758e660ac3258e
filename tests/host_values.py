"""Values of dtypes that no device holds, and their comparison: numeric arrays are ours, all others NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np

import asnumpy as ap

NUMERIC = "biufc"
DATES = ["2024-01-31", "2023-06-01", "2024-02-29"]
RECORDS = [("Ann", 3, 1.5), ("Bob", 1, 2.5), ("Cyd", 2, 0.5)]
FIELDS = [("name", "U8"), ("count", "i4"), ("weight", "f8")]


def assert_as_numpy(expected: Any, got: Any) -> None:
    """What NumPy gives: numeric arrays and scalars as ours where ours were made, all else NumPy's own."""
    if isinstance(expected, (tuple, list)):
        assert type(got) is type(expected)
        assert len(got) == len(expected)
        for one, other in zip(expected, got, strict=True):
            assert_as_numpy(one, other)
        return
    if isinstance(expected, (np.ndarray, np.generic)):
        plain = ap.to_numpy(got) if isinstance(got, ap.ndarray) else got
        if isinstance(got, ap.ndarray):
            assert expected.dtype.kind in NUMERIC, f"{expected.dtype} came as an asnumpy.ndarray"
        else:
            assert isinstance(got, type(expected)), f"{type(got).__name__}, NumPy gives {type(expected).__name__}"
        assert plain.dtype == expected.dtype
        assert plain.shape == expected.shape
        np.testing.assert_array_equal(plain, expected)
        return
    assert type(got) is type(expected)
    assert got == expected


def text(xp: Any) -> Any:
    return xp.array(["pear", "fig", "apple", "fig"])


def objects(xp: Any) -> Any:
    return xp.array([[1], [2, 3], None], dtype=object)


def dates(xp: Any) -> Any:
    return xp.array(DATES, dtype="datetime64[D]")


def records(xp: Any) -> Any:
    return xp.array(RECORDS, dtype=FIELDS)


def numbers(xp: Any) -> Any:
    return xp.arange(4) * 1.5


def copied(xp: Any, array: Any, value: Any) -> Any:
    xp.copyto(array, value)
    return array
