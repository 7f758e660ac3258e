"""SimpleITK's functions and methods take Numbers, and vectors of ours: its compiled code asks for Python's floats."""

from __future__ import annotations

import importlib
from types import BuiltinFunctionType
from typing import Any

from asnumpy.host.passing import taking_numpys

_OF_CLASSES = ("delete_", "SWIG")  # what ends an object, and what classes are made with
_compiled: Any = importlib.import_module("SimpleITK._SimpleITK")
for _name, _function in list(vars(_compiled).items()):
    if isinstance(_function, BuiltinFunctionType) and not _name.startswith(_OF_CLASSES) and "_swig" not in _name:
        setattr(_compiled, _name, taking_numpys(_function))
