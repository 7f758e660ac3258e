"""What all six bases share: evaluation made of our operations, matrices of values, and the class of a series.

Sums, products, roots and fits of series concern few coefficients, or a least-squares problem: they go through the host
door. Evaluating a series concerns many points: it is Clenshaw's recurrence in our operations, which fuse into one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from types import ModuleType
from typing import Any

import numpy as np
from numpy.polynomial import polyutils
from numpy.polynomial._polybase import ABCPolyBase

from asnumpy.array.ndarray import ndarray
from asnumpy.creation.arrays import empty
from asnumpy.creation.convert import asarray, held
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import host, numpy_view
from asnumpy.manipulation.shapes import moveaxis

# Evaluates a series at x: the coefficients c[0], c[1], ... as numbers or as arrays that broadcast with x.
Clenshaw = Callable[[Any, list[Any]], Any]
# Fills in values[1:degree + 1], the values of the basis at x; values[0] is there.
Fill = Callable[[Any, Any, int], None]


def _coefficients(c: Any) -> Any:
    made = np.array(numpy_view(c), ndmin=1, copy=None)
    return made.astype(np.double) if made.dtype.kind in "biu" else made


def evaluated(clenshaw: Clenshaw, original: Any, x: Any, c: Any, tensor: bool) -> Any:
    """The series with coefficients `c` along the first axis at the points `x`, which may be a series itself."""
    if isinstance(x, (tuple, list, np.ndarray)):
        points = np.asarray(x)
        if not supported(points.dtype):
            return host(original, x, c, tensor)
        x = asarray(points)
    elif not isinstance(x, (ndarray, ABCPolyBase)):
        return host(original, x, c, tensor)  # a number: there is nothing to fuse
    numbers = _coefficients(c)
    if not supported(numbers.dtype):
        return host(original, numpy_view(x), numbers, tensor)
    if numbers.ndim == 1:
        if tensor or not isinstance(x, ndarray):
            return clenshaw(x, list(numbers))
        return clenshaw(x, [asarray(one) for one in numbers])
    terms = c if isinstance(c, ndarray) and c.dtype == numbers.dtype else asarray(numbers)
    if tensor and isinstance(x, ndarray):
        terms = terms.reshape(terms.shape + (1,) * x.ndim)
    return clenshaw(x, [terms[i] for i in range(len(terms))])


def _is_foreign(value: Any) -> bool:
    """Whether another class of arrays answers for NumPy's functions itself."""
    return not isinstance(value, (ndarray, np.ndarray)) and hasattr(type(value), "__array_function__")


def at_points(value: Any, original: Any, c: Any, *points: Any) -> Any:
    """The series in several variables at points given by equally shaped coordinates."""
    if any(map(_is_foreign, (c, *points))):
        return original(*points, c)
    arrays = [asarray(one) for one in points]
    if any(one.shape != arrays[0].shape for one in arrays):
        raise ValueError({2: "x, y are incompatible", 3: "x, y, z are incompatible"}[len(arrays)])
    c = value(arrays[0], c)
    for one in arrays[1:]:
        c = value(one, c, tensor=False)
    return c


def on_grid(value: Any, original: Any, c: Any, *axes: Any) -> Any:
    """The series in several variables on the product of the axes."""
    if any(map(_is_foreign, (c, *axes))):
        return original(*axes, c)
    for one in axes:
        c = value(one, c)
    return c


def vandermonde(x: Any, deg: Any, fill: Fill) -> ndarray:
    """The values of the basis up to degree `deg` at the points, along a new last axis."""
    try:
        degree = index(deg)
    except TypeError as error:
        raise TypeError(f"deg must be an integer, received {deg}") from error
    if degree < 0:
        raise ValueError("deg must be non-negative")
    points = asarray(x) + 0.0
    if points.ndim == 0:
        points = points.reshape(1)
    values = empty((degree + 1, *points.shape), points.dtype)
    values[0] = points * 0 + 1
    if degree > 0:
        fill(values, points, degree)
    return moveaxis(values, 0, -1)


def vandermonde_product(vander: Callable[..., ndarray], points: tuple[Any, ...], degrees: Any) -> ndarray:
    """The products of the bases in several variables, flattened into one last axis."""
    count = len(points)
    if len(degrees) != count:
        raise ValueError(f"Expected {count} dimensions of degrees, got {len(degrees)}")
    given = [asarray(one) for one in points]
    dtype = np.result_type(*(one.dtype for one in given), np.float16)
    if any(one.shape != given[0].shape for one in given):
        np.asarray([numpy_view(one) for one in given])  # raises NumPy's error
    product: ndarray | None = None
    for i, (one, degree) in enumerate(zip(given, degrees, strict=True)):
        key: list[Any] = [None] * count
        key[i] = slice(None)
        factor = vander(one.astype(dtype) if one.dtype != dtype else one, degree)[(..., *key)]
        product = factor if product is None else product * factor
    assert product is not None  # there are two points or three
    return product.reshape(product.shape[:-count] + (-1,))


