"""layer_scale as an operator of PyTorch's."""

import asnumpy as ap
import numpy as np
import pytest

from layer_scale import layer_scale

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_in_torch():
    from layer_scale.torch import layer_scale as in_torch

    x = torch.linspace(-1, 1, 24).reshape(4, 6).requires_grad_()
    gamma = torch.arange(1.0, 7.0)
    y = in_torch(x, gamma, eps=1e-3)
    expected = layer_scale(ap.array(x.detach().numpy()), ap.array(gamma.numpy()), eps=1e-3)
    np.testing.assert_allclose(y.detach().numpy(), ap.to_numpy(expected), rtol=1e-6)
    torch.library.opcheck(torch.ops.asnumpy.layer_scale, (x, gamma), {"eps": 1e-3})
    y.sum().backward()
    assert x.grad.shape == x.shape
