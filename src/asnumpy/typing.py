"""asnumpy.typing: the types that annotations of array programs need."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NBitBase

from asnumpy.array.ndarray import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]

ScalarT = TypeVar("ScalarT", bound=np.generic)
# NDArray[ap.float64]: an array of any shape with elements of that type.
NDArray = ndarray[tuple[Any, ...], np.dtype[ScalarT]]
