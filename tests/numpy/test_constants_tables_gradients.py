"""SciPy's functions of integers, scikit-learn's constants, beside the same calls with NumPy's arrays and scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import asnumpy as ap

KINDS = pytest.mark.parametrize("xp", [np, ap], ids=["numpy", "asnumpy"])


@KINDS
def test_scipys_functions_of_integers(xp: Any) -> None:
    fft = pytest.importorskip("scipy.fft", reason="SciPy is not installed")
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    k, step = xp.array([5, 2, 3]), xp.array([0.25])
    np.testing.assert_array_equal(np.asarray(fft.fftfreq(k[0])), [0, 0.2, 0.4, -0.4, -0.2])
    np.testing.assert_array_equal(np.asarray(fft.fftfreq(k[0], step[0])), [0, 0.8, 1.6, -1.6, -0.8])
    np.testing.assert_array_equal(np.asarray(fft.rfftfreq(n=k[0], d=step[0])), [0, 0.8, 1.6])
    exact = [special.factorial, special.factorial2, lambda n, exact: special.factorialk(n, k[1], exact=exact)]
    assert [function(k[0], exact=True) for function in exact] == [120, 15, 15]
    assert type(special.factorial(k[0], exact=True)) is int
    assert special.factorial(k[2]) == 6.0
    np.testing.assert_array_equal(np.asarray(special.factorial(k, exact=True)), [120, 2, 6])
    for function, expected in ((special.comb, 10), (special.perm, 20), (special.stirling2, 15)):
        assert function(k[0], k[1], exact=True) == expected
    with pytest.raises(ValueError, match="only supports integers"):
        special.factorial(step[0] * 20, exact=True)


@KINDS
def test_what_fills_in_for_missing_values(xp: Any) -> None:
    impute = pytest.importorskip("sklearn.impute", reason="scikit-learn is not installed")
    from sklearn.base import clone

    rows, x, k = xp.array([[1, np.nan], [2, 3]]), xp.array([0.5, -1.5]), xp.array([7])
    made = impute.SimpleImputer(strategy="constant", fill_value=x[0])
    np.testing.assert_array_equal(np.asarray(made.fit_transform(rows)), [[1, 0.5], [2, 3]])
    made.set_params(fill_value=x[1])
    np.testing.assert_array_equal(np.asarray(clone(made).fit_transform(rows)), [[1, -1.5], [2, 3]])
    with pytest.raises(ValueError, match="cannot be cast"):
        made.fit(k[None])
    for value in (k[0], k[0] / 2):
        made = impute.SimpleImputer(strategy="constant", missing_values=k[0], fill_value=k[0] - 9)
        np.testing.assert_array_equal(np.asarray(made.fit_transform(xp.array([[7, 1], [2, 7]]))), [[-2, 1], [2, -2]])
        made = impute.SimpleImputer(strategy="constant", fill_value=value)
        np.testing.assert_array_equal(np.asarray(made.fit_transform(rows)), [[1, float(value)], [2, 3]])
