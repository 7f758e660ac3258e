"""Copies between views that lie a few bytes apart within a page, of lengths around each limit of the copying loops."""

from __future__ import annotations

import numpy as np
import pytest

import asnumpy as ap

LENGTHS = [1, 63, 64, 65, 127, 255, 256, 257, 511, 512, 513, 2047, 2048, 2049, 4097, 20_001]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("length", LENGTHS)
def test_assignment_of_shifted_views(dtype: str, length: int) -> None:
    """Nothing beside the target changes."""
    values = (np.arange(length + 9) * 7 % 11).astype(dtype)
    for start in (0, 1, 3, 9):
        for begin in (0, 1, 2, 8):
            target, source = np.zeros(length + 9, dtype), ap.array(values)
            got = ap.array(target)
            target[start : start + length] = values[begin : begin + length]
            got[start : start + length] = source[begin : begin + length]
            np.testing.assert_array_equal(np.array(got), target)
            same = values.copy()
            same[start : start + length] = same[begin : begin + length]
            source[start : start + length] = source[begin : begin + length]
            np.testing.assert_array_equal(np.array(source), same)


def test_rows_of_shifted_views() -> None:
    """Rows of a matrix that is wider than what is copied."""
    values = np.arange(40 * 1000, dtype=np.float64).reshape(40, 1000)
    a = ap.array(values)
    expected = values.copy()
    expected[3:, 1:600] = values[:-3, 401:]
    a[3:, 1:600] = a[:-3, 401:].copy()
    np.testing.assert_array_equal(np.array(a), expected)
    np.testing.assert_array_equal(np.array(a[:, 5:995].astype("f4")), expected[:, 5:995].astype("f4"))
    np.testing.assert_array_equal(np.array(ap.take(a, np.array([3, 1, 2]), axis=0)[:, 1:]), expected[[3, 1, 2], 1:])
