"""scikit-learn takes a float of ours for a parameter that is one: it asks for Python's, which NumPy's float64 is.

What takes the place of missing values is kept as NumPy's scalar, whose class tells a dtype.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from asnumpy.array.number import FloatNumber
from asnumpy.host.keys import numpys
from asnumpy.interop.arrivals import change_methods, together


def _keeping_scalars(method: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(method)
    def setting(self: Any, name: str, value: Any) -> None:
        method(self, name, numpys(value) if name == "fill_value" else value)

    return setting


def _let_fill() -> None:
    imputer: Any = importlib.import_module("sklearn.impute._base").SimpleImputer
    change_methods(imputer, ["__setattr__"], _keeping_scalars)


_validation: Any = importlib.import_module("sklearn.utils._param_validation")
_validation.RealNotInt.register(FloatNumber)
together("sklearn.impute._base", _let_fill)
