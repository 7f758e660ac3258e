"""Along an axis: differences, gradients, areas, phases, cross products."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host
from asnumpy.indexing.selection import select_where
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import moveaxis, ravel
from asnumpy.reduction.reductions import cumsum
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.functions import (
    absolute,
    add,
    divide,
    equal,
    greater,
    less,
    multiply,
    not_equal,
    remainder,
    subtract,
)

_ALL = slice(None)


def _along(ndim: int, axis: int, key: Any) -> tuple[Any, ...]:
    return (_ALL,) * axis + (key,) + (_ALL,) * (ndim - axis - 1) + (...,)  # a view, even of one element


@public
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> ndarray:
    if n == 0:
        return a  # type: ignore[no-any-return]  # as it came, which may be a list
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    values = asarray(a)
    if values.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, values.ndim)
    parts = []
    for extra in (prepend, values, append):
        if extra is NO_VALUE:
            continue
        part = asarray(extra)
        if part.ndim == 0:
            part = _core.broadcast_to(part, (*values.shape[:axis], 1, *values.shape[axis + 1:]))
        parts.append(part)
    if len(parts) > 1:
        values = concatenate(parts, axis)
    operation = not_equal if values.dtype == bool else subtract
    upper, lower = _along(values.ndim, axis, slice(1, None)), _along(values.ndim, axis, slice(None, -1))
    for _ in range(min(n, max(values.shape[axis], 1))):  # then nothing is left
        values = operation(values[upper], values[lower])
    return values


@public
def ediff1d(ary: ArrayLike, to_end: Any = None, to_begin: Any = None) -> ndarray:
    a = ravel(asarray(ary))
    steps = subtract(a[1:], a[:-1])
    parts = [steps]
    for extra, name, before in ((to_begin, "to_begin", True), (to_end, "to_end", False)):
        if extra is None:
            continue
        part = asarray(extra)
        if not np.can_cast(part.dtype, a.dtype, "same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        part = ravel(part)
        part = part if part.dtype == a.dtype else _core.cast(part, a.dtype)
        parts = [part, *parts] if before else [*parts, part]
    return steps if len(parts) == 1 else concatenate(parts)


def _spacings(f: ndarray, axes: tuple[int, ...], varargs: tuple[Any, ...]) -> list[Any]:
    """Per axis a scalar distance, or the array of distances between neighbours."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        return list(varargs) * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings: list[Any] = []
    for axis, given in zip(axes, varargs, strict=True):
        distances = given if isinstance(given, ndarray) else np.asarray(given)
        if distances.ndim == 0:
            spacings.append(given)
            continue
        if distances.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if distances.size != f.shape[axis]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        points = np.asarray(distances)
        steps = np.diff(points.astype(np.float64) if points.dtype.kind in "iu" else points)
        spacings.append(steps[0] if (steps == steps[0]).all() else steps)
    return spacings


@public
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    spacings = _spacings(f, axes, varargs)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    dtype = f.dtype
    if dtype.kind not in "fc":
        dtype = np.dtype(np.float64)
        f = _core.cast(f, dtype) if f.dtype.kind in "iu" else f  # bools have no difference, which subtract says
    made = []
    for one, step in zip(axes, spacings, strict=True):
        if f.shape[one] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                "required."
            )
        out = _core.empty(f.shape, dtype)
        _gradient_along(f, out, one, step, edge_order)
        made.append(out)
    return made[0] if len(axes) == 1 else tuple(made)


