"""What pandas asks NumPy's class for where no array can help itself: arrays go in as NumPy's, numbers as its scalars.

These are functions and methods that take others apart, keys in brackets (a mask of another class is taken for the
numbers 0 and 1, or refused), numbers beside a frame or in what it is made of, arguments that are one number (how many
periods, how wide a window), and what a program's own function gives back for an element.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
from pandas._libs import lib

from asnumpy import _core
from asnumpy.array.number import Number
from asnumpy.host.keys import by_numpys_keys, numpys, numpys_key
from asnumpy.host.passing import changing_arguments, taking_numpys
from asnumpy.interop.arrivals import change, is_fixed

_FLEXIBLE = ("add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow")
_COMPARING = ("eq", "ne", "lt", "le", "gt", "ge")
_LOGICAL = ("and", "or", "xor")

# Methods whose arguments are arrays, of these classes where they have one of that name.
_TAKING_ARRAYS = (
    "isin", "groupby", "set_index", "get", "rolling", "expanding", "ewm", "interpolate", "fillna", "ffill", "bfill",
    "delete", "shift",
    *_FLEXIBLE, *(f"r{name}" for name in _FLEXIBLE), *_COMPARING,
    *(f"__i{name}__" for name in (*_FLEXIBLE, *_LOGICAL)),
)
# Operators, which ask an array first; not a number.
_BESIDE_NUMBERS = tuple(
    f"__{name}__" for name in (*_FLEXIBLE, *(f"r{name}" for name in _FLEXIBLE), *_COMPARING, *_LOGICAL)
)
_CALLING = ("map", "apply", "agg", "aggregate")  # methods that call a function for each element or line
# Functions of the package: what takes arrays apart, and what a number is a count for.
_FUNCTIONS = ("factorize", "unique", "date_range", "timedelta_range", "period_range", "interval_range")
_ASKING = ("is_integer", "is_float", "is_bool", "is_complex")  # by which it knows one number
_MOMENTS = (pd.Timedelta, pd.Timestamp, pd.Period)
_BESIDE_MOMENTS = tuple(f"__{name}__" for name in ("mul", "rmul", "truediv", "floordiv", "add", "radd", "sub"))
_NESTED = (list, tuple, dict)


def _hold(values: Iterable[Any], *kinds: type) -> bool:
    """Whether one of many values is of these classes."""
    return any(issubclass(kind, kinds) for kind in set(map(type, values)))


def _scalars(value: Any, depth: int = 2) -> Any:
    """Data whose numbers of ours are NumPy's scalars, also in lists of rows and the like."""
    if isinstance(value, _core.Array):
        return value if value.ndim else numpys(value)
    if depth == 0 or type(value) not in _NESTED:
        return value
    held = value.values() if type(value) is dict else value
    if not _hold(held, _core.Array, *_NESTED):
        return value
    made = [_scalars(one, depth - 1) for one in held]
    return dict(zip(value, made, strict=True)) if type(value) is dict else type(value)(made)


