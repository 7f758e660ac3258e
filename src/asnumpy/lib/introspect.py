"""What the loops of ufuncs are compiled for: NumPy's of each ufunc, ours as one instruction set."""

from asnumpy.lib._introspect import opt_func_info

__all__ = ["opt_func_info"]
