"""NDArray: the class of arrays with the type of their elements, for annotations."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from asnumpy.array.ndarray import ndarray

ScalarT = TypeVar("ScalarT", bound=np.generic)
# NDArray[ap.float64]: an array of any shape with elements of that type.
NDArray = ndarray[tuple[Any, ...], np.dtype[ScalarT]]
