"""Functions whose results leave the real numbers where they must: sqrt(-1) is 1j."""

from asnumpy.lib._scimath import arccos, arcsin, arctanh, log, log2, log10, logn, power, sqrt

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]
