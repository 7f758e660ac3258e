"""Calls of elementwise ufuncs that the core's fast path does not take: keywords, sequences, other arrays, odd types."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from asnumpy import _core
from asnumpy._core import asarray
from asnumpy._types import EXACT, ndarray
from asnumpy.host.door import host_result
from asnumpy.ufunc.operands import (
    WEAK,
    Unsupported,
    any_negative,
    call_overrides,
    fits,
    operand,
    overrides,
    resolve_call,
    type_key,
)

if TYPE_CHECKING:
    from asnumpy.ufunc.ufunc import ufunc

_BOOL = np.dtype(bool)
_KEYWORDS = frozenset({"out", "where", "casting", "order", "dtype", "subok", "signature", "sig"})


def outputs(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Every value given as an output, by position or keyword."""
    out = kwargs.get("out")
    return [*args, *(out if isinstance(out, tuple) else (out,))]


def type_signature(ufunc: ufunc, kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """`dtype=`, `signature=` and `sig=` as resolve_dtypes takes them. LookupError: leave it to NumPy."""
    given = [kwargs[key] for key in ("dtype", "signature", "sig") if kwargs.get(key) is not None]
    if not given:
        return None
    if len(given) > 1:
        raise LookupError
    if kwargs.get("dtype") is not None:
        return (None,) * ufunc.nin + (np.dtype(given[0]),) * ufunc.nout
    signature = given[0]
    if isinstance(signature, str):
        letters = signature.replace("->", "")
        if len(signature) != ufunc.nargs + 2:
            raise LookupError
        return tuple(np.dtype(letter) for letter in letters)
    if not isinstance(signature, tuple) or len(signature) != ufunc.nargs:
        raise LookupError
    return tuple(None if each is None else np.dtype(each) for each in signature)


def _select(mask: ndarray, chosen: ndarray, old: Any, dtype: np.dtype, out: Any) -> ndarray:
    """`chosen` where the mask is true, `old` elsewhere; into `out` when it is an array."""
    return _core.apply("where", (_BOOL, dtype, dtype, dtype), [mask, chosen, old], (out,) if out is not None else None)


def _masked(ufunc: ufunc, loop: tuple[np.dtype, ...], inputs: list[Any], outs: tuple[Any, ...], mask: ndarray) -> Any:
    computed = _core.apply(ufunc.name, loop, inputs)
    results = computed if isinstance(computed, tuple) else (computed,)
    made = []
    for result, out in zip(results, outs, strict=True):
        if out is None:
            made.append(_select(mask, result, 0, result.dtype, None))
        else:
            made.append(_select(mask, result, out, out.dtype, out))
    return made[0] if ufunc.nout == 1 else tuple(made)


_plans: dict[tuple[Any, ...], Any] = {}


def _into(ufunc: ufunc, args: tuple[Any, ...], out: ndarray) -> Any:
    """`ufunc(*args, out=out)` of arrays and floats, the common call with a keyword. None: take the long way."""
    keys: list[Any] = [ufunc.name, out.dtype]
    for value in args:
        kind = type(value)
        if kind in EXACT:
            keys.append(value.dtype)
        elif kind is float:
            keys.append(kind)
        else:
            return None
    question = tuple(keys)
    plan = _plans.get(question)
    if plan is None:
        loop = resolve_call(ufunc, (*keys[2:], out.dtype), None, "same_kind")
        integers = ufunc.name == "power" and loop[1].kind == "i"
        plan = _plans[question] = loop if ufunc.has_loop(loop) and not integers else ()
    return _core.apply(ufunc.name, plan, args, (out,)) if plan and out._flags_writeable else None


def call(ufunc: ufunc, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`ufunc(*args, **kwargs)` for an elementwise ufunc."""
    if len(kwargs) == 1 and len(args) == ufunc.nin and ufunc.nout == 1 and type(kwargs.get("out")) in EXACT:
        done = _into(ufunc, args, kwargs["out"])
        if done is not None:
            return done
    name, nin, nout = ufunc.name, ufunc.nin, ufunc.nout
    found = overrides([*args, *outputs((), kwargs), kwargs.get("where")])
    if found:
        return call_overrides(ufunc, "__call__", args, kwargs)
    if not (nin <= len(args) <= ufunc.nargs and kwargs.keys() <= _KEYWORDS):
        return host_result(ufunc.numpy, *args, **kwargs)  # which raises NumPy's TypeError
    out = kwargs.get("out")
    if len(args) > nin:
        if out is not None:
            return host_result(ufunc.numpy, *args, **kwargs)
        outs: tuple[Any, ...] = args[nin:] + (None,) * (ufunc.nargs - len(args))
    else:
        outs = out if isinstance(out, tuple) else (out,) if out is not None else (None,) * nout
    if len(outs) != nout or not all(each is None or isinstance(each, ndarray) for each in outs):
        return host_result(ufunc.numpy, *args, **kwargs)
    if any(map(_core.is_number, outs)):  # which are no arrays to write to
        return host_result(ufunc.numpy, *args, **kwargs)
    try:
        inputs = [operand(value) for value in args[:nin]]
        signature = type_signature(ufunc, kwargs)
    except (Unsupported, LookupError):
        return host_result(ufunc.numpy, *args, **kwargs)
    if all(type(value) in WEAK or isinstance(value, (bool, np.generic)) for value in inputs) and outs[0] is None:
        return host_result(ufunc.numpy, *args, **kwargs)

    targets = tuple(None if each is None else each.dtype for each in outs)
    wanted = tuple(type_key(value) for value in inputs) + targets
    loop = resolve_call(ufunc, wanted, signature, kwargs.get("casting", "same_kind"))
    where = kwargs.get("where", True)
    if not ufunc.has_loop(loop) or not all(map(fits, inputs, loop)):
        return host_result(ufunc.numpy, *args, **kwargs)
    if any(each is not None and not each._flags_writeable for each in outs):
        raise ValueError("output array is read-only")
    if where is not True:
        mask = asarray(where)
        overlapping = any(each is not None and _core.overlaps_itself(each) for each in outs)
        if mask.dtype != _BOOL or name == "power" or overlapping or not _fits_outputs(mask, inputs, outs):
            return host_result(ufunc.numpy, *args, **kwargs)
        return _masked(ufunc, loop, inputs, outs, mask)
    if nout > 1 and any(one is not None and other is not None and _core.may_share_memory(one, other)
                        for one, other in itertools.combinations(outs, 2)):
        return host_result(ufunc.numpy, *args, **kwargs)  # which is written last, shows
    empty = any(isinstance(value, ndarray) and value.size == 0 for value in inputs)
    if name == "power" and loop[1].kind == "i" and loop[0].kind == "i" and not empty and any_negative(inputs[1]):
        raise ValueError("Integers to negative integer powers are not allowed.")
    if kwargs.get("order") in ("F", "f") and outs[0] is None:
        shape = np.broadcast_shapes(*(value.shape for value in inputs if isinstance(value, ndarray)))
        outs = tuple(each or _core.empty(shape, dtype, "F") for each, dtype in zip(outs, loop[nin:], strict=True))
    if all(each is None for each in outs):
        return _core.apply(name, loop, inputs)
    return _core.apply(name, loop, inputs, outs)


def _fits_outputs(mask: ndarray, inputs: list[Any], outs: tuple[Any, ...]) -> bool:
    """Whether a masked call broadcasts to the outputs that are there; NumPy words the error otherwise."""
    shapes = [value.shape for value in inputs if isinstance(value, ndarray)]
    try:
        shape = np.broadcast_shapes(mask.shape, *shapes, *(each.shape for each in outs if each is not None))
    except ValueError:
        return False
    return all(each is None or each.shape == shape for each in outs)
