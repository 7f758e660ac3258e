"""The methods of ufuncs: reduce and accumulate by the core, with NumPy's rules; what is odd goes to NumPy itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from asnumpy import _core
from asnumpy._axes import axes_of, axis_of
from asnumpy._core import asarray
from asnumpy._types import ndarray
from asnumpy.dtypes.dtype import warn_of_cast
from asnumpy.host.door import host
from asnumpy.runtime.kernels import made_by_kernel
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.operands import Unsupported, call_overrides, operand, overrides

if TYPE_CHECKING:
    from asnumpy.ufunc.ufunc import ufunc

NO_VALUE: Any = np._NoValue
_BOOL = np.dtype(bool)
_FLOAT32 = np.dtype(np.float32)
_SCANS = frozenset({
    "add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "bitwise_and", "bitwise_or", "bitwise_xor",
})
# Without an identity, and yet free to take several axes in any order.
_REORDERABLE = frozenset({"maximum", "minimum", "fmax", "fmin"})
# Not associative in signed integers, where the least value has no absolute value: left to NumPy's order.
_IN_ORDER = frozenset({"gcd", "lcm"})
_HALF_FOLDS = _REORDERABLE | {"add", "multiply", "logical_and", "logical_or", "logical_xor"}
_known: dict[tuple[str, np.dtype], tuple[np.dtype, np.dtype]] = {}


def default_dtypes(ufunc: ufunc, dtype: np.dtype) -> tuple[np.dtype, np.dtype]:
    """Of a reduction without `dtype` and `out`: the dtype of the result, and the one that the core computes in."""
    key = (ufunc.name, dtype)
    known = _known.get(key)
    if known is None:
        known = _known[key] = _computed_in(ufunc, ufunc.numpy.resolve_dtypes((None, dtype, None), reduction=True)[0])
    return known


def _computed_in(ufunc: ufunc, dtype: np.dtype) -> tuple[np.dtype, np.dtype]:
    # Sums and products of 16-bit floats are rounded once, at the end.
    half = dtype.itemsize == 2 and dtype.kind not in "iu" and ufunc.name in ("add", "multiply")
    return dtype, _FLOAT32 if half else dtype


_plans: dict[tuple[str, np.dtype], tuple[np.dtype, np.dtype | None, bool, bool]] = {}
_scans: dict[tuple[str, np.dtype], np.dtype | None] = {}


def plan(ufunc: ufunc, dtype: np.dtype) -> tuple[np.dtype, np.dtype | None, bool, bool]:
    """Of a reduction of which nothing is asked but an axis: the dtype to reduce in, the result's where it is another,
    whether the core can, whether it needs elements."""
    known = _plans.get((ufunc.name, dtype))
    if known is None:
        kind, wide = default_dtypes(ufunc, dtype) if ufunc.reducible else (dtype, dtype)
        possible = ufunc.reducible and not _in_order(ufunc, kind) and all(
            ufunc.has_loop((one, one, one)) for one in (kind, wide))
        known = _plans[ufunc.name, dtype] = (
            wide, None if wide == kind else kind, possible, ufunc.numpy.identity is None)
    return known


def _in_order(ufunc: ufunc, kind: np.dtype) -> bool:
    """Whether its results follow from NumPy's order: other functions of halves round at every step."""
    half = kind.itemsize == 2 and kind.kind not in "iu"
    return ufunc.name in _IN_ORDER or (half and ufunc.name not in _HALF_FOLDS)


def reduce_at_once(ufunc: ufunc, a: Any, axis: Any, keepdims: Any) -> ndarray | None:
    """The common reductions, over one axis or all; None where more has to be looked at."""
    ndim = a.ndim
    if axis is not None:
        if type(axis) is not int or not -ndim <= axis < ndim:
            return None
        axis = (axis,)
    wide, narrow, possible, needs_elements = _plans.get((ufunc.name, a.dtype)) or plan(ufunc, a.dtype)
    if not possible or not ndim or (needs_elements and (a.size == 0 or (ndim > 1 and axis is None))) or watching():
        return None
    made = _core.reduce(ufunc.name, wide, a, axis, bool(keepdims))
    return made if narrow is None else _core.cast_alike(made, narrow)


