"""Gymnasium's boxes take bounds and points of ours: they ask for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys

_box: Any = importlib.import_module("gymnasium.spaces.box").Box
for _name in ("__init__", "contains"):
    setattr(_box, _name, taking_numpys(getattr(_box, _name)))
