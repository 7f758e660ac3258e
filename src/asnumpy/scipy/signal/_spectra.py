"""Spectra of signals cut into segments, and back: windows of the memory, transforms, averages."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import scipy.fft
import scipy.signal

from asnumpy import fft
from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.elementwise.functions import angle
from asnumpy.lib._stride_tricks import sliding_window_view
from asnumpy.manipulation.padding import pad
from asnumpy.manipulation.shapes import moveaxis
from asnumpy.scipy._composed import along, axis_of, composed_in, is_number, numbers, values_of
from asnumpy.scipy.signal._filters import without_trend
from asnumpy.statistics.difference import unwrap
from asnumpy.statistics.quantiles import median
from asnumpy.ufunc.functions import absolute, add, conjugate, divide, multiply, square

_theirs: Any = scipy.signal  # SciPy has no annotations

_TRENDS = {"constant": "constant", "c": "constant", "linear": "linear", "l": "linear", False: None}
_EDGES = {
    "zeros": {"mode": "constant"}, "constant": {"mode": "edge"}, "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}


class _Plan(NamedTuple):
    """How a line is cut, weighted and transformed."""

    window: np.ndarray
    step: int
    length: int  # of the transforms
    trend: str | None
    one_sided: bool
    scale: float  # of squared magnitudes
    rate: float

    def frequencies(self) -> np.ndarray:
        make = scipy.fft.rfftfreq if self.one_sided else scipy.fft.fftfreq
        return np.asarray(make(self.length, 1 / self.rate))

    def power_scale(self) -> np.ndarray:
        """For each frequency; of two sides both are counted."""
        scale = np.full(self.frequencies().size, self.scale)
        if self.one_sided:
            scale[1 : -1 if self.length % 2 == 0 else None] *= 2
        return scale


def _window(window: Any, nperseg: Any, count: int) -> np.ndarray | None:
    """The window's values, no more than there are elements."""
    if isinstance(window, (str, tuple)):
        size = 256 if nperseg is None else nperseg
        return _theirs.get_window(window, size) if type(size) is int and 0 < size <= count else None
    values = values_of(window)
    if values is None:
        return None
    fits = values.ndim == 1 and 0 < values.size <= count and (nperseg is None or nperseg == values.size)
    return values.astype(float) if fits and values.dtype.kind in "fiu" else None


def _plan(
    count: int, real: bool, fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any, onesided: Any,
    scaling: Any, overlap: int = 2,
) -> _Plan | None:
    """None where SciPy is to see the call. `overlap`: of how many samples of a segment the next one begins with one."""
    known = (detrend is False or (isinstance(detrend, str) and detrend in _TRENDS)) and is_number(fs) and fs > 0
    values = _window(window, nperseg, count) if known and scaling in ("density", "spectrum") else None
    if values is None:
        return None
    size = values.size
    shared = size // overlap if noverlap is None else noverlap
    length = size if nfft is None else nfft
    if not type(shared) is type(length) is int or not 0 <= shared < size <= length or (onesided and not real):
        return None
    scale = 1.0 / (fs * (values * values).sum()) if scaling == "density" else 1.0 / values.sum() ** 2
    return _Plan(values, size - shared, length, _TRENDS[detrend], bool(onesided), float(scale), float(fs))


def _transforms(a: ndarray, plan: _Plan) -> ndarray:
    """Those of all segments of the last axis: segments by frequencies."""
    parts = sliding_window_view(a, plan.window.size, -1)[..., :: plan.step, :]
    if plan.trend is not None:
        parts = without_trend(parts, plan.trend)
    weights = asarray(plan.window.astype(np.float32 if a.dtype.char in "fF" else np.float64))
    weighted = multiply(parts, weights)
    return fft.rfft(weighted, plan.length) if plan.one_sided else fft.fft(weighted, plan.length)


def _squares(bins: ndarray) -> ndarray:
    return add(square(bins.real), square(bins.imag))


def _real_of(bins: ndarray) -> np.dtype:
    return np.dtype(np.float32 if bins.dtype == np.complex64 else np.float64)


def _scaled(values: ndarray, scale: np.ndarray) -> ndarray:
    single = values.dtype in (np.float32, np.complex64)
    return multiply(values, asarray(scale.astype(np.float32) if single else scale))


