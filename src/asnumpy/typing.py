"""asnumpy.typing: the types that annotations of array programs need."""

from numpy.typing import ArrayLike, DTypeLike, NBitBase

from asnumpy.array.generic import NDArray

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]
