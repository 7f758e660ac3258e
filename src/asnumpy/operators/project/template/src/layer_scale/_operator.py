"""The declaration, and the reference: Python over asnumpy, which runs on every device."""

import asnumpy as ap


@ap.operator(
    "layer_scale(x: T[..., n], gamma: T[n], *, eps: float = 1e-5) -> y: T[..., n]",
    T="f2 f4",
)
def layer_scale(x, gamma, *, eps):
    """Each row divided by the root of the mean of its squares, and scaled by a factor for each column."""
    wide = _wide(x)
    return (wide * _factor(wide, eps) * gamma).astype(x.dtype)


@layer_scale.gradient
def _(x, gamma, y, dy, *, eps):
    """The gradients of x and gamma, from the inputs, the output and the output's gradient."""
    wide, given = _wide(x), _wide(dy)
    factor = _factor(wide, eps)
    normal, scaled = wide * factor, given * gamma
    dx = factor * (scaled - normal * _mean(scaled * normal))
    dgamma = (given * normal).reshape(-1, x.shape[-1]).sum(axis=0) if x.size else ap.zeros_like(gamma)
    return dx.astype(x.dtype), dgamma.astype(gamma.dtype)


def _wide(x):
    """In float32 at least: a sum of squares of float16 would overflow."""
    return x.astype(ap.result_type(x.dtype, ap.float32))


def _factor(rows, eps):
    return 1 / ap.sqrt(_mean(rows * rows) + eps)


def _mean(rows):
    return rows.sum(axis=-1, keepdims=True) / max(rows.shape[-1], 1)
