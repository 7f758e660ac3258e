"""Functions that are NumPy's own, run through the host door: packed bits, calendars, iterators."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import export, exports, public
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.host.door import host
from asnumpy.host.whole import door

# A name that another module defines is left to it.
_FUNCTIONS = """
packbits unpackbits
busday_count busday_offset datetime_as_string datetime_data is_busday
""".split()
_CLASSES = "broadcast ndenumerate ndindex nditer nested_iters".split()


for _name in _FUNCTIONS:
    if _name not in exports:
        export(_name, door(getattr(np, _name)))
for _name in ("True_", "False_", "iterable", "busdaycalendar"):
    if _name not in exports:
        export(_name, getattr(np, _name))


def _over_views(made_by: Any) -> Any:
    """A NumPy class or factory of iterators, which walk over views that share memory with our arrays."""

    def make(*args: Any, **kwargs: Any) -> Any:
        plain = [_core.to_numpy_view(a, None) if isinstance(a, ndarray) else a for a in args]
        return made_by(*plain, **kwargs)

    make.__name__ = make.__qualname__ = made_by.__name__
    make.__doc__ = made_by.__doc__
    make.__module__ = "asnumpy"
    make.__wrapped__ = made_by  # type: ignore[attr-defined]
    return make


for _name in _CLASSES:
    if _name not in exports:
        export(_name, _over_views(getattr(np, _name)))


if "astype" not in exports:

    @public
    def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> ndarray:
        if not isinstance(x, (ndarray, np.ndarray, np.generic)):
            raise TypeError(f"Input should be a NumPy array. It is of type {type(x)}.")
        made = asarray(x, device)
        return made.astype(as_dtype(dtype, "astype"), copy=copy)


@public
def may_share_memory(a: Any, b: Any, /, max_work: Any = 0) -> bool:
    if isinstance(a, ndarray) and isinstance(b, ndarray):
        return bool(_core.may_share_memory(a, b))
    return bool(host(np.may_share_memory, a, b, max_work))


@public
def shares_memory(a: Any, b: Any, /, max_work: Any = -1) -> bool:
    if isinstance(a, ndarray) and isinstance(b, ndarray):
        if not _core.may_share_memory(a, b):
            return False
        if not a.host_visible:
            return bool(_core.shares_memory(a, b))
    return bool(host(np.shares_memory, a, b, max_work))
