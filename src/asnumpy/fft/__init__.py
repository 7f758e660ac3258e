"""Discrete Fourier transforms with NumPy's interface; large ones are SciPy's, on several threads, all on the host."""

from asnumpy.fft._transforms import (
    fft as fft,
)
from asnumpy.fft._transforms import (
    fft2 as fft2,
)
from asnumpy.fft._transforms import (
    fftfreq as fftfreq,
)
from asnumpy.fft._transforms import (
    fftn as fftn,
)
from asnumpy.fft._transforms import (
    fftshift as fftshift,
)
from asnumpy.fft._transforms import (
    hfft as hfft,
)
from asnumpy.fft._transforms import (
    ifft as ifft,
)
from asnumpy.fft._transforms import (
    ifft2 as ifft2,
)
from asnumpy.fft._transforms import (
    ifftn as ifftn,
)
from asnumpy.fft._transforms import (
    ifftshift as ifftshift,
)
from asnumpy.fft._transforms import (
    ihfft as ihfft,
)
from asnumpy.fft._transforms import (
    irfft as irfft,
)
from asnumpy.fft._transforms import (
    irfft2 as irfft2,
)
from asnumpy.fft._transforms import (
    irfftn as irfftn,
)
from asnumpy.fft._transforms import (
    rfft as rfft,
)
from asnumpy.fft._transforms import (
    rfft2 as rfft2,
)
from asnumpy.fft._transforms import (
    rfftfreq as rfftfreq,
)
from asnumpy.fft._transforms import (
    rfftn as rfftn,
)

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
