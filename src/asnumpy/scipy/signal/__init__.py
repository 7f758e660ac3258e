"""asnumpy.scipy.signal: the names of scipy.signal, and its module `windows`."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.signal import windows as windows
from asnumpy.scipy.signal._convolution import convolve, convolve2d, correlate, correlate2d, fftconvolve, oaconvolve
from asnumpy.scipy.signal._filters import (
    decimate,
    detrend,
    hilbert,
    lfilter,
    resample,
    resample_poly,
    savgol_filter,
    unit_impulse,
    upfirdn,
)
from asnumpy.scipy.signal._recursive import deconvolve, filtfilt, lfiltic, sosfilt, sosfiltfilt
from asnumpy.scipy.signal._spectra import coherence, csd, istft, periodogram, spectrogram, stft, welch
from asnumpy.scipy.signal._waveforms import chirp, gausspulse, sawtooth, square

__all__ = [
    "chirp", "coherence", "convolve", "convolve2d", "correlate", "correlate2d", "csd", "decimate", "deconvolve",
    "detrend", "fftconvolve", "filtfilt", "gausspulse", "hilbert", "istft", "lfilter", "lfiltic", "oaconvolve",
    "periodogram", "resample", "resample_poly", "savgol_filter", "sawtooth", "sosfilt", "sosfiltfilt",
    "spectrogram", "square", "stft", "unit_impulse", "upfirdn", "welch",
]
__getattr__, __dir__ = _names_of(globals())
