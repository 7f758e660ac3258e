"""asnumpy.f2py: NumPy's wrapper of Fortran. What it builds takes our arrays by their buffers."""

from numpy.f2py import get_include, main, run_main

__all__ = ["get_include", "main", "run_main"]
