"""Simulated tables of weights: gradients of rows, rows kept below a norm, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, layouts, values

FLOATS = {"float32": 1e-5, "float64": 1e-13, "float16": 4e-3, "bfloat16": 3e-2}
INDEX = np.array([[0, 2, 2], [4, 1, 2]])


def close(got, expected, name):
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=FLOATS[name], atol=FLOATS[name])


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("padding", [-1, 2])
@pytest.mark.parametrize("name", FLOATS)
def test_gradient(name, padding, mean):
    dtype = dtype_of(name)
    for kind in (np.int32, np.int64):
        for grad in layouts(values((2, 3, 4), dtype)):
            expected = np.zeros((6, 4))
            for place in np.ndindex(INDEX.shape):
                if INDEX[place] != padding:
                    count = (INDEX[place] == INDEX).sum() if mean else 1
                    expected[INDEX[place]] += grad[place].astype(np.float64) / count
            got = acl.result(
                "aclnnEmbeddingDenseBackward",
                grad,
                INDEX.astype(kind),
                6,
                padding,
                mean,
                ...,
                out=np.empty((6, 4), dtype),
            )
            close(got, expected, name)


@pytest.mark.parametrize("order", [1.0, 2.0, np.inf])
@pytest.mark.parametrize("name", FLOATS)
def test_renorm(name, order):
    for weights in layouts(values((5, 4), dtype_of(name))):
        target = acl.Tensor(weights)
        acl.run("aclnnEmbeddingRenorm", target, INDEX, 1.5, order)
        expected = weights.astype(np.float64)
        norms = np.linalg.norm(expected, order, axis=1)
        scale = np.where(norms > 1.5, 1.5 / (norms + 1e-7), 1)
        scale[3] = 1  # not picked
        close(np.array(target.numpy()), expected * scale[:, None], name)


def test_refusals():
    grad, weights = values((2, 3, 4), np.float32), values((5, 4), np.float32)
    for name, word, *arguments in (
        ("aclnnEmbeddingDenseBackward", "grad", grad.astype(int), INDEX, 6, -1, False, np.empty((6, 4), int)),
        ("aclnnEmbeddingDenseBackward", "grad", grad, INDEX[0].copy(), 6, -1, False, np.empty((6, 4), np.float32)),
        ("aclnnEmbeddingDenseBackward", "out", grad, INDEX, 7, -1, False, np.empty((6, 4), np.float32)),
        ("aclnnEmbeddingDenseBackward", "indices", grad, INDEX * 0.5, 6, -1, False, np.empty((6, 4), np.float32)),
        ("aclnnEmbeddingRenorm", "selfRef", grad, INDEX, 1.0, 2.0),
        ("aclnnEmbeddingRenorm", "maxNorm", weights, INDEX, -1.0, 2.0),
    ):
        with acl.refused(161002, name, word):
            acl.run(name, *arguments)
