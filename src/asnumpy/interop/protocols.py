"""How NumPy's functions and ufuncs meet our arrays: the ones of the same name here, or NumPy's own by the host door."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.host.door import host_result
from asnumpy.interop import derived
from asnumpy.ufunc.operands import is_pandas
from asnumpy.ufunc.ufunc import of_numpy


def as_numpy_array(a: ndarray, dtype: Any, copy: bool | None) -> np.ndarray:
    """`__array__`: a view where the host may read the memory and nothing else was asked for."""
    if copy is False and not a._host_visible:
        raise ValueError("Unable to avoid copy while creating an array as requested: the host cannot read the memory.")
    _core.announce_implicit_copy(a, "numpy.asarray")
    if a._host_visible:
        view = _core.to_numpy_view(a, None)
    else:
        copy, view = None, _core.numpy_copy(a, _core.lies_together(a))  # the caller's own
        if not a._flags_writeable:
            view.flags.writeable = False
    if dtype is not None and np.dtype(dtype) != view.dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested: the dtypes differ.")
        return view.astype(dtype)
    return view.copy(order="K") if copy else view


def overridden(own: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a class with another `__array_ufunc__` than `own` wants to answer; it is asked first.

    Classes of pandas' leave the answer to us: by our ufunc they are asked again, with NumPy's arrays in place of ours.
    """
    outs = kwargs.get("out", ())
    values = (*inputs, *(outs if isinstance(outs, tuple) else (outs,)), kwargs.get("where"))
    plain = (np.ndarray.__array_ufunc__, own, None)
    return any(getattr(type(value), "__array_ufunc__", None) not in plain and not is_pandas(value) for value in values)


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`__array_ufunc__`: a method of one of NumPy's ufuncs, called with arrays of ours."""
    own = of_numpy(ufunc)
    if own is None:
        return host_result(getattr(ufunc, method), *inputs, **kwargs)
    if method == "__call__":
        return own(*inputs, **kwargs)
    return getattr(own, method)(*inputs, **kwargs)


def _own_function(function: Any) -> Any:
    """Our function for one of NumPy's: the same name in the same namespace."""
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    if module != "numpy" and not module.startswith("numpy."):
        return None
    namespace = sys.modules.get("asnumpy" + module[len("numpy"):])
    return None if namespace is None else vars(namespace).get(name)


def array_function(function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """`__array_function__`: one of NumPy's functions, called with arrays of ours."""
    if not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
        return NotImplemented
    if not isinstance(args, tuple):
        raise TypeError(f"__array_function__: args must be a tuple, got {type(args).__name__}")
    if not isinstance(kwargs, dict):
        raise TypeError(f"__array_function__: kwargs must be a dict, got {type(kwargs).__name__}")
    own = _own_function(function)
    if own is not None and callable(own) and not isinstance(own, type):
        if _core.holds_derived((*args, *kwargs.values())):
            return _core.call_back(derived.call, (own, args, kwargs, False), {})
        return _core.call_back(own, args, kwargs)
    return host_result(function, *args, **kwargs)
