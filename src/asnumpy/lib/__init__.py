"""asnumpy.lib: the parts of numpy.lib that programs use by that name, loaded when they are first used."""

import importlib as _importlib
import typing as _typing

from numpy.lib import Arrayterator, NumpyVersion, add_docstring, add_newdoc  # they ask nothing of an array but slices

__all__ = [
    "Arrayterator", "NumpyVersion", "add_docstring", "add_newdoc",
    "array_utils", "format", "introspect", "mixins", "npyio", "scimath", "stride_tricks",
]

if _typing.TYPE_CHECKING:
    from asnumpy.lib import array_utils, format, introspect, mixins, npyio, scimath, stride_tricks
else:

    def __getattr__(name):
        if name in __all__:
            return _importlib.import_module(f"asnumpy.lib.{name}")
        raise AttributeError(f"module 'asnumpy.lib' has no attribute {name!r}")
