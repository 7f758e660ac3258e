"""What a ufunc call is given: operands, overrides by other array types, and NumPy's type resolution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from asnumpy import _core
from asnumpy._core import asarray
from asnumpy._types import EXACT, Casting, ndarray
from asnumpy.dtypes.dtype import is_narrow, real_kind, supported, warn_of_cast, wide_dtype
from asnumpy.host.door import as_numpy, numpy_view
from asnumpy.host.numpys import derived

if TYPE_CHECKING:
    from asnumpy.ufunc.ufunc import ufunc

WEAK = (int, float, complex)  # exact classes: by NEP 50 their values adapt to the arrays' dtype
_BOOL = np.dtype(bool)
_PLAIN = frozenset({np.ndarray, bool, int, float, complex, list, tuple, str, type(None)})
_MISSING = object()


class Unsupported(Exception):
    """An operand has a dtype that only NumPy can judge (strings, objects, times)."""


def operand(value: Any) -> Any:
    """An ndarray of ours, a Python number, or a NumPy scalar; Unsupported when it is none of them."""
    kind = type(value)
    if kind in WEAK or kind is bool or isinstance(value, ndarray):
        return value
    if isinstance(value, np.generic):
        if not supported(value.dtype):
            raise Unsupported
        return value
    plain = as_numpy(value)
    if derived(value) or not supported(plain.dtype):
        raise Unsupported
    return asarray(plain) if plain.dtype.isnative else _core.new_from_numpy(plain)  # no result shows it


def type_key(value: Any) -> Any:
    """How an operand takes part in type resolution: its dtype, or int, float or complex for a Python number."""
    kind = type(value)
    return kind if kind in WEAK else _BOOL if kind is bool else value.dtype


def resolve(ufunc: ufunc, keys: tuple[Any, ...]) -> tuple[np.dtype, ...]:
    """The dtypes of the loop that NumPy chooses; `keys` as the core gives them (dtypes, bool, int, float, complex)."""
    known = tuple(_BOOL if key is bool else key for key in keys)
    return ufunc.numpy.resolve_dtypes(known + (None,) * ufunc.nout)


_resolved: dict[tuple[Any, ...], tuple[np.dtype, ...]] = {}


def resolve_call(ufunc: ufunc, keys: tuple[Any, ...], signature: Any, casting: Casting) -> tuple[np.dtype, ...]:
    """The same for a call with outputs (their dtypes, or None), `signature=` and `casting=`."""
    loop = _resolve_call(ufunc, keys, signature, casting)
    if casting == "unsafe":
        for place, (key, dtype) in enumerate(zip(keys, loop, strict=True)):
            if isinstance(key, np.dtype):
                warn_of_cast(key, dtype) if place < ufunc.nin else warn_of_cast(dtype, key)
    return loop


def _resolve_call(ufunc: ufunc, keys: tuple[Any, ...], signature: Any, casting: Casting) -> tuple[np.dtype, ...]:
    if signature is not None:
        return ufunc.numpy.resolve_dtypes(keys, signature=signature, casting=casting)
    question = (ufunc.name, keys, casting)
    answer = _resolved.get(question)
    if answer is None:
        answer = _resolved[question] = ufunc.numpy.resolve_dtypes(keys, casting=casting)
    return answer


def overrides(values: Any) -> list[Any]:
    """The operands whose classes take ufuncs over (`__array_ufunc__`), each class once; TypeError for `= None`."""
    found: list[Any] = []
    for value in values:
        kind = type(value)
        if kind in EXACT or kind in _PLAIN or isinstance(value, np.generic):
            continue
        handler = getattr(kind, "__array_ufunc__", _MISSING)
        if handler is _MISSING or handler is np.ndarray.__array_ufunc__:
            continue
        if any(handler is own.__array_ufunc__ for own in EXACT):  # type: ignore[attr-defined]
            continue
        if handler is None:
            raise TypeError(f"operand '{kind.__name__}' does not support ufuncs (__array_ufunc__=None)")
        if all(type(other) is not kind for other in found):
            found.append(value)
    return found


def call_overrides(ufunc: ufunc, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """NumPy offers the call to each override in its order; our arrays' own says that it leaves it to the others."""
    if any(is_pandas(value) for value in args):
        return _answer_of_pandas(getattr(ufunc.numpy, name), args, kwargs)
    return _core.call_back(getattr(ufunc.numpy, name), tuple(args), kwargs)


def is_pandas(value: Any) -> bool:
    """Whether it is pandas', which answers for NumPy's arrays alone."""
    return hasattr(type(value), "__pandas_priority__") and not isinstance(value, ndarray)


def _answer_of_pandas(function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    out = kwargs.get("out")
    targets: tuple[Any, ...] = out if isinstance(out, tuple) else (out,)
    afar = [isinstance(target, ndarray) and not target._host_visible for target in targets]
    given = tuple(
        _core.numpy_copy(target) if far else numpy_view(target) for target, far in zip(targets, afar, strict=True))
    named = {**kwargs, "out": given if isinstance(out, tuple) else given[0]} if "out" in kwargs else kwargs
    made = _core.call_back(function, tuple(map(numpy_view, args)), named)
    for target, far, result in zip(targets, afar, given, strict=True):
        if far:
            target[...] = result
    return made


def priority(value: Any) -> float:
    """What `__array_priority__` says; what is no number, and errors of a property, are as if there were none."""
    try:
        return float(getattr(value, "__array_priority__", 0.0))
    except Exception:
        return 0.0


def defers(other: Any) -> bool:
    """Whether a binary operator leaves the operation to the other operand's class."""
    kind = type(other)
    if kind in _PLAIN or kind in EXACT or isinstance(other, (np.generic, np.ndarray)):
        return False
    handler = getattr(kind, "__array_ufunc__", _MISSING)
    if handler is not _MISSING:
        return handler is None
    return priority(other) > 0.0


_BOUNDS: dict[np.dtype, tuple[int, int]] = {}


def fits(value: Any, dtype: np.dtype) -> bool:
    """Whether a Python number can stand for an operand of this dtype; NumPy's own call says what happens otherwise."""
    if type(value) is not int:
        return True
    if dtype.kind not in "iu":
        return dtype.kind == "b" or abs(value) < 1 << 127
    if dtype not in _BOUNDS:
        info = np.iinfo(dtype)
        _BOUNDS[dtype] = (int(info.min), int(info.max))
    low, high = _BOUNDS[dtype]
    return low <= value <= high


def any_negative(value: Any) -> bool:
    """Whether an integer exponent has a negative element; this reads an array's values."""
    if not isinstance(value, ndarray):
        return bool(value < 0)
    if real_kind(value.dtype) != "i" or value.size == 0:
        return False
    if is_narrow(value.dtype):
        value = _core.cast(value, wide_dtype(value.dtype))
    negative = _core.apply("less", (value.dtype, value.dtype, _BOOL), [value, 0])
    if negative.ndim == 0:
        return bool(negative)
    return bool(_core.reduce("logical_or", _BOOL, negative, tuple(range(negative.ndim)), False))
