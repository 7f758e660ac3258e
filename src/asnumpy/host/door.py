"""The host door: NumPy and SciPy functions run on views or copies of our arrays, counted."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.host import traced
from asnumpy.runtime.fallbacks import allow_call, count_call

# A profiler's list while one records: dicts as _core.trace_stop returns them.
listener: list[dict[str, Any]] | None = None


def function_name(function: Any) -> str:
    """`numpy.linalg.svd` for np.linalg.svd; bound methods of ufuncs give `numpy.add.reduceat`."""
    if isinstance(function, np.ufunc):
        return f"numpy.{function.__name__}"
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        name = f"numpy.{owner.__name__}.{function.__name__}"
        if getattr(np, owner.__name__, None) is owner:  # a bound method is equal to the next one
            _names[function] = name
        return name
    name = _name(function)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    if owner is None and getattr(module, name.rpartition(".")[2], None) is function:
        _names[function] = name  # what is bound to an object, or made by a program, must not live on
    return name


def _name(function: Any) -> str:
    module = getattr(function, "__module__", None) or "numpy"
    public_parts = (part for part in module.split(".") if not part.startswith("_"))
    return ".".join([*public_parts, getattr(function, "__name__", type(function).__name__)])


_names: dict[Any, str] = {}  # of the functions that are public names of their modules


def name_function(function: Any, name: str) -> None:
    """Lets a function be counted under this name, which its own attributes do not tell; it lives on."""
    _names[function] = name


def _arrays_given(value: Any) -> Any:
    """The value with NumPy's array in place of it, or of what it contains, where an `__array__` gives one of ours."""
    if type(value) in (list, tuple):
        return [_arrays_given(item) for item in value]
    if isinstance(value, (_core.Array, np.ndarray, np.generic)) or not hasattr(type(value), "__array__"):
        return value
    made = value.__array__()
    return numpy_view(made) if isinstance(made, _core.Array) else value


def numpy_view(value: Any) -> Any:
    """NumPy's view of an array of ours (where the host cannot read it, a copy); anything else as it is."""
    return _core.to_numpy_view(value, None) if isinstance(value, _core.Array) else value


def as_numpy(value: Any) -> np.ndarray:
    """np.asarray(value), also where an `__array__` gives an array of ours."""
    try:
        return np.asarray(value)
    except ValueError as error:
        if "__array__" not in str(error):
            raise
        return np.asarray(_arrays_given(value))


_PLAIN = frozenset({type(None), bool, int, float, str})  # go in as they are


def _octets(array: np.ndarray) -> np.ndarray:
    return array.ravel(order="A").view(np.uint8)  # contiguous, whatever the strides


def _order_shows(values: tuple[Any, ...], outputs: tuple[Any, ...]) -> bool:
    """Whether elements of a device's arrays overlap each other, or two outputs do.

    Then the order of writing shows, which NumPy makes from the strides of all arrays of a call.
    """
    there = [value for value in (*values, *outputs) if isinstance(value, _core.Array) and not value._host_visible]
    return any(map(_core.overlaps_itself, there)) or (
        len(outputs) > 1 and any(
            _core.may_share_memory(one, other)
            for one, other in itertools.combinations(outputs, 2)
            if isinstance(one, _core.Array) and isinstance(other, _core.Array)
        )
    )


