"""asnumpy: NumPy's interface over arrays whose operations are deferred, fused and run on a device."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from asnumpy._public import exports

__version__ = "0.1.0"

# In this order: a module may use those before it (asnumpy/_public.py collects what each marks as public).
_MODULES = (
    "runtime.cann_error", "dtypes.dtype", "dtypes.limits", "config", "runtime.devices", "runtime.streams",
    "runtime.pinned", "array.ndarray", "host.door", "host.whole", "ufunc.errstate", "creation.convert",
    "ufunc.operands", "ufunc.calls", "ufunc.gufunc", "ufunc.folds", "ufunc.ufunc", "ufunc.operators",
    "array.attributes", "array.methods", "reduction.reductions", "indexing.fancy", "interop.protocols",
    "array.printing", "runtime.control", "profiler", "creation.arrays", "manipulation.shapes", "indexing.grids",
    "indexing.selection", "manipulation.joining", "indexing.tricks", "sorting.order", "sorting.sets",
    "statistics.averages", "elementwise.functions", "statistics.nan", "statistics.histogram", "statistics.difference",
    "linalg._products", "linalg._einsum", "manipulation.padding", "elementwise.along_axis", "linalg._norms",
    "elementwise.vectorize", "linalg", "fft", "io.files", "io.text", "lib._poly1d", "lib", "interop.array_api",
    "host.passed_on", "array.binding", "runtime.information", "nn",
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

