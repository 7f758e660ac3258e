"""class ndarray: its attributes and methods, each a line over the room that does the work."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from asnumpy import _core, elementwise, indexing, manipulation, reduction, sorting, statistics
from asnumpy._public import documented, handed_on
from asnumpy._types import EXACT, ArrayLike, Axes, Casting, DTypeLike, Order
from asnumpy.array import layout, pickling, printing
from asnumpy.array.flags import flagsobj
from asnumpy.array.flat import flatiter
from asnumpy.dtypes.dtype import as_dtype, warn_of_cast
from asnumpy.elementwise.functions import clipped
from asnumpy.host.door import host, take_over
from asnumpy.interop import array_api, protocols
from asnumpy.linalg import _products as products
from asnumpy.manipulation.bits import byteswapped
from asnumpy.reduction.reductions import ALL, ANY, LARGEST, PRODUCT, SMALLEST, SUM, reduced
from asnumpy.runtime.devices import Device, device_of, memory_of, over_host_memory
from asnumpy.sorting.order import part_in_place, sort_in_place
from asnumpy.ufunc.derived import as_class
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.folds import NO_VALUE

if TYPE_CHECKING:
    from asnumpy._core import DTypeT, ShapeT
else:
    ShapeT = DTypeT = Any  # the class is generic for type checkers

_Type = type  # a parameter of `view` has the name


@documented(np.ndarray)
@_core.array_class
class ndarray(_core.Array[ShapeT, DTypeT]):
    """An n-dimensional array whose operations are recorded, fused and run when a value is needed.

    It has numpy.ndarray's attributes and methods; what every operation needs (shape, dtype, indexing, operators) is in
    the core's class. `asnumpy.array`, `asnumpy.zeros` and their like make arrays; this constructor is numpy.ndarray's
    low-level one. `NPArray` and `NPUArray` are other names of the class.
    """

    __slots__ = ()
    __array_priority__ = 0.0
    __pandas_priority__ = property(lambda self: 1e6 if self.ndim == 2 else None)  # `frame * matrix` is the matrix's

    @classmethod
    def __init_subclass__(cls, **kwargs: Any) -> None:
        super(ndarray, cls).__init_subclass__(**kwargs)  # noqa: UP008 - the core's class stands for this statement's
        if cls.__module__.partition(".")[0] != "asnumpy":
            _core.expect_derived()

    def __new__(
        cls, shape: Any, dtype: Any = float, buffer: Any = None, offset: int = 0, strides: Any = None,
        order: Any = None,
    ) -> Any:
        try:
            kind = as_dtype(dtype, "ndarray")
            if buffer is not None or strides is not None:
                numpys = np.ndarray(shape, kind, buffer, offset, strides, order)
                shared = over_host_memory(numpys, "ndarray", buffer)
                own = cls is ndarray or not isinstance(shared, ndarray)
                return shared if own else _core.Array.__new__(cls, shared, None)
        except _core.UnsupportedDtype:  # or memory that is not aligned
            return np.ndarray(shape, dtype, buffer, offset, strides, order)
        lengths = (shape.__index__(),) if hasattr(shape, "__index__") else tuple(n.__index__() for n in shape)
        made = _core.empty(lengths, kind, "F" if order in ("F", "f") else "C")
        return made if cls is ndarray else _core.Array.__new__(cls, made, None)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass  # __new__ has done it

    # --- attributes ---

    @property
    def flags(self) -> flagsobj:
        return flagsobj(self)

    @property
    def flat(self) -> flatiter:
        return flatiter(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        flatiter(self)[:] = value

    @property
    def device(self) -> Device:
        """Where the elements lie, an asnumpy.Device."""
        return device_of(self)

    @property
    def data(self) -> Any:
        return memory_of(self)

    @property
    def ctypes(self) -> Any:
        _core.announce_implicit_copy(self, "ndarray.ctypes")
        return _core.to_numpy_view(self, None).ctypes

    def setflags(self, /, *, write: Any = None, align: Any = None, uic: Any = None) -> None:
        if write is not None:
            owner = self.base
            if write and not self._flags_writeable and isinstance(owner, ndarray) and not owner._flags_writeable:
                raise ValueError("cannot set WRITEABLE flag to True of this array")
            self._flags_writeable = bool(write)
        if uic:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")

    # --- copies, other dtypes, other devices ---

    @handed_on(np.ndarray.astype)
    def astype(
        self, /, dtype: DTypeLike | None, order: Order | None = "K", casting: Casting = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> ndarray:
        kind = as_dtype(dtype, "ndarray.astype")
        given = self.dtype
        if watching() and not np.can_cast(given, kind):
            return host(np.ndarray.astype, self, kind, order, casting, subok, copy)
        if given.kind == "c" and (casting == "unsafe" or casting == "same_value"):
            warn_of_cast(given, kind)
        if copy and casting == "unsafe" and order == "K" and (self.ndim < 2 or self._flags_c_contiguous):
            return _core.cast(self, kind)
        return layout.converted(self, kind, order, casting, copy)

    def copy(self, /, order: Order | None = "C") -> ndarray:
        return _core.cast(self, self.dtype) if order == "C" else layout.copied(self, self.dtype, order, "ndarray.copy")

    def __copy__(self, /) -> ndarray:
        made: ndarray = layout.copied(_core.as_plain(self), self.dtype, "K", "ndarray.__copy__")
        return _core.of_class(self, made)

    def __deepcopy__(self, memo: Any, /) -> ndarray:
        made: ndarray = layout.copied(_core.as_plain(self), self.dtype, "K", "ndarray.__deepcopy__")
        return _core.of_class(self, made)

    @handed_on(np.ndarray.view)
    def view(self, /, dtype: DTypeLike | None = None, type: Any = None) -> Any:
        if isinstance(dtype, _Type) and issubclass(dtype, (ndarray, np.ndarray)):
            dtype, type = None, dtype
        if type is None and _core.is_derived(self):
            type = self.__class__
        if type is not None:
            if issubclass(type, ndarray):
                kind = self.dtype if dtype is None else as_dtype(dtype, "ndarray.view")
                return _core.Array.__new__(type, _core.view_dtype(_core.as_plain(self), kind), self)
            raise _core.UnsupportedDtype(f"ndarray.view: expected a subclass of asnumpy.ndarray as type, got {type!r}")
        return self[...] if dtype is None else _core.view_dtype(self, as_dtype(dtype, "ndarray.view"))

    def to_device(self, device: Device | str | None, /, *, stream: Any = None) -> ndarray:
        """The array on another device: itself where it lies there already, else a copy.

        Parameters: device, a name ("cpu", "ascend:1") or an asnumpy.Device; stream, None: the copy is in order with all
        other work. ValueError for a device that does not exist.
        """
        if stream is not None:
            raise ValueError(
                "ndarray.to_device: The stream argument is not supported; copies are in order with all work")
        try:
            return _core.to_device(self, device)
        except ValueError as error:
            raise ValueError(f"ndarray.to_device: {error}") from None

    def to_numpy(self, dtype: DTypeLike | None = None, copy: bool = True, na_value: Any = None) -> np.ndarray:
        """The elements in a NumPy array of its own: `asnumpy.to_numpy`, where other libraries look for it.

        Parameters: dtype, to cast to; copy and na_value, pandas', change nothing. Returns a numpy.ndarray.
        """
        return np.asarray(_core.numpy_copy(self), dtype)

    def getfield(self, /, dtype: DTypeLike | None, offset: int = 0) -> ndarray:
        return layout.field(self, dtype, offset)

    def setfield(self, val: ArrayLike, /, dtype: DTypeLike | None, offset: int = 0) -> None:
        layout.field(self, dtype, offset)[...] = val

    def byteswap(self, /, inplace: bool = False) -> ndarray:
        if not inplace:
            return byteswapped(self)
        if self._host_visible:
            _core.to_numpy_view(self, True).byteswap(inplace=True)
        else:
            self[...] = byteswapped(self)
        return self

    def resize(self, /, *new_shape: Any, refcheck: bool = True) -> None:
        layout.resize(self, new_shape, refcheck)

    # --- bytes and files ---

    def tobytes(self, /, order: Order | None = "C") -> bytes:
        return _core.to_numpy_view(self, None).tobytes(order)

    def tofile(self, fid: Any, /, sep: str = "", format: str = "%s") -> None:
        _core.to_numpy_view(self, None).tofile(fid, sep, format)

    def dump(self, /, file: Any) -> None:
        pickling.dump(self, file)

    def dumps(self, /) -> bytes:
        return pickle.dumps(self, protocol=2)

    # --- elements chosen and written ---

    def fill(self, /, value: Any) -> None:
        if type(value) in (int, float, bool) or (isinstance(value, ndarray) and value.ndim == 0):
            self[...] = value
            return
        element = np.empty((), self.dtype)
        element.fill(value)  # NumPy says what does not fit
        self[...] = element

    def take(self, /, indices: ArrayLike, axis: int | None = None, out: Any = None, mode: str = "raise") -> ndarray:
        return indexing.take(self, indices, axis, out, mode)

    def put(self, /, indices: ArrayLike, values: ArrayLike, mode: str = "raise") -> None:
        indexing.put(self, indices, values, mode)

    def compress(self, /, condition: ArrayLike, axis: int | None = None, out: Any = None) -> ndarray:
        return indexing.compress(condition, self, axis, out)

    def choose(self, /, *choices: Any, out: Any = None, mode: str = "raise") -> ndarray:
        return indexing.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)

    def nonzero(self, /) -> tuple[ndarray, ...]:
        return indexing.nonzero(self)

    def repeat(self, /, repeats: Any, axis: int | None = None) -> ndarray:
        return manipulation.repeat(self, repeats, axis)

    # --- reductions ---

    def sum(
        self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = False,
        initial: Any = NO_VALUE, where: ArrayLike = True,
    ) -> ndarray:
        return reduced(SUM, self, axis, dtype, out, keepdims, initial, where)

    def prod(
        self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = False,
        initial: Any = NO_VALUE, where: ArrayLike = True,
    ) -> ndarray:
        return reduced(PRODUCT, self, axis, dtype, out, keepdims, initial, where)

    def max(
        self, /, axis: Axes | None = None, out: Any = None, keepdims: bool = False, initial: Any = NO_VALUE,
        where: ArrayLike = True,
    ) -> ndarray:
        return reduced(LARGEST, self, axis, None, out, keepdims, initial, where)

    def min(
        self, /, axis: Axes | None = None, out: Any = None, keepdims: bool = False, initial: Any = NO_VALUE,
        where: ArrayLike = True,
    ) -> ndarray:
        return reduced(SMALLEST, self, axis, None, out, keepdims, initial, where)

    def all(
        self, /, axis: Axes | None = None, out: Any = None, keepdims: bool = False, *, where: ArrayLike = True,
    ) -> ndarray:
        return reduced(ALL, self, axis, None, out, keepdims, NO_VALUE, where)

    def any(
        self, /, axis: Axes | None = None, out: Any = None, keepdims: bool = False, *, where: ArrayLike = True,
    ) -> ndarray:
        return reduced(ANY, self, axis, None, out, keepdims, NO_VALUE, where)

    def cumsum(self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None) -> ndarray:
        return reduction.cumsum(self, axis, dtype, out)

    def cumprod(self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None) -> ndarray:
        return reduction.cumprod(self, axis, dtype, out)

    def mean(
        self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: bool = False, *,
        where: ArrayLike = True,
    ) -> ndarray:
        return statistics.mean(self, axis, dtype, out, keepdims, where=where)

    def var(
        self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, ddof: float = 0,
        keepdims: bool = False, *, where: ArrayLike = True, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
    ) -> ndarray:
        return statistics.var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def std(
        self, /, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Any = None, ddof: float = 0,
        keepdims: bool = False, *, where: ArrayLike = True, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
    ) -> ndarray:
        return statistics.std(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def argmax(self, /, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> ndarray:
        return sorting.argmax(self, axis, out, keepdims=keepdims)

    def argmin(self, /, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> ndarray:
        return sorting.argmin(self, axis, out, keepdims=keepdims)

    # --- order ---

    def sort(
        self, /, axis: int = -1, kind: str | None = None, order: str | None = None, *, stable: bool | None = None,
    ) -> None:
        sort_in_place(self, axis, kind, order, stable)

    def partition(self, /, kth: Any, axis: int = -1, kind: str = "introselect", order: str | None = None) -> None:
        part_in_place(self, kth, axis, kind, order)

    def argsort(
        self, /, axis: int | None = -1, kind: str | None = None, order: str | None = None, *,
        stable: bool | None = None,
    ) -> ndarray:
        return sorting.argsort(self, axis, kind, order, stable=stable)

    def argpartition(
        self, /, kth: Any, axis: int | None = -1, kind: str = "introselect", order: str | None = None,
    ) -> ndarray:
        return sorting.argpartition(self, kth, axis, kind, order)

    def searchsorted(self, /, v: ArrayLike, side: Any = "left", sorter: Any = None) -> ndarray:
        return sorting.searchsorted(self, v, side, sorter)

    # --- arithmetic that is no operator ---

    def clip(self, /, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> ndarray:
        return clipped(self, min, max, out, **kwargs)

    def round(self, /, decimals: int = 0, out: Any = None) -> ndarray:
        return elementwise.round(self, decimals, out)

    def dot(self, /, b: Any, out: Any = None) -> ndarray:
        return products.dot(self, b, out)

    def trace(
        self, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None, out: Any = None,
    ) -> ndarray:
        return products.trace(self, offset, axis1, axis2, dtype, out)

    # --- protocols ---

    def __array__(self, dtype: Any = None, /, *, copy: Any = None) -> np.ndarray:
        return protocols.as_numpy_array(self, dtype, copy)

    def __array_ufunc__(self, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
        if protocols.overridden(ndarray.__array_ufunc__, inputs, kwargs):
            return NotImplemented
        return protocols.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, /, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return protocols.array_function(func, types, args, kwargs)

    def __array_finalize__(self, obj: Any, /) -> None:
        """Does nothing: a derived class is told here of each of its objects, and of the array of which it was made."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = True, /) -> ndarray:
        made: ndarray = array if isinstance(array, ndarray) else take_over(np.asarray(array), self)
        return made if type(self) in EXACT or type(made) is type(self) else as_class(made, self)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """The array API standard's namespace, whose functions take this array: `asnumpy.array_api`."""
        return array_api.namespace(api_version)

    def __reduce_ex__(self, protocol: Any, /) -> Any:
        return pickling.reduced(self, protocol) if type(self) in EXACT else self.__reduce__()

    def __reduce__(self) -> Any:
        return pickling.reduced(self, 2) if type(self) in EXACT else pickling.reduced_with_state(self)

    def __setstate__(self, state: Any, /) -> None:
        pickling.set_state(self, state)

    def __contains__(self, key: Any, /) -> bool:
        return bool((self == key).any()) if self.ndim or self.size else False

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + (self.nbytes if self.base is None else 0)

    def __format__(self, spec: str, /) -> str:
        if self.ndim == 0:
            return format(_core.to_numpy_view(self, None)[()], spec)
        return object.__format__(self, spec)

    def __repr__(self) -> str:
        return printing.representation(self)

    def __str__(self) -> str:
        return str(printing.plain(self))

    def _repr_html_(self) -> str | None:
        return printing.html(self)


ndarray.__module__ = "asnumpy"
_core.set_hooks({"array_type": ndarray})
EXACT.add(ndarray)
NPUArray = NPArray = ndarray
