"""The host door: NumPy and SciPy functions run on zero-copy views of our arrays, counted, their results adopted."""

from __future__ import annotations

import functools
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core, config
from asnumpy._dtype import supported
from asnumpy._public import public

_calls: Counter[str] = Counter()
# A profiler's list while one records: dicts as _core.trace_stop returns them.
listener: list[dict[str, Any]] | None = None


class HostCallWarning(RuntimeWarning):
    """Work left the device for NumPy or SciPy (`asnumpy.config.host_calls = "warn"`)."""


HostCallWarning.__module__ = "asnumpy"
public(HostCallWarning)


@public
def host_calls() -> dict[str, int]:
    """How often each function went through the host door since the process started.

    Returns a dict from the function's name (`numpy.linalg.svd`) to an int, the most frequent first.
    """
    return dict(_calls.most_common())


@functools.lru_cache(1024)
def function_name(function: Any) -> str:
    """`numpy.linalg.svd` for np.linalg.svd; bound methods of ufuncs give `numpy.add.reduceat`."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{function.__name__}"
    module = getattr(function, "__module__", None) or "numpy"
    public_parts = (part for part in module.split(".") if not part.startswith("_"))
    return ".".join([*public_parts, getattr(function, "__name__", type(function).__name__)])


def _announce(name: str) -> None:
    policy = config.host_calls
    _calls[name] += 1
    if policy == "count":
        return
    text = f"{name} runs on the host (NumPy), which ends the deferral of its arguments"
    if policy == "error":
        raise RuntimeError(f"{text}; asnumpy.config.host_calls is 'error', set it to 'count' or 'warn' to allow it")
    if _calls[name] == 1:
        warnings.warn(f"{text}; reported once, asnumpy.host_calls() counts them", HostCallWarning, stacklevel=4)


def as_numpy(value: Any) -> np.ndarray:
    """np.asarray(value), also of an object whose `__array__` gives an array of ours."""
    try:
        return np.asarray(value)
    except ValueError:
        made = value.__array__() if hasattr(type(value), "__array__") else None
        if not isinstance(made, _core.Array):
            raise
        return _core.to_numpy_view(made, None)


def _root(array: np.ndarray) -> np.ndarray:
    """The array at the end of a chain of views, which owns the memory or had it from somebody else."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


_PLAIN = frozenset({type(None), bool, int, float, str})  # go in as they are


class _Door:
    """One passage: the views handed out, so that a result that is one of them, or looks into one, is recognised."""

    __slots__ = ("plain", "views")

    def __init__(self) -> None:
        self.views: dict[int, tuple[np.ndarray, Any]] = {}
        self.plain: list[np.ndarray] = []  # NumPy's own arrays among the arguments

    def out(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if isinstance(value, _core.Array):
            view = _core.to_numpy_view(value, None)
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
        if hasattr(kind, "__array__") and kind.__module__ != "numpy" and not hasattr(kind, "__array_function__"):
            view = as_numpy(value)
            self.views[id(view)] = (view, value)
            return view
        return value

    def back(self, value: Any) -> Any:
        kind = type(value)
        if kind is np.ndarray:
            return self.array(value)
        if isinstance(value, np.generic):
            return _core.adopt(value) if supported(value.dtype) else value
        if kind is tuple or kind is list:
            return kind([self.back(item) for item in value])
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # SVDResult and its like
            return kind(*[self.back(item) for item in value])
        if isinstance(value, np.ndarray):
            return self.array(value.view(np.ndarray))
        return value

    def array(self, value: np.ndarray) -> Any:
        known = self.views.get(id(value))
        if known is not None:
            return known[1]
        if not supported(value.dtype):
            return value
        root = _root(value)
        fresh = root.base is None and root.flags.owndata and value.flags.writeable and value.dtype.isnative
        # what owns its memory cannot look into a view of ours, but may be what an argument is a view of
        if not fresh or (self.plain and any(np.may_share_memory(value, one) for one in self.plain)):
            return _core.new_from_numpy(value)
        return _core.adopt(value)


def take_over(value: Any) -> Any:
    """A result of NumPy's that nobody else refers to, alone or in tuples and lists, as arrays of ours."""
    return _Door().back(value)


def host(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Calls a NumPy or SciPy function: our arrays go in as views that share memory, new arrays come out as ours.

    A result that shares memory with an argument is copied, an argument that is returned (`out=`) comes back as itself.
    """
    name = function_name(function)
    _announce(name)
    door = _Door()
    views = [door.out(value) for value in args]
    named = {key: door.out(value) for key, value in kwargs.items()} if kwargs else {}
    if listener is None:
        return door.back(function(*views, **named))
    start = time.perf_counter_ns()
    result = function(*views, **named)
    listener.append({
        "name": name, "category": "host", "start_ns": start, "duration_ns": time.perf_counter_ns() - start,
        "bytes": sum(view.nbytes for view, _ in door.views.values()), "detail": "",
    })
    return door.back(result)
