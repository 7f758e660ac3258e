"""matmul, vecdot, matvec and vecmat: ufuncs over vectors and matrices, made of the core's matrix product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from asnumpy import _core
from asnumpy._types import EXACT, ndarray
from asnumpy.dtypes.dtype import is_narrow
from asnumpy.host.door import host
from asnumpy.ufunc.calls import outputs, type_signature
from asnumpy.ufunc.operands import Unsupported, call_overrides, operand, overrides, resolve_call, type_key

if TYPE_CHECKING:
    from asnumpy.ufunc.ufunc import ufunc

_KEYWORDS = frozenset({"out", "casting", "dtype", "signature", "sig", "subok"})
_ALONG = frozenset({"axes", "axis", "keepdims"})
_BOOL = np.dtype(bool)


def product(a: ndarray, b: ndarray) -> ndarray:
    """The matrix product of arrays of one dtype with matching core dimensions; one-dimensional ones are vectors."""
    row, column = a.ndim == 1, b.ndim == 1
    left = a.reshape((1, a.shape[0])) if row else a
    right = b.reshape((b.shape[0], 1)) if column else b
    result = _core.matmul(left, right)
    if row and column:
        return result[0, 0]
    if row:
        return result.reshape(result.shape[:-2] + result.shape[-1:])
    if column:
        return result.reshape(result.shape[:-1])
    return result


# What real arrays of one dtype and of the fewest axes take; None: take the long way.
def _quick_vecdot(a: Any, b: Any) -> Any:
    if type(a) not in EXACT or a.dtype.kind != "f":
        return None
    if a.ndim == 1:
        return _core.dot(a, b)
    if type(b) not in EXACT or a.dtype != b.dtype or a.shape != b.shape or a.dtype.itemsize < 4 or not a.ndim:
        return None
    return (a * b).sum(-1)


def _quick_matvec(a: Any, b: Any) -> Any:
    return _core.product(a, b) if type(a) in EXACT and type(b) in EXACT and a.ndim == 2 and b.ndim == 1 else None


def _quick_vecmat(a: Any, b: Any) -> Any:
    plain = type(a) in EXACT and type(b) in EXACT and a.ndim == 1 and b.ndim == 2 and a.dtype.kind != "c"
    return _core.product(a, b) if plain else None


_QUICK = {"matmul": _core.product, "vecdot": _quick_vecdot, "matvec": _quick_matvec, "vecmat": _quick_vecmat}


def _conjugate(a: ndarray) -> ndarray:
    return _core.apply("conjugate", (a.dtype, a.dtype), [a]) if a.dtype.kind == "c" else a


def _vecdot(a: ndarray, b: ndarray) -> ndarray:
    dtype = a.dtype
    if dtype == _BOOL:
        both = _core.apply("logical_and", (dtype, dtype, dtype), [a, b])
        return _core.reduce("logical_or", dtype, both, (both.ndim - 1,), False)
    wide = np.dtype(np.float32) if dtype.kind in "fV" and dtype.itemsize == 2 else dtype
    terms = _core.apply("multiply", (wide, wide, wide), [_conjugate(a), b])
    total = _core.reduce("add", wide, terms, (terms.ndim - 1,), False)
    return total if wide == dtype else _core.cast(total, dtype)


def _matvec(a: ndarray, b: ndarray) -> ndarray:
    result = _core.matmul(a, b.reshape(b.shape + (1,)))
    return result.reshape(result.shape[:-1])


def _vecmat(a: ndarray, b: ndarray) -> ndarray:
    result = _core.matmul(_conjugate(a).reshape(a.shape[:-1] + (1, a.shape[-1])), b)
    return result.reshape(result.shape[:-2] + result.shape[-1:])


# Per ufunc: least dimensions of both operands, the axis of `b` that meets the last axis of `a`, the function.
_FORMS: dict[str, tuple[int, int, int, Any]] = {
    "matmul": (1, 1, -2, product),
    "vecdot": (1, 1, -1, _vecdot),
    "matvec": (2, 1, -1, _matvec),
    "vecmat": (1, 2, -2, _vecmat),
}


def _batch(a: ndarray, b: ndarray, least_a: int, least_b: int) -> bool:
    """Whether the axes in front of the core dimensions broadcast."""
    try:
        np.broadcast_shapes(a.shape[: max(a.ndim - least_a, 0)], b.shape[: max(b.ndim - least_b, 0)])
    except ValueError:
        return False
    return True


# Per ufunc: how many core axes each operand and the result have when neither of matmul's is a vector.
_CORE = {"matmul": (2, 2, 2), "vecdot": (1, 1, 0), "matvec": (2, 1, 1), "vecmat": (1, 2, 1)}


def _named_axes(name: str, a: ndarray, b: ndarray, kwargs: dict[str, Any]) -> list[tuple[int, ...]]:
    """`axes=` or `axis=` as the core axes of both operands and the result. Unsupported: NumPy words the error."""
    core = list(_CORE[name])
    if name == "matmul":
        row, column = a.ndim == 1, b.ndim == 1
        core = [2 - row, 2 - column, 2 - row - column]
    if "axis" in kwargs:
        if "axes" in kwargs or name != "vecdot" or type(kwargs["axis"]) is not int:
            raise Unsupported
        given: Any = [kwargs["axis"], kwargs["axis"]]
    else:
        given = kwargs.get("axes", [tuple(range(-n, 0)) for n in core])
    if not isinstance(given, list) or len(given) not in ((3,) if _CORE[name][2] else (2, 3)):
        raise Unsupported
    named = [one if isinstance(one, tuple) else (one,) for one in [*given, ()][:3]]
    if [len(one) for one in named] != core or not all(type(axis) is int for one in named for axis in one):
        raise Unsupported
    return named


def _last(a: ndarray, axes: tuple[int, ...], back: bool = False) -> ndarray:
    """The axes moved to the end, or (back) the last ones moved to where they are named."""
    try:
        front = normalize_axis_tuple(axes, a.ndim)
    except ValueError:
        raise Unsupported from None
    order = [axis for axis in range(a.ndim) if axis not in front] + list(front)
    if back:
        order = [order.index(axis) for axis in range(a.ndim)]
    return _core.transpose(a, tuple(order))


def _along(ufunc: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call with `axes`, `axis` or `keepdims`: the axes are moved to where the product expects them."""
    keepdims = kwargs.get("keepdims", False)
    if len(args) != 2 or type(keepdims) is not bool or ("keepdims" in kwargs and ufunc.name != "vecdot"):
        raise Unsupported
    if keepdims and ("axes" in kwargs or "out" in kwargs):
        raise Unsupported
    a, b = operand(args[0]), operand(args[1])
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)):
        raise Unsupported
    into_a, into_b, outof = _named_axes(ufunc.name, a, b, kwargs)
    rest = {key: value for key, value in kwargs.items() if key not in ("axes", "axis", "keepdims", "out")}
    out = kwargs.get("out")
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if out is not None:
        if not isinstance(out, ndarray):
            raise Unsupported
        rest["out"] = _last(out, outof)
    made = call(ufunc, (_last(a, into_a), _last(b, into_b)), rest)
    if out is not None:
        return out
    if not keepdims:
        return _last(made, outof, back=True)
    place = normalize_axis_index(into_a[0], made.ndim + 1)
    return made.reshape(made.shape[:place] + (1,) + made.shape[place:])


