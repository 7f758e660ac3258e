"""Agreement with NumPy: the same call on both libraries, its results or its errors compared."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

BOOL = ["bool"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
REAL = BOOL + INTEGERS + FLOATS
NUMERIC = REAL + COMPLEX
FEW = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"]


def sample(shape: Any, dtype: Any, seed: int = 0) -> np.ndarray:
    """Values that every dtype can hold, with repetitions and zeros among them."""
    rng = np.random.default_rng([seed, 17])
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    low = 0 if dtype.kind == "u" else -20
    values = np.asarray(rng.integers(low, 21, shape))
    if dtype.kind in "iu":
        return values.astype(dtype)
    if dtype.kind == "c":
        return np.asarray(values / 4 + 1j * rng.integers(-20, 21, shape) / 8, dtype)
    return np.asarray(values / 4, dtype)


def ours(value: Any) -> Any:
    """The same value with an array of ours in place of each of NumPy's."""
    if isinstance(value, np.ndarray):
        return ap.from_numpy(value)
    if type(value) in (tuple, list):
        return type(value)(ours(item) for item in value)
    if type(value) is dict:
        return {key: ours(item) for key, item in value.items()}
    if value is np.ndarray:
        return ap.ndarray
    return value


def calls_of_numpys() -> dict[str, int]:
    """How often each of NumPy's and SciPy's functions has done asnumpy's work."""
    calls: Counter[str] = Counter()
    for one in ap.fallbacks():
        if one["kind"] == "call":
            calls[one["function"]] += one["count"]
    return calls


def _spacing(expected: np.ndarray) -> np.ndarray:
    kind = expected.dtype if expected.dtype.kind == "f" else np.dtype(f"f{expected.dtype.itemsize // 2}")
    size = np.abs(expected).astype(kind)
    return np.spacing(np.where(np.isfinite(size), size, 1).astype(kind)).astype(np.float64)


def assert_same(expected: Any, got: Any, ulp: float = 0, atol: float = 0) -> None:
    """`got` has the kind, shape, dtype and values of NumPy's `expected`; NaN equals NaN.

    A Number stands for NumPy's scalar of its dtype, and for the Python number of its kind; a 0-d array is no Number."""
    if isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(got, ap.ndarray), f"expected an asnumpy.ndarray, got {type(got).__name__}: {got!r}"
        assert isinstance(got, ap.Number) == isinstance(expected, np.generic), (
            f"{type(got).__name__} where NumPy has {type(expected).__name__}"
        )
        plain = np.asarray(expected)
        values = ap.to_numpy(got)
        assert got.shape == plain.shape, f"shape {got.shape}, NumPy's is {plain.shape}"
        assert got.dtype == plain.dtype, f"dtype {got.dtype}, NumPy's is {plain.dtype}"
        if plain.dtype.kind in "fc" and (ulp or atol):
            with np.errstate(all="ignore"):
                same = (values == plain) | (np.isnan(values) & np.isnan(plain))
                near = np.abs(values - plain).astype(np.float64) <= ulp * _spacing(plain) + atol
            wrong = ~(same | near)
            assert not wrong.any(), (
                f"{int(wrong.sum())} of {plain.size} values differ by more than {ulp} ulp and {atol}, first "
                f"{values[wrong].ravel()[0]!r} where NumPy has {plain[wrong].ravel()[0]!r}"
            )
        else:
            np.testing.assert_array_equal(values, plain)
        return
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, (tuple, list)), f"expected {type(expected).__name__}, got {type(got).__name__}"
        assert isinstance(got, tuple) == isinstance(expected, tuple)
        assert len(got) == len(expected)
        for one, other in zip(expected, got, strict=True):
            assert_same(one, other, ulp, atol)
        return
    if isinstance(expected, (bool, int, float, complex)) and isinstance(got, ap.ndarray):
        assert isinstance(got, ap.Number), f"an array where NumPy has {expected!r}"
        assert got.dtype == np.dtype(type(expected)), f"{got.dtype} where NumPy has {expected!r}"
        got = got.item()
    assert type(got) is type(expected), f"expected {type(expected).__name__}, got {type(got).__name__}"
    assert got == expected or (got != got and expected != expected), f"{got!r} where NumPy has {expected!r}"


def same_list(one: ap.ndarray, other: ap.ndarray) -> bool:
    """Equal values of any dtype, NaN equal to NaN."""
    return repr(one.tolist()) == repr(other.tolist())


def has_scalars(value: Any) -> bool:
    if type(value) in (tuple, list) or hasattr(value, "_fields"):
        return any(map(has_scalars, value))
    return isinstance(value, np.generic)


