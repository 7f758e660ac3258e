"""Binary files: NumPy's .npy and .npz, and arrays over mapped files.

A dtype that NumPy's format cannot name (bfloat16, float8_e4m3fn, int4, ...) is written as a structure of one field: the
field's name is the dtype's, its type as many raw bytes. numpy.load() reads such a file as that structure, and
`loaded["bfloat16"].view(ml_dtypes.bfloat16)` are the values; asnumpy.load() gives an array of the dtype itself.
"""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, Order
from asnumpy.array.ndarray import ndarray
from asnumpy.dtypes.dtype import EXTENDED, as_dtype, is_extended
from asnumpy.host.door import take_over
from asnumpy.runtime.devices import over_host_memory


def stored_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype that a file names for arrays of this one."""
    return np.dtype([(dtype.name, f"V{dtype.itemsize}")]) if is_extended(dtype) else dtype


def original_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype that stored_dtype() made this one from."""
    names = dtype.names
    if names is None or len(names) != 1:
        return dtype
    found = EXTENDED.get(names[0])
    return found if found is not None and stored_dtype(found) == dtype else dtype


def stored(value: Any) -> Any:
    """The NumPy array that goes to a file for one of ours, also within lists and tuples."""
    if isinstance(value, ndarray):
        value = _core.to_numpy_view(value, None)
    if isinstance(value, np.ndarray):
        return value.view(stored_dtype(value.dtype)) if is_extended(value.dtype) else value
    if type(value) in (list, tuple):
        return type(value)(stored(item) for item in value)
    return value


def restored(value: Any) -> Any:
    """What came from a file as an array of ours; objects, strings and structures stay NumPy's."""
    if not isinstance(value, np.ndarray):
        return value
    dtype = original_dtype(value.dtype)
    if isinstance(value, np.memmap) and value.dtype.isnative:
        try:
            as_dtype(dtype)
        except TypeError:
            return value
        return _over(memmap, value.view(dtype))
    if isinstance(value, np.memmap):
        return value  # elements in the other byte order
    return take_over(value if dtype is value.dtype else value.view(dtype))


class memmap(ndarray):
    """An array over a mapped file. Nothing is read until elements are used, and nothing is copied.

    Where new arrays are made on a device, a numpy.memmap takes its place.

    What is written to the array is in the mapping when the assignment returns, visible to every other mapping of
    the file, and on the disk at the latest after `flush()` or when the array and all its views are gone. Mode "c" keeps
    what is written to itself, mode "r" forbids writing. Views are of this class too and keep the mapping alive;
    results of operations are plain arrays.
    """

    filename: Any
    offset: int
    mode: str
    _mapped: np.memmap

    def __new__(
        subtype, filename: Any, dtype: Any = np.uint8, mode: Any = "r+", offset: int = 0, shape: Any = None,
        order: Order | None = "C",
    ) -> Any:
        mapped = np.memmap(filename, dtype, mode, offset, shape, order)
        try:
            as_dtype(mapped.dtype, "memmap")
            return _over(subtype, mapped)
        except _core.UnsupportedDtype:  # or an offset at which the elements are not aligned
            return mapped

    def __array_finalize__(self, obj: Any, /) -> None:
        shares = isinstance(obj, memmap) and _core.may_share_memory(self, obj)
        for name in ("_mapped", "filename", "offset", "mode"):
            setattr(self, name, getattr(obj, name) if shares else None)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False, /) -> Any:
        made = super().__array_wrap__(array, context, return_scalar)
        if self is made or type(self) is not memmap:
            return made
        return made[()] if return_scalar else made.view(ndarray)

    def __getitem__(self, key: Any, /) -> Any:
        found = super().__getitem__(key)
        return found.view(ndarray) if type(found) is memmap and found._mapped is None else found

    def flush(self) -> None:
        """Writes what has changed to the disk."""
        _core.flush()
        if self._mapped is not None:
            self._mapped.flush()


memmap.__module__ = "asnumpy"


def _over(kind: Any, mapped: Any) -> Any:
    over = over_host_memory(mapped.view(np.ndarray), "memmap")
    if not isinstance(over, ndarray):
        return mapped
    _core.expect_derived()
    made = _core.Array.__new__(kind, over)
    made._mapped = mapped
    made.filename, made.offset, made.mode = mapped.filename, mapped.offset, mapped.mode
    return made


class _Attributes:
    """The arrays of an archive as attributes."""

    def __init__(self, archive: NpzFile) -> None:
        self._archive = weakref.proxy(archive)  # an archive and its `f` are gone at once, without the collector

    def __getattribute__(self, name: str) -> Any:
        archive = object.__getattribute__(self, "_archive")
        try:
            return archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(object.__getattribute__(self, "_archive").files)


class NpzFile(Mapping[str, Any]):
    """An open .npz archive: a mapping of names to arrays, each read when it is asked for."""

    def __init__(self, archive: Any) -> None:
        self._archive = archive
        self.f: Any = _Attributes(self)

    files = property(lambda self: self._archive.files)
    zip = property(lambda self: self._archive.zip)
    fid = property(lambda self: self._archive.fid)
    allow_pickle = property(lambda self: self._archive.allow_pickle)
    max_header_size = property(lambda self: self._archive.max_header_size)
    pickle_kwargs = property(lambda self: self._archive.pickle_kwargs)

    def __getitem__(self, key: str) -> Any:
        return restored(self._archive[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._archive)

    def __len__(self) -> int:
        return len(self._archive)

    def __contains__(self, key: object) -> bool:
        return key in self._archive

    def __repr__(self) -> str:
        return repr(self._archive)

    def get(self, key: str, default: Any = None, /) -> Any:
        return Mapping.get(self, key, default)

    def close(self) -> None:
        self._archive.close()
        self.f = None

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self.close()


NpzFile.__module__ = "asnumpy.lib.npyio"


@public
def save(file: Any, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """bfloat16 and the narrow dtypes are written as a structure of one field that has the dtype's name."""
    np.save(file, stored(arr), allow_pickle)


# NumPy before 2.2 would store the keyword as one more array.
_ASKS_FOR_PICKLES = "allow_pickle" in inspect.signature(np.savez).parameters


def _pickling(allowed: bool) -> dict[str, Any]:
    return {"allow_pickle": allowed} if _ASKS_FOR_PICKLES else {}


@public
def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    np.savez(file, *map(stored, args), **_pickling(allow_pickle), **{key: stored(one) for key, one in kwds.items()})


@public
def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    np.savez_compressed(
        file, *map(stored, args), **_pickling(allow_pickle), **{key: stored(one) for key, one in kwds.items()}
    )


@public
def load(
    file: Any, mmap_mode: Any = None, allow_pickle: bool = False, fix_imports: bool = True, encoding: Any = "ASCII", *,
    max_header_size: int = 10000,
) -> Any:
    """With `mmap_mode` the result is a `memmap`, NumPy's where new arrays are a device's.

    Arrays of strings, objects or structures come as NumPy's.
    """
    made = np.load(
        os.fspath(file) if hasattr(file, "__fspath__") else file, mmap_mode, allow_pickle, fix_imports, encoding,
        max_header_size=max_header_size,
    )
    return NpzFile(made) if isinstance(made, np.lib.npyio.NpzFile) else restored(made)
