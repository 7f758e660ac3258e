"""OpenCV's functions and methods take arrays of ours, draw in them, and give such back: it asks for NumPy's class."""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, GetSetDescriptorType, MethodDescriptorType, ModuleType
from typing import Any

from asnumpy.host.passing import giving_ours, taking_numpys


def _let_in(module: ModuleType) -> None:
    """Every compiled function of a module, and what its classes have."""
    for name, value in list(vars(module).items()):
        if isinstance(value, BuiltinFunctionType):
            setattr(module, name, giving_ours(value))
        elif isinstance(value, type) and value.__module__.partition(".")[0] == "cv2":
            _let_into_class(value)


def _let_into_class(kind: Any) -> None:
    for name, value in list(vars(kind).items()):
        if isinstance(value, MethodDescriptorType) and not name.startswith("__"):
            setattr(kind, name, giving_ours(value))
        elif isinstance(value, GetSetDescriptorType) and not name.startswith("__"):
            setattr(kind, name, property(value.__get__, taking_numpys(value.__set__), doc=value.__doc__))
        elif name == "__init__":
            kind.__init__ = taking_numpys(kind.__init__)


_modules: list[Any] = [module for name, module in sys.modules.items() if f"{name}.".startswith("cv2.")]
for _module in _modules:
    _let_in(_module)
