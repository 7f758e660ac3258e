"""Filters that differentiate: sums and magnitudes of derivatives along the axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros_like
from asnumpy.scipy.ndimage._borders import checked
from asnumpy.scipy.ndimage._calls import (
    Left,
    between,
    chosen_axes,
    composed,
    handed,
    number,
    one_axis,
    plain,
    sequence,
    stored,
    target,
)
from asnumpy.scipy.ndimage._correlation import along, copied, gaussian
from asnumpy.ufunc.functions import add, multiply, sqrt

Derivative = Callable[[int, str], ndarray]

_DIFFERENCE = np.array([-1.0, 0.0, 1.0])
_SECOND_DIFFERENCE = np.array([1.0, -2.0, 1.0])


def _crossed(across: np.ndarray) -> Callable[..., Any]:
    """The difference along one axis, smoothed by these weights along all others."""

    def filtered(input: Any, axis: Any, output: Any, mode: Any, cval: Any) -> Any:
        a = plain(input)
        dtype, out = target(output, a.dtype, a.shape)
        place, value = one_axis(axis, a.ndim), number(cval)
        modes = [checked(one) for one in sequence(mode, a.ndim)]
        kind = between(dtype)
        made = along(a, _DIFFERENCE, place, kind, modes[place], value)
        for other in range(a.ndim):
            if other != place:
                made = along(made, across, other, kind, modes[other], value)
        return handed(stored(made, dtype), out)

    return filtered


_prewitt = _crossed(np.array([1.0, 1.0, 1.0]))
_sobel = _crossed(np.array([1.0, 2.0, 1.0]))


@composed
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return _prewitt(input, axis, output, mode, cval)


@composed
def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return _sobel(input, axis, output, mode, cval)


def _total(a: ndarray, derivative: Derivative, dtype: np.dtype, mode: Any, axes: Any) -> ndarray:
    places = chosen_axes(axes, a.ndim)
    made: ndarray | None = None
    for axis, border in zip(places, sequence(mode, len(places)), strict=True):
        one = derivative(axis, checked(border))
        made = one if made is None else add(made, one)
    return copied(a, dtype) if made is None else made


def _magnitude(a: ndarray, derivative: Derivative, dtype: np.dtype, mode: Any, axes: Any) -> ndarray:
    places = chosen_axes(axes, a.ndim)
    if not places:
        return copied(a, dtype)

    def squared(axis: int, border: str) -> ndarray:
        made = derivative(axis, border)
        return multiply(made, made)

    return stored(sqrt(_total(a, squared, dtype, mode, axes)), dtype)


def _of_the_program(
    a: ndarray, function: Any, dtype: np.dtype, cval: Any, arguments: Any, keywords: Any
) -> Derivative:
    """A derivative that the program computes: its function writes to the array that it is given."""
    further = {} if keywords is None else keywords

    def derivative(axis: int, border: str) -> ndarray:
        made = zeros_like(a, dtype)
        function(a, axis, made, border, cval, *arguments, **further)
        return made

    return derivative


@composed
def generic_laplace(
    input: Any, derivative2: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    extra_arguments: Any = (), extra_keywords: Any = None, *, axes: Any = None,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    each = _of_the_program(a, derivative2, dtype, cval, extra_arguments, extra_keywords)
    return handed(_total(a, each, dtype, mode, axes), out, a)


@composed
def generic_gradient_magnitude(
    input: Any, derivative: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    extra_arguments: Any = (), extra_keywords: Any = None, *, axes: Any = None,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    each = _of_the_program(a, derivative, dtype, cval, extra_arguments, extra_keywords)
    return handed(_magnitude(a, each, dtype, mode, axes), out, a)


@composed
def laplace(
    input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    value = number(cval)

    def second(axis: int, border: str) -> ndarray:
        return along(a, _SECOND_DIFFERENCE, axis, dtype, border, value)

    return handed(_total(a, second, dtype, mode, axes), out, a)


def _gaussian_derivative(
    a: ndarray, degree: int, sigmas: Any, dtype: np.dtype, cval: Any, keywords: dict[str, Any]
) -> Derivative:
    value = number(cval)
    if not keywords.keys() <= {"truncate", "radius"}:
        raise Left

    def derivative(axis: int, border: str) -> ndarray:
        orders = [0] * a.ndim
        orders[axis] = degree
        return gaussian(a, sigmas, orders, dtype, border, value, **keywords)

    return derivative


@composed
def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
    **kwargs: Any,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    places = chosen_axes(axes, a.ndim)
    sigmas = sequence(sigma, len(places))
    if len(places) < a.ndim:  # no smoothing along the others
        given = dict(zip(places, sigmas, strict=True))
        sigmas = [given.get(axis, 0) for axis in range(a.ndim)]
    return handed(_total(a, _gaussian_derivative(a, 2, sigmas, dtype, cval, kwargs), dtype, mode, axes), out, a)


@composed
def gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None,
    **kwargs: Any,
) -> Any:
    a = plain(input)
    dtype, out = target(output, a.dtype, a.shape)
    return handed(_magnitude(a, _gaussian_derivative(a, 1, sigma, dtype, cval, kwargs), dtype, mode, axes), out, a)
