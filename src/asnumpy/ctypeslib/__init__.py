"""asnumpy.ctypeslib: arrays and C pointers over one memory."""

from numpy.ctypeslib import as_ctypes_type, c_intp, load_library, ndpointer

from asnumpy.ctypeslib._memory import as_array, as_ctypes

__all__ = ["as_array", "as_ctypes", "as_ctypes_type", "c_intp", "load_library", "ndpointer"]
