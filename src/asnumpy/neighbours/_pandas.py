"""What pandas asks NumPy's class for where no array can help itself: arrays of ours go in as NumPy's.

These are `isin`, which takes others apart, and keys in brackets: a mask of another class is taken for the numbers 0
and 1, or refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pandas as pd

from asnumpy import _core
from asnumpy.host.door import numpy_view


def _of_numpys(isin: Callable[..., Any]) -> Callable[..., Any]:
    """The method, for which an array of ours is NumPy's."""

    @functools.wraps(isin)
    def method(self: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
        return isin(self, numpy_view(values), *args, **kwargs)

    return method


def _key(key: Any) -> Any:
    """A key of NumPy's: an array of ours, or one among several. A number stays, which is asked for its index."""
    if isinstance(key, _core.Array):
        return numpy_view(key) if key.ndim else key
    if type(key) is tuple and any(isinstance(one, _core.Array) for one in key):
        return tuple(map(_key, key))
    return key


def _by_numpys_keys(method: Callable[..., Any]) -> Callable[..., Any]:
    """`__getitem__` or `__setitem__`, for which arrays of ours in the key are NumPy's."""

    @functools.wraps(method)
    def item(self: Any, key: Any, *value: Any) -> Any:
        return method(self, _key(key), *value)

    return item


def _all_of(kind: type) -> list[type]:
    derived: list[type] = kind.__subclasses__()
    return [kind, *(one for below in derived for one in _all_of(below))]


def _keyed() -> list[type]:
    """The classes whose brackets take masks: columns and rows, by place and by label, and indices of all kinds."""
    frame, series = pd.DataFrame(), pd.Series(dtype=float)
    of_places = {type(one) for one in (frame.iloc, series.iloc, frame.loc, series.loc)}
    of_pandas = [kind for kind in _all_of(pd.Index) if kind.__module__.partition(".")[0] == "pandas"]
    return [pd.DataFrame, pd.Series, *of_pandas, *of_places]


for _kind in (pd.Series, pd.Index, pd.DataFrame):
    _kind.isin = _of_numpys(_kind.isin)
_done: set[Any] = set()  # what a class inherits has been done where its base came first
for _kind in _keyed():
    for _name in ("__getitem__", "__setitem__"):
        _theirs: Any = getattr(_kind, _name, None)
        if _theirs is not None and _theirs not in _done:
            setattr(_kind, _name, _by_numpys_keys(_theirs))
            _done.add(getattr(_kind, _name))