def composed(
    module: ModuleType, prefix: str, sum_up: Clenshaw, fill: Fill, own: str,
) -> tuple[Callable[..., Any], ...]:
    """A basis' eight functions made of array operations: evaluation (`val` to `grid3d`) and matrices of values.

    Parameters
    ----------
    module : module
        NumPy's, whose docstrings they get and which takes the arguments that are not ours.
    prefix : str
        What the names begin with, such as `leg`.
    sum_up, fill
        The recurrence that evaluates a series, and the one that fills in the values of the basis.
    own : str
        The module they belong to.
    """

    def original(name: str) -> Any:
        return getattr(module, prefix + name)

    def val(x: Any, c: Any, tensor: bool = True) -> Any:
        return evaluated(sum_up, original("val"), x, c, tensor)

    def val2d(x: Any, y: Any, c: Any) -> Any:
        return at_points(val, original("val2d"), c, x, y)

    def val3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        return at_points(val, original("val3d"), c, x, y, z)

    def grid2d(x: Any, y: Any, c: Any) -> Any:
        return on_grid(val, original("grid2d"), c, x, y)

    def grid3d(x: Any, y: Any, z: Any, c: Any) -> Any:
        return on_grid(val, original("grid3d"), c, x, y, z)

    def vander(x: Any, deg: Any) -> ndarray:
        return vandermonde(x, deg, fill)

    def vander2d(x: Any, y: Any, deg: Any) -> ndarray:
        return vandermonde_product(vander, (x, y), deg)

    def vander3d(x: Any, y: Any, z: Any, deg: Any) -> ndarray:
        return vandermonde_product(vander, (x, y, z), deg)

    functions = (val, val2d, val3d, grid2d, grid3d, vander, vander2d, vander3d)
    for function in functions:
        function.__doc__ = original(function.__name__).__doc__
        function.__name__ = function.__qualname__ = prefix + function.__name__
        function.__module__ = own
    return functions


_Base: Any = ABCPolyBase  # its stub leaves out what subclasses define


class Series(_Base):  # type: ignore[misc]
    """A series whose coefficients, domain and window are arrays of ours; NumPy's class has the arithmetic."""

    # What a basis' class has: NumPy's, the functions of its module, and its bounds; a user's subclass inherits them.
    _original: Any
    _add: Any
    _sub: Any
    _mul: Any
    _div: Any
    _pow: Any
    _val: Any
    _int: Any
    _der: Any
    _fit: Any
    _line: Any
    _roots: Any
    _fromroots: Any
    domain: ndarray
    window: ndarray
    basis_name: str | None

    def __init__(self, coef: Any, domain: Any = None, window: Any = None, symbol: str = "x") -> None:
        ABCPolyBase.__init__(self, numpy_view(coef), numpy_view(domain), numpy_view(window), symbol)
        for name in ("coef", "domain", "window"):
            if name in self.__dict__:
                self.__dict__[name] = held(self.__dict__[name])

    def _numpy_twin(self) -> Any:
        return self._original(numpy_view(self.coef), numpy_view(self.domain), numpy_view(self.window), self.symbol)

    def _generate_string(self, term_method: Any) -> str:
        twin = self._numpy_twin()
        return str(twin._generate_string(getattr(twin, term_method.__name__)))

    def _repr_latex_(self) -> str:
        twin = self._numpy_twin()
        twin._repr_latex_scalar = self._repr_latex_scalar  # which may have been replaced on this very series
        return str(twin._repr_latex_())

    def __call__(self, arg: Any) -> Any:
        offset, scale = self.mapparms()
        if isinstance(arg, (tuple, list, np.ndarray)):
            arg = asarray(arg)
        return self._val(offset + scale * arg, self.coef)

    def mapparms(self) -> Any:
        return polyutils.mapparms(numpy_view(self.domain), numpy_view(self.window))

    def roots(self) -> Any:
        offset, scale = polyutils.mapparms(numpy_view(self.window), numpy_view(self.domain))
        return offset + scale * self._roots(self.coef)

    def has_samecoef(self, other: Any) -> bool:
        return len(self.coef) == len(other.coef) and bool((self.coef == other.coef).all())

    def has_samedomain(self, other: Any) -> bool:
        return bool((self.domain == other.domain).all())

    def has_samewindow(self, other: Any) -> bool:
        return bool((self.window == other.window).all())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, self.__class__):
            return False
        same = self.has_samecoef(other) and self.has_samedomain(other) and self.has_samewindow(other)
        return same and self.symbol == other.symbol

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def fit(
        cls, x: Any, y: Any, deg: Any, domain: Any = None, rcond: Any = None, full: bool = False, w: Any = None,
        window: Any = None, symbol: str = "x",
    ) -> Any:
        x, y, deg, domain, w, window = map(numpy_view, (x, y, deg, domain, w, window))
        return super().fit(x, y, deg, domain, rcond, full, w, window, symbol)

    @classmethod
    def fromroots(cls, roots: Any, domain: Any = [], window: Any = None, symbol: str = "x") -> Any:  # noqa: B006
        return super().fromroots(numpy_view(roots), numpy_view(domain), numpy_view(window), symbol)

    @classmethod
    def identity(cls, domain: Any = None, window: Any = None, symbol: str = "x") -> Any:
        own_domain = cls.domain if domain is None else domain
        own_window = cls.window if window is None else window
        return super().identity(numpy_view(own_domain), numpy_view(own_window), symbol)
