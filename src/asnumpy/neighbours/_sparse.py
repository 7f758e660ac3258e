"""Operations of sparse's arrays with arrays of ours: it asks for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import giving_ours
from asnumpy.interop.arrivals import put

for _module, _names in (("_common", ("dot", "matmul", "tensordot")), ("_umath", ("elemwise",))):
    _theirs: Any = importlib.import_module(f"sparse.numba_backend.{_module}")
    for _name in _names:
        put("sparse", _name, getattr(_theirs, _name), giving_ours(getattr(_theirs, _name)))
