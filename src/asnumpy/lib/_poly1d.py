"""Polynomials as numpy's top level has them: coefficients from the highest power down, and the class poly1d."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.arrays import zeros, zeros_like
from asnumpy.creation.convert import asarray, held, lies_on_device
from asnumpy.host.door import host, numpy_view
from asnumpy.indexing.grids import vander
from asnumpy.linalg import lstsq
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import trim_zeros
from asnumpy.statistics.convolution import convolve
from asnumpy.ufunc.functions import add, divide, multiply, sqrt, subtract


def _plain(value: Any) -> Any:
    """A poly1d of ours as NumPy's."""
    if isinstance(value, poly1d):
        given = value.coeffs
        plain = numpy_view(given)
        return np.poly1d(plain, variable=value.variable)
    return value


def _ours(value: Any) -> Any:
    if isinstance(value, np.poly1d):
        return poly1d(value.coeffs, variable=value.variable)
    return tuple(map(_ours, value)) if type(value) is tuple else value


def _door(function: Any, *args: Any, **kwargs: Any) -> Any:
    return _ours(host(function, *map(_plain, args), **kwargs))


@public
def poly(seq_of_zeros: Any) -> Any:
    return _door(np.poly, seq_of_zeros)


@public
def roots(p: ArrayLike) -> Any:
    return _door(np.roots, p)


def _there(*given: Any) -> list[ndarray] | None:
    """The coefficients of the polynomials where a device has those of one of them, as lines."""
    plain = [one.coeffs if isinstance(one, (poly1d, np.poly1d)) else one for one in given]
    lines = [held(one) for one in plain] if any(map(lies_on_device, plain)) else []
    usable = all(isinstance(one, ndarray) and one.ndim == 1 and one.size for one in lines)
    return lines if lines and usable else None


def _like(made: ndarray, *given: Any) -> Any:
    """A polynomial where one is given, else its coefficients."""
    return poly1d(made) if any(isinstance(one, (poly1d, np.poly1d)) for one in given) else made


def _powers(line: ndarray, last: int) -> ndarray:
    """The numbers down to `last`, one for each coefficient."""
    return asarray(np.arange(line.size - 1 + last, last - 1, -1))


@public
def polyint(p: ArrayLike, m: int = 1, k: Any = None) -> Any:
    lines, times = _there(p), int(m)
    if lines is None or times < 0:
        return _door(np.polyint, p, m, k)
    constants = asarray(np.zeros(times) if k is None else k).reshape(-1)
    if constants.size == 1 and times > 1:
        constants = constants.repeat(times)
    if constants.size < times:
        return _door(np.polyint, p, m, k)
    made = lines[0]
    for place in range(times):
        made = concatenate((divide(made, _powers(made, 1)), constants[place:place + 1]))
    return _like(made, p)


@public
def polyder(p: ArrayLike, m: int = 1) -> Any:
    lines, times = _there(p), int(m)
    if lines is None or times < 0:
        return _door(np.polyder, p, m)
    made = lines[0]
    for _ in range(times):
        made = multiply(made[:-1], _powers(made[:-1], 1))
    return _like(made, p)


def _fitted(x: Any, y: Any, deg: Any, rcond: Any) -> Any:
    """np.polyfit of a device's points; None where NumPy has to say what is wrong, or to warn."""
    if not (lies_on_device(x) and lies_on_device(y) and x.ndim == 1 and y.ndim in (1, 2) and x.size == y.shape[0] > 0):
        return None
    if not isinstance(deg, int) or not 0 <= deg < x.size:
        return None
    x, y = add(x, 0.0), add(y, 0.0)
    powers = vander(x, deg + 1)
    scale = sqrt(multiply(powers, powers).sum(axis=0))
    rcond = x.size * float(np.finfo(x.dtype).eps) if rcond is None else rcond
    made, _, rank, _ = lstsq(divide(powers, scale), y, rcond)
    return divide(made.T, scale).T if int(rank) == deg + 1 else None


@public
def polyfit(
    x: ArrayLike, y: ArrayLike, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False,
) -> Any:
    plain = w is None and not full and not cov and not _core.tracing()  # which looks at the singular values
    made = _fitted(x, y, deg, rcond) if plain else None
    return _door(np.polyfit, x, y, deg, rcond, full, w, cov) if made is None else made


def _combined(theirs: Any, operation: Any, a1: Any, a2: Any) -> Any:
    """A sum or difference: the shorter polynomial begins with zeros."""
    lines = _there(a1, a2)
    if lines is None:
        return _door(theirs, a1, a2)
    most = max(line.size for line in lines)
    first, second = (
        line if line.size == most else concatenate((zeros(most - line.size, line.dtype), line)) for line in lines
    )
    return _like(operation(first, second), a1, a2)


@public
def polyadd(a1: ArrayLike, a2: ArrayLike) -> Any:
    return _combined(np.polyadd, add, a1, a2)


