"""Every public function takes NumPy's parameters: names, kinds, order, defaults."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import asnumpy as ap

# What has a meaning of its own here; each states why.
_OWN = {
    "from_dlpack": "NumPy's is implemented in C with the same keywords",
    "printoptions": "NumPy's own object", "show_config": "shows this package",
    "show_runtime": "shows this package", "get_include": "no headers", "test": "no test runner in the namespace",
}


# Keywords that the array API standard has and NumPy has not.
_MORE = {"sort": {"descending"}, "argsort": {"descending"}}


def _functions(namespace):
    for name in sorted(namespace.__all__):
        own = getattr(ap, name, None) if namespace is np else None
        theirs = getattr(np, name, None)
        if callable(own) and callable(theirs) and not isinstance(theirs, (type, np.ufunc)) and own is not theirs:
            yield name


def _parameters(function):
    found = []
    for one in inspect.signature(function).parameters.values():
        default = one.default
        if default is not inspect.Parameter.empty and not isinstance(default, (int, str, tuple, type(None))):
            default = repr(default)
        found.append((one.name, one.kind, default))
    return found


@pytest.mark.parametrize("name", [name for name in _functions(np) if name not in _OWN])
def test_signature(name):
    try:
        expected = _parameters(getattr(np, name))
    except ValueError:
        pytest.skip("NumPy's function has no signature to compare with")
    own = [one for one in _parameters(getattr(ap, name)) if one[0] not in _MORE.get(name, ())]
    assert own == expected


def _methods():
    for name in dir(np.ndarray):
        if not name.startswith("_") and inspect.isroutine(getattr(np.ndarray, name)) and hasattr(ap.ndarray, name):
            yield name


@pytest.mark.parametrize("name", sorted(_methods()))
def test_documented(name):
    assert getattr(ap.ndarray, name).__doc__


def test_every_function_has_a_docstring():
    missing = [name for name in ap.__all__ if callable(getattr(ap, name)) and not getattr(ap, name).__doc__]
    assert not missing
