"""Methods that NumPy computes by a ufunc: a derived class with an `__array_ufunc__` of its own is asked."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy._core import umath

from asnumpy import _core
from asnumpy._types import EXACT
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.operands import call_overrides
from asnumpy.ufunc.ufunc import ufuncs

_FOLDS = {
    "sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "amax": "maximum", "amin": "minimum",
    "any": "logical_or", "all": "logical_and",
}
_CLIP: Any = vars(umath)["clip"]
_SCANS = {"cumsum": "add", "cumprod": "multiply"}


def _given(parameters: dict[str, Any], *names: str) -> Any:
    """The value of the first of the parameters that has one, or None."""
    return next((value for name in names if (value := parameters.get(name, NO_VALUE)) is not NO_VALUE), None)


def _clipped(a: Any, parameters: dict[str, Any]) -> Any:
    low, high = _given(parameters, "a_min", "min"), _given(parameters, "a_max", "max")
    more = dict(parameters["kwargs"])
    if parameters["out"] is not None:
        more["out"] = parameters["out"]
    if low is not None and high is not None:
        return _core.call_back(_CLIP, (a, low, high), more)
    name, bound = ("maximum", low) if high is None else ("minimum", high)
    return call_overrides(ufuncs[name], "__call__", (a, bound), more)


def answers_ufuncs(value: Any) -> bool:
    """Whether its class says itself what ufuncs do with it, or that they do nothing."""
    own = type(value).__array_ufunc__
    return all(own is not kind.__array_ufunc__ for kind in EXACT)  # type: ignore[attr-defined]


def asked(function: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The class's answer to `function(*args, **kwargs)`; NotImplemented where that is not one ufunc's call in NumPy."""
    if name not in _FOLDS and name not in _SCANS and name != "clip":
        return NotImplemented
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    parameters = bound.arguments
    a = next(iter(parameters.values()))
    if name == "clip":
        return _clipped(a, parameters)
    axis, out = parameters["axis"], parameters["out"]
    if name in _SCANS:
        named = {key: parameters[key] for key in ("dtype", "out") if parameters[key] is not None}
        line, along = (a.ravel(), 0) if axis is None else (a, axis)
        return call_overrides(ufuncs[_SCANS[name]], "accumulate", (line,), {"axis": along, **named})
    ufunc, keepdims, where = ufuncs[_FOLDS[name]], _given(parameters, "keepdims") or False, _given(parameters, "where")
    if name in ("any", "all"):
        named = {} if where is None or where is True else {"where": where}
        return call_overrides(ufunc, "reduce", (a, axis, np.dtype(bool), out, keepdims), named)
    values = (a, axis, parameters.get("dtype"), out, keepdims, parameters["initial"], True if where is None else where)
    return call_overrides(ufunc, "reduce", values, {})
