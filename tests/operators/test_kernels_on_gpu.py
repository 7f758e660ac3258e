"""Kernels in CUDA C++ on an NVIDIA GPU, on the arrays of CuPy and of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_marks import needs_gpu

from asnumpy import operators
from asnumpy.operators import CompileError

from .test_cuda import SOURCE

pytestmark = needs_gpu


def on_cupy(x: np.ndarray) -> Any:
    cupy = pytest.importorskip("cupy")
    return cupy.asarray(x)


def on_torch(x: np.ndarray) -> Any:
    torch = pytest.importorskip("torch")
    return torch.from_numpy(x).cuda()


def back(x: Any) -> np.ndarray:
    return x.get() if hasattr(x, "get") else x.cpu().numpy()


@pytest.mark.parametrize("there", [on_cupy, on_torch])
def test_a_kernel_on_arrays_of_a_library(there: Any) -> None:
    n = 100_003
    x = np.random.default_rng(0).standard_normal(n).astype("f4")
    scale = operators.CudaKernel(SOURCE, "scale")
    given, made = there(x), there(np.zeros(n, "f4"))
    scale(-(-n // 256), 256, (given, 2.5, 1.0, n, made))
    np.testing.assert_array_equal(back(made), ((x * np.float32(2.5)).astype("f8") + 1.0).astype("f4"))
    for _ in range(100):
        scale(-(-n // 256), 256, (made, 0.5, 0.0, n, made))
    assert np.abs(back(made)).max() < 1e-20


def test_a_stream_of_the_library_is_the_kernels() -> None:
    """What a stream has still to compute is in what the kernel reads."""
    cupy = pytest.importorskip("cupy")
    scale = operators.CudaKernel(SOURCE, "scale")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        square = cupy.ones((4000, 4000), "f4")
        for _ in range(10):
            square = square @ square / 4000
        made = cupy.zeros(square.size, "f4")
        scale(-(-square.size // 256), 256, (square, 2.0, 1.0, square.size, made))
        assert abs(float(made.min()) - 3) < 1e-3 and abs(float(made.max()) - 3) < 1e-3


def test_what_a_gpu_refuses_is_an_error() -> None:
    there = on_cupy(np.zeros(10, "f4"))
    scale = operators.CudaKernel(SOURCE, "scale")
    with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
        scale(1, 2048, (there, 1.0, 0.0, 10, there))  # more threads than a block may have
    with pytest.raises(CompileError):
        operators.CudaKernel(SOURCE.replace("long long i", "long lang i"), "scale")(1, 1, (there, 1.0, 0.0, 10, there))
    with pytest.raises(RuntimeError, match="CUDA_ERROR_NOT_FOUND"):
        operators.CudaKernel(SOURCE, "other")(
            1, 1, (there, np.float32(1), np.float64(0), np.int64(10), there)
        )
