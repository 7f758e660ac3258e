"""Functions that numba compiles take arrays and Numbers of ours, and know our names for NumPy's.

A compiled function gets NumPy's view of an array, so that what it writes is written in ours; arrays that it gives back
are ours where one of ours went in. In its source `np.sqrt` means NumPy's where `np` is asnumpy, and so does a name that
was imported from it. By itself numba knows neither.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.host.door import host_result
from asnumpy.host.keys import numpys
from asnumpy.host.passing import giving_ours


def _called(dispatcher: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call of a compiled function with something of ours: under its own name, under which it is counted."""

    def compiled(*args: Any, **kwargs: Any) -> Any:
        return dispatcher(*args, **kwargs)

    compiled.__name__, compiled.__module__ = dispatcher.__name__, dispatcher.__module__
    return host_result(compiled, *args, **kwargs)


def _meaning(value: Any) -> Any:
    """What a global name of a function's source means for numba."""
    if isinstance(value, _core.Array):
        return numpys(value)
    if isinstance(value, ModuleType):
        return _numpys_modules().get(value, value)
    return _numpys_functions().get(id(value), value)


@functools.cache
def _numpys_modules() -> dict[ModuleType, ModuleType]:
    """NumPy's modules by ours."""
    parts = {"": np, ".linalg": np.linalg, ".fft": np.fft, ".random": np.random}
    return {importlib.import_module(f"asnumpy{name}"): module for name, module in parts.items()}


@functools.cache
def _numpys_functions() -> dict[int, Any]:
    """NumPy's functions by the identity of ours, which live as long as the process."""
    return {
        id(value): getattr(theirs, name)
        for ours, theirs in _numpys_modules().items()
        for name, value in vars(ours).items()
        if callable(value) and not isinstance(value, type) and hasattr(theirs, name)
    }


def _translated(look_up: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @functools.wraps(look_up)
    def looking(self: Any, name: Any) -> Any:
        return _meaning(look_up(self, name))

    return looking


def _type_of(value: Any, context: Any) -> Any:
    """The type of an array's or a Number's NumPy counterpart: what a typed list of such holds."""
    return _typeof(numpys(value), context)


_typeof: Any = importlib.import_module("numba.core.typing.typeof").typeof_impl
_typeof.register(_core.Array)(_type_of)
_dispatcher: Any = importlib.import_module("numba.core.dispatcher").Dispatcher
_for_processors: Any = importlib.import_module("numba.core.registry").CPUDispatcher
_core.watch_compiled_calls([_dispatcher, _for_processors], _called)
_stencil: Any = importlib.import_module("numba.stencils.stencil").StencilFunc
_stencil.__call__ = giving_ours(_stencil.__call__)
_interpreter: Any = importlib.import_module("numba.core.interpreter").Interpreter
_interpreter.get_global_value = _translated(_interpreter.get_global_value)
_interpreter.get_closure_value = _translated(_interpreter.get_closure_value)
