"""zarr takes Numbers among the lengths of an array: it asks for Python's and NumPy's integers."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import put

_common: Any = importlib.import_module("zarr.core.common")
put("zarr", "parse_shapelike", _common.parse_shapelike, taking_numpys(_common.parse_shapelike))
