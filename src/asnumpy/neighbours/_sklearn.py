"""scikit-learn takes a float of ours for a parameter that is one: it asks for Python's, which NumPy's float64 is."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.array.number import FloatNumber

_validation: Any = importlib.import_module("sklearn.utils._param_validation")
_validation.RealNotInt.register(FloatNumber)
