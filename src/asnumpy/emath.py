"""asnumpy.emath: the functions of asnumpy.lib.scimath under the name that programs use."""

from asnumpy.lib._scimath import arccos, arcsin, arctanh, log, log2, log10, logn, power, sqrt

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]
