"""rasterio's datasets read into arrays of ours, and write masks of ours; what its functions fill is filled in ours.

Its compiled code asks for NumPy's class, and what it took for an array to fill, on an NPU, was a copy.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from asnumpy.host.passing import giving_ours
from asnumpy.interop.arrivals import change, change_methods, together

_FILLING = {
    "rasterio.features": ("geometry_mask", "rasterize", "sieve"), "rasterio.fill": ("fillnodata",),
    "rasterio.warp": ("reproject",),
}


def _give(module: str, names: tuple[str, ...]) -> None:
    change("rasterio", importlib.import_module(module), names, giving_ours)


_io: Any = importlib.import_module("rasterio.io")
for _kind in (_io.DatasetReader, _io.DatasetWriter, _io.BufferedDatasetWriter):
    _names = [name for name in ("dataset_mask", "read", "read_masks", "write_mask") if hasattr(_kind, name)]
    change_methods(_kind, _names, giving_ours)
for _module, _functions in _FILLING.items():
    together(_module, functools.partial(_give, _module, _functions))
