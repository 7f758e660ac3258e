"""asnumpy.scipy.fft: the names of scipy.fft; the transforms that NumPy has too are asnumpy's own."""

from asnumpy.scipy._fft import (
    fft,
    fft2,
    fftn,
    fftshift,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from asnumpy.scipy._names import names_of as _names_of

__all__ = [
    "fft", "fft2", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft", "irfft2",
    "irfftn", "rfft", "rfft2", "rfftn",
]
__getattr__, __dir__ = _names_of(globals())
