"""What a filter that feeds back is on a device: short sums of views that lie apart, as many as a line has doublings.

1 / A(S), with S the step to the element before, is A(-S) / (A(S) A(-S)). The product has only even powers: it is
A1(S^2), of the same degree, and 1 / A1(S^2) goes on like that: 1 / A(S) = A(-S) A1(-S^2) A2(-S^4)... Each factor is a
sum of a few elements that lie 1, 2, 4... places apart; there are no more of them when the distance exceeds the line, or
when the response has died away. The polynomials are computed in integers of many digits, so that roots stay in place.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import scipy.signal

from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.manipulation.padding import pad
from asnumpy.manipulation.shapes import flip, moveaxis
from asnumpy.scipy._composed import along
from asnumpy.ufunc.functions import add, multiply

_theirs: Any = scipy.signal  # SciPy has no annotations

_DEGREE = 32  # of filters, at most
_LINE = 1 << 16  # elements over which the growth of errors is computed
_LOST = 0.03  # of the largest result, that SciPy's recursion may lose by rounding; a twentieth of it is usual
_DEAD = 2.0**-10  # of a unit in the last place: a response that has died away

Terms = tuple[tuple[int, Any], ...]  # what is summed: the element so many places before, times that


class Filter(NamedTuple):
    """b / a, both of the same length and divided by a[0], and the sums that 1 / a is."""

    b: np.ndarray
    a: np.ndarray
    sums: tuple[Terms, ...]


# --- the sums ---


def _scaled(values: np.ndarray, bits: int) -> np.ndarray:
    ratios = (float(value).as_integer_ratio() for value in values)
    return np.array([(above << bits) // below for above, below in ratios], object)


def polynomials(a: np.ndarray, count: int, eps: float) -> list[tuple[int, np.ndarray]]:
    """The polynomials A, A1, A2... over lines of `count` elements, each with the distance of its first power."""
    bits = 128 + 2 * a.size * count.bit_length()
    real, imaginary = _scaled(np.real(a), bits), _scaled(np.imag(a), bits)
    distance = 1
    found: list[tuple[int, np.ndarray]] = []
    while distance < count:
        powers = [place for place in range(1, real.size) if real[place] or imaginary[place]]
        common = math.gcd(*powers)
        if common > 1:  # a polynomial in a power of S, where A(-S) would be A(S)
            real, imaginary, distance = real[::common], imaginary[::common], distance * common
        within = min(real.size, -(-count // distance))
        pairs = zip(real[:within], imaginary[:within], strict=True)
        values = np.array([complex(x / (1 << bits), y / (1 << bits)) for x, y in pairs])
        values = values if a.dtype.kind == "c" else np.real(values)
        if float(np.abs(values[1:]).sum()) < _DEAD * eps:
            break
        found.append((distance, values))
        signs = np.array([(-1) ** place for place in range(real.size)], object)
        x, y = real * signs, imaginary * signs
        squared = np.convolve(real, x) - np.convolve(imaginary, y), np.convolve(real, y) + np.convolve(imaginary, x)
        real, imaginary = (one[::2] >> bits for one in squared)
        distance *= 2
    return found


def _response(values: np.ndarray, count: int) -> np.ndarray:
    return np.asarray(_theirs.lfilter([1.0], values, np.eye(1, count)[0]))


def growth(a: np.ndarray, found: list[tuple[int, np.ndarray]], count: int) -> tuple[float, float]:
    """How many units in the last place, of the largest result there can be, are lost by SciPy's recursion, and by the
    sums: what is rounded after some sums goes through those that follow."""
    whole = _response(a, count)
    size, lost = float(np.abs(whole).sum()), 0.0
    for distance, values in found:
        before = whole.copy()  # the sums up to here: the response times the polynomial
        for place in range(1, min(values.size, -(-count // distance))):
            before[place * distance:] += values[place] * whole[:-place * distance]
        behind = _response(values, -(-count // distance))
        lost += float(np.abs(before).sum()) * float(np.abs(behind).sum()) * float(np.abs(values).sum())
    return float(np.abs(a).sum()) * size, lost / size


@functools.lru_cache(128)
def _sums(kind: str, octets: bytes, count: int) -> tuple[tuple[Terms, ...]] | None:
    a = np.frombuffer(octets, kind)
    eps = float(np.finfo(kind).eps)
    a = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    line = min(count, _LINE)
    with np.errstate(all="ignore"):
        if not np.isfinite(_response(a, line)).all():
            return None
        try:
            found = polynomials(a, count, eps)
        except OverflowError:  # it grows beyond all numbers further on
            return None
        theirs, ours = growth(a, [(distance, values) for distance, values in found if distance < line], line)
    longer = count / line if found and found[-1][0] * 2 >= line else 1.0
    if not (theirs * longer * eps <= _LOST and ours * longer * eps <= math.sqrt(eps)):
        return None
    return (tuple(terms_of(values * (-1.0) ** np.arange(values.size), distance) for distance, values in found),)


def terms_of(values: np.ndarray, distance: int = 1) -> Terms:
    """What a polynomial in a power of S sums."""
    return tuple((place * distance, value) for place, value in enumerate(values.tolist()) if value or not place)


def designed(b: np.ndarray, a: np.ndarray, dtype: np.dtype, count: int) -> Filter | None:
    """The filter in this dtype for lines of `count` elements; None where SciPy is to compute it: where the results
    would depend on the order of additions by more than is stated above."""
    if dtype.char not in "fdFD" or b.ndim != 1 or a.ndim != 1 or not b.size or not a.size or not a[0]:
        return None
    size = max(b.size, a.size)
    if size > _DEGREE + 1:
        return None
    over, under = np.zeros(size, dtype), np.zeros(size, dtype)
    with np.errstate(all="ignore"):
        over[:b.size], under[:a.size] = b.astype(dtype) / a.astype(dtype)[0], a.astype(dtype) / a.astype(dtype)[0]
    if not (np.isfinite(over).all() and np.isfinite(under).all()):
        return None
    used = np.trim_zeros(under, "b")
    if used.size == 1:
        return Filter(over, under, ())
    sums = _sums(dtype.char, used.tobytes(), 1 << (count - 1).bit_length())
    return None if sums is None else Filter(over, under, sums[0])


# --- along an axis ---


def _widths(ndim: int, axis: int, before: int) -> list[tuple[int, int]]:
    return [(before, 0) if one == axis else (0, 0) for one in range(ndim)]


def summed(line: ndarray, terms: Terms, axis: int) -> ndarray:
    """The sum of the elements that lie so many places before each one, times their weights."""
    count = line.shape[axis]
    terms = tuple((lag, value) for lag, value in terms if lag < count)
    most = terms[-1][0]
    padded = pad(line, _widths(line.ndim, axis, most)) if most else line
    made: Any = None
    for lag, value in terms:
        view = padded[along(line.ndim, axis, slice(most - lag, most - lag + count))]
        one = view if value == 1 else multiply(view, value)
        made = one if made is None else add(made, one)
    whole: ndarray = made
    return whole


def _tail(line: ndarray, axis: int, count: int) -> ndarray:
    """The last elements along an axis, the very last first, as the last axis."""
    missing = count - line.shape[axis]
    if missing > 0:
        line = pad(line, _widths(line.ndim, axis, missing))
    end: ndarray = moveaxis(line, axis, -1)[..., line.shape[axis] - count:]
    return flip(end, -1)


def state_after(f: Filter, inputs: ndarray, results: ndarray) -> ndarray:
    """What of inputs and results goes into those that follow. The newest are first along their last axis."""
    count = f.b.size - 1
    made: Any = None
    for line, values in ((inputs, f.b), (results, -f.a)):
        for place in range(count):  # the element before this many others, in the states that it still reaches
            weights = np.append(values[place + 1:], np.zeros(place, values.dtype))
            one = multiply(line[..., place:place + 1], asarray(weights))
            made = one if made is None else add(made, one)
    whole: ndarray = made
    return whole


def filtered(f: Filter, signal: ndarray, axis: int, state: ndarray | None = None) -> ndarray:
    """The results along an axis, from a state at the beginning."""
    made, count = summed(as_dtype_of(signal, f.b.dtype), terms_of(f.b), axis), signal.shape[axis]
    if state is not None and state.shape[axis]:
        begun = as_dtype_of(state, f.b.dtype)[along(made.ndim, axis, slice(None, count))]
        missing = count - begun.shape[axis]
        made = add(made, pad(begun, [(0, missing) if one == axis else (0, 0) for one in range(made.ndim)]))
    for terms in f.sums:
        made = summed(made, terms, axis)
    return made


def state_at_end(f: Filter, signal: ndarray, made: ndarray, axis: int, state: ndarray) -> ndarray:
    """The state after these results of a signal and of a state at the beginning."""
    order, count, state = f.b.size - 1, signal.shape[axis], as_dtype_of(state, f.b.dtype)
    if not order:
        return state
    after = state_after(f, _tail(as_dtype_of(signal, f.b.dtype), axis, order), _tail(made, axis, order))
    if count < order:  # some of it has not been met yet
        beyond = moveaxis(state, axis, -1)[..., count:]
        after = add(after, pad(beyond, [(0, 0)] * (made.ndim - 1) + [(0, count)]))
    return moveaxis(after, -1, axis)
