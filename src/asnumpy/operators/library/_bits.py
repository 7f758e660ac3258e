"""Bits of unsigned integers."""

from __future__ import annotations

from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import element_by_element, kernel_of, launch


@operator("library.bit_count(x: T[...]) -> y: u1[...]", T="u4 u8 i8")
def bit_count(x: Any) -> Any:
    """How many bits are set, as NumPy's bitwise_count of these dtypes."""
    return ap.bitwise_count(x)


@operator("library.bit_reverse(x: u4[...]) -> y: u4[...]")
def bit_reverse(x: Any) -> Any:
    """The same bits in the opposite order."""
    for mask, by in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        x = ((x >> np.uint32(by)) & np.uint32(mask)) | ((x & np.uint32(mask)) << np.uint32(by))
    return x


@operator("library.murmur_mix(x: u4[...]) -> y: u4[...]")
def murmur_mix(x: Any) -> Any:
    """The finaliser of MurmurHash3: every bit of the result hangs on every bit of x, and no two x have one result."""
    for by, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ (x >> np.uint32(by))) * np.uint32(factor)
    return x ^ (x >> np.uint32(16))


@kernel_of(bit_count)
def _bit_count(x: Any, y: Any) -> None:
    if x.dtype == np.int64:  # NumPy counts those of the absolute value
        x = ap.absolute(x).view(np.uint64)
    launch("bits", f"bit_count_{x.dtype.name}", [x, y, x.size], items=x.size)


element_by_element(bit_reverse, "bits", "bit_reverse")
element_by_element(murmur_mix, "bits", "murmur_mix")


def _known(bitorder: str, name: str) -> str:
    if bitorder not in ("big", "little"):
        raise ValueError(f"library.{name}: bitorder: expected 'big' or 'little', got {bitorder!r}")
    return bitorder


@operator("library.pack_bits(x: u1[n], *, bitorder: str = 'big') -> y: u1[(n + 7) // 8]")
def pack_bits(x: Any, *, bitorder: str) -> Any:
    """Eight numbers to a byte, a bit each, set where one is not 0, as NumPy's packbits."""
    return ap.packbits(x, bitorder=_known(bitorder, "pack_bits"))


@kernel_of(pack_bits)
def _pack(x: Any, y: Any, *, bitorder: str) -> None:
    if x.size % 8:
        x = ap.concatenate([x, ap.zeros(-x.size % 8, np.uint8, device=x.device)])
    launch("bits", f"pack_{_known(bitorder, 'pack_bits')}", [x, y, y.size], items=y.size, least=1024)


@operator("library.unpack_bits(x: u1[n], *, bitorder: str = 'big') -> y: u1[8 * n]")
def unpack_bits(x: Any, *, bitorder: str) -> Any:
    """A byte to eight numbers of 0 or 1, as NumPy's unpackbits."""
    return ap.unpackbits(x, bitorder=_known(bitorder, "unpack_bits"))


@kernel_of(unpack_bits)
def _unpack(x: Any, y: Any, *, bitorder: str) -> None:
    launch("bits", f"unpack_{_known(bitorder, 'unpack_bits')}", [x, y, x.size], items=x.size, least=1024)
