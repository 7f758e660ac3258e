"""Discrete Fourier transforms with NumPy's interface; on the host large ones are SciPy's, on several threads."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from asnumpy import _core
from asnumpy._public import public_in
from asnumpy._types import ArrayLike, DTypeLike, ndarray
from asnumpy.creation.convert import asarray
from asnumpy.creation.ranges import computed
from asnumpy.dtypes.dtype import as_dtype
from asnumpy.fft._stages import transform_there
from asnumpy.host.door import host
from asnumpy.host.whole import name_error
from asnumpy.manipulation.shapes import roll
from asnumpy.runtime.devices import Device

if TYPE_CHECKING:
    from collections.abc import Sequence

    Norm = Literal["backward", "ortho", "forward"] | None
    Lengths = Sequence[SupportsIndex | None] | None
    Places = Sequence[SupportsIndex] | None

# Below it NumPy's transform is as fast, and SciPy need not be imported.
_LARGE = 1 << 15
_NORMS = (None, "backward", "ortho", "forward")
_TAKES_COMPLEX = frozenset({"fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "irfft", "irfft2", "irfftn", "hfft"})


def _of_scipy(a: ndarray, name: str, lengths: Any, axes: Any, norm: Any) -> Callable[..., Any] | None:
    """SciPy's function where it pays and where it means the same; None: NumPy's, which also words the errors."""
    kind = a.dtype.kind
    if a.size < _LARGE or norm not in _NORMS or kind == "V" or a.dtype == np.float16:
        return None
    if kind == "c" and name not in _TAKES_COMPLEX:
        return None
    try:
        places = [normalize_axis_index(axis, a.ndim) for axis in axes]
        counts = [index(n) for n in lengths if n is not None]
    except (TypeError, ValueError):
        return None
    if len(set(places)) < len(places) or not places or any(n < 1 for n in counts):
        return None
    if lengths and len(lengths) != len(places):
        return None
    import scipy.fft  # at first use: its import takes as long as all of NumPy's

    theirs: Callable[..., Any] = getattr(scipy.fft, name)
    return theirs


def _stages(name: str, a: ndarray, lengths: Any, axes: Any, norm: Any) -> ndarray | None:
    try:
        places = [index(axis) for axis in axes]
    except TypeError:
        return None
    return transform_there(name, a, lengths, places, norm)


def _run(
    a: ndarray, name: str, lengths: Any, axes: Any, norm: Any, out: ndarray | None, plain: tuple[Any, ...],
) -> ndarray:
    try:
        if not a._host_visible and out is None and norm in _NORMS:
            made = _stages(name, a, lengths, axes, norm)
            if made is not None:
                return made
        large = _of_scipy(a, name, lengths, axes, norm)
        if large is None:
            return host(getattr(np.fft, name), a, *plain, norm, out)
        made = host(large, a, *plain, norm, workers=_core.num_threads())
        if out is None:
            return made
        fits = isinstance(out, ndarray) and out.shape == made.shape
        if not fits or not np.can_cast(made.dtype, out.dtype, "same_kind"):
            return host(getattr(np.fft, name), a, *plain, norm, out)  # NumPy's own arrays, and what does not fit
        _core.assign(out, made)
        return out
    except Exception as error:
        name_error(error, f"fft.{name}", (a,))
        raise


def _along(name: str, a: ArrayLike, n: SupportsIndex | None, axis: int, norm: Norm, out: ndarray | None) -> ndarray:
    """A transform along one axis."""
    return _run(asarray(a), name, (n,), (axis,), norm, out, (n, axis))


def _over(name: str, a: ArrayLike, s: Lengths, axes: Places, norm: Norm, out: ndarray | None) -> ndarray:
    """A transform along several axes."""
    array = asarray(a)
    over = tuple(range(array.ndim)) if axes is None else axes
    # without axes, NumPy says what lengths alone mean, and what is wrong with none
    none = isinstance(s, (tuple, list)) and not s
    lengths = () if s is None else (0,) if axes is None or none else s
    return _run(array, name, lengths, over, norm, out, (s, axes))


@public_in(np.fft)
def fft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _along("fft", a, n, axis, norm, out)


@public_in(np.fft)
def ifft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _along("ifft", a, n, axis, norm, out)


@public_in(np.fft)
def rfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _along("rfft", a, n, axis, norm, out)


@public_in(np.fft)
def irfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _along("irfft", a, n, axis, norm, out)


@public_in(np.fft)
def hfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _along("hfft", a, n, axis, norm, out)


@public_in(np.fft)
def ihfft(
    a: ArrayLike, n: SupportsIndex | None = None, axis: int = -1, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _along("ihfft", a, n, axis, norm, out)


@public_in(np.fft)
def fft2(
    a: ArrayLike, s: Lengths = None, axes: Places = (-2, -1), norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("fft2", a, s, axes, norm, out)


@public_in(np.fft)
def ifft2(
    a: ArrayLike, s: Lengths = None, axes: Places = (-2, -1), norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("ifft2", a, s, axes, norm, out)


@public_in(np.fft)
def rfft2(
    a: ArrayLike, s: Lengths = None, axes: Places = (-2, -1), norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("rfft2", a, s, axes, norm, out)


@public_in(np.fft)
def irfft2(
    a: ArrayLike, s: Lengths = None, axes: Places = (-2, -1), norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("irfft2", a, s, axes, norm, out)


@public_in(np.fft)
def fftn(
    a: ArrayLike, s: Lengths = None, axes: Places = None, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("fftn", a, s, axes, norm, out)


@public_in(np.fft)
def ifftn(
    a: ArrayLike, s: Lengths = None, axes: Places = None, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("ifftn", a, s, axes, norm, out)


@public_in(np.fft)
def rfftn(
    a: ArrayLike, s: Lengths = None, axes: Places = None, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("rfftn", a, s, axes, norm, out)


@public_in(np.fft)
def irfftn(
    a: ArrayLike, s: Lengths = None, axes: Places = None, norm: Norm = None, out: ndarray | None = None,
) -> ndarray:
    return _over("irfftn", a, s, axes, norm, out)


def _frequencies(name: str, n: Any, d: Any, device: Any, dtype: Any) -> ndarray:
    kind = None if dtype is None else as_dtype(dtype, f"fft.{name}")
    try:
        made = computed(getattr(np.fft, name), n, d, device=device)
    except ValueError as error:
        name_error(error, f"fft.{name}", ())
        raise
    return made if kind is None else made.astype(kind)


@public_in(np.fft)
def fftfreq(n: int, d: Any = 1.0, device: Device | str | None = None, *, dtype: DTypeLike | None = None) -> ndarray:
    """Takes the array API's `dtype` besides NumPy's parameters."""
    return _frequencies("fftfreq", n, d, device, dtype)


@public_in(np.fft)
def rfftfreq(n: int, d: Any = 1.0, device: Device | str | None = None, *, dtype: DTypeLike | None = None) -> ndarray:
    """Takes the array API's `dtype` besides NumPy's parameters."""
    return _frequencies("rfftfreq", n, d, device, dtype)


def _shifted(x: Any, axes: Any, back: bool) -> ndarray:
    a = asarray(x)

    def shift(axis: Any) -> int:
        half: int = a.shape[axis] // 2
        return -half if back else half

    if axes is None:
        axes = tuple(range(a.ndim))
    elif isinstance(axes, numbers.Integral):
        return roll(a, shift(axes), axes)
    return roll(a, [shift(axis) for axis in axes], axes)


@public_in(np.fft)
def fftshift(x: ArrayLike, axes: Any = None) -> ndarray:
    return _shifted(x, axes, back=False)


@public_in(np.fft)
def ifftshift(x: ArrayLike, axes: Any = None) -> ndarray:
    return _shifted(x, axes, back=True)
