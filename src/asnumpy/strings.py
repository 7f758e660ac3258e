"""asnumpy.strings: NumPy's functions of text, through the host door; text stays in NumPy's arrays."""

from __future__ import annotations

import numpy as np

from asnumpy.host.whole import door as _door

__all__ = list(np.strings.__all__)
for _name in __all__:
    _value = getattr(np.strings, _name)
    globals()[_name] = _door(_value) if callable(_value) and not isinstance(_value, type) else _value
