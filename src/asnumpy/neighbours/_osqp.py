"""OSQP's problems take vectors and Numbers of ours: its compiled code asks for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change_methods

_solver: Any = importlib.import_module("osqp.interface").OSQP
change_methods(_solver, ["setup", "update", "update_settings", "warm_start"], taking_numpys)
