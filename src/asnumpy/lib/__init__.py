"""asnumpy.lib: the parts of numpy.lib that programs use by that name, loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["array_utils", "format", "npyio", "stride_tricks"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
