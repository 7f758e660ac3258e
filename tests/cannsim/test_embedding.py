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


def bags(weights, indices, starts, mode, padding, factors=None):
    """The bags' rows, how many each has, and where the largest were found."""
    wide = weights.astype(np.float64)
    rows, counts, found = [], [], []
    for first, last in zip(starts, [*starts[1:], len(indices)], strict=True):
        picked = [i for i in range(first, last) if indices[i] != padding]
        part = np.array([wide[indices[i]] * (1 if factors is None else factors[i]) for i in picked]).reshape(
            -1, wide.shape[1]
        )
        counts.append(len(picked))
        if not picked:
            rows.append(np.zeros(wide.shape[1]))
            found.append(np.zeros(wide.shape[1], int))
            continue
        rows.append((part.sum(0), part.mean(0), part.max(0))[mode])
        found.append(indices[[picked[k] for k in part.argmax(0)]])
    return np.array(rows), np.array(counts), np.array(found)


@pytest.mark.parametrize("padding", [-1, 2])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("name", FLOATS)
def test_bags(name, mode, padding):
    weights, indices, starts = values((6, 4), dtype_of(name)), np.array([0, 2, 2, 5, 1, 2, 4]), np.array([0, 3, 3, 5])
    for factors in (None, values((7,), dtype_of(name), 1)) if mode == 0 else (None,):
        expected, counts, found = bags(
            weights, indices, starts, mode, padding, None if factors is None else factors.astype(np.float64)
        )
        for last in (False, True):
            offsets = np.append(starts, 7) if last else starts
            shapes = ((4, 4), weights.dtype), ((7,), np.int64), ((len(offsets),), np.int64), ((4, 4), np.int64)
            out, bag_of, sizes, largest = made = [acl.Tensor(np.zeros(shape, kind)) for shape, kind in shapes]
            acl.run("aclnnEmbeddingBag", weights, indices, offsets, False, mode, False, factors, last, padding, *made)
            close(np.array(out.numpy()), expected, name)
            np.testing.assert_array_equal(np.array(bag_of.numpy()), [0, 0, 0, 2, 2, 3, 3])
            np.testing.assert_array_equal(np.array(sizes.numpy())[:4], counts)
            if mode == 2:
                np.testing.assert_array_equal(np.array(largest.numpy()), found)


def test_bags_refusals():
    weights, indices, starts = values((6, 4), np.float32), np.array([0, 2]), np.array([0, 1])
    outs = [np.empty((2, 4), np.float32), np.empty(2, np.int64), np.empty(2, np.int64), np.empty(2, np.int64)]
    for word, *arguments in (
        ("mode", weights, indices, starts, False, 3, False, None, False, -1, *outs),
        ("perSampleWeights", weights, indices, starts, False, 1, False, weights[0, :2].copy(), False, -1, *outs),
        ("indices", weights, indices[None], starts, False, 0, False, None, False, -1, *outs),
        ("output", weights, indices, starts, False, 0, False, None, True, -1, *outs),
    ):
        with acl.refused(161002, "aclnnEmbeddingBag", word):
            acl.run("aclnnEmbeddingBag", *arguments)