def _average(values: ndarray, how: str) -> ndarray:
    """Over segments, the last axis but one."""
    count = values.shape[-2]
    if count == 1:
        return values[..., 0, :]
    if how == "mean":
        return values.mean(axis=-2)
    bias = 1.0 + sum(1.0 / (one + 1) - 1.0 / one for one in range(2, 2 * ((count - 1) // 2) + 1, 2))
    if values.dtype.kind == "c":
        return divide(add(median(values.real, axis=-2), multiply(median(values.imag, axis=-2), 1j)), bias)
    return divide(median(values, axis=-2), bias)


@composed_in(_theirs)
def csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
    average: Any = "mean",
) -> Any:
    a, b = numbers(x), numbers(y)
    place = None if a is None else axis_of(a, axis)
    if a is None or b is None or place is None or a.shape != b.shape or average not in ("mean", "median"):
        return NotImplemented
    real = a.dtype.kind == b.dtype.kind == "f"
    if y is x and not real:
        return_onesided = False
    plan = _plan(
        a.shape[place], real, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling
    )
    if plan is None or (not real and y is not x):
        return NotImplemented
    first = _transforms(moveaxis(a, place, -1), plan)
    if y is x:
        made = _squares(first)
    else:
        made = multiply(conjugate(first), _transforms(moveaxis(b, place, -1), plan))
    averaged = _scaled(_average(made, average), plan.power_scale())
    return asarray(plan.frequencies()), moveaxis(averaged, -1, place)


@composed_in(_theirs)
def welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
    average: Any = "mean",
) -> Any:
    return csd.body(
        x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )


@composed_in(_theirs)
def periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
) -> Any:
    a = numbers(x)
    place = None if a is None else axis_of(a, axis)
    if a is None or place is None or not (nfft is None or (type(nfft) is int and nfft > 0)):
        return NotImplemented
    count = a.shape[place]
    if nfft is not None and nfft < count:
        a, count, nfft = a[along(a.ndim, place, slice(None, nfft))], nfft, None
    if hasattr(window, "size") and window.size != count:
        return NotImplemented
    return welch.body(
        a, fs, "boxcar" if window is None else window, count, 0, nfft, detrend, return_onesided, scaling, place
    )


@composed_in(_theirs)
def coherence(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", axis: Any = -1,
) -> Any:
    a, b = numbers(x), numbers(y)
    place = None if a is None else axis_of(a, axis)
    if a is None or b is None or place is None or a.shape != b.shape or "c" in (a.dtype.kind, b.dtype.kind):
        return NotImplemented
    plan = _plan(a.shape[place], True, fs, window, nperseg, noverlap, nfft, detrend, True, "density")
    if plan is None:
        return NotImplemented
    first, second = (_transforms(moveaxis(one, place, -1), plan) for one in (a, b))
    shared = _average(multiply(conjugate(first), second), "mean")
    powers = multiply(_average(_squares(first), "mean"), _average(_squares(second), "mean"))
    return asarray(plan.frequencies()), moveaxis(divide(_squares(shared), powers), -1, place)


def _times(plan: _Plan, count: int) -> np.ndarray:
    size = plan.window.size
    times: np.ndarray = np.arange(size / 2, count - size / 2 + 1, plan.step) / plan.rate
    return times


def _back(made: ndarray, place: int) -> ndarray:
    """Segments by frequencies, as SciPy has them: frequencies where the signal's axis was, times last."""
    return moveaxis(made, -1, place)


@composed_in(_theirs)
def spectrogram(
    x: Any, fs: Any = 1.0, window: Any = ("tukey", 0.25), nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: Any = True, scaling: Any = "density", axis: Any = -1,
    mode: Any = "psd",
) -> Any:
    a = numbers(x)
    place = None if a is None else axis_of(a, axis)
    if a is None or place is None or mode not in ("psd", "complex", "magnitude", "angle", "phase"):
        return NotImplemented
    count = a.shape[place]
    plan = _plan(
        count, a.dtype.kind == "f", fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, 8
    )
    if plan is None:
        return NotImplemented
    bins = _transforms(moveaxis(a, place, -1), plan)
    if mode == "psd":
        made = _scaled(_squares(bins), plan.power_scale())
    else:
        made = _scaled(bins, np.sqrt(np.full(bins.shape[-1], plan.scale)))
        if mode == "magnitude":
            made = absolute(made)
        elif mode != "complex":
            made = angle(made)
    made = _back(made, place)
    if mode == "phase":
        made = unwrap(made, axis=place)
    return asarray(plan.frequencies()), asarray(_times(plan, count)), made