def scanned_as(ufunc: ufunc, dtype: np.dtype) -> np.dtype | None:
    """The dtype of running results; None where the core has no such loop."""
    try:
        return _scans[ufunc.name, dtype]
    except KeyError:
        kind = default_dtypes(ufunc, dtype)[0] if ufunc.name in _SCANS else dtype
        found = ufunc.name in _SCANS and ufunc.has_loop((kind, kind, kind))
        return _scans.setdefault((ufunc.name, dtype), kind if found else None)


def accumulate_at_once(ufunc: ufunc, a: Any, axis: Any) -> ndarray | None:
    """The common running results; None where more has to be looked at."""
    if type(axis) is not int or not -a.ndim <= axis < a.ndim or watching():
        return None
    dtype = a.dtype
    kind = scanned_as(ufunc, dtype)
    if kind is None:
        return None
    line = a if kind == dtype else _core.cast_alike(a, kind)
    return (_core.scan if a._host_visible else scanned_there)(ufunc.name, line, axis)


def _dtypes(ufunc: ufunc, a: ndarray, dtype: Any, out: ndarray | None) -> tuple[np.dtype, np.dtype]:
    if dtype is None and out is None:
        return default_dtypes(ufunc, a.dtype)
    # NumPy casts a reduction's operands and its result without question.
    signature = {} if dtype is None else {"signature": (np.dtype(dtype), None, None)}
    wanted = (None if out is None else out.dtype, a.dtype, None)
    kind = ufunc.numpy.resolve_dtypes(wanted, reduction=True, casting="unsafe", **signature)[0]
    warn_of_cast(a.dtype, kind)
    if out is not None:
        warn_of_cast(kind, out.dtype)
    return _computed_in(ufunc, kind)


def fold(name: str, wide: np.dtype, dtype: np.dtype, a: ndarray, axes: tuple[int, ...], keepdims: bool) -> ndarray:
    """Reduces over at least one axis, computing in `wide`."""
    result = _core.reduce(name, wide, a, axes, keepdims)
    return result if wide is dtype or wide == dtype else _core.cast_alike(result, dtype)


