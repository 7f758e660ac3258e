"""Simulated distances between rows and norms of slices, against NumPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, layouts, values

BOUNDS = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}
ORDERS = [0.0, 1.0, 1.5, 2.0, 3.0, np.inf]


def norms(x, order):
    return np.linalg.norm(x.astype(np.float64), order, axis=-1)


def near(got, expected, name, factor=1):
    np.testing.assert_allclose(got.astype(np.float64), expected, rtol=BOUNDS[name] * factor, atol=BOUNDS[name] * factor)


def as_float(order):
    """A C float; clients write infinity as -1."""
    return ctypes.c_float(-1 if np.isinf(order) else order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", BOUNDS)
def test_all_pairs(name, order):
    dtype = dtype_of(name)
    y = values((1, 5, 3), dtype, seed=1)
    for x in layouts(values((2, 4, 3), dtype)):
        expected = norms(x.astype(np.float64)[:, :, None] - y.astype(np.float64)[:, None], order)
        got = acl.result("aclnnCdist", x, y, as_float(order), 0, ..., out=np.empty((2, 4, 5), dtype))
        near(got, expected, name, 2)


@pytest.mark.parametrize("order", [1.0, 1.5, 2.0, 3.0, np.inf])
def test_gradient_of_all_pairs(order):
    x, y, g = (
        values((2, 4, 3), np.float32),
        values((2, 5, 3), np.float32, seed=1),
        values((2, 4, 5), np.float32, seed=2),
    )
    distances = norms(x[:, :, None].astype(np.float64) - y[:, None], order)
    got = acl.result(
        "aclnnCdistBackward", g, x, y, distances.astype(np.float32), as_float(order), ..., out=np.empty_like(x)
    )
    expected, step = np.zeros(x.shape), 1e-7
    for place in np.ndindex(x.shape):
        moved = x.astype(np.float64)
        moved[place] += step
        expected[place] = (g * (norms(moved[:, :, None] - y[:, None], order) - distances)).sum() / step
    # 2e-7 is float32's; with order 1.5, whose slope is steep where two numbers are close, 7e-7 comes from the step.
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_a_distance_of_nothing_has_no_slope():
    x = values((1, 2, 3), np.float32)
    got = acl.result(
        "aclnnCdistBackward", np.ones((1, 2, 2), np.float32), x, x, np.zeros((1, 2, 2), np.float32), as_float(2.0), ...,
        out=np.empty_like(x),
    )  # fmt: skip
    assert not got.any()


@pytest.mark.parametrize("order", ORDERS)
def test_pairs_of_one_set(order):
    for x in layouts(values((5, 3), np.float32)):
        i, j = np.triu_indices(5, 1)
        expected = norms(x[i] - x[j], order)
        near(acl.result("aclnnPdist", x, as_float(order), ..., out=np.empty(10, np.float32)), expected, "float32", 2)
        if not np.isinf(order):
            number = acl.Scalar(order, np.float32)
            got = acl.result("aclnnPdistForward", x, number, ..., out=np.empty(10, np.float32))
            near(got, expected, "float32", 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("order", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("name", BOUNDS)
def test_renorm(name, order, axis):
    for x in layouts(values((4, 3, 5), dtype_of(name))):
        slices = np.moveaxis(x.astype(np.float64), axis, 0)
        sizes = norms(slices.reshape(len(slices), -1), order)
        assert (sizes > 4).any()
        factors = np.where(sizes > 4, 4 / (sizes + 1e-7), 1)
        expected = np.moveaxis(slices * factors.reshape(-1, 1, 1), 0, axis)
        numbers = acl.Scalar(order, np.float32), axis, acl.Scalar(4.0, np.float32)
        near(acl.result("aclnnRenorm", x, *numbers, ..., out=np.empty(x.shape, x.dtype)), expected, name)
        here = acl.Tensor(x)
        acl.run("aclnnInplaceRenorm", here, *numbers)
        near(np.array(here.numpy()), expected, name)


def test_refusals():
    x, y = values((2, 4, 3), np.float32), values((2, 5, 3), np.float32)
    out = np.empty((2, 4, 5), np.float32)
    two, one = as_float(2.0), acl.Scalar(1.0, np.float32)
    for name, word, *arguments in (
        ("aclnnCdist", "x2", x, y[..., :2], two, 0, out),
        ("aclnnCdist", "x2", x, y.astype(np.float16), two, 0, out),
        ("aclnnCdist", "p", x, y, as_float(-2.0), 0, out),
        ("aclnnCdist", "compute_mode", x, y, two, 3, out),
        ("aclnnCdist", "out", x, y, two, 0, out[:, :3]),
        ("aclnnCdistBackward", "grad", out[:, :3], x, y, out, two, x),
        ("aclnnPdist", "out", x[0], two, np.empty(7, np.float32)),
        ("aclnnRenorm", "p", x, acl.Scalar(0.0, np.float32), 0, one, x),
        ("aclnnRenorm", "maxNorm", x, one, 0, acl.Scalar(-1.0, np.float32), x),
        ("aclnnRenorm", "dim", x, one, 3, one, x),
    ):
        with acl.refused(161002, name, word):
            acl.run(name, *arguments)
