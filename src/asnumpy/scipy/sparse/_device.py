"""The methods of SciPy's that run on a device, by name; all else is SciPy's own, on the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import asarray
from asnumpy.indexing.selection import count_nonzero
from asnumpy.reduction import reductions
from asnumpy.scipy.sparse._arithmetic import ARITHMETIC
from asnumpy.scipy.sparse._door import Held
from asnumpy.scipy.sparse._moves import converted, moved
from asnumpy.scipy.sparse._patterns import one_each, stand_in, stays, without_zeros
from asnumpy.ufunc import functions as ufuncs

_MATRICES = ("csr", "csc", "coo")


def _conversion(name: str) -> Callable[..., Any]:
    def convert(held: Any, *args: Any, **kwargs: Any) -> Any:
        made = converted(held, name, *args, **kwargs)
        drops = held.format == "dia" and isinstance(made, Held) and made.format in _MATRICES
        return without_zeros(made) if drops else made

    return convert


def _moving(name: str) -> Callable[..., Any]:
    def move(held: Any, *args: Any, **kwargs: Any) -> Any:
        if held.format not in _MATRICES:
            return NotImplemented
        return moved(getattr(held._theirs, name), held, *args, **kwargs)

    return move


def _is_list(index: Any) -> bool:
    return not (index is None or index is Ellipsis or isinstance(index, slice) or np.ndim(index) == 0)


def _chosen(held: Any, key: Any) -> Any:
    if held.format not in _MATRICES or _asks_values(key):
        return NotImplemented
    made = moved(held._theirs.__getitem__, held, key)
    if not isinstance(made, Held) or held.format == "coo":
        return made
    each = key if type(key) is tuple else (key,)
    lists = [one for one in each if _is_list(one)]
    looked_up = len(lists) > 1 or (lists and (len(held._shape) == 1 or np.ndim(lists[0]) > 1))
    return without_zeros(made) if looked_up else made  # SciPy finds each value and makes an array of what is not zero


def _asks_values(key: Any) -> bool:
    return isinstance(key, Held) or (type(key) is tuple and any(isinstance(one, Held) for one in key))


def _trace(held: Any, offset: int = 0) -> Any:
    made = moved(held._theirs.diagonal, held, offset)
    return made.sum() if isinstance(made, ndarray) else NotImplemented


def _sum_duplicates(held: Any) -> Any:
    if held.format not in _MATRICES or len(held._shape) != 2:
        return NotImplemented
    if held.has_canonical_format:
        return None
    _become(held, one_each(held))
    return None


def _eliminate_zeros(held: Any) -> Any:
    if held.format not in _MATRICES or len(held._shape) != 2:
        return NotImplemented
    _become(held, without_zeros(held))
    return None


def _become(held: Any, made: Any) -> None:
    if made is not held:
        groups = made._groups
        held._hold(made._shape, made._parts, made._known)
        held._groups = groups


def _sort_indices(held: Any) -> Any:
    if held.format not in ("csr", "csc"):
        return NotImplemented
    return None if held.has_sorted_indices else moved(held._theirs.sort_indices, held, writes=True)


def _count_nonzero(held: Any, axis: Any = None) -> Any:
    if axis is not None or held.format not in _MATRICES or len(held._shape) != 2:
        return NotImplemented
    held.sum_duplicates()
    return count_nonzero(held._parts[0])


def _nonzero(held: Any) -> Any:
    if held.format not in _MATRICES or len(held._shape) != 2:
        return NotImplemented
    made = without_zeros(held)
    found = stand_in(made, np.ones(made._parts[0].shape, np.int8)).nonzero()
    return tuple(asarray(one, device=held.device) for one in found)


def _extreme(name: str) -> Callable[..., Any]:
    """Of all elements; along an axis it is SciPy's."""
    fold = getattr(reductions, name)
    choose = ufuncs.maximum if name == "max" else ufuncs.minimum

    def find(held: Any, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        known = held.format in _MATRICES and len(held._shape) == 2
        if axis is not None or out is not None or not known or 0 in held._shape:
            return NotImplemented
        if not held._parts[0].shape[0]:
            return zeros((), held._parts[0].dtype, device=held._parts[0].device)
        values = held._one_value_each()
        made = fold(values)
        whole = explicit or values.shape[0] == math.prod(held._shape)
        return made if whole else choose(made, values.dtype.type(0))

    return find


def _asformat(held: Any, format: Any, copy: bool = False) -> Any:
    if format is None or format == held.format:
        return held.copy() if copy else held
    return getattr(held, f"to{format}")(copy=copy) if format in _MATRICES else NotImplemented


def _times(held: Any, other: Any) -> Any:
    return ARITHMETIC["__matmul__"](held, other)  # of matrices; arrays multiply elements


_METHODS: dict[str, Callable[..., Any]] = {
    **ARITHMETIC,
    **{name: _conversion(name) for name in ("tocsr", "tocsc", "tocoo")},
    **{name: _moving(name) for name in ("getrow", "getcol", "_getrow", "_getcol", "diagonal", "reshape", "transpose",
                                        "sorted_indices")},
    "__getitem__": _chosen, "trace": _trace, "asformat": _asformat, "__mul__": _times,
    "sum_duplicates": _sum_duplicates, "eliminate_zeros": _eliminate_zeros,
    "sort_indices": _sort_indices, "count_nonzero": _count_nonzero,
    "max": _extreme("max"), "min": _extreme("min"), "nonzero": _nonzero,
}


def on_its_device(held: Held, method: str, *args: Any, **kwargs: Any) -> Any:
    """What the method gives of the device's arrays; NotImplemented: SciPy is to compute or to refuse it."""
    act = None if held._parts[0]._host_visible or _core.tracing() else _METHODS.get(method)
    return NotImplemented if act is None or not stays(held) else act(held, *args, **kwargs)
