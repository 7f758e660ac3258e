"""Simulated rotary positions and their gradients, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, layouts, values

BOUNDS = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 4e-2}


def exchanged(x, mode):
    """What meets the cosine, and what the sine."""
    if mode == 0:
        a, b = np.split(x, 2, -1)
        return x, np.concatenate([-b, a], -1)
    if mode == 2:
        a, b, c, d = np.split(x, 4, -1)
        return x, np.concatenate([-b, a, -d, c], -1)
    a, b = x[..., ::2], x[..., 1::2]
    if mode == 1:
        return x, np.stack([-b, a], -1).reshape(x.shape)
    return np.concatenate([a, b], -1), np.concatenate([-b, a], -1)


def rotated(x, cos, sin, mode):
    straight, crossed = exchanged(x, mode)
    return straight * cos + crossed * sin


def near(got, expected, name, factor=1):
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=BOUNDS[name] * factor, atol=BOUNDS[name] * factor)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("name", BOUNDS)
def test_values(name, mode):
    cos, sin = (values((1, 3, 1, 8), dtype_of(name), seed) for seed in (1, 2))
    for x in layouts(values((2, 3, 2, 8), dtype_of(name))):
        expected = rotated(*(one.astype(np.float64) for one in (x, cos, sin)), mode)
        got = acl.result("aclnnRotaryPositionEmbedding", x, cos, sin, mode, ..., out=np.empty(x.shape, x.dtype))
        near(got, expected, name, 2)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("name", BOUNDS)
def test_gradients(name, mode):
    dtype = dtype_of(name)
    x, dy = values((2, 3, 2, 8), dtype), values((2, 3, 2, 8), dtype, 3)
    cos, sin = (values((1, 3, 1, 8), dtype, seed) for seed in (1, 2))
    made = [acl.Tensor(np.zeros(one.shape, dtype)) for one in (x, cos, sin)]
    acl.run("aclnnRotaryPositionEmbeddingGrad", dy, cos, sin, x, mode, *made)
    wide, slope = x.astype(np.float64), dy.astype(np.float64)
    straight, crossed = exchanged(wide, mode)
    dx = np.zeros(x.shape)
    for k in range(8):  # the map is linear: the gradient is its transpose
        one = np.zeros(x.shape)
        one[..., k] = 1
        dx[..., k] = (slope * rotated(one, cos.astype(np.float64), sin.astype(np.float64), mode)).sum(-1)
    expected = dx, (slope * straight).sum((0, 2), keepdims=True), (slope * crossed).sum((0, 2), keepdims=True)
    for got, other in zip(made, expected, strict=True):
        near(np.array(got.numpy()), other, name, 4)
    alone = acl.Tensor(np.zeros(x.shape, dtype))
    acl.run("aclnnRotaryPositionEmbeddingGrad", dy, cos, sin, None, mode, alone, None, None)
    near(np.array(alone.numpy()), dx, name, 4)


def test_refusals():
    x, cos = np.ones((2, 3, 2, 6), np.float32), np.ones((1, 3, 1, 6), np.float32)
    for word, *arguments in (
        ("mode", x, cos, cos, 4, x),
        ("x", x, cos, cos, 2, x),
        ("cos", x, cos[:, :2], cos[:, :2], 0, x),
        ("sin", x, cos, cos[:, :2], 0, x),
        ("out", x, cos, cos, 0, x[:1]),
    ):
        with acl.refused(161002, "aclnnRotaryPositionEmbedding", word):
            acl.run("aclnnRotaryPositionEmbedding", *arguments)
