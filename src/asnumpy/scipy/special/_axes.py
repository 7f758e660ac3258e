"""Exponentials summed along axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as _theirs

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.numpys import derived
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._host import on_host
from asnumpy.ufunc.functions import add, divide, equal, exp, isfinite, log, log1p, maximum, subtract

_FLOAT64 = np.dtype(np.float64)

_host_logsumexp = on_host(_theirs.logsumexp, "scipy.special.logsumexp")
_host_softmax = on_host(_theirs.softmax, "scipy.special.softmax")
_host_log_softmax = on_host(_theirs.log_softmax, "scipy.special.log_softmax")


def _real(x: Any, axis: Any) -> ndarray | None:
    """The input as floats; None where SciPy's function is to see it."""
    if derived(x):
        return None
    a = asarray(x)
    if a.ndim == 0 or a.size == 0 or not (axis is None or type(axis) in (int, tuple)):
        return None
    if a.dtype.kind in "biu":
        return _core.cast(a, _FLOAT64)
    return a if a.dtype in (np.float32, _FLOAT64) else None


def _sum(a: ndarray, axis: Any) -> ndarray:
    return add.reduce(a, axis=axis, keepdims=True)


def _logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False) -> Any:
    given = None if b is not None or return_sign else _real(a, axis)
    if given is None:
        return _host_logsumexp(a, axis, b, keepdims, return_sign)
    # as SciPy: the largest stand apart, so that they do not hide what the others add
    highest = maximum.reduce(given, axis=axis, keepdims=True)
    is_highest = equal(given, highest)
    count = _sum(_core.cast(is_highest, given.dtype), axis)
    rest = _sum(select_where(is_highest, 0.0, exp(subtract(given, highest)), given.dtype), axis)
    made = log1p(divide(rest, count)) + log(count) + highest
    if keepdims:
        return made
    return made.reshape(()) [()] if axis is None else made.squeeze(axis)


def _shifted(a: ndarray, axis: Any) -> ndarray:
    highest = maximum.reduce(a, axis=axis, keepdims=True)
    return subtract(a, select_where(isfinite(highest), highest, 0.0, a.dtype))


def _softmax(x: Any, axis: Any = None) -> Any:
    a = _real(x, axis)
    if a is None:
        return _host_softmax(x, axis)
    powers = exp(subtract(a, maximum.reduce(a, axis=axis, keepdims=True)))
    return divide(powers, _sum(powers, axis))


def _log_softmax(x: Any, axis: Any = None) -> Any:
    a = _real(x, axis)
    if a is None:
        return _host_log_softmax(x, axis)
    shifted = _shifted(a, axis)
    return subtract(shifted, log(_sum(exp(shifted), axis)))


def _public(own: Any, theirs: Any) -> Any:
    own.__name__ = own.__qualname__ = theirs.__name__
    own.__module__, own.__doc__ = "asnumpy.scipy.special", theirs.__doc__
    return beside(own, theirs)


logsumexp = _public(_logsumexp, _theirs.logsumexp)
softmax = _public(_softmax, _theirs.softmax)
log_softmax = _public(_log_softmax, _theirs.log_softmax)