def _gradient_along(f: ndarray, out: ndarray, axis: int, step: Any, edge_order: int) -> None:
    """Second-order differences inside, first- or second-order ones at the two ends."""
    def at(key: Any) -> ndarray:
        return f[_along(f.ndim, axis, key)]

    def put(key: Any, value: ndarray) -> None:
        _core.assign(out[_along(f.ndim, axis, key)], value)

    uniform = np.ndim(step) == 0
    inner = slice(1, -1)
    if uniform:
        step = step if isinstance(step, ndarray) else np.asarray(step)[()]
        put(inner, divide(subtract(at(slice(2, None)), at(slice(None, -2))), multiply(2.0, step)))
    else:
        before, after = step[:-1], step[1:]
        shape = tuple(-1 if place == axis else 1 for place in range(f.ndim))
        a, b, c = (
            asarray(weight.reshape(shape)) for weight in (
                -after / (before * (before + after)), (after - before) / (before * after),
                before / (after * (before + after)),
            )
        )
        total = add(multiply(a, at(slice(None, -2))), multiply(b, at(inner)))
        put(inner, add(total, multiply(c, at(slice(2, None)))))
    for low, weights in ((True, None), (False, None)):
        first, second, third = (0, 1, 2) if low else (-1, -2, -3)
        near = step if uniform else step[0 if low else -1]
        if edge_order == 1:
            difference = subtract(at(second), at(first)) if low else subtract(at(first), at(second))
            put(first, divide(difference, near))
            continue
        if uniform:
            weights = (-1.5 / near, 2.0 / near, -0.5 / near) if low else (1.5 / near, -2.0 / near, 0.5 / near)
        else:
            far = step[1 if low else -2]
            weights = (
                -(2.0 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far)),
            )
            weights = weights if low else tuple(-weight for weight in weights)
        # summed from the low end to the high one, as NumPy does
        terms = list(zip(weights, (first, second, third), strict=True))
        terms = terms if low else terms[::-1]
        made = multiply(terms[0][0], at(terms[0][1]))
        for weight, place in terms[1:]:
            made = add(made, multiply(weight, at(place)))
        put(first, made)


@public
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> ndarray:
    y = asarray(y)
    axis = normalize_axis_index(axis, y.ndim)
    if x is None:
        step: Any = dx
    else:
        x = asarray(x)
        step = diff(x, axis=0 if x.ndim == 1 else axis)
        if x.ndim == 1:
            step = step.reshape(tuple(-1 if place == axis else 1 for place in range(y.ndim)))
    upper, lower = y[_along(y.ndim, axis, slice(1, None))], y[_along(y.ndim, axis, slice(None, -1))]
    return divide(multiply(step, add(upper, lower)), 2.0).sum(axis=axis)


@public
def unwrap(p: ArrayLike, discont: Any = None, axis: int = -1, *, period: Any = 6.283185307179586) -> ndarray:
    p = asarray(p)
    if p.dtype.kind not in "biuf" or isinstance(period, ndarray):
        return host(np.unwrap, p, discont, axis, period=period)
    step = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = np.result_type(step.dtype, period)
    high, odd = divmod(period, 2) if dtype.kind in "iu" else (period / 2, 0)
    within = add(remainder(subtract(step, -high), period), -high)
    if not odd:  # half a period stays one upwards
        within = select_where(equal(within, -high) & greater(step, 0), high, within, within.dtype)
    jump = subtract(within, step)
    jump = select_where(less(absolute(step), discont), 0, jump, jump.dtype)
    axis = normalize_axis_index(axis, p.ndim)
    upper = _along(p.ndim, axis, slice(1, None))
    made = _core.cast(p, dtype)
    _core.assign(made[upper], add(p[upper], cumsum(jump, axis)))
    return made


def _along_last(a: ndarray, axis: int, parameter: str) -> ndarray:
    place = normalize_axis_index(axis, a.ndim, parameter)
    return a if place == a.ndim - 1 else moveaxis(a, place, -1)


@public
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None,
) -> ndarray:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a, b = _along_last(a, axisa, "axisa"), _along_last(b, axisb, "axisb")
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if a.shape[-1] == 2 or b.shape[-1] == 2:
        said = "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. " \
               "(deprecated in NumPy 2.0)"
        warnings.warn(said, DeprecationWarning, stacklevel=2)
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    flat = a.shape[-1] == 2 and b.shape[-1] == 2
    dtype = np.promote_types(a.dtype, b.dtype)
    x = [_core.cast(a[..., place], dtype) if a.dtype != dtype else a[..., place] for place in range(a.shape[-1])]
    y = [_core.cast(b[..., place], dtype) if b.dtype != dtype else b[..., place] for place in range(b.shape[-1])]

    def minor(first: int, second: int) -> Any:
        """x[first] * y[second] - x[second] * y[first]; a missing third component counts as zero."""
        left = multiply(x[first], y[second]) if first < len(x) and second < len(y) else None
        right = multiply(x[second], y[first]) if second < len(x) and first < len(y) else None
        if left is None:
            return None if right is None else -right
        return left if right is None else subtract(left, right)

    if flat:
        return subtract(multiply(x[0], y[1]), multiply(x[1], y[0]))
    axisc = normalize_axis_index(axisc, len(shape) + 1, "axisc")
    out = _core.empty((*shape, 3), dtype)
    for place, (first, second) in enumerate(((1, 2), (2, 0), (0, 1))):
        _core.assign(out[..., place], minor(first, second))
    return out if axisc == len(shape) else moveaxis(out, -1, axisc)
