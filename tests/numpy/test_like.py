"""`like=` of the functions that make arrays, and tables of overrides under NumPy's functions or ours."""

from __future__ import annotations

import io

import numpy as np
import pytest

import asnumpy as ap

CALLS = {
    "array": ((1,), {}), "asarray": ((1,), {}), "asanyarray": ((1,), {}), "ascontiguousarray": (([2, 3],), {}),
    "asfortranarray": (([2, 3],), {}), "require": ((np.ones((2, 3)),), {"requirements": ["A", "F"]}),
    "empty": (((0, 1),), {}), "full": ((1, 2), {}), "ones": ((1,), {}), "zeros": ((1,), {}), "arange": ((3,), {}),
    "eye": ((2,), {}), "identity": ((2,), {}), "tri": ((2,), {}), "fromfunction": ((lambda i: i, (3,)), {}),
    "frombuffer": ((b"\0" * 8,), {"dtype": int}), "fromiter": ((range(3),), {"dtype": int}),
    "fromstring": (("1,2",), {"dtype": int, "sep": ","}), "loadtxt": ((["0 1", "2 3"],), {}),
    "genfromtxt": ((["0 1", "2 3"],), {}),
}


class Answers:
    """A class that is asked for all, and knows what it was asked."""

    def __array_function__(self, function, types, args, kwargs):
        return function, types, args, kwargs


class Refuses:
    def __array_function__(self, function, types, args, kwargs):
        return NotImplemented


@pytest.mark.parametrize("name", CALLS)
def test_like(name):
    args, kwargs = CALLS[name]
    asked = Answers()
    function, types, given, named = getattr(ap, name)(*args, **kwargs, like=asked)
    assert function is getattr(np, name)  # which other libraries know
    assert types == (Answers,) and given == args and named == kwargs
    for plain in (ap.ones(2), np.ones(2), None):
        made = getattr(ap, name)(*args, **kwargs, like=plain)
        assert type(made) is ap.ndarray
        expected = getattr(np, name)(*args, **kwargs)
        np.testing.assert_array_equal(np.asarray(made), expected)
        assert made.dtype == expected.dtype
    for other in (1, [1], object()):
        with pytest.raises(TypeError, match="must be an array-like that implements the `__array_function__`"):
            getattr(ap, name)(*args, **kwargs, like=other)
    with pytest.raises(TypeError, match=f"no implementation found for 'numpy.{name}'"):
        getattr(ap, name)(*args, **kwargs, like=Refuses())


def test_like_of_text():
    assert ap.loadtxt(io.StringIO("a b"), dtype="U1", like=ap.ones(1)).tolist() == ["a", "b"]
    assert ap.array(["a", "b"], like=None).tolist() == ["a", "b"]


def test_functions_without_like():
    with pytest.raises(TypeError, match="like"):
        ap.sum([1, 2], like=Answers())


def test_tables_of_overrides():
    """A program's class that lists our functions is asked with NumPy's, and finds them."""
    table = {ap.concatenate: "joined", ap.multiply: "times", np.sum: "added"}

    class Duck:
        def __array_function__(self, function, types, args, kwargs):
            return table[function]

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return table[ufunc]

    assert np.concatenate([Duck(), Duck()]) == "joined"
    assert np.multiply(Duck(), 2) == "times"
    assert ap.multiply(Duck(), 2) == "times"
    assert table[ap.sum] == "added"


def test_functions_are_equal_to_numpys_of_their_name_alone():
    assert ap.sum == np.sum and np.sum == ap.sum and not ap.sum != np.sum
    assert ap.add == np.add and np.add == ap.add and not ap.add != np.add
    assert ap.sum != np.prod and ap.sum != ap.prod and ap.add != np.subtract and ap.add != ap.subtract
    assert hash(ap.sum) == hash(np.sum) and hash(ap.add) == hash(np.add)
    assert isinstance(np.add, ap.ufunc) and isinstance(ap.add, ap.ufunc) and not isinstance(np.sum, ap.ufunc)
