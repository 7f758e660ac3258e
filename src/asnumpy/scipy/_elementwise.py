"""How a ufunc of SciPy's is written as a composition: its loops, its promotion and `out` are SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.scipy._host import on_host
from asnumpy.ufunc import derived
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.functions import positive
from asnumpy.ufunc.operands import WEAK, Unsupported, operand, overrides, type_key

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

    def __init__(self, theirs: np.ufunc, body: Body, wide: bool) -> None:
        self.theirs, self.body, self.wide = theirs, body, wide
        self.nin, self.nout = theirs.nin, theirs.nout
        self.on_host = on_host(theirs, f"scipy.special.{theirs.__name__}")
        self.loops: dict[tuple[Any, ...], tuple[np.dtype, ...]] = {}

    def loop(self, keys: tuple[Any, ...]) -> tuple[np.dtype, ...]:
        known = self.loops.get(keys)
        if known is None:
            known = self.loops[keys] = self.theirs.resolve_dtypes((*keys, None))
        return known

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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
        if any(isinstance(value, ndarray) for value in inputs):
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


def elementwise(theirs: np.ufunc, wide: bool = False) -> Callable[[Body], Any]:
    """Marks a composition that computes a ufunc of SciPy's with one result, in its loops of float32 and float64.

    It gets arrays of the loop's dtype, or of float64 where `wide`: SciPy computes many functions of float32 so, and a
    few would lose digits otherwise.
    """

    def mark(body: Body) -> Any:
        composition = _Composition(theirs, body, wide)

        def call(*args: Any, **kwargs: Any) -> Any:
            return composition.call(args, kwargs)

        call.__name__ = call.__qualname__ = theirs.__name__
        call.__module__ = "asnumpy.scipy.special"
        call.__doc__ = theirs.__doc__
        shown: Any = beside(call, theirs)
        shown.nin, shown.nout, shown.nargs, shown.types = theirs.nin, theirs.nout, theirs.nargs, theirs.types
        return shown

    return mark


def is_plain(*values: Any) -> bool:
    """Whether a function composed of operations takes them: arrays of ours, and numbers."""
    return all(isinstance(one, (ndarray, *WEAK)) for one in values)