def assert_numpy_scalars(expected: Any, got: Any) -> None:
    """With `config.scalars = "numpy"`, scalars are of NumPy's classes."""
    if isinstance(expected, np.generic):
        assert type(got) is type(expected), f"{type(got).__name__} where NumPy has {type(expected).__name__}"
    elif type(expected) in (tuple, list) or hasattr(expected, "_fields"):
        assert isinstance(got, tuple) == isinstance(expected, tuple)
        for one, other in zip(expected, got, strict=True):
            assert_numpy_scalars(one, other)
    elif isinstance(expected, np.ndarray):
        assert isinstance(got, ap.ndarray)


# What depends on values, which are computed later: what a processor notes, and that a slice has nothing but NaN.
_OF_VALUES = r"(divide by zero|overflow|underflow|invalid value) encountered in |All-NaN (slice|axis) encountered"


def categories(caught: list[warnings.WarningMessage], of_values: str) -> set[type[Warning]]:
    """The classes of the warnings that come at the call: none that depend on values, and none of our own."""
    return {one.category for one in caught
            if not one.category.__module__.startswith("asnumpy") and not re.match(of_values, str(one.message))}


def assert_same_error(error: BaseException, call: Callable[[], Any]) -> None:
    """`call` raises what NumPy raised: an exception that the same `except` clauses catch."""
    # NumPy's own classes that it keeps to itself stand for the public ones they derive from
    wanted = next(kind for kind in type(error).__mro__ if kind.__module__ in ("builtins", "numpy.exceptions",
                                                                             "numpy.linalg"))
    try:
        got = call()
    except Exception as raised:  # whatever it is, it is compared
        assert isinstance(raised, wanted), (
            f"raised {type(raised).__name__}({raised}), NumPy raises {wanted.__name__}({error})"
        )
        return
    raise AssertionError(f"returned {got!r}, NumPy raises {type(error).__name__}({error})")


def agree_error(call: Callable[[Any], Any]) -> None:
    """`call(namespace)` raises with NumPy, and an exception of that class with ours."""
    with pytest.raises(Exception) as expected:
        call(np)
    with pytest.raises(expected.type):
        call(ap)


def agree(
    function: str | Callable[..., Any], *args: Any, ulp: float = 0, atol: float = 0, of_values: str = _OF_VALUES,
    **kwargs: Any,
) -> Any:
    """Calls `function` (a name in both namespaces, or a callable that takes the namespace first) on both libraries.

    Arguments that are NumPy arrays reach ours as arrays of ours. Afterwards they are compared too, so that what was
    written in place, or by mistake, is seen. Both give warnings of the same classes, save those whose text `of_values`
    fits. Returns our result, or None where both raise.
    """
    plain = [np.array(one) if isinstance(one, np.ndarray) else one for one in args]
    mine = [ours(one) for one in args]
    plain_named = {key: np.array(one) if isinstance(one, np.ndarray) else one for key, one in kwargs.items()}
    mine_named = {key: ours(one) for key, one in kwargs.items()}

    def call(namespace: Any, values: list[Any], named: dict[str, Any]) -> Any:
        if callable(function):
            return function(namespace, *values, **named)
        target: Any = namespace
        for part in function.split("."):
            target = getattr(target, part)
        return target(*values, **named)

    with warnings.catch_warnings(record=True) as theirs, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            expected = call(np, plain, plain_named)
        except Exception as error:  # NumPy's judgement, whatever it is
            assert_same_error(error, lambda: call(ap, mine, mine_named))
            return None
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        got = call(ap, mine, mine_named)
        assert_same(expected, got, ulp, atol)
    said, wanted = [str(one.message) for one in caught], [str(one.message) for one in theirs]
    assert categories(caught, of_values) == categories(theirs, of_values), f"warned {said}, NumPy {wanted}"
    for one, other in zip((*plain, *plain_named.values()), (*mine, *mine_named.values()), strict=True):
        if isinstance(one, np.ndarray):
            assert_same(one, other, ulp, atol)
    if has_scalars(expected):
        fresh, named = [ours(one) for one in args], {key: ours(one) for key, one in kwargs.items()}
        with ap.config.using(scalars="numpy"), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            assert_numpy_scalars(expected, call(ap, fresh, named))
    return got


def agree_method(name: str, array: np.ndarray, *args: Any, ulp: float = 0, atol: float = 0, **kwargs: Any) -> Any:
    """The method of that name on both libraries' arrays."""
    return agree(
        lambda _, a, *rest, **named: getattr(a, name)(*rest, **named), array, *args, ulp=ulp, atol=atol, **kwargs
    )
