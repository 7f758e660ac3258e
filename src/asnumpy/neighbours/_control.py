"""python-control takes arrays and Numbers of ours for the coefficients of a transfer function: it asks for NumPy's."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys

_functions: Any = importlib.import_module("control.xferfcn")
_functions._clean_part = taking_numpys(_functions._clean_part)
