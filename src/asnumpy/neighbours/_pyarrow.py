"""PyArrow makes its arrays and scalars of ours, and computes with them.

It asks for NumPy's classes, and for Python's numbers in lists; for its functions an array of ours was a list.
"""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change, together


def _let_compute() -> None:
    """Functions of arrays, by which methods such as `take` and `filter` compute, too."""
    compute: Any = importlib.import_module("pyarrow.compute")
    for name, function in list(vars(compute).items()):
        if hasattr(function, "__arrow_compute_function__") or name in ("call_function", "fill_null", "index", "take"):
            setattr(compute, name, taking_numpys(function))


_lib: Any = importlib.import_module("pyarrow.lib")
change("pyarrow", _lib, ["array", "asarray", "chunked_array", "scalar"], taking_numpys)
together("pyarrow.compute", _let_compute)
