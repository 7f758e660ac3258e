"""h5py's datasets with arrays of ours: masks in brackets, and arrays that are read or written without a copy between.

By itself h5py refuses them: it asks for NumPy's class.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.host.keys import by_numpys_keys, numpys
from asnumpy.interop.arrivals import change_methods


def _filling(read: Callable[..., None]) -> Callable[..., None]:
    """`read_direct`, which fills arrays of ours, too: by way of NumPy's."""

    @functools.wraps(read)
    def read_direct(self: Any, dest: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(dest, _core.Array):
            return read(self, dest, *args, **kwargs)
        filled = np.array(numpys(dest), order="C")
        read(self, filled, *args, **kwargs)
        dest[...] = filled
        return None

    return read_direct


def _of_numpys(write: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(write)
    def write_direct(self: Any, source: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(source, _core.Array):
            source = np.ascontiguousarray(numpys(source))
        write(self, source, *args, **kwargs)

    return write_direct


_dataset: Any = importlib.import_module("h5py").Dataset
change_methods(_dataset, ["__getitem__", "__setitem__"], by_numpys_keys)
change_methods(_dataset, ["read_direct"], _filling)
change_methods(_dataset, ["write_direct"], _of_numpys)
