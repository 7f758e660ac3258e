"""The comparison with NumPy that the tests stand on says no where it should."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from agreement import agree, assert_same

import asnumpy as ap


def one_each(theirs: Any, mine: Any) -> Any:
    return lambda xp: mine if xp is ap else theirs


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        (1.5, ap.asarray([np.nan])[0]), (2.0, ap.asarray([2])[0]), (2, ap.asarray([2.0])[0]),
        (True, ap.asarray([1])[0]),
        (2.0, 2), (True, 1), (1.0, float("nan")), (np.float32(1), ap.asarray([1.0])[0]), (np.ones(2), np.ones(2)),
        (np.ones(2), ap.ones(3)), (np.ones(2), ap.ones(2, "f4")), ((1, 2), [1, 2]), ([1], [1, 2]), (None, 0),
    ],
)
def test_what_differs_fails(theirs: Any, mine: Any) -> None:
    with pytest.raises(AssertionError):
        assert_same(theirs, mine)


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [(1.5, ap.asarray([1.5])[0]), (float("nan"), ap.asarray([np.nan])[0]), (2, ap.asarray([2])[0]), (2, 2),
     (True, ap.asarray([True])[0]), (np.float32(1), ap.ones(1, "f4")[0]), ([1.0, (True,)], [1.0, (True,)])],
)
def test_what_is_the_same_passes(theirs: Any, mine: Any) -> None:
    assert_same(theirs, mine)


def warning(category: type[Warning], text: str, by: Any) -> Any:
    def call(xp: Any) -> int:
        if xp in by:
            warnings.warn(text, category, stacklevel=1)
        return 1

    return call


def test_warnings_are_compared() -> None:
    for by in ([np], [ap]):
        with pytest.raises(AssertionError, match="warned"):
            agree(warning(DeprecationWarning, "old", by))
        with pytest.raises(AssertionError, match="warned"):
            agree(warning(RuntimeWarning, "Mean of empty slice", by))
    agree(warning(np.exceptions.ComplexWarning, "discarded", [np, ap]))
    agree(warning(RuntimeWarning, "overflow encountered in add", [np]))
    agree(one_each(np.ones(2), ap.ones(2)))
