"""Few elements, in any layout, and their agreement with NumPy's: to the bit, and to the order in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap

DTYPES = [
    "bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128",
    "longdouble", "clongdouble",
]
# About the blocks in which what lies apart is gathered, the lines taken one by one, and the sizes that are recorded.
LENGTHS = [0, 1, 2, 15, 16, 17, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1025, 2048, 2049, 4095, 4096, 4097]

Layout = tuple[tuple[int, ...], Callable[[Any], Any]]


def vectors(n: int) -> dict[str, Layout]:
    """Ways in which n elements lie: the shape of what they are a view of, and the view."""
    return {
        "side by side": ((n,), lambda a: a),
        "every second": ((2 * n,), lambda a: a[::2]),
        "every third from the end": ((3 * n,), lambda a: a[::-3]),
        "backwards": ((n,), lambda a: a[::-1]),
        "from the second": ((n + 1,), lambda a: a[1:]),
        "a column": ((n, 3), lambda a: a[:, 1]),
    }


def agree(ours: Any, theirs: Any) -> None:
    found = ap.to_numpy(ours)
    assert found.dtype == theirs.dtype
    assert found.shape == theirs.shape
    if ours._host_visible:  # on a device what the host computes lies as it comes
        assert ours.strides == theirs.strides
    if found.dtype.itemsize <= 16 and found.dtype != np.longdouble:  # of long doubles some bytes mean nothing
        assert found.tobytes() == theirs.tobytes()
    else:
        np.testing.assert_array_equal(found, theirs)
