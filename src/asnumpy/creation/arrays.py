"""Arrays made from nothing, from values, or in the likeness of others."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, DTypeLike, Order, Shape, ndarray
from asnumpy.creation.convert import asarray as _asarray
from asnumpy.creation.convert import from_host
from asnumpy.dtypes.dtype import as_dtype, is_narrow, new_dtype, new_values, real_kind
from asnumpy.dtypes.limits import iinfo
from asnumpy.host.door import as_numpy, take_over
from asnumpy.host.numpys import derived
from asnumpy.runtime.devices import Device
from asnumpy.ufunc.functions import isfinite


def normal_shape(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of Python ints; an int stands for one axis."""
    if type(shape) is int:
        return (shape,)
    if type(shape) is tuple:
        for n in shape:
            if type(n) is not int:
                return tuple(map(index, shape))
        return shape
    if hasattr(shape, "__index__") and getattr(shape, "ndim", 0) == 0:
        return (index(shape),)
    return tuple(index(n) for n in shape)


def _new(shape: Any, dtype: Any, order: Order | None, device: Any) -> ndarray:
    if order in ("A", "K", "a", "k"):
        raise ValueError("only 'C' or 'F' order is permitted")
    name = order if order == "C" or order == "F" else _order_name(order)
    return _core.empty(normal_shape(shape), as_dtype(new_dtype(dtype), "empty"), name, device)


def _order_name(order: Any) -> Any:
    name = "K" if order is None else str(order).upper()
    if name not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    return name


def empty_ordered(shape: tuple[int, ...], dtype: np.dtype, order: Any, model: ndarray, device: Any = None) -> ndarray:
    """A new array whose memory order is `order`; 'A' and 'K' follow the model's strides as NumPy does.

    It lies beside the model where no device is given.
    """
    name = _order_name(order)
    if name in ("A", "K"):
        if name == "A":
            name = "F" if model._flags_f_contiguous and not model._flags_c_contiguous else "C"
        elif model._flags_c_contiguous or len(shape) != model.ndim:
            name = "C"
        elif model._flags_f_contiguous:
            name = "F"
    if name != "K":
        return _core.empty(shape, dtype, name, model if device is None else device)
    strides = model.strides
    axes = sorted(range(len(shape)), key=lambda axis: -abs(strides[axis]))  # stable: equal strides keep their order
    made = _core.empty(tuple(shape[axis] for axis in axes), dtype, "C", model if device is None else device)
    return _core.transpose(made, tuple(int(axis) for axis in np.argsort(axes)))


def fill_scalar(value: Any, dtype: np.dtype) -> Any:
    """A scalar cast to dtype under NumPy's 'unsafe' rule, except that a Python int has to fit."""
    kind = real_kind(dtype)
    if type(value) is bool or (type(value) is float and kind in "fc"):
        return value
    if type(value) is int and kind in "iub":
        if is_narrow(dtype) and not iinfo(dtype).min <= value <= iinfo(dtype).max:
            raise OverflowError(f"Python integer {value} out of bounds for {dtype.name}")
        return np.array(value, dtype).item()
    return np.asarray(value).astype(dtype).item()


def assign_value(target: ndarray, value: Any) -> ndarray:
    """target[...] = value, cast without question; for arrays that were just made."""
    if isinstance(value, ndarray):
        _core.assign(target, value)
    elif np.ndim(value) == 0:
        _core.assign(target, fill_scalar(value, target.dtype))
    else:
        _core.assign(target, _asarray(value))
    return target


def copy_rule(copy: Any) -> bool | None:
    """copy= as True, False or None (if needed); NumPy's own names for them count, and whatever is true or false."""
    if copy is None or type(copy) is bool:
        return copy
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    if isinstance(copy, np._CopyMode):
        copy = copy.value
        return None if copy == np._CopyMode.IF_NEEDED.value else bool(copy)
    return bool(copy)


def _from_ndarray(a: ndarray, dtype: Any, copy: bool | None, order: Any) -> ndarray:
    wanted = a.dtype if dtype is None else as_dtype(dtype)
    name = _order_name(order)
    fits = wanted == a.dtype and (
        name in ("A", "K")
        or (name == "C" and a._flags_c_contiguous)
        or (name == "F" and a._flags_f_contiguous)
    )
    if fits and not copy:
        return a
    if copy is False:
        raise ValueError(
            "Unable to avoid copy while creating an array as requested.\n"
            "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` "
            "to allow a copy when needed (no behavior change in NumPy 1.x)."
        )
    if a._flags_c_contiguous and name != "F":
        return _core.cast(a, wanted)
    out = empty_ordered(a.shape, wanted, name, a)
    _core.assign(out, a)
    return out