def _reduced_shape(shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _neutral(ufunc: ufunc, dtype: np.dtype) -> Any:
    """The identity as a value of the dtype; zero of floats is -0.0, to which adding 0.0 and -0.0 keeps its sign."""
    if ufunc.name == "add" and dtype.kind in "fc":
        return -0.0
    return np.asarray(ufunc.numpy.identity).astype(dtype).item()


def _axes(a: ndarray, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(a.ndim))
    if a.ndim == 0 and axis in (0, -1):
        return ()
    return axes_of(axis, a.ndim)


def _storable(out: Any) -> TypeGuard[ndarray | None]:
    """Whether a result can be put into it when all is done. NumPy folds in the output itself, which shows in one whose
    elements overlap each other."""
    return out is None or (isinstance(out, ndarray) and not _core.overlaps_itself(out))


def reduce(
    ufunc: ufunc, array: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any,
) -> ndarray:
    given: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    given |= {"dtype": dtype} if dtype is not None else {}
    given |= {"out": out} if out is not None else {}
    given |= {"initial": initial} if initial is not NO_VALUE else {}
    given |= {"where": where} if where is not True else {}
    found = overrides((array, out[0] if isinstance(out, tuple) and out else out))
    if found:
        return call_overrides(ufunc, "reduce", (array,), given)  # type: ignore[no-any-return]  # whatever the other class answers

    def numpy() -> ndarray:
        return host(ufunc.numpy.reduce, array, **given)

    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if watching() or not ufunc.reducible or not _storable(out):
        return numpy()
    try:
        a = operand(array)
    except Unsupported:
        return numpy()
    if not isinstance(a, ndarray):
        a = asarray(a)
    axes = _axes(a, axis)
    kind, wide = _dtypes(ufunc, a, dtype, out)
    if _in_order(ufunc, kind):
        return numpy()
    if not ufunc.has_loop((wide, wide, wide)) or not ufunc.has_loop((kind, kind, kind)):
        return numpy()
    keep = bool(keepdims)
    shape = _reduced_shape(a.shape, axes, keep)
    if out is not None and (out.shape != shape or not out._flags_writeable):
        return numpy()
    identity = ufunc.numpy.identity
    start: Any = None  # what the reduction starts from, when that is not the identity
    if initial is not NO_VALUE and initial is not None:
        value = np.array(initial, dtype=kind) if type(initial) is int else np.asarray(initial)
        if value.ndim:
            return numpy()
        start = value.astype(kind).item()
        if ufunc.name == "add" and start == 0 and (np.signbit(start.real) or np.signbit(start.imag)):
            return numpy()  # of -0.0 alone, from -0.0 on, the sum is -0.0: the core's begin with 0.0
    nothing = identity is None or initial is None
    if nothing and start is None and any(a.shape[i] == 0 for i in axes):
        return numpy()  # which raises "zero-size array to reduction operation ..."
    if len(axes) > 1 and identity is None and ufunc.name not in _REORDERABLE:
        return numpy()  # which says that the order matters to it
    if where is not True:
        mask = asarray(where)
        if mask.dtype != _BOOL or (nothing and start is None):
            return numpy()
        if np.broadcast_shapes(mask.shape, a.shape) != a.shape:
            return numpy()
        a = _core.apply("where", (_BOOL, kind, kind, kind), [mask, a, start if nothing else _neutral(ufunc, kind)])
    if a.size == 0 and (nothing or start is not None):  # the start itself: -0.0 stays -0.0
        result = _core.empty(shape, kind)
        if start is not None:
            _core.assign(result, start)
        result = _core.returned(result)
    else:
        result = fold(ufunc.name, wide, kind, a, axes, keep)
    if start is not None and a.size != 0:
        result = _core.apply(ufunc.name, (kind, kind, kind), [result, start])
    if out is None:
        return result
    _core.assign(out, result)
    return out


def scanned_there(name: str, a: ndarray, axis: int) -> ndarray:
    """Running results along an axis of an array on a device."""
    made = made_by_kernel("cumsum", a) if name == "add" and a.ndim == 1 else None
    return _core.scan(name, a, axis) if made is None else made


def accumulate(ufunc: ufunc, array: Any, axis: Any, dtype: Any, out: Any) -> ndarray:
    given: dict[str, Any] = {"axis": axis}
    given |= {"dtype": dtype} if dtype is not None else {}
    given |= {"out": out} if out is not None else {}
    found = overrides((array, out[0] if isinstance(out, tuple) and out else out))
    if found:
        return call_overrides(ufunc, "accumulate", (array,), given)  # type: ignore[no-any-return]  # whatever the other class answers

    def numpy() -> ndarray:
        return host(ufunc.numpy.accumulate, array, **given)

    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if watching() or ufunc.name not in _SCANS or not _storable(out):
        return numpy()
    try:
        a = operand(array)
    except Unsupported:
        return numpy()
    if not isinstance(a, ndarray) or a.ndim == 0:
        return numpy()
    if not hasattr(axis, "__index__") or (out is not None and (out.shape != a.shape or not out._flags_writeable)):
        return numpy()
    place = axis_of(axis, a.ndim)
    kind, _ = _dtypes(ufunc, a, dtype, out)
    if not ufunc.has_loop((kind, kind, kind)):
        return numpy()
    line = a if a.dtype == kind else _core.cast_alike(a, kind)
    result = _core.scan(ufunc.name, line, place) if a._host_visible else scanned_there(ufunc.name, line, place)
    if out is None:
        return result
    _core.assign(out, result)
    return out
