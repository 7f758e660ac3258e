"""Functions that are NumPy's own, run through the host door: calendars, iterators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import False_, True_, asmatrix, bmat, busdaycalendar, iterable, matrix, recarray, record

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, DTypeLike, ndarray
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.host.door import host_result, numpy_view
from asnumpy.host.whole import door
from asnumpy.runtime.devices import Device

# Among them classes on top of NumPy's arrays, with what makes them: of NumPy's arrays and of ours alike.
__all__ = ["False_", "True_", "asmatrix", "bmat", "busdaycalendar", "iterable", "matrix", "recarray", "record"]

busday_count = door(np.busday_count)
busday_offset = door(np.busday_offset)
is_busday = door(np.is_busday)
datetime_as_string = door(np.datetime_as_string)
datetime_data = door(np.datetime_data)


def _over_views(made_by: Any) -> Callable[..., Any]:
    """A NumPy class or factory of iterators, which walk over views that share memory with our arrays."""

    def make(*args: Any, **kwargs: Any) -> Any:
        plain = [numpy_view(a) for a in args]
        return made_by(*plain, **kwargs)

    make.__name__ = make.__qualname__ = made_by.__name__
    make.__doc__ = made_by.__doc__
    make.__module__ = "asnumpy"
    make.__wrapped__ = made_by  # type: ignore[attr-defined]
    return make


broadcast = _over_views(np.broadcast)
ndenumerate = _over_views(np.ndenumerate)
ndindex = _over_views(np.ndindex)
nditer = _over_views(np.nditer)
nested_iters = _over_views(np.nested_iters)


@public
def astype(
    x: ArrayLike, dtype: DTypeLike | None, /, *, copy: bool = True, device: Device | str | None = None,
) -> ndarray:
    if not isinstance(x, (ndarray, np.ndarray, np.generic)):
        raise TypeError(f"Input should be a NumPy array. It is of type {type(x)}.")
    return _core.asarray(x, device).astype(as_dtype(dtype, "astype"), copy=copy)


class _Place:
    """Where an array's elements lie: what NumPy compares addresses of, without reading what is there."""

    def __init__(self, a: ndarray) -> None:
        self.__array_interface__ = {
            "data": (a._address, True), "shape": a.shape, "strides": a.strides, "typestr": f"|V{a.itemsize}",
            "version": 3,
        }


def _compared(function: Any, a: Any, b: Any, max_work: Any) -> bool:
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)):
        return bool(host_result(function, a, b, max_work))
    if not _core.may_share_memory(a, b):
        return False
    return bool(function(np.asarray(_Place(a)), np.asarray(_Place(b)), max_work))


@public
def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: Any = 0) -> bool:
    return _compared(np.may_share_memory, a, b, max_work)


@public
def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: Any = -1) -> bool:
    return _compared(np.shares_memory, a, b, max_work)
