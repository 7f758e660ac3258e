"""ndarray.flat: the elements in C order, one by one or indexed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import documented
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host_result


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


@documented(np.flatiter)
class flatiter:
    """The elements of an array in C order, as numpy.flatiter: an iterator that can be indexed and assigned."""

    __slots__ = ("_array", "_next")

    def __init__(self, array: ndarray) -> None:
        self._array, self._next = array, 0

    @property
    def base(self) -> Any:
        return self._array

    @property
    def index(self) -> int:
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        if self._array.size == 0:
            return (0,) * self._array.ndim
        found, rest = [], self._next
        for length in self._array.shape[:0:-1]:
            rest, place = divmod(rest, length)
            found.append(place)
        return (rest, *reversed(found)) if self._array.ndim else ()

    def _line(self) -> ndarray:
        """The elements as one axis: a view where the strides allow it, else a copy."""
        view = _core.reshape_view(_core.as_plain(self._array), (self._array.size,))
        return _core.as_plain(self._array).reshape(-1) if view is None else view

    def copy(self) -> ndarray:
        return self._array.flatten()

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._next >= self._array.size:
            raise StopIteration
        self._next += 1
        return self._line()[self._next - 1]

    def __getitem__(self, key: Any, /) -> Any:
        self._next = 0  # as NumPy's, which goes to what is asked for and back to its start
        if not _simple(key):
            return _core.of_class(self._array, host_result(_numpy_flat_getitem, self._array, key))
        found = self._line()[key]
        return _core.of_class(self._array, _core.cast(found, found.dtype)) if isinstance(found, ndarray) else found

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self._next = 0
        if not _simple(key) or _core.overlaps_itself(self._array):
            host_result(_numpy_flat_setitem, self._array, key, value)
            return
        view = _core.reshape_view(self._array, (self._array.size,))
        line = self._array.reshape(-1) if view is None else view
        dtype = self._array.dtype  # to which NumPy casts without question
        single = isinstance(key, (int, np.integer))
        if single:
            line[key]  # an index out of range is told before what is wrong with the value
        if single and not (isinstance(value, ndarray) and value.size == 1):
            one = np.zeros(1, dtype)
            one.flat[0] = value  # NumPy's rule for what is one element
            value = one
        given = asarray(value if isinstance(value, (ndarray, np.ndarray)) else np.array(value, dtype))
        values = _core.cast(given, dtype).reshape(-1)
        if single:
            line[key] = values[0]
        elif values.size:  # NumPy repeats the values, or takes the first of them
            count = line[key].size
            line[key] = _core.take(values, asarray(np.arange(count) % values.size), 0) if values.size > 1 else values[0]
        if view is None:
            _core.assign(self._array, line.reshape(self._array.shape))

    def __delitem__(self, key: Any, /) -> None:
        raise TypeError("Cannot delete iterator elements")

    def __array__(self, dtype: Any = None, /, *, copy: bool | None = None) -> np.ndarray:
        """The array's own memory where it is contiguous, else a copy, read-only since writing to it would be lost."""
        made = np.array(self._line(), copy=copy)  # of the array's dtype: NumPy casts what it gets
        if not copy and not (self._array._flags_c_contiguous and self._array.flags.writeable):
            made.flags.writeable = False
        return made

    def __eq__(self, value: Any, /) -> Any:
        return self._line() == value

    def __ne__(self, value: Any, /) -> Any:
        return self._line() != value

    __hash__ = None  # type: ignore[assignment]


flatiter.__module__ = "asnumpy"
