"""asnumpy.scipy.optimize: the names of scipy.optimize; functions of the program's get and give arrays of asnumpy."""

from asnumpy.scipy._functions import with_functions as _with_functions
from asnumpy.scipy._names import names_of as _names_of

__all__: list[str] = []
__getattr__, __dir__ = _names_of(globals(), _with_functions)
