"""Kernels in Ascend C on the simulator, every rule checked, beside the simulator's own operators.

    python benches/kernels.py

An addition of ten million float32 by a kernel with queues beside `aclnnAdd`, and a product of 1024 x 1024 float16 by
the cube path beside `aclnnMatmul`. Results are checked first; the two run in turns; medians. Compilation is not
counted. The times are those of simulating, on this host: the device's are what `modelled` says, in microseconds.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("ASNUMPY_CANN", "sim")

import numpy as np

import asnumpy as ap
from asnumpy import cann, cannsim

ROUNDS = 9
KERNELS = Path(__file__).resolve().parents[1] / "tests" / "ascendc" / "kernels"
HEAD = '#include "kernel_operator.h"\n'
PRODUCT = """
extern "C" __global__ __cube__ void product(GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t m, uint32_t n, uint32_t k) {
    Product<half, float, half, false> one;
    one.Run(a, b, c, m, n, k, QuantMode_t::F322F16);
}
"""


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds on this host, and by the model."""
    ap.synchronize()
    modelled, began = cannsim.modelled_seconds(), time.perf_counter()
    work()
    ap.synchronize()
    return time.perf_counter() - began, cannsim.modelled_seconds() - modelled


def compare(name: str, kernel: Callable[[], None], operator: Callable[[], None]) -> None:
    """A line of the table."""
    turns = [(timed(kernel), timed(operator)) for _ in range(ROUNDS)]
    own, other = (statistics.median(turn[which][0] for turn in turns) for which in (0, 1))
    model = [statistics.median(turn[which][1] for turn in turns) * 1e6 for which in (0, 1)]
    print(f"| {name} | {own * 1e3:.1f} | {other * 1e3:.1f} | {own / other:.2f} | {model[0]:.0f} | {model[1]:.0f} |")


def main() -> None:
    """Both, as a table."""
    print("| work | kernel ms | operator ms | kernel / operator | kernel modelled us | operator modelled us |")
    print("| --- | --- | --- | --- | --- | --- |")
    n = 9_999_984  # a multiple of 48
    x, y, z, w = (ap.ones(n, dtype=np.float32) * k for k in range(4))
    add = ap.RawKernel(HEAD + (KERNELS / "add.cpp").read_text(), "add")
    run_add = lambda: add(48, (x, y, z, np.uint32(n)))  # noqa: E731
    op_add = cann.op("aclnnAdd")
    run_operator = lambda: op_add(x, y, 1.0, w)  # noqa: E731
    run_add()
    run_operator()
    assert bool((z == w).all()) and bool((z == 1).all())
    compare("x + y, 10^7 float32", run_add, run_operator)

    rng = np.random.default_rng(0)
    a, b = (ap.array(rng.integers(-3, 4, (1024, 1024)), dtype=np.float16) for _ in range(2))
    c, d = ap.zeros((1024, 1024), dtype=np.float16), ap.zeros((1024, 1024), dtype=np.float16)
    size = np.uint32(1024)
    product = ap.RawKernel(HEAD + (KERNELS / "product.cpp").read_text() + PRODUCT, "product")
    run_product = lambda: product(24, (a, b, c, size, size, size))  # noqa: E731
    op_product = cann.op("aclnnMatmul")
    run_matmul = lambda: op_product(a, b, d, 0)  # noqa: E731
    run_product()
    run_matmul()
    assert bool((c == d).all()) and bool(c.any())
    compare("a @ b, 1024^3 float16", run_product, run_matmul)


if __name__ == "__main__":
    main()
