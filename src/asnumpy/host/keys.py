"""Arrays of ours as NumPy's, numbers as its scalars, for who asks for those classes: values, and keys in brackets."""

from __future__ import annotations

import functools
from collections.abc import Callable
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
    if type(key) is str:  # the commonest of pandas'
        return key
    if isinstance(key, _core.Array):
        return numpys(key)
    if type(key) is tuple and any(isinstance(one, _core.Array | slice) for one in key):
        return tuple(map(numpys_key, key))
    if type(key) is slice:
        return slice(numpys(key.start), numpys(key.stop), numpys(key.step))
    return key


def by_numpys_keys(method: Callable[..., Any]) -> Callable[..., Any]:
    """`__getitem__` or another method whose first argument is a key, for which arrays of ours in it are NumPy's."""

    @functools.wraps(method)
    def item(self: Any, key: Any, *rest: Any, **kwargs: Any) -> Any:
        return method(self, numpys_key(key), *rest, **kwargs)

    return item
