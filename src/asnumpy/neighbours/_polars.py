"""polars makes columns of arrays of ours, and takes them and Numbers where it takes NumPy's: it asks for the class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change, change_methods

_OPERATORS = tuple(
    f"__{side}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor") for side in ("", "r")
)
_COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_METHODS = {
    "Series": ("__init__", "__getitem__", "__setitem__", "filter", "gather", "scatter", "set", "is_in", "append",
               "extend_constant", "fill_null", "clip", *_OPERATORS, *_COMPARING),
    "DataFrame": ("__init__", "__getitem__", "__setitem__", "filter", "with_columns", "select", "insert_column",
                  "head", "tail", "slice", "limit", "sample"),
    "Expr": ("is_in", "fill_null", "clip", "gather", "filter", "shift", *_OPERATORS, *_COMPARING),
}

_polars: Any = importlib.import_module("polars")
for _kind, _names in _METHODS.items():
    _class = getattr(_polars, _kind)
    change_methods(_class, [name for name in _names if name in vars(_class)], taking_numpys)
_functions = ["from_numpy", "lit", "from_dict", "from_dicts", "repeat", "int_range"]
change("polars", _polars, _functions, taking_numpys)
