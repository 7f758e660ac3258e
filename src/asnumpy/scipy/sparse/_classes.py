"""The classes of each format. What they do not define is SciPy's own method, on the host."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import scipy.sparse as _theirs

from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros_like
from asnumpy.creation.convert import asarray
from asnumpy.scipy.sparse._arrays import Sparse, sparray, spmatrix
from asnumpy.scipy.sparse._device import on_its_device
from asnumpy.scipy.sparse._door import Held, ours, stands_for, through
from asnumpy.scipy.sparse._patterns import in_order, stays

T = TypeVar("T", bound=type[Held])

_SPECIAL = (
    "__add__ __sub__ __pow__ __iadd__ __isub__ __getitem__ __setitem__ __eq__ __ne__ "
    "__lt__ __le__ __gt__ __ge__ __bool__ __len__ __str__"
).split()
_TURNED = {"csr": "csc", "csc": "csr"}
_INHERITED = frozenset(vars(object))  # every class has these, which does not mean that it defines them


def _defines(own: type, name: str) -> bool:
    return any(name in vars(kind) for kind in own.__mro__ if kind is not object)


def _method(theirs: Any, owner: type, name: str) -> Callable[..., Any]:
    on_host = through(theirs, f"scipy.sparse.{owner.__name__}.{name}")

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = on_its_device(self, name, *args, **kwargs)
        return on_host(self, *args, **kwargs) if made is NotImplemented else made

    call = functools.update_wrapper(method, theirs)
    call.__qualname__ = f"{owner.__name__}.{name}"
    return call


def _completed(own: T) -> T:
    """Gives the class the methods and attributes of SciPy's that it has not."""
    owner = own._theirs
    public = [name for name in dir(owner) if not name.startswith("_")]
    for name in [*public, *_SPECIAL]:
        found = getattr(owner, name, None)
        if found is None or (name in _INHERITED and found is getattr(object, name)):
            continue
        if _defines(own, name):
            defined = getattr(own, name)
            if isinstance(defined, (FunctionType, property)) and not defined.__doc__:
                defined.__doc__ = found.__doc__
        elif isinstance(found, FunctionType):
            setattr(own, name, _method(found, owner, name))
        elif isinstance(found, property) and found.fget is not None:
            writes = None if found.fset is None else _method(found.fset, owner, name)
            setattr(own, name, property(_method(found.fget, owner, name), writes, doc=found.__doc__))
    own.__doc__ = f"{own.__doc__}\n\n{owner.__doc__}"
    own.__module__ = "asnumpy.scipy.sparse"
    return own


class _Compressed(Sparse):
    """Rows or columns one after the other: `indptr` has where each begins, `indices` where in it its values are."""

    @property
    def indices(self) -> ndarray:
        found: ndarray = self._parts[1]
        return found

    @indices.setter
    def indices(self, values: Any) -> None:
        self._put(1, values, {})

    @property
    def indptr(self) -> ndarray:
        found: ndarray = self._parts[2]
        return found

    @indptr.setter
    def indptr(self, values: Any) -> None:
        self._put(2, values, {})

    @property
    def nnz(self) -> int:
        return int(self.indptr[-1]) * math.prod(self.data.shape[1:])

    @property
    def has_sorted_indices(self) -> bool:
        return self._in_order("has_sorted_indices")

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._known["_has_sorted_indices"] = bool(value)

    @property
    def has_canonical_format(self) -> bool:
        return self._known.get("_has_sorted_indices", True) and self._in_order("has_canonical_format")

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._known["_has_canonical_format"] = bool(value)
        if value:
            self._known["_has_sorted_indices"] = True

    def _in_order(self, name: str) -> bool:
        """What is known already, or SciPy finds out."""
        known = self._known.get(f"_{name}")
        if known is None:
            if stays(self):
                known = self._known[f"_{name}"] = in_order(self, name)
            else:
                counted = f"scipy.sparse.{self._theirs.__name__}.{name}"
                known = bool(through(lambda held: getattr(held, name), counted)(self))
        return known

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        if len(self._shape) != 2 or axes not in (None, (1, 0)) or self.format not in _TURNED:
            return self._by_scipy("transpose", axes=axes, copy=copy)
        turned = ours(getattr(_theirs, self._theirs.__name__.replace(self.format, _TURNED[self.format])))
        whole = self.copy() if copy else self
        return self._turned(turned._of(self._shape[::-1], whole._parts, dict(self._known)))