@composed_in(_theirs)
def stft(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = 256, noverlap: Any = None, nfft: Any = None,
    detrend: Any = False, return_onesided: Any = True, boundary: Any = "zeros", padded: Any = True, axis: Any = -1,
    scaling: Any = "spectrum",
) -> Any:
    a = numbers(x)
    place = None if a is None else axis_of(a, axis)
    known = boundary is None or (isinstance(boundary, str) and boundary in _EDGES)
    if a is None or place is None or not known or scaling not in ("spectrum", "psd"):
        return NotImplemented
    count = a.shape[place]
    plan = _plan(
        count, a.dtype.kind == "f", fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
        "density" if scaling == "psd" else scaling,
    )
    if plan is None or count < 2:
        return NotImplemented
    signal, size = moveaxis(a, place, -1), plan.window.size
    before = [(0, 0)] * (a.ndim - 1)
    if boundary is not None:
        signal = pad(signal, [*before, (size // 2, size // 2)], **_EDGES[boundary])
    if padded:
        behind = -(signal.shape[-1] - size) % plan.step % size
        signal = pad(signal, [*before, (0, behind)]) if behind else signal
    bins = _transforms(signal, plan)
    made = _back(_scaled(bins, np.sqrt(np.full(bins.shape[-1], plan.scale))), place)
    times = _times(plan, signal.shape[-1])
    if boundary is not None:
        times -= size / 2 / plan.rate
    return asarray(plan.frequencies()), asarray(times), made


def _added(parts: ndarray, step: int) -> ndarray:
    """Segments (the last axis but one) laid over each other, each `step` further on, which divides their length."""
    *outer, count, size = parts.shape
    turns = size // step
    pieces = parts.reshape(*outer, count, turns, step)

    def placed(turn: int) -> ndarray:
        return pad(pieces[..., turn, :], [*[(0, 0)] * len(outer), (turn, turns - 1 - turn), (0, 0)])

    made = functools.reduce(add, map(placed, range(turns)))
    return made.reshape(*outer, (count + turns - 1) * step)


@composed_in(_theirs)
def istft(
    Zxx: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    input_onesided: Any = True, boundary: Any = True, time_axis: Any = -1, freq_axis: Any = -2,
    scaling: Any = "spectrum",
) -> Any:
    bins = numbers(Zxx)
    times = None if bins is None else axis_of(bins, time_axis)
    places = None if bins is None else axis_of(bins, freq_axis)
    if bins is None or times is None or places is None or times == places or bins.dtype.kind != "c":
        return NotImplemented
    usual = 2 * (bins.shape[places] - 1) if input_onesided else bins.shape[places]
    size = usual if nperseg is None else nperseg
    length = nfft if nfft is not None else size if input_onesided and size == usual + 1 else usual
    values = _window(window, size, size) if type(size) is type(length) is int and size > 0 else None
    shared = size // 2 if values is not None and noverlap is None else noverlap
    if values is None or type(shared) is not int or not 0 <= shared < size <= length or not is_number(fs) or fs <= 0:
        return NotImplemented
    step, count = size - shared, bins.shape[times]
    if size % step or scaling not in ("spectrum", "psd"):
        return NotImplemented
    factor = values.sum() if scaling == "spectrum" else np.sqrt(fs * (values * values).sum())
    dtype = _real_of(bins) if input_onesided else bins.dtype
    turned = moveaxis(bins, (times, places), (-2, -1))
    parts = fft.irfft(turned, length) if input_onesided else fft.ifft(turned, length)
    weights = asarray((values * factor).astype(_real_of(bins)))
    made = _added(multiply(parts[..., :size], weights), step)
    shares = np.zeros(made.shape[-1])
    for start in range(0, count * step, step):
        shares[start : start + size] += values * values
    kept = slice(size // 2, -(size // 2)) if boundary and size > 1 else slice(None)
    shares = shares[kept]
    if not shares.size or (shares <= 1e-10).any():
        return NotImplemented  # SciPy warns
    made = divide(made[..., kept], asarray(shares.astype(_real_of(bins))))
    if made.ndim > 1 and times != bins.ndim - 1:
        made = moveaxis(made, -1, times - (places < times))
    return asarray(np.arange(made.shape[0]) / float(fs)), as_dtype_of(made, dtype)
