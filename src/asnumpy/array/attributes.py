"""ndarray's attributes beyond those of the core: flags, flat, real and imag, device, and the assignable ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import export
from asnumpy.array.ndarray import method, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.host.door import host
from asnumpy.runtime.devices import device_of, memory_of

_Class = type  # `type` is a parameter's name in ndarray.view

_FLAGS = {
    "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
    "OWNDATA": "owndata", "O": "owndata", "WRITEABLE": "writeable", "W": "writeable",
    "ALIGNED": "aligned", "A": "aligned", "WRITEBACKIFCOPY": "writebackifcopy", "X": "writebackifcopy",
    "BEHAVED": "behaved", "B": "behaved", "CARRAY": "carray", "CA": "carray", "FARRAY": "farray", "FA": "farray",
    "FNC": "fnc", "FORC": "forc",
}


class flagsobj:
    """Memory layout of an array, as numpy.ndarray.flags."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        return self._array.flags_c_contiguous

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        return self._array.flags_f_contiguous

    fortran = f_contiguous

    @property
    def owndata(self) -> bool:
        return self._array.owns_data

    @property
    def writeable(self) -> bool:
        return self._array.flags_writeable

    @writeable.setter
    def writeable(self, value: Any) -> None:
        self._array.setflags(write=value)

    @property
    def aligned(self) -> bool:
        return True  # the core makes none that are not, and copies or refuses those that come

    @property
    def writebackifcopy(self) -> bool:
        return False

    @property
    def behaved(self) -> bool:
        return self.aligned and self.writeable

    @property
    def carray(self) -> bool:
        return self.behaved and self.c_contiguous

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    @property
    def farray(self) -> bool:
        # NumPy's own definition: any of these flags, in an array that is not in C order.
        return (self.f_contiguous or self.behaved) and not self.c_contiguous

    @property
    def num(self) -> int:
        bits = {"c_contiguous": 1, "f_contiguous": 2, "owndata": 4, "aligned": 0x100, "writeable": 0x400}
        return sum(bit for name, bit in bits.items() if getattr(self, name))

    def __getitem__(self, key: str) -> bool:
        if key not in _FLAGS:
            raise KeyError("Unknown flag")
        return getattr(self, _FLAGS[key])

    def __setitem__(self, key: str, value: Any) -> None:
        if _FLAGS.get(key) != "writeable":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, flagsobj) and self.num == other.num

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


def _numpy_flat_getitem(a: np.ndarray, key: Any) -> Any:
    return a.flat[key]


def _numpy_flat_setitem(a: np.ndarray, key: Any, value: Any) -> None:
    a.flat[key] = value


_numpy_flat_getitem.__module__ = _numpy_flat_setitem.__module__ = "numpy"
_numpy_flat_getitem.__name__, _numpy_flat_setitem.__name__ = "flatiter.__getitem__", "flatiter.__setitem__"


def _simple(key: Any) -> bool:
    """Integers, slices and integer arrays; what else is a key of a flatiter, and what is not, NumPy says."""
    if isinstance(key, ndarray):
        return key.ndim == 1 and key.dtype.kind in "iu"
    return isinstance(key, (int, np.integer, slice)) and not isinstance(key, bool)


class flatiter:
    """The elements of an array in C order, as numpy.flatiter: an iterator that can be indexed and assigned."""

    __slots__ = ("_array", "_next")

    def __init__(self, array: Any) -> None:
        self._array, self._next = array, 0

    @property
    def base(self) -> Any:
        return self._array

    @property
    def index(self) -> int:
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        return tuple(int(i) for i in np.unravel_index(self._next, self._array.shape)) if self._array.ndim else ()

    def _line(self) -> Any:
        """The elements as one axis: a view where the strides allow it, else a copy."""
        view = _core.reshape_view(self._array, (self._array.size,))
        return self._array.reshape(-1) if view is None else view

    def copy(self) -> Any:
        return self._array.flatten()

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._next >= self._array.size:
            self._next = 0
            raise StopIteration
        self._next += 1
        return self._line()[self._next - 1]

    def __getitem__(self, key: Any, /) -> Any:
        if not _simple(key):
            return host(_numpy_flat_getitem, self._array, key)
        found = self._line()[key]
        return found.copy() if isinstance(found, ndarray) else found

    def __setitem__(self, key: Any, value: Any, /) -> None:
        if not _simple(key):
            host(_numpy_flat_setitem, self._array, key, value)
            return
        view = _core.reshape_view(self._array, (self._array.size,))
        line = self._array.reshape(-1) if view is None else view
        target = _core.reshape_view(line[key], (-1,)) if isinstance(key, slice) else None
        values = asarray(value).reshape(-1)
        if target is not None and values.size > 1:  # NumPy repeats the values, or takes the first of them
            repeats = -(-target.size // values.size)
            target[...] = _core.take(values, asarray(np.arange(target.size) % values.size), 0) if repeats else values
        else:
            line[key] = values if values.size > 1 else values[0] if values.size else values
        if view is None:
            _core.assign(self._array, line.reshape(self._array.shape))

    def __array__(self, dtype: Any = None, /, *, copy: Any = None) -> np.ndarray:
        return np.array(self._line(), dtype=dtype)

    def __eq__(self, value: Any, /) -> Any:
        return self._line() == value

    def __ne__(self, value: Any, /) -> Any:
        return self._line() != value

    __hash__ = None  # type: ignore[assignment]


for _name in ("base", "index", "coords"):
    setattr(flatiter, _name, property(getattr(flatiter, _name).fget, doc=getattr(np.flatiter, _name).__doc__))
for _class in (flagsobj, flatiter):
    _class.__module__ = "asnumpy"
export("flatiter", flatiter)


def _set_flat(self: Any, value: Any) -> None:
    flatiter(self)[:] = value


def _ctypes(self: Any) -> Any:
    _core.announce_implicit_copy(self, "ndarray.ctypes")
    return _core.to_numpy_view(self, None).ctypes


method(name="flags")(property(flagsobj))
method(name="flat")(property(flatiter, _set_flat))
method(name="device")(property(device_of, doc="Where the elements lie, an asnumpy.Device."))
method(name="data")(property(memory_of))
method(name="ctypes")(property(_ctypes))


@method
def setflags(self: Any, /, *, write: Any = None, align: Any = None, uic: Any = None) -> None:
    if write is not None:
        owner = self.base
        if write and not self.flags_writeable and isinstance(owner, ndarray) and not owner.flags_writeable:
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        self.flags_writeable = bool(write)
    if uic:
        raise ValueError("cannot set WRITEBACKIFCOPY flag to True")


def _native(dtype: Any) -> np.dtype:
    """The dtype for a view, which cannot convert: the other byte order would give other numbers than NumPy's."""
    kind = np.dtype(dtype)
    if not kind.isnative:
        raise TypeError(f"ndarray.view: expected a dtype in this machine's byte order, got {kind!r}; byteswap() swaps")
    return as_dtype(kind, "ndarray.view")


@method
def view(self: Any, dtype: Any = None, type: Any = None) -> ndarray:
    if isinstance(dtype, _Class) and issubclass(dtype, (ndarray, np.ndarray)):
        dtype, type = None, dtype
    if type is not None and type is not ndarray:
        if issubclass(type, ndarray):
            source = self if dtype is None else _core.view_dtype(self, _native(dtype))
            return _core.Array.__new__(type, source)
        raise TypeError(f"ndarray.view: expected a subclass of asnumpy.ndarray as type, got {type!r}")
    if dtype is None:
        return self[...]
    return _core.view_dtype(self, _native(dtype))
