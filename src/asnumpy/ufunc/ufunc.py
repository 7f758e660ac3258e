"""class ufunc: what NumPy knows of a function, and how its calls and methods run that the core's fast path leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from asnumpy import _core
from asnumpy._core import asarray
from asnumpy._public import documented
from asnumpy._types import EXACT, Casting, ndarray
from asnumpy.host.door import host, host_result
from asnumpy.runtime import kernels
from asnumpy.ufunc import calls, derived, folds, gufunc
from asnumpy.ufunc.errstate import watching
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.operands import call_overrides, overrides, resolve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from asnumpy._types import Axes

ufuncs: dict[str, ufunc] = {}  # each by its name
# What computes the methods that a rule of the user's names: "add.reduce", "maximum.accumulate".
redirected_folds: dict[str, Callable[..., Any]] = {}
_rows: dict[str, tuple[bool, frozenset[Any]]] = {}


def _row(name: str) -> tuple[bool, frozenset[Any]]:
    """Of a ufunc's row: whether it may reduce, and its loops as tuples of dtypes."""
    if not _rows:
        for row in _core.rows():
            loops = frozenset(tuple(into) + tuple(out) for into, out in row["loops"])
            _rows[row["name"]] = (bool(row["reducible"]), loops)
    return _rows.get(name, (False, frozenset()))


def _is_plain(array: Any, out: Any) -> bool:
    """Whether a fold's result is a plain array or number."""
    return (type(array) in EXACT and out is None) or not derived.concerns((array,), {"out": out})


