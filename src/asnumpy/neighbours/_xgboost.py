"""XGBoost's matrices take arrays of ours from any device, its boosters gradients of ours from the user's objectives.

By itself it reads what lies at an array's address, which is a device's where the array is, and asks for gradients of
NumPy's class.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from asnumpy.host.passing import numpys_within, taking_numpys
from asnumpy.interop.arrivals import change_methods


def _giving_numpys(objective: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives gradients, of ours or NumPy's, as one that gives NumPy's."""
    if hasattr(objective, "split_grad"):  # a class of XGBoost's own, which it tells from functions
        return objective

    @functools.wraps(objective)
    def giving(*args: Any) -> Any:
        return numpys_within(objective(*args))

    return giving


def _of_numpys_gradients(boost: Callable[..., None]) -> Callable[..., None]:
    """Given as they are, or, from version 3.2 on, as the function that gives them."""

    @functools.wraps(boost)
    def boosting(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("fobj") is not None:
            kwargs["fobj"] = _giving_numpys(kwargs["fobj"])
        boost(self, *numpys_within(args), **numpys_within(kwargs))

    return boosting


_theirs: Any = importlib.import_module("xgboost.core")
for _kind, _names in (
    (_theirs.DMatrix, (
        "__init__", "set_base_margin", "set_float_info", "set_float_info_npy2d", "set_group", "set_info", "set_label",
        "set_uint_info", "set_weight", "slice",
    )),
    (_theirs.QuantileDMatrix, ("__init__",)),
    (_theirs.Booster, ("inplace_predict",)),
):
    change_methods(_kind, [name for name in _names if name in vars(_kind)], taking_numpys)
change_methods(_theirs.Booster, ["boost"], _of_numpys_gradients)