_MOST_AXES = 64


def _check_axes(ndmin: Any, ndmax: Any) -> None:
    least, most = index(ndmin), index(ndmax) or _MOST_AXES
    if not 0 <= most <= _MOST_AXES:
        raise ValueError(f"array: ndmax must be in the range [0, NPY_MAXDIMS ({_MOST_AXES})], got {most}")
    if least > most:
        raise ValueError(f"array: ndmin must be <= ndmax ({most}), got {least}")


def _convert(value: Any, dtype: Any, copy: bool | None, order: Any, ndmin: int = 0, ndmax: int = 0) -> ndarray:
    if _core.is_number(value):
        value, copy = (_asarray(value), None) if copy is not False else (value._numpy_scalar(), copy)  # a copy already
    if isinstance(value, ndarray):
        made = _from_ndarray(value, dtype, copy, order)
    elif copy is False:
        if _core.default_device() != "cpu":
            raise ValueError(f"Unable to avoid copy while creating an array as requested: {_core.default_device()} "
                             "has memory of its own, asnumpy.Device(\"cpu\") shares that of the host.")
        made = _from_ndarray(_core.wrap_numpy(np.array(value, copy=False)), dtype, False, order)
    elif isinstance(value, np.ndarray) and not derived(value) and order not in ("F", "f") and value.flags.c_contiguous:
        _order_name(order)
        as_dtype(value.dtype)
        made = from_host(value)
        if dtype is not None and np.dtype(dtype) != made.dtype:
            made = _core.cast(made, as_dtype(dtype))
    else:
        if dtype is not None:
            dtype = new_dtype(dtype)
            as_dtype(dtype)  # text, objects and their like are made by NumPy of all that came
        limit: dict[str, Any] = {"ndmax": ndmax} if ndmax else {}  # older NumPy has no such keyword
        try:
            plain = np.array(value, dtype=dtype, order=_order_name(order), **limit)
        except ValueError:
            if not hasattr(type(value), "__array__"):
                raise
            plain = np.array(as_numpy(value), dtype=dtype, order=_order_name(order))
        if dtype is None:
            plain = new_values(plain, value)
        wanted = as_dtype(plain.dtype)
        made = _core.adopt(plain if plain.dtype == wanted else plain.astype(wanted))
    if made.ndim < ndmin:
        made = made.reshape((1,) * (ndmin - made.ndim) + made.shape)
    return made


@public
def array(
    object: Any, dtype: DTypeLike | None = None, *, copy: bool | None = True, order: Order | None = "K",
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: Any = None,
) -> ndarray:
    if type(object) in (list, tuple) and dtype is None and copy is True and order == "K" and not ndmin and not ndmax:
        return _asarray(object)
    if ndmin or ndmax:
        _check_axes(ndmin, ndmax)
    return _convert(object, dtype, copy_rule(copy), order, ndmin, ndmax)


@public
def asarray(
    a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None, *, device: Device | str | None = None,
    copy: bool | None = None, like: Any = None,
) -> ndarray:
    """Differs from NumPy: a numpy.ndarray is copied, not shared; `from_dlpack` shares its memory."""
    if dtype is None and order is None and copy is None:
        if isinstance(a, np.ndarray):
            as_dtype(a.dtype)  # of the other byte order is NumPy's own
        return _asarray(a, device)
    copy = copy_rule(copy)
    if device is None:
        return _convert(a, dtype, copy, order)
    if copy is False and (a._device_name if isinstance(a, ndarray) else "cpu") != _core.device_name(device):
        raise ValueError(f"asarray: the elements do not lie on {device}, which gets a copy only")
    with Device(device):
        return _core.to_device(_convert(a, dtype, copy, order), device)


@public
def asanyarray(
    a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None, *, device: Device | str | None = None,
    copy: bool | None = None, like: Any = None,
) -> ndarray:
    """Differs from NumPy: a numpy.ndarray is copied, not shared; `from_dlpack` shares its memory."""
    return asarray(a, dtype, order, device=device, copy=copy)


@public
def ascontiguousarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> ndarray:
    return _convert(a, dtype, None, "C", ndmin=1)


@public
def asfortranarray(a: ArrayLike, dtype: DTypeLike | None = None, *, like: Any = None) -> ndarray:
    return _convert(a, dtype, None, "F", ndmin=1)


@public
def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = None, order: str | None = None) -> ndarray:
    made = asarray(a, dtype, order)
    if made.dtype.kind in "fc" and not isfinite(made).all():
        raise ValueError("array must not contain infs or NaNs")
    return made


