"""What tests of programs as kernels have in common: running one on the device and comparing it with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cannsim.kernels import compiles
from device_marks import OTHERS, needs_simulator

import asnumpy as ap
from asnumpy import _core

NO_COMPILER = "this CANN has no compiler for kernels, or the machine none of C++"
needs_kernels = [needs_simulator, pytest.mark.skipif(not compiles(), reason=NO_COMPILER)]

LARGE = 100_007
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype("float32"), np.dtype("float16"), BFLOAT16]
INTEGERS = [np.dtype("int32"), np.dtype("int16")]
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 3.5, -2.5, 1e-40, 6e4, 0.5], "float32")
Program = Callable[..., list[Any]]


def launched() -> int:
    return sum(kernel[3] for kernel in _core.program_kernels())


def refused() -> list[str]:
    return [kernel[4] for kernel in _core.program_kernels() if kernel[4]]


def there(x: Any, device: Any = None) -> Any:
    return ap.from_numpy(x, device=device or OTHERS[0]) if isinstance(x, np.ndarray) else x


def computed(program: Program, *inputs: Any) -> tuple[list[np.ndarray], int]:
    """What a program gives on the device, and how many kernels ran for it."""
    arrays = [there(x) for x in inputs]
    ap.synchronize()
    before = launched()
    results = program(ap, *arrays)
    ap.eval(*results)
    ap.synchronize()
    return [ap.to_numpy(each) for each in results], launched() - before


def expect_equal(got: np.ndarray, expected: Any, what: Any, ulps: int = 0) -> None:
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape, what
    signed_zeros = got.dtype.kind == "f"  # of bfloat16 ml_dtypes' maximum takes the other zero
    if got.dtype == BFLOAT16:
        got, expected = got.astype("float32"), expected.astype("float32")
        ulps *= 1 << 16
    if got.dtype.kind == "f" and ulps:
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected), err_msg=str(what))
        with np.errstate(all="ignore"):
            np.testing.assert_array_max_ulp(got[~np.isnan(got)], expected[~np.isnan(expected)], ulps)
    else:
        np.testing.assert_array_equal(got, expected, err_msg=str(what))
        if signed_zeros:
            np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(expected[expected == 0]), str(what))


def check(program: Program, *inputs: Any, kernels: int | None = 1, ulps: int = 0) -> None:
    """Results are NumPy's, and those of so many kernels."""
    with np.errstate(all="ignore"):
        expected = program(np, *[x.copy() if isinstance(x, np.ndarray) else x for x in inputs])
    got, ran = computed(program, *inputs)
    assert not refused()
    if kernels is not None:
        assert ran == kernels
    for place, (one, right) in enumerate(zip(got, expected, strict=True)):
        expect_equal(one, right, (program.__name__, place), ulps)


def numbers(dtype: np.dtype, n: Any, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    if dtype.kind == "i":
        values = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype=dtype, endpoint=True)
        return np.where(rng.random(n) < 0.3, values % 5, values).astype(dtype)
    values = (rng.standard_normal(n) * 3).astype("float32")
    return np.where(rng.random(n) < 0.1, rng.choice(SPECIAL, n), values).astype(dtype)
