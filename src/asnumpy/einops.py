"""einops over asnumpy arrays: importing this module lets `einops.rearrange` and its like take them.

`einops.array_api` takes them without it. The functions are einops' own and can be imported from here too.
"""

from __future__ import annotations

from typing import Any

from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops._backends import NumpyBackend  # deriving from it is how einops learns of a library

import asnumpy as ap

__all__ = ["asnumpy", "einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]


class AsnumpyBackend(NumpyBackend):
    """What einops does with arrays, by the functions of asnumpy."""

    framework_name = "asnumpy"

    def __init__(self) -> None:
        self.np = ap

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, ap.ndarray)

    def from_numpy(self, x: Any) -> Any:
        return ap.asarray(x)

    def to_numpy(self, x: Any) -> Any:
        return ap.to_numpy(x)
