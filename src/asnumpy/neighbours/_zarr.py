"""zarr takes Numbers among the lengths of an array: it asks for Python's and NumPy's integers."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change

_common: Any = importlib.import_module("zarr.core.common")
change("zarr", _common, ["parse_shapelike"], taking_numpys)
