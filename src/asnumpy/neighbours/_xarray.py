"""xarray over arrays of ours: indices of several dimensions or of none, and interpolation whose results stay ours."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.dtypes.dtype import supported
from asnumpy.interop.arrivals import put

# By the module that defines them: functions of a variable or an array that compute by NumPy and SciPy.
_INTERPOLATING = {"xarray.core.missing": ("interp", "interp_na")}


def _is_ours(data: Any) -> bool:
    """Whether these are arrays of ours, as they are or as chunks of Dask's."""
    return isinstance(getattr(data, "_meta", data), ap.ndarray)


def _made_ours(data: Any) -> Any:
    if not supported(data.dtype):
        return data
    if isinstance(data, np.ndarray):
        return ap.asarray(data)
    return importlib.import_module("asnumpy.dask._kept").with_our_chunks(data) if hasattr(data, "_meta") else data


def _kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose result is ours where what it is given is."""

    @functools.wraps(function)
    def keeping(given: Any, *args: Any, **kwargs: Any) -> Any:
        made = function(given, *args, **kwargs)
        return made.copy(data=_made_ours(made.data)) if _is_ours(given.data) else made

    return keeping


def _indexable(before: Callable[..., Any], adapter: Callable[..., Any]) -> Callable[..., Any]:
    """`as_indexable`, which would take arrays with an `__array_namespace__` for ones that know no such indices."""

    @functools.wraps(before)
    def as_indexable(array: Any) -> Any:
        return adapter(array) if isinstance(array, ap.ndarray) else before(array)

    return as_indexable


def _with_numbers(before: Callable[..., Any]) -> Callable[..., Any]:
    """`_broadcast_indexes`, which takes an array without axes for an integer where it is NumPy's."""

    @functools.wraps(before)
    def broadcast_indexes(self: Any, key: Any) -> Any:
        parts = self._item_key_to_tuple(key)
        parts = parts if isinstance(parts, tuple) else (parts,)
        return before(self, tuple(one.item() if isinstance(one, ap.ndarray) and not one.ndim else one for one in parts))

    return broadcast_indexes


def _put_all() -> None:
    indexing: Any = importlib.import_module("xarray.core.indexing")
    before = indexing.as_indexable
    put("xarray", "as_indexable", before, _indexable(before, indexing.NdArrayLikeIndexingAdapter))
    variable: Any = importlib.import_module("xarray.core.variable").Variable
    variable._broadcast_indexes = _with_numbers(variable._broadcast_indexes)
    for module_name, names in _INTERPOLATING.items():
        for name in names:
            function = getattr(importlib.import_module(module_name), name)
            put("xarray", name, function, _kept(function))


_put_all()
