"""PyArrow makes its arrays and scalars of ours: it asks for NumPy's classes, and for Python's numbers in lists."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change

_lib: Any = importlib.import_module("pyarrow.lib")
change("pyarrow", _lib, ["array", "asarray", "chunked_array", "scalar"], taking_numpys)