class _Door:
    """One passage: the views handed out, so that a result that is one of them, or looks into one, is recognised.

    Arrays of a device go in as copies; what the function has written into one is written to the array.
    """

    __slots__ = ("beside", "copies", "name", "plain", "pure", "views")

    def __init__(self, name: str = "", pure: bool = False) -> None:
        self.name = name
        self.views: dict[int, tuple[np.ndarray, Any]] = {}
        self.plain: list[np.ndarray] = []  # NumPy's own arrays among the arguments
        self.beside: Any = None  # the first array of ours: results lie where it lies
        self.copies: dict[int, tuple[Any, np.ndarray, np.ndarray | None]] = {}  # array, its copy, the copy as it was
        self.pure = pure

    def copied(self, array: Any) -> np.ndarray:
        known = self.copies.get(id(array))
        if known is not None:
            return known[1]
        return self.keep(array, _core.numpy_copy(array))

    def copy_as_they_lie(self, values: Any) -> None:
        """Copies of all arrays of a device among the values: with their strides, sharing memory where the arrays do."""
        arrays: dict[int, _core.Array] = {}

        def find(value: Any) -> None:
            if isinstance(value, _core.Array):
                if not value._host_visible and value.size:
                    arrays[id(value)] = value
            elif isinstance(value, (tuple, list)):
                for item in value:
                    find(item)

        find(values)
        kept = list(arrays.values())
        for array, copy in zip(kept, _core.numpy_copies(kept), strict=True):
            self.keep(array, copy)

    def keep(self, array: Any, copy: np.ndarray) -> np.ndarray:
        watched = array._flags_writeable and not self.pure
        if not watched:
            copy.flags.writeable = False
        self.copies[id(array)] = (array, copy, copy.copy(order="K") if watched else None)
        return copy

    def meet(self, value: Any) -> None:
        """Arrays of a call lie on one device; those of the CPU without axes stand for their numbers."""
        first, second = self.beside._device_name, value._device_name
        if first == second or (value._host_visible and value.ndim == 0):
            return
        if not (self.beside._host_visible and self.beside.ndim == 0):
            raise ValueError(
                f"{self.name}: its arrays lie on two devices, {first} and {second}; move one to the other: "
                f'a.to_device("{first}")'
            )
        self.beside = value

    def count(self) -> None:
        """Counts the passage, with the bytes where arrays of a device take part."""
        if not self.copies:
            count_call(self.name)
        else:
            arrays = [array for array, _, _ in self.copies.values()]
            dtypes = ", ".join(array.dtype.name for array in arrays)
            size = sum(array.nbytes for array in arrays)
            _core.count_fallback(self.name, dtypes, arrays[0]._device_name, "NumPy computes it", size)

    def write_back(self) -> None:
        for array, copy, before in self.copies.values():
            if before is not None and not np.array_equal(_octets(copy), _octets(before)):
                _core.assign(array, _core.new_from_numpy(copy, "ndarray", array))

    def out(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if _core.is_number(value):
            self.beside = value if self.beside is None else self.beside
            return value._numpy_scalar()
        if isinstance(value, _core.Array):
            if self.beside is None or _core.is_number(self.beside):
                self.beside = value
            elif not (value._host_visible and self.beside._host_visible):
                self.meet(value)
            view = _core.to_numpy_view(value, None) if value._host_visible else self.copied(value)
            self.views[id(view)] = (view, value)
            return view
        if isinstance(value, np.ndarray):
            self.views[id(value)] = (value, value)
            self.plain.append(value)
            return value
        if kind is tuple or kind is list:
            return kind([self.out(item) for item in value])
        if kind is dict:
            return {key: self.out(item) for key, item in value.items()}
        if kind is slice:
            return slice(self.out(value.start), self.out(value.stop), self.out(value.step))
        if kind.__module__ == "numpy" or isinstance(value, np.generic):
            return value
        if hasattr(kind, "__array__") and not hasattr(kind, "__array_function__"):
            view = as_numpy(value)
            self.plain.append(view)
            return view
        return value

    def back(self, value: Any) -> Any:
        return _core.take_back(value, list(self.views.values()), self.plain, self.beside)


def take_over(value: Any, beside: Any = None) -> Any:
    """A result of NumPy's that nobody else refers to, alone or in tuples and lists, as arrays of ours.

    They lie where `beside` lies, None: where new arrays do.
    """
    door = _Door()
    door.beside = beside
    return door.back(value)


def host_result(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Calls a NumPy or SciPy function: our arrays go in as views that share memory, new arrays come out as ours.

    Those of a device go in as copies, which is counted (fallbacks()), and results go back to it.

    A result that shares memory with an argument is copied, an argument that is returned (`out=`) comes back as itself.
    Under `asnumpy.jit` the call is recorded, and comes with each call of what was recorded.
    """
    name = _names.get(function) or function_name(function)
    allow_call(name)
    if _core.tracing():
        return traced.record_call(function, name, args, kwargs, host_result)
    if listener is None:
        made = _core.call_on_views(function, args, kwargs)
        if made is not NotImplemented:
            count_call(name)
            return made
    door = _Door(name, isinstance(function, np.ufunc) and "out" not in kwargs and len(args) == function.nin)
    outputs = kwargs["out"] if isinstance(kwargs.get("out"), tuple) else (kwargs.get("out"),)
    if _order_shows(args, outputs):
        door.copy_as_they_lie((*args, *kwargs.values()))
    views = tuple([door.out(value) for value in args])
    named = {key: door.out(value) for key, value in kwargs.items()} if kwargs else {}
    door.count()
    start = time.perf_counter_ns() if listener is not None else 0
    result = _core.call_back(function, views, named)
    if door.copies:
        door.write_back()
    if listener is not None:
        listener.append({
            "name": name, "category": "host", "start_ns": start, "duration_ns": time.perf_counter_ns() - start,
            "bytes": sum(view.nbytes for view, _ in door.views.values()), "detail": "",
            "lines": _core.origin(), "python_thread": threading.get_ident(),
        })
    return door.back(result)


host: Callable[..., ndarray] = host_result  # of a function that returns one array
