"""`numpy.random` with results on asnumpy's side: a seed gives the numbers that it gives with NumPy.

Stands in the place of asnumpy.random in a process of `run`. All is drawn on the host, at once.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.random as numpys

import asnumpy


def _ours(value: Any) -> Any:
    return asnumpy.asarray(value) if isinstance(value, np.ndarray) else value


def _numpys(value: Any) -> Any:
    if isinstance(value, asnumpy.ndarray):
        return value.to_numpy() if value.ndim else value.item()
    if isinstance(value, (list, tuple)):
        return type(value)(map(_numpys, value)) if type(value) in (list, tuple) else value
    return value


def _drawn(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function for asnumpy's arrays; what it writes in place, an array to shuffle or `out`, gets the values."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        places = [_numpys(value) for value in given]
        names = dict(zip(kwargs, places[len(args):], strict=True))
        result = function(*places[:len(args)], **names)
        if function.__name__ in ("shuffle", "permuted") or "out" in kwargs:
            for value, place in zip(given, places, strict=True):
                if isinstance(value, asnumpy.ndarray) and place is not value and value.ndim:
                    value[...] = place
                    if result is place:
                        return value
        return _ours(result)

    return call


def _class(base: type) -> type:
    """A class of NumPy's whose methods take and give asnumpy's arrays."""
    methods = {
        name: _drawn(method) for name, method in vars(base).items()
        if callable(method) and not name.startswith("_") and not isinstance(method, (classmethod, staticmethod, type))
    }
    return type(base.__name__, (base,), {**methods, "__module__": "numpy.random", "__doc__": base.__doc__})


def install() -> None:
    """From now on `asnumpy.random` is this."""
    module = types.ModuleType("asnumpy.random", numpys.__doc__)
    generator, state = _class(numpys.Generator), _class(numpys.RandomState)
    one = state()  # in the place of NumPy's own, which libraries draw from
    for name in numpys.__all__:
        value = getattr(numpys, name)
        if inspect.isclass(value):
            setattr(module, name, value)
        elif callable(value):
            setattr(module, name, getattr(one, name, None) or _drawn(value))

    def default_rng(seed: Any = None) -> Any:
        """numpy.random.default_rng."""
        return seed if isinstance(seed, generator) else generator(numpys.default_rng(_numpys(seed)).bit_generator)

    names: dict[str, Any] = {
        "__all__": numpys.__all__, "Generator": generator, "RandomState": state, "default_rng": default_rng,
    }
    module.__dict__.update(names)
    sys.modules["asnumpy.random"] = module
    asnumpy.random = module
