"""Operations of sparse's arrays with arrays of ours: it asks for NumPy's class."""

from __future__ import annotations

import importlib

from asnumpy.host.passing import giving_ours
from asnumpy.interop.arrivals import change

for _module, _names in (("_common", ("dot", "matmul", "tensordot")), ("_umath", ("elemwise",))):
    change("sparse", importlib.import_module(f"sparse.numba_backend.{_module}"), _names, giving_ours)
