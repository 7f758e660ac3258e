"""ndarray's own methods: conversions, copies, bytes and files, and those that work in place."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import method, ndarray
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.host.door import host
from asnumpy.ufunc.ufunc import conjugate, rint


def _layout(a: Any, order: Any, function: str) -> tuple[int, ...] | None:
    """The axes of `a`, slowest first, in the memory order that `order` asks for; None for C order."""
    name = "K" if order is None else str(order).upper()
    if name not in ("C", "F", "A", "K"):
        raise ValueError(f"{function}: order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    if name == "C" or a.ndim < 2 or (name != "F" and a.flags_c_contiguous):
        return None
    if name == "A" and not a.flags_f_contiguous:
        return None
    if name in "AF":
        return tuple(reversed(range(a.ndim)))
    strides = a.strides
    axes = tuple(sorted(range(a.ndim), key=lambda axis: -abs(strides[axis])))
    return None if axes == tuple(range(a.ndim)) else axes


def _has_layout(a: Any, order: Any) -> bool:
    name = "K" if order is None else str(order).upper()
    c, f = a.flags_c_contiguous, a.flags_f_contiguous
    return {"K": True, "C": c, "F": f, "A": c or f}.get(name, False)


def _copied(a: Any, dtype: np.dtype, order: Any, function: str) -> Any:
    axes = _layout(a, order, function)
    if axes is None:
        return _core.cast(a, dtype)
    made = _core.cast(_core.transpose(a, axes), dtype)
    return _core.transpose(made, tuple(int(axis) for axis in np.argsort(axes)))


@method
def astype(
    self: Any, dtype: Any, order: Any = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True,
) -> ndarray:
    kind = as_dtype(dtype, "ndarray.astype")
    if copy and casting == "unsafe" and order == "K" and (self.ndim < 2 or self.flags_c_contiguous):
        return _core.cast(self, kind)
    if not copy and kind == self.dtype and _has_layout(self, order):
        return self
    if casting != "unsafe" and not np.can_cast(self.dtype, kind, casting):  # type: ignore[arg-type]
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {kind!r} according to the rule '{casting}'")
    return _copied(self, kind, order, "ndarray.astype")


@method
def copy(self: Any, order: Any = "C") -> ndarray:
    if order == "C":
        return _core.cast(self, self.dtype)
    return _copied(self, self.dtype, order, "ndarray.copy")


@method(name="__copy__")
def _shallow_copy(self: Any) -> ndarray:
    return _copied(self, self.dtype, "K", "ndarray.__copy__")


@method(name="__deepcopy__")
def _deep_copy(self: Any, memo: Any, /) -> ndarray:
    return _copied(self, self.dtype, "K", "ndarray.__deepcopy__")


@method
def fill(self: Any, value: Any) -> None:
    if isinstance(value, ndarray) and value.ndim == 0:
        self[...] = value
        return
    element = np.empty((), self.dtype)
    element.fill(value)  # NumPy says what does not fit
    self[...] = element


_core.set_hooks({"conjugate": conjugate})


@method(name="round")
def _round(self: Any, decimals: int = 0, out: Any = None) -> ndarray:
    if decimals == 0 and self.dtype.kind == "f" and self.dtype.char != "g":
        return rint(self) if out is None else rint(self, out=out)
    if decimals >= 0 and self.dtype.kind in "iu" and out is None:
        return self.copy()
    return host(np.round, self, decimals, out)


@method
def byteswap(self: Any, inplace: bool = False) -> ndarray:
    if not inplace:
        return host(np.ndarray.byteswap, self)
    if self.host_visible:
        _core.to_numpy_view(self, True).byteswap(inplace=True)
    else:
        self[...] = host(np.ndarray.byteswap, self)
    return self


@method
def tobytes(self: Any, order: Any = "C") -> bytes:
    return _core.to_numpy_view(self, None).tobytes(order)


@method
def tofile(self: Any, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    _core.to_numpy_view(self, None).tofile(fid, sep, format)


@method
def dump(self: Any, file: Any) -> None:
    if hasattr(file, "write"):
        pickle.dump(self, file, protocol=2)
        return
    with open(file, "wb") as target:
        pickle.dump(self, target, protocol=2)


@method
def dumps(self: Any) -> bytes:
    return pickle.dumps(self, protocol=2)


@method
def to_device(self: Any, device: Any, /, *, stream: Any = None) -> ndarray:
    """The array on another device: itself where it lies there already, else a copy.

    Parameters: device, a name ("cpu", "ascend:1") or an asnumpy.Device; stream, None: the copy is in order with all
    other work. ValueError for a device that does not exist.
    """
    if stream is not None:
        raise ValueError("ndarray.to_device: The stream argument is not supported; copies are in order with all work")
    try:
        return _core.to_device(self, device)
    except ValueError as error:
        raise ValueError(f"ndarray.to_device: {error}") from None


@method
def getfield(self: Any, dtype: Any, offset: int = 0) -> ndarray:
    kind = as_dtype(dtype, "ndarray.getfield")
    if offset < 0 or offset + kind.itemsize > self.itemsize:
        raise ValueError(f"Need 0 <= offset <= {self.itemsize} for requested type but received offset = {offset}")
    parts = _core.as_strided(self, self.shape + (1,), self.strides + (self.itemsize,), 0, self.flags_writeable)
    octets = _core.view_dtype(parts, np.dtype(np.uint8))[..., offset : offset + kind.itemsize]
    return _core.view_dtype(octets, kind)[..., 0]


@method
def setfield(self: Any, val: Any, /, dtype: Any, offset: int = 0) -> None:
    getfield(self, dtype, offset)[...] = val


@method
def resize(self: Any, *new_shape: Any, refcheck: bool = True) -> None:
    given = new_shape[0] if len(new_shape) == 1 and new_shape[0] is not None else new_shape
    if given is None or given == (None,) or given == ():
        return
    shape = (given.__index__(),) if hasattr(given, "__index__") else tuple(n.__index__() for n in given)
    if any(n < 0 for n in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    count = math.prod(shape)
    if count == self.size:
        self.shape = shape
        return
    if self.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    if not (self.flags_c_contiguous or self.flags_f_contiguous):
        raise ValueError("resize only works on single-segment arrays")
    made = _core.empty((count,), self.dtype, "C", self.device_name)
    kept = min(count, self.size)
    old = (self if self.flags_c_contiguous else self.T).reshape(-1)
    _core.assign(made[kept:], 0)
    _core.assign(made[:kept], old[:kept])
    del old
    _core.rebind(self, made.reshape(shape), refcheck)
