"""Functions that are recorded once and run as one call: `jit` and what it needs of Python's loops and branches."""

from asnumpy._core import TracingError
from asnumpy.tracing._compiled import Compiled, Cost, load_compiled
from asnumpy.tracing._control import cond, range, while_loop
from asnumpy.tracing._function import Function, jit

__all__ = ["Compiled", "Cost", "Function", "TracingError", "cond", "jit", "load_compiled", "range", "while_loop"]
