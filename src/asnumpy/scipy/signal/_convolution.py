"""Convolution and correlation: by transforms, along one axis in blocks, or directly, place by place of the kernel."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy.fft
import scipy.signal

from asnumpy import fft
from asnumpy._types import ndarray
from asnumpy.creation.convert import as_dtype_of, asarray
from asnumpy.host.numpys import derived
from asnumpy.manipulation.padding import pad
from asnumpy.manipulation.shapes import flip
from asnumpy.scipy._composed import along, composed_in, few_on_host, is_number, numbers, values_of
from asnumpy.statistics import convolution as lines
from asnumpy.ufunc.functions import add, conjugate, multiply

_theirs: Any = scipy.signal  # SciPy has no annotations
_their_fft: Any = scipy.fft

_MODES = ("full", "same", "valid")
MOST_PLACES = 256  # a kernel of more places is not worked through place by place
_LEAST = 1 << 12  # elements on the host: SciPy's loop is quicker for fewer
_BLOCKS = 4  # so many times the shorter line's length, or more, and the longer one goes block by block
_BOUNDARIES = {
    "fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "symmetric",
    "symmetric": "symmetric",
}


def _both(in1: Any, in2: Any) -> tuple[ndarray, ndarray] | None:
    a, b = numbers(in1), numbers(in2)
    return None if a is None or b is None or a.ndim != b.ndim else (a, b)


def _both_inexact(in1: Any, in2: Any) -> tuple[ndarray, ndarray] | None:
    """Whether sums are exact enough for integers is a question of their values: None for these."""
    both = _both(in1, in2)
    return None if both is None or any(asarray(one).dtype.kind in "iu" for one in (in1, in2)) else both


def _transforms(a: ndarray, b: ndarray, shape: list[int], axes: list[int]) -> ndarray:
    """The product of both transforms of this shape along the axes, transformed back."""
    real = a.dtype.kind == b.dtype.kind == "f"
    there, back = (fft.rfftn, fft.irfftn) if real else (fft.fftn, fft.ifftn)
    return back(multiply(there(a, shape, axes), there(b, shape, axes)), shape, axes)


def _axes(a: ndarray, b: ndarray, axes: Any) -> list[int] | None:
    """The axes to convolve along, those of one element left out; None where they are not what they should be."""
    if axes is None:
        places = list(range(a.ndim))
    else:
        places = [axes] if type(axes) is int else list(axes) if type(axes) in (tuple, list) else []
        if not places or not all(type(one) is int and -a.ndim <= one < a.ndim for one in places):
            return None
        places = [one % a.ndim for one in places]
    kept = [one for one in places if a.shape[one] != 1 and b.shape[one] != 1]
    others = [(a.shape[one], b.shape[one]) for one in range(a.ndim) if one not in kept]
    if len(set(places)) < len(places) or not kept or any(m != n and m != 1 and n != 1 for m, n in others):
        return None
    return kept


def _part(whole: ndarray, mode: str, first: tuple[int, ...], second: tuple[int, ...], axes: list[int]) -> ndarray:
    """What a mode keeps of the full convolution of two shapes."""
    if mode == "full":
        return whole
    index = [slice(None)] * whole.ndim
    for one in range(whole.ndim):
        kept = first[one] if mode == "same" else first[one] - second[one] + 1 if one in axes else whole.shape[one]
        start = (whole.shape[one] - kept) // 2
        index[one] = slice(start, start + kept)
    return whole[tuple(index)]


def _prepared(in1: Any, in2: Any, mode: Any, axes: Any) -> tuple[ndarray, ndarray, list[int]] | None:
    """The arrays, the first of which is the larger one for mode 'valid', and the axes."""
    both = _both(in1, in2)
    kept = None if both is None or mode not in _MODES else _axes(*both, axes)
    if both is None or kept is None:
        return None
    a, b = both
    if mode == "valid" and not all(a.shape[one] >= b.shape[one] for one in kept):
        if not all(b.shape[one] >= a.shape[one] for one in kept):
            return None
        a, b = b, a
    return a, b, kept


def _full_shape(a: ndarray, b: ndarray, axes: list[int]) -> list[int]:
    return [m + n - 1 if one in axes else max(m, n) for one, (m, n) in enumerate(zip(a.shape, b.shape, strict=True))]


def _whole(a: ndarray, b: ndarray, axes: list[int]) -> ndarray:
    shape = _full_shape(a, b, axes)
    real = a.dtype.kind == b.dtype.kind == "f"
    quick = [_their_fft.next_fast_len(shape[one], real) for one in axes]
    return _transforms(a, b, quick, axes)[tuple(map(slice, shape))]


@composed_in(_theirs)
def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    found = _prepared(in1, in2, mode, axes)
    if found is None:
        return NotImplemented
    a, b, kept = found
    return _part(_whole(a, b, kept), mode, a.shape, b.shape, kept)


def _block(longer: int, shorter: int) -> int:
    """The length of a transform that makes a long line cheapest, block by block."""
    sizes = [_their_fft.next_fast_len(shorter << power, True) for power in range(1, 12)]
    fitting = [size for size in sizes if size < longer + shorter] or sizes[:1]
    best: int = min(fitting, key=lambda size: size * math.log2(2 * size) / (size - shorter + 1))
    return best


def _in_blocks(a: ndarray, b: ndarray, axis: int) -> ndarray:
    """The full convolution along an axis along which `b` is much shorter: blocks whose ends are added to the next."""
    m, n = a.shape[axis], b.shape[axis]
    size = _block(m, n)
    step = size - n + 1
    count = -(-(m + n - 1) // step)
    a = pad(a, [(0, count * step - m if one == axis else 0) for one in range(a.ndim)])
    a = a.reshape(*a.shape[:axis], count, step, *a.shape[axis + 1 :])
    b = b.reshape(*b.shape[:axis], 1, *b.shape[axis:])
    made = _transforms(a, b, [size], [axis + 1])
    ends = made[along(made.ndim, axis + 1, slice(step, None))][along(made.ndim, axis, slice(None, -1))]
    starts = made[along(made.ndim, axis, slice(1, None))][along(made.ndim, axis + 1, slice(None, n - 1))]
    starts += ends
    made = made[along(made.ndim, axis + 1, slice(None, step))]
    made = made.reshape(*made.shape[:axis], count * step, *made.shape[axis + 2 :])
    return made[along(made.ndim, axis, slice(None, m + n - 1))]


@composed_in(_theirs)
def oaconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    found = _prepared(in1, in2, mode, axes)
    if found is None:
        return NotImplemented
    a, b, kept = found
    longer, shorter = (a, b) if a.size >= b.size else (b, a)
    if len(kept) == 1 and longer.shape[kept[0]] >= _BLOCKS * shorter.shape[kept[0]]:
        whole = _in_blocks(longer, shorter, kept[0])
    else:
        whole = _whole(a, b, kept)
    return _part(whole, mode, a.shape, b.shape, kept)


def placed(padded: ndarray, kernel: np.ndarray, shape: tuple[int, ...]) -> ndarray:
    """The sums of the kernel's values times what lies at their places, for each of `shape` places to lay it."""

    def term(place: tuple[int, ...], value: Any) -> ndarray:
        index = tuple(slice(start, start + count) for start, count in zip(place, shape, strict=True))
        return multiply(padded[index], value)

    return functools.reduce(add, map(term, np.ndindex(kernel.shape), kernel.ravel().tolist()))