def _of_scalars(make: Callable[..., None]) -> Callable[..., None]:
    """A constructor of a table, which would hold numbers of ours as objects; without objects a look is all it costs."""

    @functools.wraps(make)
    def making(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        make(self, data, *args, **kwargs)
        if isinstance(data, _core.Array):
            objects = data.ndim == 0
        else:  # pandas' own are made of what has a dtype or axes
            objects = data is not None and not hasattr(data, "dtype") and not hasattr(data, "axes")
        if objects and any(block.dtype == object for block in self._mgr.blocks):
            _let_scalars_in(self, make, kwargs.get("dtype"))

    return making


def _let_scalars_in(table: Any, make: Callable[..., None], dtype: Any) -> None:
    """Numbers that a new table holds as objects become scalars, of the dtype that pandas then finds or is to use."""
    columns = [table] if isinstance(table, pd.Series) else [table.iloc[:, i] for i in range(table.shape[1])]
    for i, column in enumerate(columns):
        values = list(column.array) if column.dtype == object else []
        if not _hold(values, _core.Array):
            continue
        scalars = pd.Series([numpys(value) for value in values], index=column.index, dtype=dtype, name=column.name)
        if column is table:
            make(table, scalars)
        else:
            table.isetitem(i, scalars)


_of_data = changing_arguments(_scalars)  # a function, or a method, for which numbers of ours are scalars


def _beside_numbers(operator: Callable[..., Any]) -> Callable[..., Any]:
    """The operator, for which a number of ours is a scalar."""

    @functools.wraps(operator)
    def method(self: Any, other: Any) -> Any:
        return operator(self, numpys(other) if isinstance(other, _core.Array) and not other.ndim else other)

    return method


def _asking(question: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a value is a number of this kind, one of ours as well."""

    @functools.wraps(question)
    def asks(value: Any) -> bool:
        return question(value) or (isinstance(value, Number) and question(numpys(value)))

    return asks


def _calling(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that calls a function, whose numbers of ours come as scalars: pandas finds a dtype by their classes."""

    def giving_scalars(function: Any) -> Any:
        if not callable(function) or isinstance(function, type):
            return _scalars(function)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            return numpys(function(*args, **kwargs))

        return called

    @functools.wraps(method)
    def calls(self: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self, giving_scalars(function), *args, **kwargs)

    return calls


def _setting(method: Callable[..., Any]) -> Callable[..., Any]:
    """`__setitem__`, for which numbers of ours are scalars, too."""

    @functools.wraps(method)
    def item(self: Any, key: Any, value: Any) -> Any:
        return method(self, numpys_key(key), _scalars(value))

    return item


def _all_of(kind: type) -> list[type]:
    derived: list[type] = kind.__subclasses__()
    return [kind, *(one for below in derived for one in _all_of(below))]


def _of_pandas(kind: type) -> list[type]:
    return [one for one in _all_of(kind) if one.__module__.partition(".")[0] == "pandas"]


def _keyed() -> list[type]:
    """The classes whose brackets take masks and labels: columns and rows, by place and by label, and indices."""
    frame, series = pd.DataFrame(), pd.Series(dtype=float)
    of_places = {type(getattr(one, name)) for one in (frame, series) for name in ("iloc", "loc", "iat", "at")}
    return [pd.DataFrame, pd.Series, *_of_pandas(pd.Index), *of_places]


_done: set[Any] = set()  # what a class inherits has been done where its base came first


def _change(kinds: Iterable[type], names: Iterable[str], how: Callable[[Any], Any]) -> None:
    for kind in kinds:
        for name in names:
            theirs = getattr(kind, name, None)
            if callable(theirs) and theirs not in _done and theirs is not getattr(object, name, None):
                setattr(kind, name, how(theirs))
                _done.add(getattr(kind, name))


_TABLES = [pd.Series, pd.DataFrame, *_of_pandas(pd.Index)]
_change(_TABLES, _TAKING_ARRAYS, taking_numpys)
_change(_TABLES, _BESIDE_NUMBERS, _beside_numbers)
_change(_TABLES, _CALLING, _calling)
_change(_keyed(), ["__getitem__", "get_loc"], by_numpys_keys)
_change(_keyed(), ["__setitem__"], _setting)
_change([pd.Categorical, pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray], ["__init__"],
        taking_numpys)
_change([pd.Series, pd.DataFrame], ["__init__"], _of_scalars)
_change([pd.DataFrame], ["insert"], _of_data)
_index: Any = pd.Index
_index.__new__ = _of_data(_index.__new__)
_frame: Any = pd.DataFrame
_frame.from_records = classmethod(_of_data(_frame.from_records.__func__))
_moment: Any
for _moment in _MOMENTS:
    _moment.__new__ = _of_data(_moment.__new__)
_change(_MOMENTS, _BESIDE_MOMENTS, _beside_numbers)
_change([pd.Timestamp], ["replace"], taking_numpys)
if not is_fixed(pd.Interval):
    _change([pd.Interval], ["__init__"], taking_numpys)
change("pandas", lib, _ASKING, _asking)
change("pandas", pd, ["array"], _of_data)
change("pandas", pd, _FUNCTIONS, taking_numpys)
