"""Filters that feed back, on devices; on the host SciPy's loop, element by element, is as quick or quicker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.signal

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.manipulation.joining import concatenate, stack
from asnumpy.manipulation.padding import pad
from asnumpy.manipulation.shapes import broadcast_to, flip
from asnumpy.scipy._composed import along, axis_of, composed_in, numbers, values_of
from asnumpy.scipy.signal._feedback import Filter, designed, filtered, state_after, state_at_end, summed, terms_of
from asnumpy.ufunc.functions import divide, multiply, subtract

_theirs: Any = scipy.signal  # SciPy has no annotations

Run = Callable[[ndarray, ndarray], ndarray]


def there(a: ndarray) -> bool:
    """Whether filters are composed of sums. On the host SciPy's loop is up to seven times as quick, but for filters of
    the first order, of which it is as quick."""
    return not a._host_visible


def _signal(x: Any) -> ndarray | None:
    a = numbers(x)
    return a if a is not None and there(a) else None


def _kind(x: Any, *others: Any) -> np.dtype:
    """SciPy's dtype of results. It refuses integers alone."""
    return np.result_type(asarray(x).dtype, *(one.dtype for one in others))


def run(over: np.ndarray, under: np.ndarray, x: Any, axis: Any, zi: Any) -> Any:
    """What `lfilter` gives for coefficients of these values."""
    signal = _signal(x)
    place = None if signal is None else axis_of(signal, axis)
    state = None if zi is None else numbers(zi)
    if signal is None or place is None or (zi is not None and state is None):
        return NotImplemented
    dtype = _kind(x, over, under, *([] if zi is None else [asarray(zi)]))
    f = designed(over, under, dtype, signal.shape[place])
    if f is None:
        return NotImplemented
    if state is None:
        return filtered(f, signal, place)
    shape = (*signal.shape[:place], f.b.size - 1, *signal.shape[place + 1:])
    fitting = state.ndim == len(shape) and state.shape[place] == shape[place]
    if not fitting or any(one not in (1, wanted) for one, wanted in zip(state.shape, shape, strict=True)):
        return NotImplemented
    state = broadcast_to(state, shape)
    made = filtered(f, signal, place, state)
    return made, state_at_end(f, signal, made, place, state)


@composed_in(_theirs)
def lfiltic(b: Any, a: Any, y: Any, x: Any = None) -> Any:
    over, under = values_of(b), values_of(a)
    results = _signal(y)
    inputs = results if x is None else numbers(x)
    if over is None or under is None or results is None or inputs is None:
        return NotImplemented
    over, under = np.atleast_1d(over), np.atleast_1d(under)
    if over.ndim != 1 or under.ndim != 1 or results.ndim != 1 or inputs.ndim != 1 or not under[0]:
        return NotImplemented
    dtype = np.result_type(over, under, asarray(y).dtype, *([] if x is None else [asarray(x).dtype]))
    dtype = np.result_type(np.float64) if dtype.kind in "iu" else dtype
    count = max(over.size, under.size) - 1
    if dtype.char not in "fdFD" or not count:
        return NotImplemented

    def newest(line: ndarray | None) -> ndarray:
        part = zeros(0, dtype) if line is None else as_dtype_of(line[:count], dtype)
        return concatenate((part, zeros(count - part.size, dtype)))

    over, under = (np.pad(one.astype(dtype), (0, count + 1 - one.size)) for one in (over, under))
    made = state_after(Filter(over, under, ()), newest(None if x is None else inputs), newest(results))
    return made if under[0] == 1 else divide(made, under.tolist()[0])


@composed_in(_theirs)
def deconvolve(signal: Any, divisor: Any) -> Any:
    line, under = _signal(signal), values_of(divisor)
    if line is None or under is None:
        return NotImplemented
    under = np.atleast_1d(under)
    count = line.shape[0] - under.size + 1
    if line.ndim != 1 or under.ndim != 1 or count < 1:
        return NotImplemented
    f = designed(np.ones(1), under, np.result_type(line.dtype, under.dtype, np.float64), count)
    if f is None:
        return NotImplemented
    quotient = filtered(f, line[:count], 0)
    product = summed(pad(quotient, (0, under.size - 1)), terms_of(under), 0)
    return quotient, subtract(asarray(signal), product)


# --- sections ---


def _sections(sos: Any, x: Any, signal: ndarray, place: int, more: int = 0, zi: Any = None) -> list[Filter] | None:
    values = values_of(sos)
    if values is None or values.ndim not in (1, 2):
        return None
    values = np.atleast_2d(values)
    if not values.size or values.shape[1] != 6 or not (values[:, 3] == 1).all():
        return None
    dtype = _kind(x, values, *([] if zi is None else [asarray(zi)]))
    found = [designed(one[:3], one[3:], dtype, signal.shape[place] + more) for one in values]
    whole = [one for one in found if one is not None]
    return whole if len(whole) == len(found) else None


