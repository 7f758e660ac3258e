"""asnumpy.lib: the parts of numpy.lib that programs use by that name, loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

_MODULES = ("array_utils", "format", "introspect", "mixins", "npyio", "scimath", "stride_tricks")
_SAME_AS_NUMPY = ("Arrayterator", "NumpyVersion", "add_docstring", "add_newdoc")
__all__ = [*_MODULES, *_SAME_AS_NUMPY]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _SAME_AS_NUMPY:  # they ask nothing of an array but slices
        return getattr(np.lib, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
