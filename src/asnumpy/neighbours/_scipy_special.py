"""SciPy's factorials take Numbers of integers: they ask for the class of one."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change

_basic: Any = importlib.import_module("scipy.special._basic")
change("scipy.special", _basic, ["factorial", "factorial2", "factorialk"], taking_numpys)
