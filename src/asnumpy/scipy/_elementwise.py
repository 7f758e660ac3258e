"""How a ufunc of SciPy's is written as a composition: its loops, its promotion and `out` are SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import EXACT, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.scipy._host import on_host
from asnumpy.ufunc import derived
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.functions import positive
from asnumpy.ufunc.operands import Unsupported, operand, overrides, type_key

FLOAT64 = np.dtype(np.float64)
_FLOATS = frozenset({np.dtype(np.float32), FLOAT64})

Body = Callable[..., ndarray]


def row(name: str, a: ndarray) -> ndarray:
    """One of the core's functions that is no ufunc of NumPy's."""
    return _core.apply(name, (a.dtype, a.dtype), [a])


def _operand(value: Any, dtype: np.dtype) -> ndarray:
    if not isinstance(value, ndarray):
        return asarray(dtype.type(value))
    return value if value.dtype == dtype else _core.cast(value, dtype)


class _Composition:
    """A ufunc of SciPy's as a function of arrays; calls that the composition does not cover are SciPy's."""

    def __init__(self, theirs: np.ufunc, body: Body, wide: bool, least: int) -> None:
        self.theirs, self.body, self.wide, self.least = theirs, body, wide, least
        self.nin, self.nout = theirs.nin, theirs.nout
        self.on_host = on_host(theirs, f"scipy.special.{theirs.__name__}")
        self.loops: dict[tuple[Any, ...], tuple[np.dtype, ...]] = {}

    def loop(self, keys: tuple[Any, ...]) -> tuple[np.dtype, ...]:
        known = self.loops.get(keys)
        if known is None:
            known = self.loops[keys] = self.theirs.resolve_dtypes((*keys, None))
        return known

    def quickly(self, args: tuple[Any, ...]) -> Any:
        """The common call: arrays of the loop's dtype and nothing else. NotImplemented: take the long way."""
        for value in args:
            if type(value) not in EXACT:
                return NotImplemented
        dtype = args[0].dtype
        if dtype != FLOAT64 and (self.wide or dtype not in _FLOATS):
            return NotImplemented
        if len(args) != self.nin or any(one.dtype != dtype for one in args[1:]) or self.few(args) or watching():
            return NotImplemented
        made = self.body(*args)
        return _core.returned(made) if made.ndim == 0 else made

    def few(self, inputs: Any) -> bool:
        """Whether there are so few elements on the host that SciPy has computed them before they are recorded."""
        return self.least > 0 and all(
            not isinstance(one, ndarray) or (one._host_visible and one.size < self.least) for one in inputs
        )

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if args and not kwargs:
            made = self.quickly(args)
            if made is not NotImplemented:
                return made
        if derived.concerns(args, kwargs):
            return derived.call(self, _run, args, kwargs)
        return _run(self, args, kwargs)


def _run(self: _Composition, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    out = kwargs.get("out")
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if len(args) == self.nin + 1 and "out" not in kwargs:
        *args, out = args  # type: ignore[assignment]
    if overrides((*args, out)):
        return _core.call_back(self.theirs, tuple(args), kwargs if out is None else {**kwargs, "out": out})
    covered = kwargs.keys() <= {"out"} and len(args) == self.nin and not watching()
    if covered and (out is None or (isinstance(out, ndarray) and not _core.is_number(out))):
        try:
            inputs = [operand(value) for value in args]
        except Unsupported:
            inputs = []
        if any(isinstance(value, ndarray) for value in inputs) and not self.few(inputs):
            loop = self.loop(tuple(map(type_key, inputs)))
            if set(loop) <= _FLOATS and all(type(one) is not int or abs(one) < 1 << 127 for one in inputs):
                return _composed(self, inputs, loop[-1], out)
    return self.on_host(*args, **(kwargs if out is None else {**kwargs, "out": out}))


def _composed(self: _Composition, inputs: list[Any], dtype: np.dtype, out: Any) -> Any:
    work = FLOAT64 if self.wide else dtype
    made = self.body(*[_operand(value, work) for value in inputs])
    if made.dtype != dtype:
        made = _core.cast(made, dtype)
    if out is not None:
        return positive(made, out=out)
    return _core.returned(made) if made.ndim == 0 else made


def elementwise(theirs: np.ufunc, wide: bool = False, least: int = 0) -> Callable[[Body], Any]:
    """Marks a composition that computes a ufunc of SciPy's with one result, in its loops of float32 and float64.

    It gets arrays of the loop's dtype, or of float64 where `wide`: SciPy computes many functions of float32 so, and a
    few would lose digits otherwise. Arrays on the host of fewer than `least` elements are left to SciPy, where the
    composition has dozens of operations.
    """

    def mark(body: Body) -> Any:
        composition = _Composition(theirs, body, wide, least)

        def call(*args: Any, **kwargs: Any) -> Any:
            return composition.call(args, kwargs)

        call.__name__ = call.__qualname__ = theirs.__name__
        call.__module__ = "asnumpy.scipy.special"
        call.__doc__ = theirs.__doc__
        shown: Any = beside(call, theirs)
        shown.nin, shown.nout, shown.nargs, shown.types = theirs.nin, theirs.nout, theirs.nargs, theirs.types
        return shown

    return mark
