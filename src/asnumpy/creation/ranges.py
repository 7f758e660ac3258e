"""Numbers at even or growing steps, and other arrays that NumPy computes from a few numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import DTypeLike, ndarray
from asnumpy.dtypes.dtype import as_dtype, new_dtype, new_values
from asnumpy.host.door import host_result, take_over
from asnumpy.runtime.devices import Device


def computed_result(function: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
    """What NumPy computes from numbers; where arrays of ours take part, it is a call through the host door."""
    if device is not None:
        with Device(device):
            made = computed_result(function, *args, **kwargs)
        moved = tuple(_core.to_device(one, device) for one in (made if isinstance(made, tuple) else (made,)))
        return moved if isinstance(made, tuple) else moved[0]
    if any(isinstance(value, ndarray) for value in args):
        return host_result(function, *args, **kwargs)
    if kwargs.get("dtype") is not None:
        kwargs["dtype"] = new_dtype(kwargs["dtype"])
    made = function(*args, **kwargs)
    source = args if kwargs.get("dtype") is None else made
    if isinstance(made, tuple):
        return tuple(
            _core.adopt(new_values(one, source)) if type(one) is np.ndarray else take_over(one) for one in made
        )
    if type(made) is not np.ndarray:
        return made  # of a class that answers NumPy's functions: a quantity keeps its unit, a masked array its mask
    as_dtype(made.dtype, function.__name__)
    return _core.adopt(new_values(np.asarray(made), source))


computed: Callable[..., ndarray] = computed_result  # by a function that returns one array


_MISSING: Any = object()


@public
def arange(
    start_or_stop: Any = _MISSING, /, stop: Any = None, step: Any = 1, dtype: DTypeLike | None = None, *,
    device: Device | str | None = None, like: Any = None, start: Any = _MISSING,
) -> ndarray:
    if start is not _MISSING or start_or_stop is _MISSING:  # by keywords
        if start is not _MISSING and start_or_stop is not _MISSING:
            raise TypeError("arange() got multiple values for argument 'start'")
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
        start_or_stop = 0 if start is _MISSING else start
    if dtype is None and type(start_or_stop) is int and type(step) is int and (stop is None or type(stop) is int):
        if device is None:  # the common call first
            first, last = (0, start_or_stop) if stop is None else (start_or_stop, stop)
            made = _core.count_from(first, last, step)
            if made is not None:
                return made
        return _core.adopt(np.arange(start_or_stop, stop, step), "arange", device)
    if stop is None:
        return computed(np.arange, 0, start_or_stop, step, device=device, dtype=dtype)
    return computed(np.arange, start_or_stop, stop, step, device=device, dtype=dtype)


_given = inspect.signature(arange).parameters
arange.__signature__ = inspect.signature(arange).replace(parameters=[  # type: ignore[attr-defined]  # as NumPy writes it
    _given["start_or_stop"].replace(default=inspect.Parameter.empty),
    _given["stop"], _given["step"], _given["dtype"].replace(kind=inspect.Parameter.KEYWORD_ONLY),
    _given["device"], _given["like"],
])


@public
def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: DTypeLike | None = None,
    axis: int = 0, *, device: Device | str | None = None,
) -> Any:
    return computed_result(np.linspace, start, stop, num, endpoint, retstep, axis=axis, dtype=dtype, device=device)


@public
def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: DTypeLike | None = None,
    axis: int = 0,
) -> ndarray:
    return computed(np.logspace, start, stop, num, endpoint, base, axis=axis, dtype=dtype)


@public
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: DTypeLike | None = None, axis: int = 0,
) -> ndarray:
    return computed(np.geomspace, start, stop, num, endpoint, axis=axis, dtype=dtype)
