"""The functions of asnumpy.nn: what they compute, and where a device has one as a single operation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple as _normal_axes

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ArrayLike, Axes
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray as _asarray
from asnumpy.indexing.selection import select_where as _select
from asnumpy.ufunc.functions import (
    absolute,
    add,
    divide,
    exp,
    expm1,
    greater,
    less,
    log,
    log1p,
    maximum,
    minimum,
    multiply,
    negative,
    subtract,
    tanh,
)
from asnumpy.ufunc.functions import sqrt as _sqrt

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def _widened(a: ndarray, function: str) -> tuple[ndarray, np.dtype]:
    """The input in the type that it is computed in, and the type of the result."""
    kind = a.dtype.kind
    if kind == "c":
        raise TypeError(f"nn.{function}: expected real numbers, got an array of {a.dtype}")
    if kind in "biu":
        return _core.cast(a, _FLOAT64), _FLOAT64
    if a.dtype.itemsize <= 2:
        return _core.cast(a, _FLOAT32), a.dtype
    return a, a.dtype


def _narrowed(made: ndarray, dtype: np.dtype) -> ndarray:
    return made if made.dtype == dtype else _core.cast(made, dtype)


def _row(name: str, a: ndarray) -> ndarray:
    """One of the core's functions that is no ufunc of NumPy's."""
    return _core.apply(name, (a.dtype, a.dtype), [a])


# A function as one operation of the arrays' device, by name, axis, option, two numbers and arrays; None where it is to
# be composed.
_own = _core.offered


def _own_along(name: str, a: ndarray, axis: Any) -> ndarray | None:
    """The same for functions along one axis."""
    if a._host_visible or a.ndim == 0 or not hasattr(axis, "__index__"):
        return None
    return _core.offered(name, _normal_axes(axis, a.ndim)[0], 0, 0.0, 0.0, a)


@beside
def relu(x: ArrayLike) -> ndarray:
    """The larger of x and 0; NaN stays NaN, integers stay integers.

    Parameters: x, an array of real numbers. Returns an array of its shape and dtype. TypeError for complex numbers.
    """
    a = _asarray(x)
    if a.dtype.kind == "c":
        raise TypeError(f"nn.relu: expected real numbers, got an array of {a.dtype}")
    return maximum(a, a.dtype.type(0)) if a.dtype.kind != "b" else _core.cast(a, a.dtype)


@beside
def leaky_relu(x: ArrayLike, alpha: float = 0.2) -> ndarray:
    """x where it is positive, alpha * x elsewhere.

    Parameters: x, an array of real numbers; alpha, the slope for negative numbers. Returns an array of x's shape.
    """
    given = _asarray(x)
    if (own := _own("leaky_relu", 0, 0, alpha, 0.0, given)) is not None:
        return own
    a, dtype = _widened(given, "leaky_relu")
    return _narrowed(_select(greater(a, 0), a, multiply(a, alpha), a.dtype), dtype)


@beside
def elu(x: ArrayLike, alpha: float = 1.0) -> ndarray:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Parameters: x, an array of real numbers; alpha, the negative of the limit at minus infinity. Returns an array of
    x's shape.
    """
    given = _asarray(x)
    if (own := _own("elu", 0, 0, alpha, 0.0, given)) is not None:
        return own
    a, dtype = _widened(given, "elu")
    return _narrowed(_select(greater(a, 0), a, multiply(expm1(minimum(a, 0.0)), alpha), a.dtype), dtype)


def _sigmoid(a: ndarray) -> ndarray:
    # exp(-|x|) never overflows; both halves keep their relative precision
    small = exp(negative(absolute(a)))
    return divide(_select(less(a, 0), small, 1.0, a.dtype), small + 1.0)


@beside
def sigmoid(x: ArrayLike) -> ndarray:
    """1 / (1 + exp(-x)), without overflow.

    Parameters: x, an array of real numbers. Returns an array of its shape.
    """
    given = _asarray(x)
    if (own := _own("sigmoid", 0, 0, 0.0, 0.0, given)) is not None:
        return own
    a, dtype = _widened(given, "sigmoid")
    return _narrowed(_sigmoid(a), dtype)