def call(ufunc: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`ufunc(*args, **kwargs)`; what is wrong goes to NumPy, which words the error."""
    name = ufunc.name
    quick = _QUICK.get(name)
    if quick is not None and not kwargs and len(args) == 2:
        done = quick(*args)
        if done is not None:
            return done
    found = overrides([*args, *outputs((), kwargs)])
    if found:
        return call_overrides(ufunc, "__call__", args, kwargs)
    if not kwargs.keys().isdisjoint(_ALONG):
        try:
            return _along(ufunc, args, kwargs)
        except Unsupported:
            return host(ufunc.numpy, *args, **kwargs)
    form = _FORMS.get(name)
    out = args[2] if len(args) == 3 else kwargs.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    counted = len(args) == 2 or (len(args) == 3 and "out" not in kwargs)
    plain = form is not None and counted and kwargs.keys() <= _KEYWORDS
    if not plain or not (out is None or isinstance(out, ndarray)):
        return host(ufunc.numpy, *args, **kwargs)
    assert form is not None
    least_a, least_b, meeting, function = form
    try:
        a, b = operand(args[0]), operand(args[1])
        signature = type_signature(ufunc, kwargs)
    except (Unsupported, LookupError):
        return host(ufunc.numpy, *args, **kwargs)
    if not (isinstance(a, ndarray) and isinstance(b, ndarray)) or a.ndim < least_a or b.ndim < least_b:
        return host(ufunc.numpy, *args, **kwargs)
    core_a, core_b = (2, 2) if name == "matmul" else (least_a, least_b)
    if a.shape[-1] != b.shape[meeting if b.ndim > 1 else 0] or not _batch(a, b, core_a, core_b):
        return host(ufunc.numpy, *args, **kwargs)
    wanted = (type_key(a), type_key(b), None if out is None else out.dtype)
    loop = resolve_call(ufunc, wanted, signature, kwargs.get("casting", "same_kind"))
    dtype = loop[0]
    unknown = dtype.char in "gGO" or is_narrow(dtype)
    if any(each != dtype for each in loop) or unknown:
        return host(ufunc.numpy, *args, **kwargs)
    result = function(*(each if each.dtype == dtype else _core.cast(each, dtype) for each in (a, b)))
    if out is None:
        return result
    if out.shape != result.shape:
        return host(ufunc.numpy, *args, **kwargs)
    _core.assign(out, result)
    return out