class _Coordinates(Sparse):
    """A value for each place that is named; a place may be named again."""

    format = "coo"

    @property
    def coords(self) -> tuple[ndarray, ...]:
        """The index along each axis of each value."""
        found: tuple[ndarray, ...] = self._parts[1]
        return found

    @coords.setter
    def coords(self, values: Any) -> None:
        self._put(1, tuple(values), {})

    @property
    def has_canonical_format(self) -> bool:
        return self._known.get("has_canonical_format", False)

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._known["has_canonical_format"] = bool(value)

    @property
    def row(self) -> ndarray:
        """The row of each value."""
        return self.coords[-2] if len(self.coords) > 1 else zeros_like(self.col)

    @row.setter
    def row(self, values: Any) -> None:
        self._put_index(-2, values)

    @property
    def col(self) -> ndarray:
        """The column of each value."""
        return self.coords[-1]

    @col.setter
    def col(self, values: Any) -> None:
        self._put_index(-1, values)

    def _put_index(self, axis: int, values: Any) -> None:
        coords = list(self.coords)
        coords[axis] = asarray(values, device=self.device).astype(coords[axis].dtype, copy=False)
        self.coords = tuple(coords)

    @property
    def nnz(self) -> int:
        return self.data.shape[0]

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        if len(self._shape) != 2 or axes not in (None, (1, 0)):
            return self._by_scipy("transpose", axes=axes, copy=copy)
        whole = self.copy() if copy else self
        return self._turned(self._of(self._shape[::-1], (whole._parts[0], whole._parts[1][::-1]), {}))


class _Diagonals(Sparse):
    format = "dia"

    @property
    def offsets(self) -> ndarray:
        """The number of each diagonal that is stored."""
        found: ndarray = self._parts[1]
        return found

    @offsets.setter
    def offsets(self, values: Any) -> None:
        self._put(1, values, {})


@_completed
@stands_for(_theirs.csr_array)
class csr_array(_Compressed, sparray):
    """Compressed rows, of asnumpy arrays."""

    format = "csr"


@_completed
@stands_for(_theirs.csr_matrix)
class csr_matrix(_Compressed, spmatrix):
    """Compressed rows, of asnumpy arrays."""

    format = "csr"


@_completed
@stands_for(_theirs.csc_array)
class csc_array(_Compressed, sparray):
    """Compressed columns, of asnumpy arrays."""

    format = "csc"


@_completed
@stands_for(_theirs.csc_matrix)
class csc_matrix(_Compressed, spmatrix):
    """Compressed columns, of asnumpy arrays."""

    format = "csc"


@_completed
@stands_for(_theirs.bsr_array)
class bsr_array(_Compressed, sparray):
    """Compressed rows of dense blocks, of asnumpy arrays."""

    format = "bsr"


@_completed
@stands_for(_theirs.bsr_matrix)
class bsr_matrix(_Compressed, spmatrix):
    """Compressed rows of dense blocks, of asnumpy arrays."""

    format = "bsr"


@_completed
@stands_for(_theirs.coo_array)
class coo_array(_Coordinates, sparray):
    """Values with their places, of asnumpy arrays."""


@_completed
@stands_for(_theirs.coo_matrix)
class coo_matrix(_Coordinates, spmatrix):
    """Values with their places, of asnumpy arrays."""


@_completed
@stands_for(_theirs.dia_array)
class dia_array(_Diagonals, sparray):
    """Diagonals, of asnumpy arrays."""


@_completed
@stands_for(_theirs.dia_matrix)
class dia_matrix(_Diagonals, spmatrix):
    """Diagonals, of asnumpy arrays."""
