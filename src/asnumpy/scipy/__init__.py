"""asnumpy.scipy: SciPy's functions over arrays of asnumpy, module by module under SciPy's names.

Composed of asnumpy's operations where that is written (they are deferred and fuse), else SciPy's own function through
the host door, which is counted (`asnumpy.fallbacks()`). Each module is loaded when it is first used.
"""

import importlib as _importlib

__all__ = [
    "fft", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "spatial", "special", "stats",
]


def __getattr__(name):  # type: ignore[no-untyped-def]
    if name in __all__:
        return _importlib.import_module(f"asnumpy.scipy.{name}")
    raise AttributeError(f"module 'asnumpy.scipy' has no attribute {name!r}")


def __dir__():  # type: ignore[no-untyped-def]
    return __all__