@beside
def log_sigmoid(x: ArrayLike) -> ndarray:
    """log(sigmoid(x)), without overflow or cancellation.

    Parameters: x, an array of real numbers. Returns an array of its shape.
    """
    given = _asarray(x)
    if (own := _own("log_sigmoid", 0, 0, 0.0, 0.0, given)) is not None:
        return own
    a, dtype = _widened(given, "log_sigmoid")
    return _narrowed(subtract(minimum(a, 0.0), log1p(exp(negative(absolute(a))))), dtype)


@beside
def silu(x: ArrayLike) -> ndarray:
    """x * sigmoid(x); 0 at minus infinity.

    Parameters: x, an array of real numbers. Returns an array of its shape.
    """
    given = _asarray(x)
    if (own := _own("silu", 0, 0, 0.0, 0.0, given)) is not None:
        return own
    a, dtype = _widened(given, "silu")
    # the limit at minus infinity would come out as inf * 0
    lowest = float(np.finfo(a.dtype).min)
    return _narrowed(multiply(maximum(a, lowest), _sigmoid(a)), dtype)


@beside
def softplus(x: ArrayLike, beta: float = 1.0, threshold: float = 20.0) -> ndarray:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.

    Parameters: x, an array of real numbers; beta, how sharp the bend is; threshold, from where on it is x. Returns an
    array of x's shape.
    """
    given = _asarray(x)
    if (own := _own("softplus", 0, 0, beta, threshold, given)) is not None:
        return own
    a, dtype = _widened(given, "softplus")
    scaled = multiply(a, beta)
    curve = divide(maximum(scaled, 0.0) + log1p(exp(negative(absolute(scaled)))), beta)
    return _narrowed(_select(greater(scaled, threshold), a, curve, a.dtype), dtype)


@beside
def gelu(x: ArrayLike, approximate: str = "none") -> ndarray:
    """x times the normal distribution's cumulative probability at x.

    Parameters: x, an array of real numbers; approximate, 'none' for the error function, 'tanh' for the usual
    approximation by the hyperbolic tangent. Returns an array of x's shape. ValueError for another `approximate`.
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f"nn.gelu: expected approximate 'none' or 'tanh', got {approximate!r}")
    given = _asarray(x)
    if (own := _own("gelu", 0, int(approximate == "tanh"), 0.0, 0.0, given)) is not None:
        return own
    a, dtype = _widened(given, "gelu")
    finite = maximum(a, float(np.finfo(a.dtype).min))  # the limit at minus infinity would come out as inf * 0
    if approximate == "none":
        # erfc of the negated argument keeps the small probabilities that 1 + erf would round away
        made = multiply(multiply(finite, 0.5), _row("erfc", multiply(a, -math.sqrt(0.5))))
    else:
        inner = multiply(a, multiply(multiply(a, a), 0.044715) + 1.0)
        made = multiply(multiply(finite, 0.5), tanh(multiply(inner, math.sqrt(2 / math.pi))) + 1.0)
    return _narrowed(made, dtype)


def _shifted(given: ndarray, axis: Any, function: str) -> tuple[ndarray, tuple[int, ...], np.dtype]:
    """The input less its largest element along the axes, so that no exponential overflows."""
    a, dtype = _widened(given, function)
    axes = tuple(range(a.ndim)) if axis is None else _normal_axes(axis, a.ndim)
    if 0 in a.shape:
        return a, axes, dtype
    highest = maximum.reduce(a, axis=axes, keepdims=True)
    return subtract(a, highest), axes, dtype


@beside
def softmax(x: ArrayLike, axis: Axes | None = -1) -> ndarray:
    """exp(x) divided by its sum along the axis, without overflow.

    Parameters: x, an array of real numbers; axis, an int, a tuple of ints, or None for all axes. Returns an array of
    x's shape that sums to 1 along the axis. AxisError for an axis that x does not have.
    """
    given = _asarray(x)
    if (own := _own_along("softmax", given, axis)) is not None:
        return own
    shifted, axes, dtype = _shifted(given, axis, "softmax")
    powers = exp(shifted)
    return _narrowed(divide(powers, powers.sum(axis=axes, keepdims=True)), dtype)


