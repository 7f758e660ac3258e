"""The arguments of a call taken apart: its form, by which recordings are found, and its arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core, config
from asnumpy._types import EXACT, ndarray
from asnumpy.creation import asarray
from asnumpy.runtime.tree import flatten, unflatten

_NUMPYS = (np.ndarray, np.generic)


class Settings(NamedTuple):
    """What of the settings goes into a recording."""

    contract: Any
    float: Any
    matmul_precision: Any
    kernels: Any
    deterministic: Any
    passes: Any


def settings() -> Settings:
    return Settings(
        config.contract, config.float, config.matmul_precision, config.kernels, config.deterministic, config.passes
    )


class Call:
    """The arguments of one call, taken apart."""

    def __init__(
        self, given: Any, static: tuple[Any, ...], run: Callable[[Any], Any], donated: tuple[int, ...] = ()
    ) -> None:
        self.donated = donated  # places among the arrays
        leaves: list[Any] = []
        self._structure = flatten(given, leaves)
        self._leaves = leaves = [_ours(one) if isinstance(one, _NUMPYS) else one for one in leaves]
        self._run = run
        key, self._values, arrays = _core.call_key(leaves)
        self._static = static
        self.form = (self._structure, key, self._values, static, settings())
        self.arrays = len(arrays)
        floats = [one for one in leaves if type(one) is float]
        beside = arrays[0] if arrays else None  # on its device
        self.arguments: list[Any] = arrays + [_core.number_beside(one, beside) for one in floats] if floats else arrays

    def run_with(self, stand_ins: list[Any]) -> Any:
        """The function's result for these in the place of `arguments`."""
        arrays, floats = iter(stand_ins[: self.arrays]), iter(stand_ins[self.arrays :])
        leaves = (
            next(arrays) if isinstance(one, ndarray) else next(floats) if type(one) is float else one
            for one in self._leaves
        )
        return self._run(unflatten(self._structure, leaves))

    def has_all_of(self, args: tuple[Any, ...]) -> bool:
        """Whether its leaves are these positional arguments: nothing came from defaults, nothing was taken apart."""
        return len(self._leaves) == len(args)

    def pattern(self) -> list[tuple[str, Any]]:
        """What each leaf is, where the form has but bytes: ("array", whether it is writeable), ("float", None)..."""
        return [
            ("number", None) if _core.is_number(one)
            else ("array" if type(one) in EXACT else "derived", one._flags_writeable) if isinstance(one, ndarray)
            else ("float", None) if type(one) is float
            else ("value", one)
            for one in self._leaves
        ]

    def unhashable(self, name: str) -> TypeError:
        """The error for an argument that cannot be compared with those of other calls."""
        for one in (*self._values, *(value for _, _, value in self._static)):
            try:
                hash(one)
            except TypeError:
                return TypeError(
                    f"{name}: expected arrays, numbers, lists, tuples, dicts and dataclasses of them, and what can be "
                    f"hashed; got a {type(one).__name__}. Take it from outside of the function, or make it hashable"
                )
        return TypeError(f"{name}: an argument cannot be hashed")


def _ours(value: Any) -> Any:
    """NumPy's scalar as a number of ours; its array as one over the same memory, on a device as a copy."""
    if isinstance(value, np.generic):
        return _core.number(value)
    return _core.wrap_numpy(value, "jit") if _core.default_device() == "cpu" else asarray(value)


class Parameters(NamedTuple):
    """A function, and how its arguments are taken."""

    function: Callable[..., Any]
    signature: inspect.Signature | None  # where some of them are static or donated
    static: frozenset[str]
    donated: frozenset[str]

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """These arguments, taken apart."""
        function, signature = self.function, self.signature
        if signature is None:
            return Call((args, kwargs), (), lambda taken: function(*taken[0], **taken[1]))
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        fixed: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            (fixed if name in self.static else rest)[name] = value

        def run(taken: dict[str, Any]) -> Any:
            whole = inspect.BoundArguments(bound.signature, {**bound.arguments, **taken})
            return function(*whole.args, **whole.kwargs)

        values = tuple((name, type(value), value) for name, value in fixed.items())
        return Call(rest, values, run, _places(rest, self.donated) if self.donated else ())


def _places(given: dict[str, Any], names: frozenset[str]) -> tuple[int, ...]:
    """The places, among all arrays of the arguments, of those in the named ones."""
    places: list[int] = []
    count = 0
    for name, value in given.items():
        leaves: list[Any] = []
        flatten(value, leaves)
        for leaf in leaves:
            if isinstance(leaf, (ndarray, *_NUMPYS)):
                if name in names:
                    places.append(count)
                count += 1
    return tuple(places)