@public
def polysub(a1: ArrayLike, a2: ArrayLike) -> Any:
    return _combined(np.polysub, subtract, a1, a2)


@public
def polymul(a1: ArrayLike, a2: ArrayLike) -> Any:
    lines = _there(a1, a2)
    if lines is None:
        return _door(np.polymul, a1, a2)
    first, second = (one if one.size else zeros(1, one.dtype) for one in (trim_zeros(line, "f") for line in lines))
    return _like(convolve(first, second), a1, a2)


@public
def polydiv(u: ArrayLike, v: ArrayLike) -> Any:
    return _door(np.polydiv, u, v)


@public
def polyval(p: ArrayLike, x: ArrayLike) -> Any:
    """Horner's scheme in operations that fuse; `x` may be a poly1d."""
    coefficients = p.coeffs if isinstance(p, (poly1d, np.poly1d)) else p
    there = _core.tracing() and isinstance(coefficients, ndarray)  # without values yet
    numbers: list[Any] = list(asarray(coefficients)) if there else list(np.asarray(numpy_view(coefficients)))
    if isinstance(x, (poly1d, np.poly1d)):
        value: Any = 0
    else:
        x = asarray(x)
        value = zeros_like(x)
    for one in numbers:
        value = value * x + (asarray(one) if isinstance(one, np.ndarray) else one)
    return value


@public
class poly1d:
    """A polynomial in one variable; its coefficients are an array of ours, or objects in NumPy's."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, c_or_r: Any, r: bool = False, variable: str | None = None) -> None:
        if isinstance(c_or_r, (poly1d, np.poly1d)):
            self._variable = c_or_r.variable if variable is None else variable
            self._coeffs = held(c_or_r.coeffs)
            if isinstance(c_or_r, poly1d):
                extra = set(vars(c_or_r)) - set(vars(self))
                if extra:
                    warnings.warn(
                        "In the future extra properties will not be copied across when constructing one poly1d from "
                        "another", FutureWarning, stacklevel=2,
                    )
                    vars(self).update({name: vars(c_or_r)[name] for name in extra})
            return
        given = numpy_view(c_or_r)
        made = np.poly1d(given, r, variable)
        self._variable = made.variable
        self._coeffs = held(made.coeffs)

    @property
    def coeffs(self) -> Any:
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value: Any) -> None:
        if value is not self._coeffs:  # `p.coeffs += 1` changes the array and then sets what is there
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def variable(self) -> str:
        return self._variable

    @property
    def order(self) -> int:
        return len(self._coeffs) - 1

    o = order

    @property
    def roots(self) -> Any:
        return roots(self._coeffs)

    r = roots

    def __array__(self, t: Any = None, copy: Any = None) -> np.ndarray:
        made: np.ndarray = self._coeffs.__array__(t, copy=copy)
        return made

    def __repr__(self) -> str:
        return repr(_plain(self))

    def __str__(self) -> str:
        return str(_plain(self))

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[Any]:
        return iter(self._coeffs)

    def __call__(self, val: Any) -> Any:
        return polyval(self._coeffs, val)

    def __neg__(self) -> poly1d:
        return poly1d(-self._coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other: Any) -> Any:
        return polyadd(self, poly1d(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return polysub(self, poly1d(other))

    def __rsub__(self, other: Any) -> Any:
        return polysub(poly1d(other), self)

    def __mul__(self, other: Any) -> Any:
        if _is_number(other):
            return poly1d(self._coeffs * other)
        return polymul(self, poly1d(other))

    def __rmul__(self, other: Any) -> Any:
        if _is_number(other):
            return poly1d(other * self._coeffs)
        return polymul(self, poly1d(other))

    def __truediv__(self, other: Any) -> Any:
        if _is_number(other):
            return poly1d(self._coeffs / other)
        return polydiv(self, poly1d(other))

    def __rtruediv__(self, other: Any) -> Any:
        if _is_number(other):
            return poly1d(other / self._coeffs)
        return polydiv(poly1d(other), self)

    def __pow__(self, val: Any) -> Any:
        if not _is_number(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(val):
            result = polymul(self, result)
        return result

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and (self._coeffs == other._coeffs).all()

    def __ne__(self, other: object) -> Any:
        return NotImplemented if not isinstance(other, poly1d) else not self == other

    def __getitem__(self, val: int) -> Any:
        if val > self.order or val < 0:
            return self._coeffs.dtype.type(0)
        return self._coeffs[self.order - val]

    def __setitem__(self, key: int, val: Any) -> None:
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self._coeffs = concatenate((zeros(key - self.order, self._coeffs.dtype), self._coeffs))
        self._coeffs[self.order - key] = val

    def integ(self, m: int = 1, k: Any = 0) -> Any:
        return poly1d(polyint(self._coeffs, m, k))

    def deriv(self, m: int = 1) -> Any:
        return poly1d(polyder(self._coeffs, m))


def _is_number(value: Any) -> bool:
    return bool(np.isscalar(value)) or (isinstance(value, ndarray) and value.ndim == 0)
