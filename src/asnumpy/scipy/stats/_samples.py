"""Summaries of samples along an axis; other options than the usual ones are left to SciPy's own functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats as _theirs

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.numpys import derived
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._composed import FLOAT64, covered
from asnumpy.scipy.special._entropy import entr
from asnumpy.ufunc.functions import (
    absolute,
    divide,
    exp,
    less,
    less_equal,
    log,
    multiply,
    power,
    sqrt,
    square,
    subtract,
)


def _sample(given: Any, axis: Any) -> tuple[ndarray, int, tuple[int, ...]] | None:
    """The input as floats, an axis of two elements or more, and the shape that it came with.

    None where SciPy's function is to see it.
    """
    if derived(given) or not (axis is None or type(axis) is int):
        return None
    a = asarray(given)
    if a.dtype.kind in "iu":
        a = _core.cast(a, FLOAT64)
    if a.dtype not in (np.float32, FLOAT64) or not a.size:
        return None
    shape = a.shape
    if axis is None:
        a, axis = a.ravel(), 0
    return (a, axis, shape) if -a.ndim <= axis < a.ndim and a.shape[axis] > 1 else None


def _composed(body: Callable[..., Any]) -> Any:
    """SciPy's function of this name; `body` computes it of a sample and an axis, with the options that it knows.

    Its keywords have SciPy's defaults and order. It gives NotImplemented for what it leaves to SciPy.
    """
    # the sample comes by position; SciPy has several names for it
    known = ("", *body.__code__.co_varnames[1 : body.__code__.co_argcount])

    def computed(given: dict[str, Any]) -> Any:
        found = _sample(given.pop(""), given.pop("axis", 0))
        return NotImplemented if found is None else body(found, **given)

    return covered(_theirs, body.__name__, known, frozenset({""}), computed)


def _mean(a: ndarray, axis: int) -> ndarray:
    return a.mean(axis=axis, keepdims=True)


def _dropped(a: ndarray, axis: int) -> ndarray:
    """Without an axis of one element; a number where none is left."""
    made = a.squeeze(axis)
    return _core.returned(made) if made.ndim == 0 else made


def _constant(variance: ndarray, mean: ndarray, roots: bool = False) -> ndarray:
    """Where a sample differs from its mean by rounding alone, as SciPy judges."""
    bound = multiply(mean, float(np.finfo(mean.dtype).eps))
    return less_equal(variance, absolute(bound) if roots else square(bound))


@_composed
def zscore(sample: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    a, along, shape = sample
    if nan_policy != "propagate" or type(ddof) is not int or ddof >= a.shape[along]:
        return NotImplemented
    mean = _mean(a, along)
    deviations = subtract(a, mean)
    count = a.shape[along] - ddof
    spread = sqrt(divide(square(deviations).sum(axis=along, keepdims=True), count))
    made = select_where(_constant(spread, mean, roots=True), np.nan, divide(deviations, spread), a.dtype)
    return made.reshape(shape)


@_composed
def sem(sample: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate") -> Any:
    a, along, _ = sample
    if nan_policy != "propagate" or type(ddof) is not int or ddof >= a.shape[along]:
        return NotImplemented
    return divide(a.std(axis=along, ddof=ddof), math.sqrt(a.shape[along]))


@_composed
def gmean(sample: Any, axis: Any = 0) -> Any:
    a, along, _ = sample
    return exp(log(a).mean(axis=along))


@_composed
def hmean(sample: Any, axis: Any = 0) -> Any:
    a, along, _ = sample
    return divide(1.0, divide(1.0, select_where(less(a, 0.0), np.nan, a, a.dtype)).mean(axis=along))


@_composed
def moment(sample: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate") -> Any:
    a, along, _ = sample
    if nan_policy != "propagate" or type(order) is not int or not 2 <= order <= 4:
        return NotImplemented
    deviations = subtract(a, _mean(a, along))
    squares = square(deviations)
    powers = (squares, multiply(squares, deviations), square(squares))[order - 2]
    return powers.mean(axis=along)


@_composed
def entropy(sample: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    a, along, _ = sample
    if qk is not None or not (base is None or (type(base) in (int, float) and base > 0)):
        return NotImplemented
    made = entr(divide(a, a.sum(axis=along, keepdims=True))).sum(axis=along)
    return made if base is None else divide(made, math.log(base))


@_composed
def skew(sample: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate") -> Any:
    a, along, _ = sample
    count = a.shape[along]
    if nan_policy != "propagate" or (not bias and count < 3):
        return NotImplemented
    mean = _mean(a, along)
    deviations = subtract(a, mean)
    squares = square(deviations)
    variance = _mean(squares, along)
    made = divide(_mean(multiply(squares, deviations), along), power(variance, 1.5))
    if not bias:
        made = multiply(made, math.sqrt((count - 1) * count) / (count - 2))
    return _dropped(select_where(_constant(variance, mean), np.nan, made, a.dtype), along)


@_composed
def kurtosis(
    sample: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate"
) -> Any:
    a, along, _ = sample
    n = a.shape[along]
    if nan_policy != "propagate" or (not bias and n < 4):
        return NotImplemented
    mean = _mean(a, along)
    squares = square(subtract(a, mean))
    variance = _mean(squares, along)
    made = divide(_mean(square(squares), along), square(variance))
    if not bias:
        made = (multiply(made, n * n - 1.0) - 3.0 * (n - 1) ** 2) / ((n - 2) * (n - 3)) + 3.0
    if fisher:
        made = made - 3.0
    return _dropped(select_where(_constant(variance, mean), np.nan, made, a.dtype), along)