class _Kind(type):
    """The class of the class: NumPy's own ufuncs, and those of libraries upon it, are ufuncs too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or isinstance(instance, np.ufunc)


@documented(np.ufunc)
class ufunc(_core.Ufunc, metaclass=_Kind):
    """Functions that operate element by element on whole arrays, as numpy.ufunc."""

    def __init__(self, name: str) -> None:
        self.numpy: np.ufunc = getattr(np, name)
        self.__name__ = self.__qualname__ = name
        ufuncs[name] = self

    # NumPy knows what it is; the core knows how to compute it.
    @property
    def types(self) -> list[str]:
        return [*self.numpy.types]

    @property
    def ntypes(self) -> int:
        return self.numpy.ntypes

    @property
    def identity(self) -> Any:
        return self.numpy.identity

    @property
    def signature(self) -> str | None:
        return self.numpy.signature

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.numpy.__doc__

    @property
    def __signature__(self) -> Any:
        return self.numpy.__signature__

    def resolve_dtypes(
        self, /, dtypes: Any, *, signature: Any = None, casting: Casting | None = None, reduction: bool = False,
    ) -> tuple[np.dtype[Any], ...]:
        given: dict[str, Any] = {"signature": signature, "casting": casting}
        given = {name: value for name, value in given.items() if value is not None}
        return self.numpy.resolve_dtypes(dtypes, reduction=reduction, **given)

    @property
    def reducible(self) -> bool:
        """Whether the core reduces by this function."""
        return _row(self.name)[0]

    def has_loop(self, dtypes: tuple[np.dtype, ...]) -> bool:
        """Whether the core has a loop of exactly these dtypes, inputs then outputs."""
        return dtypes in _row(self.name)[1]

    def reduce(
        self, array: ArrayLike, /, axis: Axes | None = 0, dtype: DTypeLike | None = None, out: Any = None,
        keepdims: bool = False, initial: Any = NO_VALUE, where: ArrayLike = True,
    ) -> ndarray:
        if redirected_folds and (asking := redirected_folds.get(f"{self.name}.reduce")) is not None:
            return asking(array, axis, dtype, out, keepdims, initial, where)  # type: ignore[no-any-return]
        if type(array) in EXACT and dtype is None and out is None and initial is NO_VALUE and where is True:
            made = folds.reduce_at_once(self, array, axis, keepdims)
            if made is not None:
                return made
        return self._reduce(array, axis, dtype, out, keepdims, initial, where)

    def _reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False,
        initial: Any = NO_VALUE, where: Any = True,
    ) -> ndarray:
        def run(a: Any, target: Any) -> ndarray:
            return folds.reduce(self, a, axis, dtype, target, keepdims, initial, where)

        return run(array, out) if _is_plain(array, out) else derived.fold(run, array, out)

    def accumulate(
        self, array: ArrayLike, /, axis: SupportsIndex = 0, dtype: DTypeLike | None = None, out: Any = None,
    ) -> ndarray:
        if redirected_folds and (asking := redirected_folds.get(f"{self.name}.accumulate")) is not None:
            return asking(array, axis, dtype, out)  # type: ignore[no-any-return]
        if type(array) in EXACT and dtype is None and out is None:
            made = folds.accumulate_at_once(self, array, axis)
            if made is not None:
                return made
        return self._accumulate(array, axis, dtype, out)

    def _accumulate(self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> ndarray:
        def run(a: Any, target: Any) -> ndarray:
            return folds.accumulate(self, a, axis, dtype, target)

        return run(array, out) if _is_plain(array, out) else derived.fold(run, array, out)

    def reduceat(
        self, array: ArrayLike, /, indices: ArrayLike, axis: SupportsIndex = 0, dtype: DTypeLike | None = None,
        out: Any = None,
    ) -> ndarray:
        if type(array) in EXACT and type(indices) in EXACT and out is None:  # the common call first
            if self.name == "add" and type(axis) is int and axis == 0 and dtype is None:
                made = _core.add_runs(array, indices)
                if made is not None:
                    return made
            return host(self.numpy.reduceat, array, indices, axis, dtype)
        found = overrides((array, indices, out))
        if found:
            given = {"axis": axis, "dtype": dtype, "out": out}
            return call_overrides(self, "reduceat", (array, indices), given)  # type: ignore[no-any-return]  # whatever the other class answers

        def run(a: Any, target: Any) -> ndarray:
            return host(self.numpy.reduceat, a, indices, axis, dtype, target)

        return run(array, out) if _is_plain(array, out) else derived.fold(run, array, out)

    def outer(self, A: ArrayLike, B: ArrayLike, /, **kwargs: Any) -> Any:
        found = overrides((A, B))
        if found:
            return call_overrides(self, "outer", (A, B), kwargs)
        if self.nin != 2 or self.signature is not None:
            return host(self.numpy.outer, A, B, **kwargs)
        try:
            left, right = asarray(A), asarray(B)  # here NumPy takes Python numbers as arrays, not as weak
        except _core.UnsupportedDtype:
            return host(self.numpy.outer, A, B, **kwargs)
        if right.ndim:
            left = left.reshape(left.shape + (1,) * right.ndim)
        return self(left, right, **kwargs)

    def at(self, a: ndarray | np.ndarray, indices: Any, b: ArrayLike | None = None, /) -> None:
        if self.name == "add" and _core.add_at(a, indices, b):
            return
        found = overrides((a, b))
        operands = (a, indices) if b is None else (a, indices, b)
        if found:
            call_overrides(self, "at", operands, {})
            return
        if not isinstance(a, (ndarray, np.ndarray)):
            raise TypeError(f"{self.name}.at: expected an array as first operand, got {type(a).__name__}")
        host_result(self.numpy.at, *operands)

    def __repr__(self) -> str:
        return f"<ufunc '{self.name}'>"

    # Equal to NumPy's: overrides find in their tables either under the other.
    def __eq__(self, other: object) -> Any:
        return True if other is self or other is self.numpy else NotImplemented

    def __hash__(self) -> int:
        return hash(self.numpy)

    def __reduce__(self) -> Any:
        return _by_name, (self.name,)


ufunc.__module__ = "asnumpy"


# The names of those of which a kernel of the operator library computes calls on a device.
served: set[str] = set()

# By name, of ufuncs that are _redirected: what may compute a call in their place, else gives NotImplemented.
redirects: dict[str, Callable[[tuple[Any, ...], dict[str, Any]], Any]] = {}


def call_ufunc(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the core's fast path does not take."""
    made = redirects[function.name](args, kwargs) if function._redirected else NotImplemented
    if made is NotImplemented and function.name in served and args and type(args[0]) in EXACT:
        if not args[0]._host_visible and not watching():
            found = kernels.ufunc_by_kernel(function.name, args, kwargs)
            made = NotImplemented if found is None else found
    if made is not NotImplemented and made is not kernels.ITSELF:
        return made
    if derived.concerns(args, kwargs):
        return derived.call(function, _call, args, kwargs)
    return _call(function, args, kwargs)


def _call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if watching():
        return host_result(function.numpy, *args, **kwargs)
    return (calls if function.row >= 0 else gufunc).call(function, args, kwargs)


def offer_kernels() -> None:
    """Lets calls with such operands leave the core's fast path for the hook; once all ufuncs are made."""
    for row in kernels.TABLE:
        if row.function in ufuncs:
            ufuncs[row.function]._offer_kernel(row.dtypes, row.least)
            served.add(row.function)


_core.set_hooks({"ufunc_type": ufunc, "resolve": resolve, "call_ufunc": call_ufunc})

def _by_name(name: str) -> ufunc:
    return ufuncs[name]


def of_numpy(function: Any) -> ufunc | None:
    """Our ufunc for one of NumPy's, if it is one of its namespace."""
    own = ufuncs.get(getattr(function, "__name__", ""))
    return own if own is not None and own.numpy is function else None
