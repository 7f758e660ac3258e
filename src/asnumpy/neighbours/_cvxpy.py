"""CVXPY takes arrays of ours for the values of parameters and variables: it asks for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys

_leaf: Any = importlib.import_module("cvxpy.expressions.leaf").Leaf
_leaf._validate_value = taking_numpys(_leaf._validate_value)
