"""asnumpy.testing: NumPy's assertions over arrays of ours, nested ones too, with NumPy's messages."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from agreement import ours

import asnumpy as ap
from asnumpy.dtypes.dtype import EXTENDED

Pair = namedtuple("Pair", "first second")

CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("assert_allclose", (np.array([1.0, 2]), np.array([1.0, 2 + 1e-9])), {}),
    ("assert_allclose", (np.array([1.0, 2]), np.array([1.0, 2.1])), {"rtol": 1e-3, "err_msg": "why"}),
    ("assert_allclose", (np.array([1.0, np.nan]), np.array([1.0, np.nan])), {"equal_nan": False}),
    ("assert_array_equal", (np.array([1, 2]), [1, 2]), {}),
    ("assert_array_equal", (np.array([1, 2]), np.array([1, 3])), {}),
    ("assert_array_equal", (np.array([1, 2]), np.array([[1, 2]])), {"strict": True}),
    ("assert_array_equal", (np.array([1, 2], "f4"), np.array([1, 2], "f8")), {"strict": True}),
    ("assert_array_equal", (np.arange(3), np.arange(4)), {}),
    ("assert_equal", (np.array([1, 2]), np.array([1, 2])), {}),
    ("assert_equal", ([np.array([1, 2]), (np.ones(2), 3)], [np.array([1, 2]), (np.ones(2), 3)]), {}),
    ("assert_equal", ({"a": np.arange(3)}, {"a": np.arange(3)}), {}),
    ("assert_equal", ({"a": np.arange(3)}, {"a": np.array([0, 1, 5])}), {}),
    ("assert_equal", ([np.array([1, 2])], [np.array([1, 4])]), {"err_msg": "nested"}),
    ("assert_equal", (np.array(3), 3), {}),
    ("assert_equal", (np.array(3), 4), {}),
    ("assert_equal", (Pair(np.ones(1), 2), Pair(np.ones(1), 2)), {}),
    ("assert_equal", ((np.ones(1),), (np.ones(1), 2)), {}),
    ("assert_almost_equal", (np.array([1.0, 2]), np.array([1.0, 2 + 1e-9])), {}),
    ("assert_almost_equal", (np.array([1.0, 2]), np.array([1.0, 2.1])), {}),
    ("assert_almost_equal", (np.array(2.3), 2.4), {"decimal": 3}),
    ("assert_array_almost_equal", (np.array([1.0, 2]), np.array([1.0, 2.1])), {"decimal": 2}),
    ("assert_array_almost_equal", (np.array([1.0, 2j]), np.array([1.0, 2j])), {}),
    ("assert_approx_equal", (np.array(0.12345671e-20), 0.1234567e-20), {}),
    ("assert_approx_equal", (np.array(0.1234), 0.1235), {"significant": 5}),
    ("assert_array_less", (np.array([1, 2]), np.array([2, 3])), {}),
    ("assert_array_less", (np.array([1, 2]), np.array([2, 2])), {}),
    ("assert_array_almost_equal_nulp", (np.array([1.0]), np.array([1.0 + 1e-10])), {"nulp": 2}),
    ("assert_array_almost_equal_nulp", (np.array([1.0]), np.nextafter([1.0], 2)), {"nulp": 1}),
    ("assert_array_max_ulp", (np.array([1.0, 2]), np.nextafter([1.0, 2], 3)), {}),
    ("assert_array_max_ulp", (np.array([1.0]), np.array([1.1])), {"maxulp": 2}),
    ("assert_string_equal", ("abc", "abd"), {}),
    ("print_assert_equal", ("text", [1, 2], [1, 3]), {}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
def test_same_verdict_and_message(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    def mine(value: Any) -> Any:
        return Pair(*map(mine, value)) if isinstance(value, Pair) else ours(value)

    try:
        getattr(np.testing, name)(*args, **kwargs)
    except AssertionError as expected:
        for given in ([mine(value) for value in args], [mine(args[0]), *args[1:]], [*args[:-1], mine(args[-1])]):
            with pytest.raises(AssertionError) as caught:
                getattr(ap.testing, name)(*given, **kwargs)
            assert str(caught.value) == str(expected)
    else:
        for given in ([mine(value) for value in args], [mine(args[0]), *args[1:]], [*args[:-1], mine(args[-1])]):
            getattr(ap.testing, name)(*given, **kwargs)


def test_names() -> None:
    for name in np.testing.__all__:
        assert hasattr(ap.testing, name), name
    assert ap.testing.assert_raises is np.testing.assert_raises
    with ap.testing.assert_raises(ValueError):
        ap.zeros(2).reshape(3)
    assert ap.testing.assert_allclose.__doc__ == np.testing.assert_allclose.__doc__
    assert "ACTUAL" in ap.testing.build_err_msg([ap.arange(3), ap.ones(3)], "x")


def test_results_that_stand_for_scalars() -> None:
    for x, y in ((np.arange(4.0), 7), (np.ones(3), 3)):
        try:
            np.testing.assert_equal(x.sum(), y)
        except AssertionError as expected:
            with pytest.raises(AssertionError) as caught:
                ap.testing.assert_equal(ap.asarray(x).sum(), y)
            assert str(caught.value) == str(expected)
        else:
            ap.testing.assert_equal(ap.asarray(x).sum(), y)


def test_callables_get_what_they_were_given() -> None:
    """assert_raises passes arguments on: they stay arrays of ours."""
    def fails(value: Any) -> None:
        assert isinstance(value, ap.ndarray)
        raise KeyError

    ap.testing.assert_raises(KeyError, fails, ap.ones(2))


@pytest.mark.parametrize("name", EXTENDED)
def test_dtypes_that_numpy_does_not_have(name: str) -> None:
    x, y = ap.ones(3, name), ap.asarray(np.array([1, 0, 1]).astype(EXTENDED[name]))
    for function in ("assert_array_equal", "assert_equal", "assert_allclose", "assert_array_almost_equal"):
        getattr(ap.testing, function)(x, x.copy())
        with pytest.raises(AssertionError):
            getattr(ap.testing, function)(x, y)


def test_numpy_testing_takes_our_arrays() -> None:
    np.testing.assert_allclose(ap.ones(3), 1)
    np.testing.assert_array_equal(ap.arange(3), [0, 1, 2])
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(ap.ones(3), 2)