@public
def require(a: ArrayLike, dtype: DTypeLike | None = None, requirements: Any = None, *, like: Any = None) -> ndarray:
    names = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
    names |= {"A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O"}
    names |= {"E": "E", "ENSUREARRAY": "E"}
    wanted = {names[name.upper()] for name in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order: Order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    made = asarray(a, dtype, order if order != "A" else None)
    if ("W" in wanted and not made._flags_writeable) or ("O" in wanted and not made._owns_data):
        return copy(made, order)
    return made


@public
def copy(a: ArrayLike, order: Order | None = "K", subok: bool = False) -> ndarray:
    return _convert(a, None, True, order)


@public
def empty(
    shape: Any, dtype: Any = None, order: Order | None = "C", *, device: Any = None, like: Any = None,
) -> ndarray:
    if device is None and order == "C" and (common := _core.filled(shape, dtype, None)) is not None:
        return common
    return _new(shape, dtype, order, device)


@public
def zeros(
    shape: Any, dtype: Any = None, order: Order | None = "C", *, device: Any = None, like: Any = None,
) -> ndarray:
    if device is None and order == "C" and (common := _core.filled(shape, dtype, 0)) is not None:
        return common
    made = _new(shape, dtype, order, device)
    _core.assign(made, 0)
    return made


@public
def ones(
    shape: Any, dtype: Any = None, order: Order | None = "C", *, device: Any = None, like: Any = None,
) -> ndarray:
    if device is None and order == "C" and (common := _core.filled(shape, dtype, 1)) is not None:
        return common
    made = _new(shape, dtype, order, device)
    _core.assign(made, 1)
    return made


@public
def full(
    shape: Any, fill_value: Any, dtype: Any = None, order: Order | None = "C", *, device: Any = None, like: Any = None,
) -> ndarray:
    if type(fill_value) is float and device is None and order == "C":
        common = _core.filled(shape, dtype, fill_value)
        if common is not None:
            return common
    if dtype is None:
        known = fill_value if isinstance(fill_value, ndarray) else new_values(np.asarray(fill_value), fill_value)
        dtype = known.dtype
    return assign_value(_new(shape, dtype, order, device), fill_value)


def _like(prototype: Any, dtype: Any, order: Any, shape: Any, device: Any) -> ndarray:
    model = _asarray(prototype)
    return empty_ordered(
        model.shape if shape is None else normal_shape(shape),
        model.dtype if dtype is None else as_dtype(dtype), order, model, device,
    )


@public
def empty_like(
    prototype: ArrayLike, /, dtype: DTypeLike | None = None, order: Order | None = "K", subok: bool = True,
    shape: Shape | None = None, *, device: Device | str | None = None,
) -> ndarray:
    return _like(prototype, dtype, order, shape, device)


@public
def zeros_like(
    a: ArrayLike, dtype: DTypeLike | None = None, order: Order | None = "K", subok: bool = True,
    shape: Shape | None = None, *, device: Device | str | None = None,
) -> ndarray:
    made = _like(a, dtype, order, shape, device)
    _core.assign(made, 0)
    return made


@public
def ones_like(
    a: ArrayLike, dtype: DTypeLike | None = None, order: Order | None = "K", subok: bool = True,
    shape: Shape | None = None, *, device: Device | str | None = None,
) -> ndarray:
    made = _like(a, dtype, order, shape, device)
    _core.assign(made, 1)
    return made


@public
def full_like(
    a: ArrayLike, fill_value: ArrayLike, dtype: DTypeLike | None = None, order: Order | None = "K", subok: bool = True,
    shape: Shape | None = None, *, device: Device | str | None = None,
) -> ndarray:
    return assign_value(_like(a, dtype, order, shape, device), fill_value)


@public
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = float, order: Order | None = "C", *,
    device: Device | str | None = None, like: Any = None,
) -> ndarray:
    made = zeros((N, N if M is None else M), dtype, order, device=device)
    N, columns = made.shape
    if k >= columns:
        return made
    k = index(k)
    length = min(N, columns - k) if k >= 0 else min(N + k, columns)
    if length > 0:
        down, right = made.strides
        start = k * right if k >= 0 else -k * down
        _core.assign(_core.as_strided(made, (length,), (down + right,), start, True), 1)
    return made


@public
def identity(n: int, dtype: DTypeLike | None = None, *, like: Any = None) -> ndarray:
    return eye(n, dtype=dtype)


@public
def fromiter(iter: Iterable[Any], dtype: DTypeLike | None, count: int = -1, *, like: Any = None) -> ndarray:
    made: ndarray = take_over(np.fromiter(iter, dtype, count))
    return made
