"""Matrix products with what follows them: scale, bias and activation in the same launch."""

from __future__ import annotations

from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import kernel_of, launch

CUBES = 24  # cube cores of a 910B
TILE = (128, 256)  # of the result, which a core has at once
_STAGES = 2  # of the workspace, in which the cube core puts sums while its vector cores take others
ACTIVATIONS = ("", "relu", "silu", "gelu")


def _number_of(activation: str) -> int:
    if activation not in ACTIVATIONS:
        raise ValueError(f"library.basic_matmul: activation: expected one of {', '.join(map(repr, ACTIVATIONS))}, "
                         f"got {activation!r}")
    return ACTIVATIONS.index(activation)


@operator(
    "library.basic_matmul(a: T[m, k], b: T[k, n], bias: T[n] = None, *, scale: float = 1.0, activation: str = '') "
    "-> c: T[m, n]", T="f4 f2 bf2",
)
def basic_matmul(a: Any, b: Any, bias: Any, *, scale: float, activation: str) -> Any:
    """activation(scale (a @ b) + bias) in float32, rounded once; relu, silu or gelu in its form with tanh."""
    _number_of(activation)
    y = ap.matmul(a.astype(np.float32), b.astype(np.float32))
    if scale != 1:
        y = y * np.float32(scale)
    if bias is not None:
        y = y + bias.astype(np.float32)
    if activation == "relu":
        y = ap.maximum(y, 0)
    elif activation == "silu":
        y = y / (1 + ap.exp(-y))
    elif activation == "gelu":
        y = y / (1 + ap.exp(np.float32(-2 * (2 / np.pi) ** 0.5) * (y + np.float32(0.044715) * y * y * y)))
    return y.astype(a.dtype)


@kernel_of(basic_matmul)
def _basic_matmul(a: Any, b: Any, bias: Any, c: Any, *, scale: float, activation: str) -> None:
    (m, k), n, number = a.shape, b.shape[1], _number_of(activation)
    tiles = -(-m // TILE[0]) * -(-n // TILE[1])
    if bias is None and scale == 1 and not number:
        launch("products", f"plain_{a.dtype.name}", [a, b, c, m, n, k], items=tiles, least=1, cores=CUBES)
        return
    if bias is None:
        bias = ap.zeros(n, a.dtype, device=a.device)
    stages = min(CUBES, tiles) * _STAGES * TILE[0] * TILE[1]
    room = ap.empty(stages, np.float32, device=a.device)
    args = [a, b, bias, c, m, n, k, float(scale), number, room]
    launch("products", f"fused_{a.dtype.name}", args, items=tiles, least=1, cores=CUBES)
