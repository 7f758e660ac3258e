"""What a call of an operator costs beside the launch, or the plain function, that it comes down to.

Six elements, so that next to nothing is computed. Each pair runs in turns; microseconds are medians. `over us` is what
the operator adds: to a kernel's launch with a new output, to the same lines over asnumpy.

    python benches/operators.py --rounds 15
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import Timing, interleave

ROUND_SECONDS = 0.02
SOURCE = """
#include <cstdint>
extern "C" void scale(int64_t block, int64_t blocks, const float* x, const float* gamma, float* y, double eps,
                      int64_t size, int64_t n) {
    for (int64_t i = block; i < size; i += blocks) y[i] = x[i] * gamma[i % n] + float(eps);
}
"""
DECLARED = "(x: T[..., n], gamma: T[n], *, eps: float = 1e-5) -> y: T[..., n]"
kernel = ap.RawKernel(SOURCE, "scale")


def plain(x: Any, gamma: Any, *, eps: float = 1e-5) -> Any:
    return x * gamma + eps


def by_kernel(x: Any, gamma: Any, y: Any, *, eps: float) -> None:
    kernel(1, (x, gamma, y, eps, x.size, gamma.size))


def launched(x: Any, gamma: Any) -> Any:
    y = ap.empty(x.shape, x.dtype, device="cpu")
    by_kernel(x, gamma, y, eps=1e-5)
    return y


def microseconds(timing: Timing) -> float:
    return float(np.median(timing.rounds)) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    composed = ap.operator(f"bench.composed{DECLARED}", T="f2 f4")
    composed.composed(plain)
    with_kernel = ap.operator(f"bench.with_kernel{DECLARED}", T="f2 f4")
    with_kernel.cpu(by_kernel)
    with ap.Device("cpu"):
        x, gamma = ap.arange(6, dtype="f4").reshape(2, 3), ap.ones(3, dtype="f4")
        out, strided = ap.empty((2, 3), "f4"), ap.ones((2, 6), dtype="f4")[:, ::2]
        wanted = ap.asnumpy(plain(x, gamma))
        pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "kernel": (lambda: launched(x, gamma), lambda: with_kernel(x, gamma)),
            "kernel, an attribute and out=": (
                lambda: by_kernel(x, gamma, out, eps=0.5), lambda: with_kernel(x, gamma, eps=0.5, out=out)),
            "kernel, a strided input": (
                lambda: launched(strided.copy(order="C"), gamma), lambda: with_kernel(strided, gamma)),
            "composed": (lambda: plain(x, gamma), lambda: composed(x, gamma)),
            "composed, two axes less": (lambda: plain(x[0], gamma), lambda: composed(x[0], gamma)),
        }
        np.testing.assert_array_equal(ap.asnumpy(with_kernel(x, gamma)), wanted)
        np.testing.assert_array_equal(ap.asnumpy(composed(x, gamma)), wanted)
        print(f"{'call':32}{'without us':>12}{'operator us':>12}{'over us':>9}")
        for name, pair in pairs.items():
            ap.synchronize()
            without, operator = map(microseconds, interleave(pair, rounds, ROUND_SECONDS))
            print(f"{name:32}{without:12.1f}{operator:12.1f}{operator - without:9.1f}")


if __name__ == "__main__":
    main()
