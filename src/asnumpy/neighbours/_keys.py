"""Arrays of ours as NumPy's, numbers as its scalars, for who asks for those classes: values, and keys in brackets."""

from __future__ import annotations

from typing import Any

from asnumpy import _core
from asnumpy.host.door import numpy_view


def numpys(value: Any) -> Any:
    """An array of NumPy's, or one of its scalars, for one of ours; anything else as it is."""
    if not isinstance(value, _core.Array):
        return value
    return numpy_view(value) if value.ndim else numpy_view(value)[()]


def numpys_key(key: Any) -> Any:
    """A key of NumPy's: an array of ours, a number, or one among several."""
    if isinstance(key, _core.Array):
        return numpys(key)
    if type(key) is tuple and any(isinstance(one, _core.Array | slice) for one in key):
        return tuple(map(numpys_key, key))
    if type(key) is slice:
        return slice(numpys(key.start), numpys(key.stop), numpys(key.step))
    return key
