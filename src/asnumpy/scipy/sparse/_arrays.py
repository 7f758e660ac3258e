"""What all sparse arrays have: their parts, operations on the stored values, products and sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import GenericAlias
from typing import Any

import numpy as np
from scipy.sparse import issparse

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.elementwise.functions import round as around
from asnumpy.scipy.sparse._blocks import STORED
from asnumpy.scipy.sparse._device import on_its_device
from asnumpy.scipy.sparse._door import Held, same_parts, scipys, through
from asnumpy.scipy.sparse._moves import built
from asnumpy.scipy.sparse._patterns import copied, one_each
from asnumpy.scipy.sparse._products import dense_of, on_device, on_host, product, summed
from asnumpy.ufunc import functions as ufuncs

_LONG_NAMES = {
    "csr": "Compressed Sparse Row", "csc": "Compressed Sparse Column", "coo": "COOrdinate", "dia": "DIAgonal",
    "bsr": "Block Sparse Row",
}
_FLOAT64 = np.dtype(np.float64)


def is_scalar(value: Any) -> bool:
    """A number as SciPy takes one: of Python's, of NumPy's, of ours, or an array of numbers without axes."""
    if isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        return True
    return isinstance(value, (ndarray, np.ndarray)) and value.ndim == 0 and value.dtype.kind in "biufc"


def _rebuilt(kind: type[Held], shape: Any, parts: Any, known: Any) -> Any:
    return kind._of(shape, parts, known)


def _sum_of(dtype: np.dtype) -> np.dtype:
    """In which dtype values are added: small integers in larger ones."""
    found: np.dtype = np.add.reduce(np.empty(0, dtype)).dtype
    return found


class Sparse(Held):
    """A sparse array whose values and indices are asnumpy arrays on one device.

    What acts on the stored values alone is deferred and fuses. Products and sums on a device run there; what is not
    written here is SciPy's own method, through the host door.
    """

    __array_priority__ = 10.1  # as SciPy's: operators of dense arrays leave sparse ones to us
    __hash__ = None  # type: ignore[assignment]  # they compare element by element

    def __init__(self, arg1: Any, *args: Any, **kwargs: Any) -> None:
        kind = self._theirs
        made = built(kind, arg1, *args, **kwargs)
        if made is NotImplemented:
            made = through(kind, f"scipy.sparse.{kind.__name__}")(arg1, *args, **kwargs)
        self._hold(made._shape, made._parts, made._known)

    @property
    def data(self) -> ndarray:
        """The stored values."""
        values: ndarray = self._parts[0]
        return values

    @data.setter
    def data(self, values: Any) -> None:
        self._put(0, values, self._known)

    def _put(self, place: int, part: Any, known: dict[str, bool]) -> None:
        parts = list(self._parts)
        parts[place] = part if isinstance(part, (ndarray, tuple)) else asarray(part, device=self.device)
        groups = self._groups if place == 0 else {}
        self._hold(self._shape, tuple(parts), known)
        self._groups = groups

    def _with_data(self, values: ndarray, copy: bool = True) -> Any:
        """An array with the same indices and other values."""
        if values.dtype.char not in STORED:
            self._theirs((1, 1), dtype=values.dtype)  # which SciPy refuses, in its words
        indices = self._parts[1:]
        made = self._of(self._shape, (values, *(copied(indices) if copy else indices)), dict(self._known))
        made._groups = dict(self._groups)
        return made

    def _turned(self, made: Any) -> Any:
        """The transpose: what is found out of its indices is kept for the next one."""
        made._groups = self._groups.setdefault("turned", {})
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        change = getattr(self, "set_shape", None)  # matrices have it
        if change is None:
            raise AttributeError("can't set attribute 'shape'")
        change(shape)

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def dtype(self) -> np.dtype:
        dtype: np.dtype = self.data.dtype
        return dtype

    @property
    def size(self) -> int:
        return self.nnz  # type: ignore[attr-defined, no-any-return]

    @property
    def T(self) -> Any:
        return self.transpose()  # type: ignore[attr-defined]

    def __class_getitem__(cls, item: Any) -> Any:
        return GenericAlias(cls, item)

    @property
    def device(self) -> Any:
        """Where its arrays lie."""
        return self.data.device

    def to_scipy(self) -> Any:
        """SciPy's object of the same class, with copies of the arrays in NumPy's."""

        def copied(part: Any) -> Any:
            return tuple(map(copied, part)) if type(part) is tuple else _core.numpy_copy(part)

        return scipys(self, copied(self._parts))

    def to_device(self, device: Any) -> Any:
        """The array on another device; itself where it lies there."""

        def moved(part: Any) -> Any:
            return tuple(map(moved, part)) if type(part) is tuple else part.to_device(device)

        parts = moved(self._parts)
        if same_parts(parts, self._parts):
            return self
        return self._of(self._shape, parts, dict(self._known))

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self._shape, self._parts, self._known)

    def __repr__(self) -> str:
        kind = "matrix" if hasattr(self, "getformat") else "array"
        further = ""
        if self.format == "bsr":
            further = f" (blocksize={'x'.join(map(str, self.data.shape[1:]))})"
        elif self.format == "dia":
            further = f" ({self.data.shape[0]} diagonals)"
        return (
            f"<{_LONG_NAMES[self.format]} sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements{further} and shape {self.shape}>"  # type: ignore[attr-defined]
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(through(list, f"scipy.sparse.{self._theirs.__name__}.__iter__")(self))

    # --- the stored values ---

    def copy(self) -> Any:
        return self._with_data(self.data.copy())

    def _one_value_each(self) -> ndarray:
        if self.format != "dia" and not self.has_canonical_format:  # type: ignore[attr-defined]
            self.sum_duplicates()  # type: ignore[attr-defined]
        return self.data

    def __neg__(self) -> Any:
        if self.dtype.kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def __abs__(self) -> Any:
        return self._with_data(abs(self._one_value_each()))

    def __round__(self, ndigits: int = 0) -> Any:
        return self._with_data(around(self._one_value_each(), ndigits))

    def astype(self, dtype: Any, casting: Any = "unsafe", copy: bool = True) -> Any:
        dtype = np.dtype(dtype)
        if self.dtype == dtype:
            return self.copy() if copy else self
        made = self._with_data(self.data.astype(dtype, casting=casting))
        made._one_value_each()
        return made

    def conjugate(self, copy: bool = True) -> Any:
        if self.dtype.kind == "c":
            return self._with_data(ufuncs.conjugate(self.data), copy)
        return self.copy() if copy else self

    conj = conjugate

    @property
    def real(self) -> Any:
        return self._with_data(self.data.real.copy())

    @property
    def imag(self) -> Any:
        return self._with_data(self.data.imag.copy())

    def power(self, n: Any, dtype: Any = None) -> Any:
        if not is_scalar(n):
            raise NotImplementedError("input is not scalar")
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        values = self._one_value_each()
        return self._with_data((values if dtype is None else values.astype(dtype)) ** n)

    def _scaled(self, by: Any) -> Any:
        return self._with_data(self.data * by)

    def __truediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return self._by_scipy("__truediv__", other)
        wide = np.can_cast(self.dtype, _FLOAT64)
        return (self.astype(_FLOAT64, copy=False) if wide else self)._scaled(1 / other)

    def __imul__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= other
        return self

    def __itruediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= 1.0 / other
        return self

    # --- products and sums ---

    def _by_scipy(self, method: str, *args: Any, **kwargs: Any) -> Any:
        theirs = self._theirs
        made = on_its_device(self, method, *args, **kwargs)
        if made is not NotImplemented:
            return made
        return through(getattr(theirs, method), f"scipy.sparse.{theirs.__name__}.{method}")(self, *args, **kwargs)

    def _reflected(self, method: str, other: Any) -> Any:
        """other.method(self): of SciPy's object where it is one, which does not know ours."""
        if not issparse(other):
            return self._by_scipy(f"__r{method[2:]}", other)
        kind = type(other)
        return through(getattr(kind, method), f"scipy.sparse.{kind.__name__}.{method}")(other, self)

    def multiply(self, other: Any) -> Any:
        return self._scaled(other) if is_scalar(other) else self._by_scipy("multiply", other)

    def dot(self, other: Any) -> Any:
        made = product(self, other, 1)
        return self._by_scipy("dot", other) if made is None else made

    def __matmul__(self, other: Any) -> Any:
        made = product(self, other, 1)
        return self._by_scipy("__matmul__", other) if made is None else made

    def __rmatmul__(self, other: Any) -> Any:
        made = product(self, other, 0)
        return self._reflected("__matmul__", other) if made is None else made

    def __radd__(self, other: Any) -> Any:
        return self._reflected("__add__", other)

    def __rsub__(self, other: Any) -> Any:
        return self._reflected("__sub__", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._reflected("__truediv__", other)

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        made = dense_of(one_each(self)) if order is None and out is None and on_device(self) else None
        return self._by_scipy("toarray", order=order, out=out) if made is None else made

    def _adds(self, axis: Any) -> bool:
        """Whether a sum along the axis is made on the device."""
        return on_device(self) and (axis is None or (type(axis) is int and -2 <= axis < 2))

    def _adds_in_core(self, axis: Any, dtype: Any) -> bool:
        """Whether it is the core's, of the host; what is cast to another kind, SciPy warns of or refuses."""
        if type(axis) is not int or not -2 <= axis < 2 or not on_host(self):
            return False
        return dtype is None or np.can_cast(_sum_of(self.dtype), dtype, "same_kind")

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if out is None and (self._adds(axis) or self._adds_in_core(axis, dtype)):
            if axis is None:  # values of one place are added first, which shows where that is done in small integers
                return (self.data if self.dtype.kind in "fc" else self._one_value_each()).sum(dtype=dtype)
            made = summed(self, axis % 2, _sum_of(self.dtype))
            if made is not None:
                return made if dtype is None else made.astype(dtype, copy=False)
        return self._by_scipy("sum", axis=axis, dtype=dtype, out=out)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if out is not None or not self._adds(axis):
            return self._by_scipy("mean", axis=axis, dtype=dtype, out=out)
        inner = _FLOAT64 if self.dtype.kind in "biu" else self.dtype
        count = math.prod(self._shape) if axis is None else self._shape[axis]
        made = (self.astype(inner, copy=False)._scaled(1.0 / count)).sum(axis, inner)
        return made if dtype is None else made.astype(dtype, copy=False)


def _unary(name: str) -> Callable[[Any], Any]:
    """A method that applies a ufunc with ufunc(0) == 0 to the stored values."""
    ufunc = getattr(ufuncs, name)

    def method(self: Any) -> Any:
        return self._with_data(ufunc(self._one_value_each()))

    method.__name__, method.__qualname__ = name, f"Sparse.{name}"
    method.__doc__ = f"Element-wise {name}."
    return method


for _name in (
    "arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign sin sinh sqrt tan tanh trunc"
).split():
    setattr(Sparse, _name, _unary(_name))


class sparray(Sparse):
    """The sparse arrays: `*` multiplies elements, `@` is the product, sums drop their axis."""

    def __mul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __pow__(self, n: Any, dtype: Any = None) -> Any:
        return self.power(n, dtype)

    def todense(self, order: Any = None, out: Any = None) -> Any:
        return self.toarray(order, out)


class spmatrix(Sparse):
    """The sparse matrices: `*` is the product, and always two axes. SciPy's numpy.matrix is NumPy's here too."""

    def __mul__(self, other: Any) -> Any:
        if is_scalar(other):
            return self._scaled(other)
        made = product(self, other, 1)
        return self._by_scipy("__mul__", other) if made is None else made

    def __rmul__(self, other: Any) -> Any:
        if is_scalar(other):
            return self._scaled(other)
        made = product(self, other, 0)
        return self._reflected("__mul__", other) if made is None else made

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return super().sum(axis, dtype, out) if axis is None else self._by_scipy("sum", axis=axis, dtype=dtype, out=out)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if axis is None:
            return super().mean(axis, dtype, out)
        return self._by_scipy("mean", axis=axis, dtype=dtype, out=out)
