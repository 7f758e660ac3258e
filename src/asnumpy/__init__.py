"""asnumpy: NumPy's interface over arrays whose operations are deferred, fused and run on a device."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from asnumpy._public import exports

__version__ = "0.1.0"

# In this order: a module may use those before it (asnumpy/_public.py collects what each marks as public).
_MODULES = (
    "_cann_error", "_dtype", "_limits", "config", "_devices", "_streams", "_pinned", "_array", "_host", "_doors",
    "_errors", "_convert", "_operands", "_calls", "_gufunc", "_folds", "_ufunc", "_operators",
    "_array_attributes", "_array_methods", "_reductions", "_indexing", "_protocols", "_print", "_runtime", "profiler",
    "_creation", "_manipulation", "_grid", "_selection", "_joining", "_index_tricks",
    "_sorting", "_sets", "_statistics", "_elementwise",
    "_nan", "_histogram", "_difference", "_linear", "_einsum", "_padding", "_functional", "_norms", "_vectorize",
    "linalg", "fft", "_files", "_text_files", "_polynomials", "lib", "_array_api", "_passed_on",
    "_binding", "_information", "nn",
)
# Loaded when they are first used.
_LATER = frozenset({
    "cann", "char", "ctypeslib", "emath", "f2py", "polynomial", "random", "strings", "testing", "typing",
})

for _name in _MODULES:
    import_module(f"asnumpy.{_name}")
globals().update(exports)
__all__ = sorted(exports)


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f"asnumpy.{name}")
    raise AttributeError(f"module 'asnumpy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})

