"""The rest of ndarray's methods: `a.name(...)` is `name(a, ...)` where no module gave the method a form of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy._public import exports
from asnumpy.array.ndarray import method, ndarray

_SAME_ORDER = (
    "argmax argmin argpartition argsort choose clip cumprod cumsum dot mean nonzero prod put repeat searchsorted std "
    "take trace var"
).split()


def _bind(name: str, function: Any) -> None:
    def bound(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    bound.__name__, bound.__qualname__ = name, f"ndarray.{name}"
    bound.__module__ = "asnumpy"
    bound.__doc__ = getattr(np.ndarray, name).__doc__
    method(bound)


for _name in _SAME_ORDER:
    if _name not in vars(ndarray) and _name in exports:
        _bind(_name, exports[_name])