def _directly(
    a: ndarray, b: ndarray, mode: str, turned: bool, padding: str = "constant", fill: Any = 0
) -> Any:
    """Convolution (turned) or correlation with a kernel that is nowhere larger, beyond the edges by `padding`."""
    if b.size > MOST_PLACES or few_on_host(a, _LEAST) or any(m < n for m, n in zip(a.shape, b.shape, strict=True)):
        return NotImplemented
    values = values_of(b)
    if values is None:
        return NotImplemented
    kernel = np.flip(values) if turned else values.conj()
    a = as_dtype_of(a, np.result_type(a.dtype, b.dtype))
    if mode == "full":
        widths = [(n - 1, n - 1) for n in b.shape]
    elif mode == "same":
        before = [n // 2 if turned else (n - 1) // 2 for n in b.shape]
        widths = [(one, n - 1 - one) for one, n in zip(before, b.shape, strict=True)]
    else:
        widths = [(0, 0)] * b.ndim
    shape = tuple(m + sum(more) - n + 1 for m, n, more in zip(a.shape, b.shape, widths, strict=True))
    if any(map(sum, widths)):
        a = pad(a, widths, padding, **({"constant_values": fill} if padding == "constant" else {}))
    return placed(a, kernel, shape)


def _by_shape(a: ndarray, b: ndarray, mode: str) -> str:
    """SciPy's choice, which looks at the shapes of floats only."""
    one, other = (np.broadcast_to(np.zeros((), x.dtype), x.shape) for x in (a, b))
    chosen: str = _theirs.choose_conv_method(one, other, mode)
    return chosen


def _turned(b: ndarray) -> ndarray:
    b = flip(b)
    return conjugate(b) if b.dtype.kind == "c" else b


def _one_line(in1: Any, in2: Any) -> bool:
    return all(isinstance(one, ndarray) and one.ndim == 1 and one.size > 0 for one in (in1, in2))


def _by_method(in1: Any, in2: Any, mode: Any, method: Any, correlated: bool) -> Any:
    """Correlation is convolution with the second array turned around and conjugated."""
    if mode not in _MODES or method not in ("auto", "direct", "fft") or derived(in1) or derived(in2):
        return NotImplemented
    if method == "direct" and _one_line(in1, in2) and (mode != "same" or in1.size >= in2.size):
        return (lines.correlate if correlated else lines.convolve)(in1, in2, mode)
    both = _both_inexact(in1, in2)
    if both is None:
        return NotImplemented
    a, b = (both[0], _turned(both[1])) if correlated else both
    if mode == "valid" and not all(m >= n for m, n in zip(a.shape, b.shape, strict=True)):
        a, b = b, a
    if method == "auto":
        method = _by_shape(a, b, mode)
    if method == "direct":
        if a.ndim == 1 and (mode != "same" or a.size >= b.size):
            return lines.convolve(a, b, mode)
        return _directly(a, b, mode, True)
    made = fftconvolve.body(a, b, mode)
    return made if made is NotImplemented else as_dtype_of(made, np.result_type(a.dtype, b.dtype))


@composed_in(_theirs)
def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return _by_method(in1, in2, mode, method, False)


@composed_in(_theirs)
def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    return _by_method(in1, in2, mode, method, True)


def _plane(in1: Any, in2: Any, mode: Any, boundary: Any, fillvalue: Any, turned: bool) -> Any:
    both = _both_inexact(in1, in2)
    padding = _BOUNDARIES.get(boundary) if isinstance(boundary, str) else None
    if both is None or both[0].ndim != 2 or mode not in _MODES or padding is None or not is_number(fillvalue):
        return NotImplemented
    return _directly(*both, mode, turned, padding, fillvalue)


@composed_in(_theirs)
def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    return _plane(in1, in2, mode, boundary, fillvalue, True)


@composed_in(_theirs)
def correlate2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    return _plane(in1, in2, mode, boundary, fillvalue, False)
