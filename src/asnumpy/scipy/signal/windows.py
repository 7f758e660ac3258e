"""asnumpy.scipy.signal.windows: the names of scipy.signal.windows."""

from asnumpy.scipy._names import names_of as _names_of

__all__: list[str] = []
__getattr__, __dir__ = _names_of(globals())
