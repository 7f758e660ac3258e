"""Discrete Fourier transforms with NumPy's interface, through the host door."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._array import ndarray
from asnumpy._convert import asarray
from asnumpy._creation import check_device
from asnumpy._host import host
from asnumpy._manipulation import roll


def _door(function: Callable[..., Any]) -> Callable[..., Any]:
    """The NumPy function of this name, called on arrays of ours: signature and docstring are its own."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return host(function, *args, **kwargs)

    call.__module__ = __name__
    return call


fft, ifft = _door(np.fft.fft), _door(np.fft.ifft)
fft2, ifft2 = _door(np.fft.fft2), _door(np.fft.ifft2)
fftn, ifftn = _door(np.fft.fftn), _door(np.fft.ifftn)
rfft, irfft = _door(np.fft.rfft), _door(np.fft.irfft)
rfft2, irfft2 = _door(np.fft.rfft2), _door(np.fft.irfft2)
rfftn, irfftn = _door(np.fft.rfftn), _door(np.fft.irfftn)
hfft, ihfft = _door(np.fft.hfft), _door(np.fft.ihfft)


def fftfreq(n: int, d: Any = 1.0, device: Any = None) -> ndarray:
    check_device(device)
    return host(np.fft.fftfreq, n, d)


def rfftfreq(n: int, d: Any = 1.0, device: Any = None) -> ndarray:
    check_device(device)
    return host(np.fft.rfftfreq, n, d)


def _shifted(x: Any, axes: Any, sign: int) -> ndarray:
    a = asarray(x)
    axes = tuple(range(a.ndim)) if axes is None else axes
    if isinstance(axes, int):
        return roll(a, sign * (a.shape[axes] // 2) if sign > 0 else -(a.shape[axes] // 2), axes)
    return roll(a, [sign * (a.shape[axis] // 2) for axis in axes], axes)


def fftshift(x: Any, axes: Any = None) -> ndarray:
    return _shifted(x, axes, 1)


def ifftshift(x: Any, axes: Any = None) -> ndarray:
    return _shifted(x, axes, -1)


__all__ = sorted(name for name in np.fft.__all__ if name in globals())
for _name in __all__:
    if globals()[_name].__doc__ is None:
        globals()[_name].__doc__ = getattr(np.fft, _name).__doc__
