"""What tests of recorded functions compare with: arrays made of a seed, and sameness to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np

import asnumpy as ap


def same(a: Any, b: Any) -> None:
    """Equal to the bit, with dtypes and kinds."""
    assert type(a) is type(b), (type(a), type(b))
    if isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, ap.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    else:
        assert a == b or a != a


def given(seed: int, n: int, dtype: Any = np.float64) -> ap.ndarray:
    return ap.array((np.random.default_rng(seed).random(n) * 10).astype(dtype))
