"""What a call from C, or from JAX, costs where a kernel is launched without Python, beside the same kernel through it.

One kernel, attached by `Launch` and by a function. Each pair runs in turns; microseconds are medians.

    python benches/operator_libraries.py --rounds 15
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import interleave

ROUND_SECONDS = 0.02
SIZES = (16, 10_000, 1_000_000)
SOURCE = """
#include <cstdint>
extern "C" void increase(int64_t block, int64_t blocks, const float* x, float* y, int64_t n) {
    for (int64_t i = n * block / blocks; i < n * (block + 1) / blocks; ++i) y[i] = x[i] + 1;
}
"""


def declared() -> tuple[ap.operators.Operator, ap.operators.Operator]:
    """Launched by C, and by Python."""
    kernel = ap.RawKernel(SOURCE, "increase")
    by_c = ap.operator("bench.by_c(x: f4[n]) -> y: f4[n]")
    by_c.cpu(ap.operators.Launch(by_c, kernel, blocks=1, args="x, y, n"))
    by_python = ap.operator("bench.by_python(x: f4[n]) -> y: f4[n]")
    by_python.cpu(lambda x, y: kernel(1, (x, y, x.size)))
    return by_c, by_python


def library_call(operator: ap.operators.Operator, folder: Path, x: np.ndarray) -> Callable[[], object]:
    """A call as MindSpore makes it, of a result that is right."""
    path, *_ = ap.operators.to_library(operator, folder / operator.__name__)
    function = getattr(ctypes.CDLL(str(path)), path.stem.removeprefix("lib"))
    y, shape, pointer = np.zeros_like(x), (ctypes.c_int64 * 1)(x.size), ctypes.POINTER(ctypes.c_int64)
    given = (
        2, (ctypes.c_void_p * 2)(x.ctypes.data, y.ctypes.data), (ctypes.c_int * 2)(1, 1),
        (pointer * 2)(*[ctypes.cast(shape, pointer)] * 2), (ctypes.c_char_p * 2)(b"float32", b"float32"), None, None,
    )  # fmt: skip
    assert function(*given) == 0 and (y == x + 1).all()
    return lambda _kept=(x, y): function(*given)  # which hold addresses alone


def jax_call(operator: ap.operators.Operator, x: np.ndarray) -> Callable[[], object]:
    """A compiled call, of a result that is right."""
    import jax

    function, there = jax.jit(ap.operators.to_jax(operator)), jax.numpy.asarray(x)
    np.testing.assert_array_equal(function(there), x + 1)
    return lambda: jax.block_until_ready(function(there))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    operators = declared()
    print(f"{'from':10}{'elements':>12}{'by C us':>12}{'by Python us':>14}")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            x = np.ones(size, np.float32)
            calls = {"C": [library_call(one, Path(folder) / str(size), x) for one in operators]}
            if importlib.util.find_spec("jax"):
                calls["JAX"] = [jax_call(one, x) for one in operators]
            for name, pair in calls.items():
                medians = [float(np.median(one.rounds)) * 1e6 for one in interleave(pair, rounds, ROUND_SECONDS)]
                print(f"{name:10}{size:12,}{medians[0]:12.1f}{medians[1]:14.1f}")


if __name__ == "__main__":
    main()
