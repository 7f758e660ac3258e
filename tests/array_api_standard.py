"""A call by array-api-strict's function and by ours, compared; and arrays to call with."""

from __future__ import annotations

import warnings

import array_api_strict as strict
import numpy as np
from agreement import assert_same, sample

import asnumpy as ap

NAMESPACES = {"": (strict, ap), "linalg.": (strict.linalg, ap.linalg), "fft.": (strict.fft, ap.fft)}
M, V, T, C = (sample((4, 5), "float64"), sample(6, "int64"), sample((2, 3, 4), "float32"), sample((3, 4), "complex128"))
B, I = sample((4, 5), "bool"), np.array([[2, 0], [1, 1]])


def pair(name):
    prefix, _, last = name.rpartition(".")
    theirs, ours = NAMESPACES[prefix + "." if prefix else ""]
    return getattr(theirs, last), getattr(ours, last)


def _make(namespace, value):
    if isinstance(value, np.ndarray):
        return namespace.asarray(np.array(value))
    if type(value) in (tuple, list):
        return type(value)(_make(namespace, one) for one in value)
    return value


def _plain(value):
    if isinstance(value, strict._array_object.Array):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value


def _ours(value):
    """With 0-d arrays for Numbers: the standard has no scalars."""
    if isinstance(value, (tuple, list)):
        return [_ours(one) for one in value]
    return ap.asarray(value) if isinstance(value, ap.Number) else value


def conforms(name, *args, ulp=4, atol=0, **kwargs):
    """Ours gives what array-api-strict gives, wherever that accepts the call; whether it did."""
    theirs, ours = pair(name) if isinstance(name, str) else (name, name)
    named = {key: _make(strict, value) for key, value in kwargs.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = theirs(*_make(strict, args), **named)
        except (TypeError, ValueError, IndexError):
            return False  # outside the standard: there NumPy is the model
        got = ours(*_make(ap, args), **{key: _make(ap, value) for key, value in kwargs.items()})
    expected, got = _plain(expected), _ours(got)
    if not isinstance(expected, (np.ndarray, list)):
        assert got == expected and type(got) is type(expected)
    else:
        assert_same(expected, got, ulp=ulp, atol=atol)
    return True
