"""SciPy's interpolators for arrays of ours: SciPy fits, its object stands behind ours of the same class name."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.interpolate as _theirs

from asnumpy import _core
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import numpy_view
from asnumpy.scipy._host import called, named, shown, through
from asnumpy.scipy.interpolate._there import evaluated

_MODULE = "scipy.interpolate"


def _plain(value: Any) -> Any:
    """What SciPy keeps of an argument: copies of our arrays, its own object for one of ours."""
    kind = type(value)
    if isinstance(value, _core.Array):
        return value._numpy_scalar() if _core.is_number(value) else np.array(numpy_view(value))
    if isinstance(value, Fitted):
        return value._theirs
    if kind is tuple or kind is list:
        return kind(map(_plain, value))
    if kind is dict:
        return {name: _plain(one) for name, one in value.items()}
    return value


def _unwrapped(value: Any) -> Any:
    if isinstance(value, Fitted):
        return value._theirs
    return type(value)(map(_unwrapped, value)) if type(value) in (tuple, list) else value


def _ours(value: Any) -> Any:
    """What a program gets for what SciPy gives: objects of its classes as ours, its arrays as copies of ours."""
    kind: Any = type(value)
    if kind in _kinds():
        return class_for(kind)._of(value)
    if kind is np.ndarray and supported(value.dtype):
        return asarray(value)
    return kind(map(_ours, value)) if kind is tuple or kind is list else value


@functools.cache
def _kinds() -> dict[type, str]:
    """The public classes that make interpolators."""
    found = ((name, getattr(_theirs, name)) for name in _theirs.__all__)
    return {one: name for name, one in found if isinstance(one, type) and not issubclass(one, Exception)}


class _Kind(type):
    """The class of our classes: what SciPy's class has besides instances, among them other ways to make one."""

    _kind: Any

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return cls._method(getattr(cls._kind, name), name)

    def _method(cls, theirs: Any, name: str) -> Any:
        if not callable(theirs):
            return _ours(theirs)
        function = named(theirs, f"{_MODULE}.{cls.__name__}.{name}")

        def call(*args: Any, **kwargs: Any) -> Any:
            return _ours(through(function, _plain(args), _plain(kwargs)))

        call.__name__, call.__doc__ = name, getattr(theirs, "__doc__", None)
        return call


class Fitted(metaclass=_Kind):
    """An interpolator of SciPy's; methods and evaluation take and give arrays of ours, attributes give them."""

    _kind: Any = object
    _theirs: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        make = named(self._kind, f"{_MODULE}.{type(self).__name__}")
        self._hold(through(make, _plain(args), _plain(kwargs)))

    @classmethod
    def _of(cls, theirs: Any) -> Fitted:
        made: Fitted = cls.__new__(cls)
        made._hold(theirs)
        return made

    def _hold(self, theirs: Any) -> None:
        object.__setattr__(self, "_theirs", theirs)
        object.__setattr__(self, "_there", {})  # its coefficients, by the device on which it has been evaluated

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = evaluated(self._theirs, args, kwargs, self._there)
        if made is not NotImplemented:
            return made
        function = named(self._theirs, f"{_MODULE}.{type(self).__name__}")
        return through(function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._theirs, name)
        return type(self)._method(value, name) if callable(value) and not isinstance(value, type) else _ours(value)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._theirs, name, _plain(value))
        self._there.clear()

    def __dir__(self) -> list[str]:
        return dir(self._theirs)

    def __reduce__(self) -> Any:
        return _found, (type(self).__name__, self._theirs)

    def __repr__(self) -> str:
        return f"<asnumpy.{_MODULE}.{type(self).__name__}>"


def _found(name: str, theirs: Any) -> Any:
    return class_for(getattr(_theirs, name))._of(theirs)


@functools.cache
def class_for(theirs: type) -> Any:
    """Our class for one of SciPy's, with bases as SciPy's has."""
    bases = tuple(class_for(base) for base in theirs.__bases__ if base in _kinds())
    names = {"_kind": theirs, "__doc__": theirs.__doc__, "__module__": f"asnumpy.{_MODULE}"}
    return _Kind(_kinds()[theirs], bases or (Fitted,), names)


def fitted_or_shown(theirs: Any, name: str) -> Any:
    """What a program gets for a public name of scipy.interpolate."""
    if isinstance(theirs, type):
        return class_for(theirs) if theirs in _kinds() else theirs
    if not callable(theirs):
        return shown(theirs, name)
    function = named(theirs, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return _ours(through(function, _unwrapped(args), kwargs))

    return called(call, theirs, name)