def _cascade(sections: list[Filter], signal: ndarray, place: int, state: ndarray | None) -> list[ndarray]:
    """The signal, and what each section makes of that before."""
    every = [signal]
    for number, f in enumerate(sections):
        every.append(filtered(f, every[-1], place, None if state is None else state[number]))
    return every


@composed_in(_theirs)
def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    signal = _signal(x)
    place = None if signal is None else axis_of(signal, axis)
    state = None if zi is None else numbers(zi)
    if signal is None or place is None or (zi is not None and state is None):
        return NotImplemented
    sections = _sections(sos, x, signal, place, zi=zi)
    if sections is None:
        return NotImplemented
    shape = (len(sections), *signal.shape[:place], 2, *signal.shape[place + 1:])
    if state is not None and state.shape != shape:
        return NotImplemented
    every = _cascade(sections, signal, place, state)
    if state is None:
        return every[-1]
    ends = zip(sections, every, every[1:], state, strict=False)
    return every[-1], stack([state_at_end(f, before, made, place, one) for f, before, made, one in ends])


# --- forward and backward ---


def _padding(x: Any, signal: ndarray, place: int, padtype: Any, padlen: Any, taps: int) -> int | None:
    """How many elements are added on each side; None where SciPy is to see it."""
    if padtype not in ("even", "odd", "constant", None):
        return None
    edge = 0 if padtype is None else 3 * taps if padlen is None else padlen
    return edge if type(edge) is int and 0 <= edge < signal.shape[place] else None


def _both_ways(x: Any, place: int, padtype: Any, edge: int, step: Run) -> ndarray:
    """What `step` makes of the padded signal, and of that from the end, each from the state at rest times the first."""
    a = asarray(x)  # integers are continued as integers

    def taken(line: ndarray, start: int | None, stop: int | None, by: int = 1) -> ndarray:
        view: ndarray = line[along(line.ndim, place, slice(start, stop, by))]
        return view

    if edge:
        first, last = taken(a, 0, 1), taken(a, -1, None)
        if padtype == "constant":
            shape = (*a.shape[:place], edge, *a.shape[place + 1:])
            before, behind = broadcast_to(first, shape), broadcast_to(last, shape)
        else:
            before, behind = taken(a, edge, 0, -1), flip(taken(a, -edge - 1, -1), place)
            if padtype == "odd":
                before, behind = subtract(multiply(first, 2), before), subtract(multiply(last, 2), behind)
        a = concatenate((before, a, behind), place)
    made = _core.cast(a, np.dtype(np.float64)) if a.dtype.kind in "iu" else a
    for _ in range(2):
        made = flip(step(made, taken(made, 0, 1)), place)
    return taken(made, edge, made.shape[place] - edge)


@composed_in(_theirs)
def filtfilt(
    b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None, method: Any = "pad",
    irlen: Any = None,
) -> Any:
    signal = _signal(x)
    place = None if signal is None else axis_of(signal, axis)
    over, under = values_of(b), values_of(a)
    if signal is None or place is None or over is None or under is None or method != "pad":
        return NotImplemented
    over, under = np.atleast_1d(over), np.atleast_1d(under)
    size = max(over.size, under.size)
    edge = _padding(x, signal, place, padtype, padlen, size)
    if edge is None or over.ndim != 1 or under.ndim != 1 or size < 2 or not under[0]:
        return NotImplemented
    rest = np.asarray(_theirs.lfilter_zi(over, under))
    f = designed(over, under, _kind(x, over, under, rest), signal.shape[place] + 2 * edge)
    if f is None:
        return NotImplemented
    beginning = asarray(rest.reshape((-1,) + (1,) * (signal.ndim - place - 1)))
    return _both_ways(
        x, place, padtype, edge, lambda line, first: filtered(f, line, place, multiply(beginning, first))
    )


@composed_in(_theirs)
def sosfiltfilt(sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    signal = _signal(x)
    place = None if signal is None else axis_of(signal, axis)
    values = values_of(sos)
    if signal is None or place is None or values is None or values.ndim not in (1, 2) or values.shape[-1] != 6:
        return NotImplemented
    values = np.atleast_2d(values)
    taps = 2 * len(values) + 1 - int(min((values[:, 2] == 0).sum(), (values[:, 5] == 0).sum()))
    edge = _padding(x, signal, place, padtype, padlen, taps)
    sections = None if edge is None else _sections(values, x, signal, place, 2 * edge)
    if edge is None or sections is None:
        return NotImplemented
    rest = np.asarray(_theirs.sosfilt_zi(values))
    beginning = asarray(rest.reshape((len(values), *(1,) * place, 2, *(1,) * (signal.ndim - place - 1))))
    return _both_ways(
        x, place, padtype, edge, lambda line, first: _cascade(sections, line, place, multiply(beginning, first))[-1]
    )
