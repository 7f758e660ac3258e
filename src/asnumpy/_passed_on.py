"""Functions that are NumPy's own, run through the host door: files, polynomials, packed bits, classes of iteration."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._array import ndarray
from asnumpy._convert import asarray
from asnumpy._dtype import as_dtype
from asnumpy._host import host
from asnumpy._public import export, exports, public

# A name that another module defines is left to it.
_FUNCTIONS = """
genfromtxt load loadtxt packbits poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots
save savetxt savez savez_compressed unpackbits fromregex
""".split()
_CLASSES = "broadcast ndenumerate ndindex nditer nested_iters".split()


def _through(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return host(function, *args, **kwargs)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    call.__module__ = "asnumpy"
    call.__wrapped__ = function  # type: ignore[attr-defined]  # inspect.signature() follows it
    return call


for _name in _FUNCTIONS:
    if _name not in exports:
        export(_name, _through(getattr(np, _name)))
for _name in ("True_", "False_", "iterable", "__array_namespace_info__"):
    if _name not in exports and hasattr(np, _name):  # the last is younger than NumPy 2.0
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
        if not isinstance(x, (ndarray, np.ndarray)):
            raise TypeError(f"Input should be a NumPy array. It is of type {type(x)}.")
        if device not in (None, "cpu"):
            raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')
        made = asarray(x)
        return made.astype(as_dtype(dtype, "astype"), copy=copy)


@public
def may_share_memory(a: Any, b: Any, /, max_work: Any = 0) -> bool:
    if isinstance(a, ndarray) and isinstance(b, ndarray):
        return bool(_core.may_share_memory(a, b))
    return bool(host(np.may_share_memory, a, b, max_work))


@public
def shares_memory(a: Any, b: Any, /, max_work: Any = -1) -> bool:
    if isinstance(a, ndarray) and isinstance(b, ndarray) and not _core.may_share_memory(a, b):
        return False
    return bool(host(np.shares_memory, a, b, max_work))
