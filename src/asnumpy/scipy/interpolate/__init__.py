"""asnumpy.scipy.interpolate: the names of scipy.interpolate; its classes take and give arrays of asnumpy."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.interpolate._fitted import fitted_or_shown as _fitted_or_shown

__all__: list[str] = []
__getattr__, __dir__ = _names_of(globals(), _fitted_or_shown)
