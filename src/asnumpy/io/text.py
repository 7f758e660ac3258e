"""Arrays from text, raw bytes and buffers, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, DTypeLike
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import from_host
from asnumpy.dtypes.dtype import as_dtype, is_extended, new_dtype, wide_dtype
from asnumpy.host.door import take_over
from asnumpy.runtime.devices import over_host_memory


def _readable(dtype: Any) -> tuple[Any, Any]:
    """The dtype in which NumPy reads text for `dtype`, and the one to convert the result to, if it is another."""
    if dtype is None or (isinstance(dtype, np.dtype) and dtype.names):
        return dtype, None
    try:
        kind = np.dtype(dtype)
    except TypeError:
        return dtype, None  # NumPy says what is wrong
    return (wide_dtype(kind), kind) if is_extended(kind) else (dtype, None)


def _read(function: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    read_as, wanted = _readable(dtype if dtype is None else new_dtype(dtype))
    made = function(*args, dtype=read_as, **kwargs)
    if kwargs.get("usemask"):
        return made
    made = take_over(made)
    if wanted is None:
        return made
    return [_core.cast(one, wanted) for one in made] if isinstance(made, list) else _core.cast(made, wanted)


@public
def loadtxt(
    fname: Any, dtype: DTypeLike | None = float, comments: Any = "#", delimiter: Any = None, converters: Any = None,
    skiprows: int = 0, usecols: Any = None, unpack: bool = False, ndmin: int = 0, encoding: Any = None,
    max_rows: Any = None, *, quotechar: Any = None, like: Any = None,
) -> Any:
    """A structured `dtype` gives one of NumPy's arrays, since ours hold numbers only."""
    return _read(
        np.loadtxt, dtype, fname, comments=comments, delimiter=delimiter, converters=converters, skiprows=skiprows,
        usecols=usecols, unpack=unpack, ndmin=ndmin, encoding=encoding, max_rows=max_rows, quotechar=quotechar,
    )


@public
def genfromtxt(
    fname: Any, dtype: DTypeLike | None = float, comments: Any = "#", delimiter: Any = None, skip_header: int = 0,
    skip_footer: int = 0, converters: Any = None, missing_values: Any = None, filling_values: Any = None,
    usecols: Any = None, names: Any = None, excludelist: Any = None,
    deletechars: Any = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~", replace_space: str = "_", autostrip: bool = False,
    case_sensitive: Any = True, defaultfmt: str = "f%i", unpack: bool | None = None, usemask: bool = False,
    loose: bool = True, invalid_raise: bool = True, max_rows: Any = None, encoding: Any = None, *,
    ndmin: int = 0, like: Any = None,
) -> Any:
    """Columns of several types, or with names, give one of NumPy's arrays, and `usemask` one of its masked arrays."""
    return _read(
        np.genfromtxt, dtype, fname, comments=comments, delimiter=delimiter, skip_header=skip_header,
        skip_footer=skip_footer, converters=converters, missing_values=missing_values, filling_values=filling_values,
        usecols=usecols, names=names, excludelist=excludelist, deletechars=deletechars, replace_space=replace_space,
        autostrip=autostrip, case_sensitive=case_sensitive, defaultfmt=defaultfmt, unpack=unpack, usemask=usemask,
        loose=loose, invalid_raise=invalid_raise, max_rows=max_rows, encoding=encoding, ndmin=ndmin,
    )


def _printable(value: Any) -> Any:
    """The array that NumPy writes as text: values of a dtype that it does not have in one that it has."""
    if isinstance(value, ndarray):
        value = _core.to_numpy_view(value, None)
    if isinstance(value, np.ndarray):
        return value.astype(wide_dtype(value.dtype)) if is_extended(value.dtype) else value
    if type(value) in (list, tuple):
        return type(value)(_printable(item) for item in value)
    return value


@public
def savetxt(
    fname: Any, X: ArrayLike, fmt: Any = "%.18e", delimiter: str = " ", newline: str = "\n", header: str = "",
    footer: str = "", comments: str = "# ", encoding: Any = None,
) -> None:
    np.savetxt(fname, _printable(X), fmt, delimiter, newline, header, footer, comments, encoding)


@public
def fromregex(file: Any, regexp: Any, dtype: DTypeLike | None, encoding: Any = None) -> Any:
    """The result has fields, so that it is one of NumPy's arrays."""
    return take_over(np.fromregex(file, regexp, dtype, encoding))


@public
def fromfile(
    file: Any, dtype: DTypeLike | None = None, count: int = -1, sep: str = "", offset: int = 0, *, like: Any = None,
) -> ndarray:
    given: Any = float if dtype is None else dtype
    as_dtype(given, "fromfile")
    read_as, wanted = _readable(new_dtype(given)) if sep else (given, None)
    made: ndarray = take_over(np.fromfile(file, read_as, count, sep, offset))
    return made if wanted is None else _core.cast(made, wanted)


@public
def fromstring(string: Any, dtype: DTypeLike | None = float, count: int = -1, *, sep: str, like: Any = None) -> ndarray:
    as_dtype(dtype, "fromstring")
    read_as, wanted = _readable(new_dtype(dtype))
    made: ndarray = take_over(np.fromstring(string, read_as, count, sep=sep))
    return made if wanted is None else _core.cast(made, wanted)


@public
def frombuffer(
    buffer: Any, dtype: DTypeLike | None = None, count: int = -1, offset: int = 0, *, like: Any = None,
) -> Any:
    """The array shares the buffer's memory.

    Where that cannot be, since elements are not aligned or new arrays are a device's, a buffer that may change stays
    in a numpy.ndarray, and one that may not is copied.
    """
    given: Any = float if dtype is None else dtype
    as_dtype(given, "frombuffer")
    plain = np.frombuffer(buffer, given, count, offset)
    if plain.flags.writeable:
        return over_host_memory(plain, "frombuffer") if plain.flags.aligned else plain
    if plain.flags.aligned and _core.default_device() == "cpu":
        return _core.wrap_numpy(plain, "frombuffer")
    made = from_host(plain, "frombuffer")
    made.flags.writeable = False
    return made
