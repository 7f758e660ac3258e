"""class ndarray, and the way in which later modules give it their methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from asnumpy import _core
from asnumpy._public import beside, export
from asnumpy.dtypes.dtype import as_dtype

T = TypeVar("T")


@_core.array_class
class ndarray(_core.Array):  # type: ignore[misc]
    """An n-dimensional array whose operations are recorded, fused and run when a value is needed.

    It has numpy.ndarray's attributes and methods. `asnumpy.array`, `asnumpy.zeros` and their like make arrays;
    this constructor is numpy.ndarray's low-level one.
    """

    __slots__ = ()

    def __new__(
        cls, shape: Any, dtype: Any = float, buffer: Any = None, offset: int = 0, strides: Any = None,
        order: Any = None,
    ) -> Any:
        kind = as_dtype(dtype, "ndarray")
        if buffer is not None or strides is not None:
            return _core.wrap_numpy(np.ndarray(shape, kind, buffer, offset, strides, order))
        lengths = (shape.__index__(),) if hasattr(shape, "__index__") else tuple(n.__index__() for n in shape)
        return _core.empty(lengths, kind, "F" if order in ("F", "f") else "C")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass  # __new__ has done it

    if TYPE_CHECKING:  # the methods come from the modules above this one

        def __getattr__(self, name: str) -> Any: ...


ndarray.__module__ = "asnumpy"
_core.set_hooks({"array_type": ndarray})
export("ndarray", ndarray)
export("NPUArray", ndarray)
export("NPArray", ndarray)


def method(definition: Any = None, /, *, name: str | None = None) -> Any:
    """Makes a function (or a property) defined in a later module a method (or an attribute) of ndarray.

    Its docstring is numpy.ndarray's unless it has its own.
    """

    def attach(definition: T) -> T:
        own: Any = definition
        target: Any = own.fget if isinstance(own, property) else own
        attached = name or target.__name__
        documented = getattr(getattr(np.ndarray, attached, None), "__doc__", None)
        if isinstance(own, property) and own.__doc__ is None and documented:
            own = property(own.fget, own.fset, own.fdel, documented)
        elif target is own and getattr(own, "__doc__", None) is None and documented:
            own.__doc__ = documented
        setattr(ndarray, attached, beside(own))
        return definition

    return attach if definition is None else attach(definition)


Method = Callable[..., Any]
