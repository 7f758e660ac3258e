"""netCDF4's variables take arrays of ours: it takes what gives its memory for NumPy's."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change_methods, is_fixed

_variable: Any = importlib.import_module("netCDF4").Variable
if not is_fixed(_variable):
    change_methods(_variable, ["__setitem__"], taking_numpys)
