"""Bits and bytes within elements: on a device by masks and views, else by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ArrayLike, ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.creation.convert import asarray, lies_on_device
from asnumpy.dtypes.dtype import is_narrow
from asnumpy.host.door import host
from asnumpy.host.stand_ins import judged
from asnumpy.host.whole import door
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import moveaxis, ravel
from asnumpy.runtime.kernels import made_by_kernel
from asnumpy.ufunc.functions import bitwise_and, multiply, not_equal

_packbits: Callable[..., ndarray] = door(np.packbits)
_unpackbits: Callable[..., ndarray] = door(np.unpackbits)
_BOOL = np.dtype(bool)
_OCTET = np.dtype(np.uint8)
_MASKS = {"big": 1 << np.arange(7, -1, -1, dtype=np.uint8), "little": 1 << np.arange(8, dtype=np.uint8)}


def _lines(a: ndarray, axis: Any) -> ndarray:
    """The array with the axis at its end, flat for none."""
    return ravel(a) if axis is None else moveaxis(a, axis, -1)


def _axis_back(a: ndarray, axis: Any) -> ndarray:
    return a if axis is None else moveaxis(a, -1, axis)


@public
def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: Any = "big") -> ndarray:
    if not (lies_on_device(a) and a.ndim and bitorder in _MASKS):
        return _packbits(a, axis, bitorder)
    judged(np.packbits, a, axis, bitorder)
    bits = _lines(a, axis)
    if bits.ndim == 1 and bits.dtype in (_BOOL, _OCTET):
        made = made_by_kernel("packbits", bits.view(_OCTET), bitorder=bitorder)
        if made is not None:
            return made  # type: ignore[no-any-return]
    bits = bits if bits.dtype == _BOOL else not_equal(bits, 0)
    *stack, length = bits.shape
    if length % 8:
        bits = concatenate((bits, zeros((*stack, -length % 8), bool)), -1)
    values = multiply(bits.reshape((*stack, -(-length // 8), 8)), asarray(_MASKS[bitorder]))
    return _axis_back(_core.reduce("add", _OCTET, values, (len(stack) + 1,), False), axis)


@public
def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: Any = "big",
) -> ndarray:
    if not (lies_on_device(a) and a.ndim and bitorder in _MASKS):
        return _unpackbits(a, axis, count, bitorder)
    judged(np.unpackbits, a, axis, None, bitorder)
    octets = _lines(a, axis)
    *stack, length = octets.shape
    given = 8 * length
    if count is not None and not (type(count) is int and count >= -given):
        return _unpackbits(a, axis, count, bitorder)
    made = made_by_kernel("unpackbits", octets, bitorder=bitorder) if octets.ndim == 1 else None
    if made is None:
        bits = not_equal(bitwise_and(octets[..., None], asarray(_MASKS[bitorder])), 0)
        made = _core.cast(bits.reshape((*stack, given)), _OCTET)
    if count is not None:
        made = made[..., :count] if count <= given else concatenate(
            (made, zeros((*stack, count - given), _OCTET)), -1)
    return _axis_back(made, axis)


def byteswapped(a: ndarray) -> ndarray:
    """A copy with the bytes of each number in the other order."""
    if a._host_visible or is_narrow(a.dtype) or not a.ndim:
        return host(np.ndarray.byteswap, a)
    if a._flags_f_contiguous and not a._flags_c_contiguous:
        return byteswapped(a.T).T
    octets = a.itemsize // 2 if a.dtype.kind == "c" else a.itemsize
    made = _core.cast(a, a.dtype)
    if octets == 1 or not a.size:
        return made
    turned = made.view(_OCTET).reshape((-1, octets))[:, ::-1]
    swapped: ndarray = _core.cast(turned, _OCTET).reshape(-1).view(a.dtype).reshape(a.shape)
    return swapped
