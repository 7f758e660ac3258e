"""Functions that run without machine code and with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import compiled, config
from asnumpy.compiled._compiler import compiler

WITH_CODE = [
    pytest.mark.skipif(compiler() is None, reason="machine code needs a C++ compiler"),
    pytest.mark.host_memory,
    pytest.mark.usefixtures("deferred"),
]


def in_both(function: Callable[[], Any]) -> None:
    """The function's arrays have the same bits with machine code as without, and there is machine code."""
    compiled.failures.clear()  # which are the process's: earlier tests may have met some
    with config.using(machine_code="off"):
        wanted = [np.asarray(x).copy() for x in function()]
    with config.using(machine_code="wait"):
        got = [np.asarray(x).copy() for x in function()]
        again = [np.asarray(x).copy() for x in function()]
    assert not compiled.failures
    for some in (got, again):
        for x, y in zip(some, wanted, strict=True):
            assert x.dtype == y.dtype and x.shape == y.shape
            assert x.tobytes() == y.tobytes(), np.flatnonzero(x.ravel() != y.ravel())[:5]


def arrays(*shape: int, dtype: str = "f4", count: int = 3) -> list[Any]:
    rng = np.random.default_rng(len(shape) + count)
    return [ap.asarray((rng.standard_normal(shape) * 5).astype(dtype)) for _ in range(count)]
