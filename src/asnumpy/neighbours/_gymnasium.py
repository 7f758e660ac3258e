"""Gymnasium's boxes take bounds and points of ours: they ask for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change_methods

_box: Any = importlib.import_module("gymnasium.spaces.box").Box
change_methods(_box, ["__init__", "contains"], taking_numpys)
