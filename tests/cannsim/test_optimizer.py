"""Simulated stochastic gradient descent, and the scaling of losses whose gradients are 16-bit floats, against NumPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, values

BOUNDS = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("momentum", [0.0, 0.5])
@pytest.mark.parametrize("name", BOUNDS)
def test_descent(name, momentum, nesterov, first):
    shapes, dtype = [(3, 4), (5,)], dtype_of(name)
    lists = [[values(shape, dtype, seed=10 * k + i) for i, shape in enumerate(shapes)] for k in range(3)]
    params, grads, buffers = (acl.TensorList(one) for one in lists)
    scale = np.array([2.0], np.float32)
    numbers = [ctypes.c_float(x) for x in (0.1, momentum, 0.25, 0.125)]
    listed = buffers if momentum else None
    acl.run("aclnnFusedSgd", params, grads, listed, scale, *numbers, nesterov, True, first)
    for i in range(len(shapes)):
        x, g, buffer = (one[i].astype(np.float64) for one in lists)
        g = -g / 2 + np.float64(np.float32(0.1)) * x
        if momentum:
            buffer = g if first else momentum * buffer + 0.875 * g
            g = g + momentum * buffer if nesterov else buffer
            np.testing.assert_allclose(
                np.array(buffers.tensors[i].numpy(), np.float64), buffer, rtol=BOUNDS[name], atol=BOUNDS[name]
            )
        elif nesterov:
            g = g + momentum * g
        np.testing.assert_allclose(
            np.array(params.tensors[i].numpy(), np.float64), x - 0.25 * g, rtol=BOUNDS[name], atol=BOUNDS[name]
        )


@pytest.mark.parametrize("bad", [None, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", BOUNDS)
def test_gradients_are_scaled_back_and_looked_at(name, bad):
    arrays = [values((3, 4), dtype_of(name)), values((5,), dtype_of(name), seed=1)]
    if bad is not None:
        arrays[1][3] = bad
    grads, found = acl.TensorList(arrays), acl.Tensor(np.zeros(1, np.float32))
    acl.run("aclnnForeachNonFiniteCheckAndUnscale", grads, found, np.array([0.25], np.float32))
    assert np.array(found.numpy()) == (bad is not None)
    for before, after in zip(arrays, grads.tensors, strict=True):
        np.testing.assert_array_equal(np.array(after.numpy(), np.float32), before.astype(np.float32) * np.float32(0.25))


def test_what_was_found_before_stays_found():
    found = acl.Tensor(np.ones(1, np.float32))
    acl.run(
        "aclnnForeachNonFiniteCheckAndUnscale", acl.TensorList([np.ones(3, np.float16)]), found, np.ones(1, np.float32)
    )
    assert np.array(found.numpy()) == 1


@pytest.mark.parametrize(
    ("scale", "steps", "found", "expected"),
    [
        (8, 0, 0, (8, 1)), (8, 1, 0, (8, 2)), (8, 2, 0, (16, 0)), (8, 2, 1, (4, 0)), (8, 0, 1, (4, 0)),
        (3e38, 2, 0, (3e38, 0)),  # a scale that is not finite is not taken
    ],
)  # fmt: skip
def test_the_next_scale(scale, steps, found, expected):
    made = acl.Tensor(np.zeros(1, np.float32)), acl.Tensor(np.zeros(1, np.int32))
    given = np.array([scale], np.float32), np.array([steps], np.int32), np.array([found], np.float32)
    acl.run("aclnnAmpUpdateScale", *given, 2.0, 0.5, 3, *made)
    assert [np.array(one.numpy())[0] for one in made] == [np.float32(expected[0]), expected[1]]


def test_refusals():
    x = np.ones(3, np.float32)
    numbers = [ctypes.c_float(0.5)] * 4
    with acl.refused(161002, "aclnnFusedSgd", "gradsRef"):
        acl.run("aclnnFusedSgd", acl.TensorList([x, x]), acl.TensorList([x]), None, None, *numbers, False, False, False)
    with acl.refused(161002, "aclnnFusedSgd", "momentumBufferListOptionalRef"):
        acl.run("aclnnFusedSgd", acl.TensorList([x]), acl.TensorList([x]), None, None, *numbers, False, False, False)
    with acl.refused(161002, "aclnnForeachNonFiniteCheckAndUnscale", "foundInf"):
        acl.run("aclnnForeachNonFiniteCheckAndUnscale", acl.TensorList([x]), x, x[:1].copy())
    with acl.refused(161002, "aclnnAmpUpdateScale", "growthTracker"):
        one = np.ones(1, np.float32)
        acl.run("aclnnAmpUpdateScale", one, one, one, 2.0, 0.5, 3, one, np.ones(1, np.int32))
