"""pandas' `isin`, which takes apart what is none of its own arrays and NumPy's: ours go in as NumPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pandas as pd

from asnumpy.host.door import numpy_view


def _of_numpys(isin: Callable[..., Any]) -> Callable[..., Any]:
    """The method, for which an array of ours is NumPy's."""

    @functools.wraps(isin)
    def method(self: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
        return isin(self, numpy_view(values), *args, **kwargs)

    return method


for _kind in (pd.Series, pd.Index, pd.DataFrame):
    _kind.isin = _of_numpys(_kind.isin)
