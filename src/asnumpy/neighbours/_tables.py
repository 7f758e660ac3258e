"""PyTables writes arrays of ours as it writes NumPy's, as which they are read again, and takes them as keys."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy.host.keys import by_numpys_keys, numpys
from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change, change_methods


def _of_any(select: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The selection of points, which counts negative ones from the end in the array that it is given."""

    @functools.wraps(select)
    def points(self: Any, key: Any) -> Any:
        key = numpys(key)
        if isinstance(key, np.ndarray) and not key.flags.writeable:  # as what was brought from a device
            key = key.copy()
        return select(self, key)

    return points


_tables: Any = importlib.import_module("tables")
_converting = ["array_as_internal", "array_of_flavor", "array_of_flavor2", "flavor_of"]
change("tables", _tables.flavor, _converting, taking_numpys)
for _kind in (_tables.Array, _tables.Column, _tables.Table, _tables.VLArray):
    change_methods(_kind, ["__getitem__", "__setitem__"], by_numpys_keys)
change_methods(_tables.Leaf, ["_point_selection"], _of_any)
