"""Filters with finite responses, resampling, trends, the analytic signal: sums of shifted views, or transforms."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.signal

from asnumpy import fft
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.creation.ranges import arange
from asnumpy.manipulation.joining import concatenate, stack
from asnumpy.manipulation.padding import pad
from asnumpy.manipulation.shapes import moveaxis
from asnumpy.scipy._composed import (
    FLOAT64,
    along,
    axis_of,
    composed_in,
    few_on_host,
    floats,
    is_number,
    numbers,
    values_of,
)
from asnumpy.scipy.signal._convolution import MOST_PLACES, placed
from asnumpy.scipy.signal._recursive import run, sosfilt, sosfiltfilt, there
from asnumpy.statistics import convolution as lines
from asnumpy.statistics.quantiles import median
from asnumpy.ufunc.functions import add, divide, multiply, subtract

_theirs: Any = scipy.signal  # SciPy has no annotations

_LEAST = 1 << 15  # elements on the host: SciPy's loops are quicker for fewer
_PADDINGS = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}


def _shape_of_kernel(ndim: int, axis: int, count: int) -> tuple[int, ...]:
    return (*[1] * axis, count, *[1] * (ndim - axis - 1))


def _widths(ndim: int, axis: int, before: int, behind: int) -> list[tuple[int, int]]:
    return [(before, behind) if one == axis else (0, 0) for one in range(ndim)]


def _slid(padded: ndarray, values: np.ndarray, axis: int) -> ndarray:
    """The sums of products of a line with what lies beneath it as it slides along an axis, from its first place on."""
    count = padded.shape[axis] - values.size + 1
    shape = (*padded.shape[:axis], count, *padded.shape[axis + 1 :])
    return placed(padded, values.reshape(_shape_of_kernel(padded.ndim, axis, values.size)), shape)


@composed_in(_theirs)
def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    signal = numbers(x)
    if signal is None or not there(signal):
        return NotImplemented  # on the host NumPy's convolution, which SciPy uses, is as quick as a program
    over, under = values_of(b), values_of(a)
    place = axis_of(signal, axis)
    if over is None or under is None or place is None:
        return NotImplemented
    over = np.atleast_1d(over)
    if under.size > 1:
        return run(over, under, x, axis, zi)
    if under.size != 1 or over.ndim != 1 or not over.size:
        return NotImplemented
    under = under.reshape(1)
    state = None if zi is None else numbers(zi)
    dtype = np.result_type(over, under, signal.dtype, *([] if state is None else [state.dtype]))
    if dtype.char not in "fdFD" or (zi is not None and state is None) or under[0] == 0:
        return NotImplemented
    over = over.astype(dtype) / under.astype(dtype)[0]
    signal = as_dtype_of(signal, dtype)
    count, taps = signal.shape[place], over.size
    if state is not None and state.shape != (*signal.shape[:place], taps - 1, *signal.shape[place + 1 :]):
        return NotImplemented
    if signal.ndim == 1:
        made = lines.convolve(asarray(over), signal)
    elif taps > MOST_PLACES:
        return NotImplemented
    else:
        behind = 0 if state is None else taps - 1
        made = _slid(pad(signal, _widths(signal.ndim, place, taps - 1, behind)), over[::-1], place)
    if state is not None:
        begun = made[along(made.ndim, place, slice(None, taps - 1))]
        begun += state
    kept = made[along(made.ndim, place, slice(None, count))]
    return kept if state is None else (kept, made[along(made.ndim, place, slice(count, None))])


def _edge_matrices(length: int, order: int, derivative: int, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """What makes of the first and the last `length` values those near the edge, on the polynomials fitted to them."""
    half = length // 2
    places = np.arange(length, dtype=float) - half  # around zero, where powers are small
    powers = np.vander(places, order + 1, increasing=True)
    fit = np.linalg.pinv(powers)
    slopes = np.zeros_like(powers)
    for power in range(derivative, order + 1):
        slopes[:, power] = math.perm(power, derivative) * places ** (power - derivative)
    whole = slopes @ fit / delta**derivative
    return whole[:half], whole[length - half :]


@composed_in(_theirs)
def savgol_filter(
    x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1,
    mode: Any = "interp", cval: Any = 0.0,
) -> Any:
    a = floats(x)
    place = None if a is None else axis_of(a, axis)
    plain = all(type(one) is int for one in (window_length, polyorder, deriv)) and is_number(delta) and is_number(cval)
    if a is None or place is None or not plain or not (mode == "interp" or mode in _PADDINGS):
        return NotImplemented
    if not 0 <= polyorder < window_length <= min(a.shape[place], MOST_PLACES) or deriv < 0 or window_length % 2 == 0:
        return NotImplemented
    values = _theirs.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)[::-1]
    half, wide = window_length // 2, as_dtype_of(a, FLOAT64)  # sums of both signs, which SciPy computes in float64
    if mode == "interp":
        first, last = map(asarray, _edge_matrices(window_length, polyorder, deriv, delta))
        ends = moveaxis(wide, place, -1)
        sides = [ends[..., :window_length] @ first.T, ends[..., -window_length:] @ last.T]
        before, behind = (moveaxis(one, -1, place) for one in sides)
        made = concatenate((before, _slid(wide, values, place), behind), place)
    else:
        options = {"constant_values": cval} if mode == "constant" else {}
        padded = pad(wide, _widths(a.ndim, place, half, half), _PADDINGS[mode], **options)
        made = _slid(padded, values, place)
    return as_dtype_of(made, a.dtype)


def _upsampled(h: np.ndarray, a: ndarray, up: int, down: int, axis: int, first: int, count: int) -> ndarray:
    """The places first, first + 1... of a filtered line of `up` times as many elements, of which each `down`-th counts.

    Outputs that are `up` apart (without common factors) use the same of the filter's values, on elements that lie
    `down` apart: one sum of strided views for each of them.
    """
    taps = -(-h.size // up)
    common = math.gcd(up, down)
    turns, step = up // common, down // common
    each = -(-count // turns)
    last = ((first + turns - 1) * down) // up + (each - 1) * step
    padded = pad(a, _widths(a.ndim, axis, taps - 1, max(last + 1 - a.shape[axis], 0)))

    def term(begin: int, value: Any) -> ndarray:
        return multiply(padded[along(a.ndim, axis, slice(begin, begin + (each - 1) * step + 1, step))], value)

    parts = []
    for turn in range(turns):
        place = (first + turn) * down
        values = h[place % up :: up].tolist() or [0.0]  # of a short filter some outputs use nothing
        parts.append(functools.reduce(add, map(term, itertools.count(place // up + taps - 1, -1), values)))
    if turns == 1:
        (whole,) = parts
    else:
        whole = stack(parts, axis + 1).reshape(*a.shape[:axis], each * turns, *a.shape[axis + 1 :])
    return whole[along(a.ndim, axis, slice(None, count))]


def _filter_of(h: Any, a: ndarray) -> np.ndarray | None:
    """The filter in the dtype of the results, as SciPy has it."""
    values = values_of(h)
    dtype = np.result_type(a.dtype if values is None else values, a.dtype, np.float32)
    if values is None or values.ndim != 1 or not 0 < values.size <= 2 * MOST_PLACES or dtype.char not in "fdFD":
        return None
    return values.astype(dtype)


def _reach(taps: int, count: int, up: int, down: int) -> int:
    """How many outputs there are."""
    return ((count - 1) * up + taps - 1) // down + 1


@composed_in(_theirs)
def upfirdn(h: Any, x: Any, up: Any = 1, down: Any = 1, axis: Any = -1, mode: Any = "constant", cval: Any = 0) -> Any:
    a = numbers(x)
    place = None if a is None else axis_of(a, axis)
    values = None if a is None else _filter_of(h, a)
    if a is None or place is None or values is None or type(up) is not int or type(down) is not int:
        return NotImplemented
    if up < 1 or down < 1 or mode != "constant" or cval != 0 or few_on_host(a, _LEAST):
        return NotImplemented
    count = _reach(values.size, a.shape[place], up, down)
    return _upsampled(values, as_dtype_of(a, values.dtype), up, down, place, 0, count)


_BACKGROUNDS: dict[str, Callable[[ndarray, int], ndarray]] = {
    "mean": lambda a, axis: a.mean(axis=axis, keepdims=True),
    "median": lambda a, axis: median(a, axis=axis, keepdims=True),
    "minimum": lambda a, axis: a.min(axis=axis, keepdims=True),
    "maximum": lambda a, axis: a.max(axis=axis, keepdims=True),
}


@composed_in(_theirs)
def resample_poly(
    x: Any, up: Any, down: Any, axis: Any = 0, window: Any = ("kaiser", 5.0), padtype: Any = "constant",
    cval: Any = None,
) -> Any:
    a = floats(x)
    place = None if a is None else axis_of(a, axis)
    if a is None or place is None or type(up) is not int or type(down) is not int or up < 1 or down < 1:
        return NotImplemented
    up, down = up // math.gcd(up, down), down // math.gcd(up, down)
    known = padtype in _BACKGROUNDS if isinstance(padtype, str) else False
    if few_on_host(a, _LEAST) or up == down or not (known or padtype == "constant"):
        return NotImplemented
    if cval not in (None, 0) or (known and cval is not None):
        return NotImplemented
    if isinstance(window, (str, tuple)):
        half = 10 * max(up, down)
        designed = _theirs.firwin(2 * half + 1, 1.0 / max(up, down), window=window)
        h = _filter_of(designed.astype(a.dtype), a)
    else:
        h = _filter_of(window, a)
        half = 0 if h is None else (h.size - 1) // 2
    if h is None:
        return NotImplemented
    before = down - half % down
    h = np.concatenate((np.zeros(before, h.dtype), h * h.dtype.type(up)))
    count = -(-a.shape[place] * up // down)
    background = _BACKGROUNDS[padtype](a, place) if known else None
    signal = a if background is None else subtract(a, background)
    made = _upsampled(h, as_dtype_of(signal, h.dtype), up, down, place, (half + before) // down, count)
    return made if background is None else add(made, background)


@composed_in(_theirs)
def decimate(x: Any, q: Any, n: Any = None, ftype: Any = "iir", axis: Any = -1, zero_phase: Any = True) -> Any:
    a = (numbers(x) if ftype == "iir" else floats(x) if ftype == "fir" else None) if isinstance(ftype, str) else None
    place = None if a is None else axis_of(a, axis)
    if a is None or place is None or type(q) is not int or q < 1 or not (n is None or (type(n) is int and n > 0)):
        return NotImplemented
    if ftype == "iir":
        if q < 2 or not there(a):
            return NotImplemented
        sections = _theirs.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos").astype(a.dtype)
        made = (sosfiltfilt if zero_phase else sosfilt).body(sections, x, place)
        return made if made is NotImplemented else made[along(a.ndim, place, slice(None, None, q))]
    h = _theirs.firwin((20 * q if n is None else n) + 1, 1.0 / q, window="hamming").astype(a.dtype)
    if zero_phase:
        return resample_poly.body(a, 1, q, place, h)
    made = upfirdn.body(h, a, 1, q, place)
    return made if made is NotImplemented else made[along(a.ndim, place, slice(None, -(-a.shape[place] // q)))]


def _folded(window: Any, count: int) -> np.ndarray | None:
    """A window over frequencies, for the half of them that a real signal has; None where SciPy is to see it."""
    if callable(window):
        return None
    if hasattr(window, "shape"):
        values = values_of(window)
        if values is None or values.shape != (count,) or values.dtype.kind == "c":
            return None
    else:
        values = np.fft.fftshift(_theirs.get_window(window, count))
    half = count // 2 + 1
    folded = values[:half].astype(float)
    folded[1:] = (folded[1:] + values[: -half : -1]) / 2 if half > 1 else folded[1:]
    return folded


@composed_in(_theirs)
def resample(
    x: Any, num: Any, t: Any = None, axis: Any = 0, window: Any = None, domain: Any = "time"
) -> Any:
    a = floats(x)
    place = None if a is None else axis_of(a, axis)
    if a is None or place is None or type(num) is not int or num < 1 or domain != "time":
        return NotImplemented
    count = a.shape[place]
    kept = min(num, count)
    weights = np.ones(count // 2 + 1) if window is None else _folded(window, count)
    if weights is None:
        return NotImplemented
    weights = weights[: kept // 2 + 1] * (num / count)
    if kept % 2 == 0 and num != count:
        weights[kept // 2] *= 2 if num < count else 0.5  # the bin that has no counterpart
    bins = fft.rfft(moveaxis(a, place, -1))[..., : kept // 2 + 1]
    made = moveaxis(fft.irfft(multiply(bins, asarray(weights.astype(a.dtype))), num), -1, place)
    return made if t is None else (made, t[0] + (t[1] - t[0]) * (count / num) * arange(num))


def without_trend(a: ndarray, kind: str) -> ndarray:
    """The values along the last axis without their mean, or without the line through them."""
    centred = subtract(a, a.mean(axis=-1, keepdims=True))
    count = a.shape[-1]
    if kind == "constant" or count < 2:
        return centred
    places = as_dtype_of((arange(float(count)) - (count - 1) / 2) / count, a.dtype)  # their sum is zero
    squares = (count * count - 1) / (12 * count)
    slope = divide(multiply(centred, places).sum(axis=-1, keepdims=True), squares)
    return subtract(centred, multiply(slope, places))


@composed_in(_theirs)
def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False) -> Any:
    a = floats(data)
    place = None if a is None else axis_of(a, axis)
    kind = {"l": "linear", "c": "constant"}.get(type, type) if isinstance(type, str) else None
    if a is None or place is None or kind not in ("linear", "constant") or overwrite_data:
        return NotImplemented
    breaks = values_of(bp)
    if breaks is None:
        return NotImplemented
    ends, count = np.atleast_1d(breaks), a.shape[place]
    if ends.ndim != 1 or ends.dtype.kind not in "iu" or (ends.size and not 0 <= ends.min() <= ends.max() <= count):
        return NotImplemented
    turned = moveaxis(a, place, -1)
    bounds = [0, count] if kind == "constant" else sorted({0, count, *ends.tolist()})
    parts = [without_trend(turned[..., start:stop], kind) for start, stop in itertools.pairwise(bounds)]
    return moveaxis(parts[0] if len(parts) == 1 else concatenate(parts, -1), -1, place)


@composed_in(_theirs)
def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    a = floats(x)
    place = None if a is None else axis_of(a, axis)
    if a is None or place is None or not (N is None or (type(N) is int and N > 0)):
        return NotImplemented
    length = a.shape[place]
    count = length if N is None else N
    if not count:
        return NotImplemented
    # The real part is x itself. A quarter of a turn for each frequency makes the other one; the ends' turn away.
    turned = fft.irfft(multiply(fft.rfft(a, count, place), -1j), count, place)
    if count < length:
        a = a[(*(slice(None),) * place, slice(count))]
    elif count > length:
        a = pad(a, [(0, count - length) if one == place else (0, 0) for one in range(a.ndim)])
    return add(multiply(turned, 1j), a)  # not finite where the other part is not


@composed_in(_theirs)
def unit_impulse(shape: Any, idx: Any = None, dtype: Any = float) -> Any:
    lengths = (shape,) if type(shape) is int else shape
    plain = type(lengths) is tuple and lengths and all(type(one) is int and one > 0 for one in lengths)
    if not plain or not (idx is None or type(idx) in (int, tuple) or (isinstance(idx, str) and idx == "mid")):
        return NotImplemented
    if idx is None or isinstance(idx, str):
        idx = tuple(0 if idx is None else one // 2 for one in lengths)
    elif type(idx) is int:
        idx = (idx,) * len(lengths)
    made = zeros(lengths, dtype)
    made[idx] = 1
    return made
