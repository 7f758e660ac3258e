"""How other libraries meet our arrays: NumPy's protocols, the array API's, copying and pickling."""

from __future__ import annotations

import pickle
import sys
from types import GenericAlias
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import exports
from asnumpy.array.ndarray import method, ndarray
from asnumpy.creation.convert import from_host
from asnumpy.host.door import host
from asnumpy.ufunc.calls import on_host
from asnumpy.ufunc.ufunc import of_numpy

ndarray.__array_priority__ = 0.0  # type: ignore[attr-defined]


@method(name="__array__")
def _array(self: Any, dtype: Any = None, /, *, copy: Any = None) -> np.ndarray:
    _core.announce_implicit_copy(self, "numpy.asarray")
    if copy is False and not self.host_visible:
        raise ValueError("Unable to avoid copy while creating an array as requested: the host cannot read the memory.")
    view = _core.to_numpy_view(self, None)
    if dtype is not None and np.dtype(dtype) != view.dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested: the dtypes differ.")
        return view.astype(dtype)
    return view.copy(order="K") if copy else view


def _overridden(values: Any) -> bool:
    """Whether another class wants to answer for a ufunc; it is asked before us if it knows better."""
    plain = (np.ndarray.__array_ufunc__, ndarray.__array_ufunc__, None)  # type: ignore[attr-defined]
    return any(getattr(type(value), "__array_ufunc__", None) not in plain for value in values)


@method(name="__array_ufunc__")
def _array_ufunc(self: Any, ufunc: Any, method: str, /, *inputs: Any, **kwargs: Any) -> Any:
    outs = kwargs.get("out", ())
    if _overridden((*inputs, *(outs if isinstance(outs, tuple) else (outs,)), kwargs.get("where"))):
        return NotImplemented
    own = of_numpy(ufunc)
    if own is None:
        return on_host(getattr(ufunc, method), ufunc.__name__, inputs, kwargs)
    if method == "__call__":
        return own(*inputs, **kwargs)
    return getattr(own, method)(*inputs, **kwargs)


def _own_function(function: Any) -> Any:
    """Our function for one of NumPy's: the same name in the same namespace."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    if module == "numpy":
        return exports.get(name)
    if module.startswith("numpy."):
        namespace = sys.modules.get("asnumpy" + module[len("numpy"):])
        return None if namespace is None else getattr(namespace, name, None)
    return None


@method(name="__array_function__")
def _array_function(self: Any, /, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    if not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
        return NotImplemented
    own = _own_function(func)
    if own is not None and callable(own) and not isinstance(own, type):
        return own(*args, **kwargs)
    return host(func, *args, **kwargs)


@method(name="__array_wrap__")
def _array_wrap(self: Any, array: Any, context: Any = None, return_scalar: bool = True, /) -> ndarray:
    """What NumPy computed from this array comes back as one of ours."""
    return from_host(np.asarray(array), "ndarray.__array_wrap__")


@method(name="__contains__")
def _contains(self: Any, key: Any, /) -> bool:
    return bool((self == key).any()) if self.ndim or self.size else False


@method(name="__format__")
def _format(self: Any, spec: str, /) -> str:
    if self.ndim == 0:
        return format(_core.to_numpy_view(self, None)[()], spec)
    return object.__format__(self, spec)


def _rebuild(data: Any, dtype: np.dtype, shape: tuple[int, ...], order: str, device: str = "cpu") -> ndarray:
    elements = np.frombuffer(data, dtype=dtype).reshape(shape, order=order)  # type: ignore[call-overload]
    if isinstance(data, (bytes, bytearray)) or device != "cpu":
        return from_host(elements, "loads", device if device == "cpu" or device in _core.devices() else None)
    return _core.wrap_numpy(elements)  # out of band: the buffer that loads() was given is the array's memory


@method(name="__reduce_ex__")
def _reduce_ex(self: Any, protocol: Any, /) -> Any:
    order: Any = "F" if self.flags_f_contiguous and not self.flags_c_contiguous else "C"
    plain = _core.to_numpy_view(self, None)
    octets = np.asarray(plain, order=order).reshape(-1, order=order).view(np.uint8)
    in_band = protocol < 5 or not (self.flags_c_contiguous or self.flags_f_contiguous)
    data: Any = octets.tobytes() if in_band else pickle.PickleBuffer(octets)  # type: ignore[arg-type]
    where = () if self.host_visible else (self.device_name,)
    return _rebuild, (data, self.dtype, self.shape, order, *where)


@method(name="__reduce__")
def _reduce(self: Any) -> Any:
    return _reduce_ex(self, 2)


@method(name="__sizeof__")
def _sizeof(self: Any) -> int:
    return object.__sizeof__(self) + (self.nbytes if self.base is None else 0)


ndarray.__class_getitem__ = classmethod(GenericAlias)  # type: ignore[attr-defined]
