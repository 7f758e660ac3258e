"""layer_scale beside NumPy, by its declaration, and with bad input."""

import asnumpy as ap
import numpy as np
import pytest

from layer_scale import layer_scale


def reference(x, gamma, eps):
    wide = x.astype(np.float64)
    return wide / np.sqrt((wide * wide).mean(axis=-1, keepdims=True) + eps) * gamma


@pytest.mark.parametrize("dtype, bound", [("float32", 1e-5), ("float16", 4e-3)])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (5, 64), (2, 3, 1000), (1, 8191), (0, 4)])
def test_beside_numpy(shape, dtype, bound):
    rng = np.random.default_rng(1)
    x, gamma = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[-1]).astype(dtype)
    y = layer_scale(ap.array(x), ap.array(gamma), eps=1e-3)
    assert y.dtype == dtype and y.shape == shape
    np.testing.assert_allclose(ap.to_numpy(y).astype(np.float64), reference(x, gamma, 1e-3), rtol=bound, atol=bound)


def test_every_implementation_by_the_declaration():
    result = ap.operators.check(layer_scale)
    assert result.passed, result


@pytest.mark.parametrize(
    "x, gamma, error",
    [
        (np.ones((2, 3), "f4"), np.ones(4, "f4"), ValueError),
        (np.ones((2, 3), "f4"), np.ones((3, 3), "f4"), ValueError),
        (np.ones((2, 3), "i8"), np.ones(3, "i8"), TypeError),
        (["a"], np.ones(1, "f4"), TypeError),
    ],
)
def test_bad_input(x, gamma, error):
    with pytest.raises(error, match="layer_scale"):
        layer_scale(x, gamma)