@beside
def log_softmax(x: ArrayLike, axis: Axes | None = -1) -> ndarray:
    """log(softmax(x)), without overflow and without logarithms of zero.

    Parameters: as for softmax. Returns an array of x's shape.
    """
    given = _asarray(x)
    if (own := _own_along("log_softmax", given, axis)) is not None:
        return own
    shifted, axes, dtype = _shifted(given, axis, "log_softmax")
    return _narrowed(subtract(shifted, log(exp(shifted).sum(axis=axes, keepdims=True))), dtype)


def _normal_shape(a: ndarray, normalized_shape: Any, function: str) -> tuple[int, ...]:
    """The axes that are normalised: the last ones, which have to have these lengths."""
    one = hasattr(normalized_shape, "__index__")
    lengths = (normalized_shape.__index__(),) if one else tuple(n.__index__() for n in normalized_shape)
    if not lengths or a.shape[max(a.ndim - len(lengths), 0):] != lengths:
        raise ValueError(f"nn.{function}: expected x to end with the lengths {lengths}, got shape {a.shape}")
    return tuple(range(a.ndim - len(lengths), a.ndim))


def _own_normal(name: str, a: ndarray, axes: tuple[int, ...], weight: Any, bias: Any, eps: float) -> ndarray | None:
    """The device's own normalisation; None where it is to be composed."""
    if a._host_visible:
        return None
    given = [None if part is None else _asarray(part) for part in (weight, bias)]
    if any(part is not None and part.shape != a.shape[axes[0]:] for part in given):
        return None
    parts = [part if part.dtype == a.dtype else _core.cast(part, a.dtype) for part in given if part is not None]
    option = (weight is not None) + 2 * (bias is not None)
    return _core.offered(name, len(axes), option, eps, 0.0, a, *parts)


def _scaled(made: ndarray, weight: Any, bias: Any, dtype: np.dtype, lengths: tuple[int, ...], name: str) -> ndarray:
    for part, role, operation in ((weight, "weight", multiply), (bias, "bias", add)):
        if part is None:
            continue
        given = _asarray(part)
        if given.shape != lengths:
            raise ValueError(f"nn.{name}: expected {role} of shape {lengths}, got {given.shape}")
        given = given if given.dtype == made.dtype else _core.cast(given, made.dtype)
        made = operation(made, given)
    return _narrowed(made, dtype)


@beside
def layer_norm(x: ArrayLike, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> ndarray:
    """x with mean 0 and variance 1 over its last axes, times weight, plus bias.

    Parameters: x, an array of real numbers; normalized_shape, the lengths of the last axes, an int for one; weight and
    bias, arrays of that shape, or None; eps, added to the variance. Returns an array of x's shape and dtype. ValueError
    where the shapes do not fit.
    """
    given = _asarray(x)
    axes = _normal_shape(given, normalized_shape, "layer_norm")
    if (own := _own_normal("layer_norm", given, axes, weight, bias, eps)) is not None:
        return own
    a, dtype = _widened(given, "layer_norm")
    centred = subtract(a, a.mean(axis=axes, keepdims=True))
    variance = multiply(centred, centred).mean(axis=axes, keepdims=True)
    made = divide(centred, _sqrt(variance + eps))
    return _scaled(made, weight, bias, dtype, a.shape[axes[0]:], "layer_norm")


@beside
def rms_norm(x: ArrayLike, normalized_shape: Any, weight: Any = None, eps: float = 1e-6) -> ndarray:
    """x divided by its root mean square over its last axes, times weight.

    Parameters: as for layer_norm. Returns an array of x's shape and dtype. ValueError where the shapes do not fit.
    """
    given = _asarray(x)
    axes = _normal_shape(given, normalized_shape, "rms_norm")
    if (own := _own_normal("rms_norm", given, axes, weight, None, eps)) is not None:
        return own
    a, dtype = _widened(given, "rms_norm")
    made = divide(a, _sqrt(multiply(a, a).mean(axis=axes, keepdims=True) + eps))
    return _scaled(made, weight, None, dtype, a.shape[axes[0]:], "rms_norm")
