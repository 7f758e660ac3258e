"""Waveforms: SciPy's formulas, operation by operation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal as _theirs

from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._composed import FLOAT64, composed_in, floats, is_number
from asnumpy.ufunc.functions import absolute, cos, exp, less, log, multiply, power, remainder, sin

_TURN = 2 * math.pi
_METHODS = {
    **dict.fromkeys(("linear", "lin", "li"), "linear"), **dict.fromkeys(("quadratic", "quad", "q"), "quadratic"),
    **dict.fromkeys(("logarithmic", "log", "lo"), "logarithmic"), **dict.fromkeys(("hyperbolic", "hyp"), "hyperbolic"),
}


def _phase(t: ndarray, f0: float, t1: float, f1: float, method: str, vertex_zero: bool) -> Any:
    if method == "linear":
        beta = (f1 - f0) / t1
        return _TURN * (f0 * t + 0.5 * beta * t * t)
    if method == "quadratic":
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return _TURN * (f0 * t + beta * t**3 / 3)
        return _TURN * (f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3)
    if f0 * f1 == 0 or (method == "logarithmic" and f0 * f1 < 0):
        return NotImplemented
    if f0 == f1:
        return _TURN * f0 * t
    if method == "logarithmic":
        beta = t1 / np.log(f1 / f0)
        return _TURN * beta * f0 * (power(f1 / f0, t / t1) - 1.0)
    singular = -f1 * t1 / (f0 - f1)
    return _TURN * (-singular * f0) * log(absolute(1 - t / singular))


@composed_in(_theirs)
def chirp(
    t: Any, f0: Any, t1: Any, f1: Any, method: Any = "linear", phi: Any = 0, vertex_zero: Any = True
) -> Any:
    a = floats(t)
    kind = _METHODS.get(method) if isinstance(method, str) else None
    if a is None or kind is None or not all(map(is_number, (f0, t1, f1, phi))) or t1 == 0:
        return NotImplemented
    phase = _phase(a, float(f0), float(t1), float(f1), kind, bool(vertex_zero))
    return NotImplemented if phase is NotImplemented else cos(phase + np.deg2rad(phi))


def _share(a: ndarray | None, width: Any) -> Any:
    """A share of a period in the signal's dtype; None where SciPy is to see it."""
    if a is None or not is_number(width) or not 0 <= width <= 1:
        return None
    return a.dtype.type(width)


@composed_in(_theirs)
def sawtooth(t: Any, width: Any = 1) -> Any:
    a = floats(t)
    w = _share(a, width)
    if a is None or w is None:
        return NotImplemented
    place = remainder(a, _TURN)
    falling: Any = np.nan if w == 1 else (math.pi * (w + 1) - place) / (math.pi * (1 - w))
    if w == 0:
        return as_dtype_of(falling, FLOAT64)
    rising = place / (math.pi * w) - 1
    return as_dtype_of(select_where(less(place, w * 2 * math.pi), rising, falling, a.dtype), FLOAT64)


@composed_in(_theirs)
def square(t: Any, duty: Any = 0.5) -> Any:
    a = floats(t)
    w = _share(a, duty)
    if a is None or w is None:
        return NotImplemented
    return select_where(less(remainder(a, _TURN), w * 2 * math.pi), 1.0, -1.0, FLOAT64)


@composed_in(_theirs)
def gausspulse(
    t: Any, fc: Any = 1000, bw: Any = 0.5, bwr: Any = -6, tpr: Any = -60, retquad: Any = False, retenv: Any = False
) -> Any:
    a = None if isinstance(t, str) else floats(t)
    if a is None or not all(map(is_number, (fc, bw, bwr))) or fc < 0 or bw <= 0 or bwr >= 0:
        return NotImplemented
    narrow = -((math.pi * fc * bw) ** 2) / (4.0 * np.log(10.0 ** (bwr / 20.0)))
    envelope = exp(-narrow * a * a)
    made = [multiply(envelope, cos(_TURN * fc * a))]
    if retquad:
        made.append(multiply(envelope, sin(_TURN * fc * a)))
    if retenv:
        made.append(envelope)
    return tuple(made) if len(made) > 1 else made[0]
