"""Simulated softmaxes, normalisations and their gradients against formulas in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, layouts, refuses, values, wide

FLOAT64 = np.dtype("float64")


def empty(shape, dtype=np.float32):
    return acl.Tensor(np.full(shape, 77, dtype))


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", [*FLOATS, FLOAT64], ids=str)
def test_softmax(dtype, dim):
    for x in layouts(values((4, 5, 3), dtype)):
        out = holder_of(x, dtype)
        y, logs = special.softmax(wide(x), axis=dim), special.log_softmax(wide(x), axis=dim)
        agree(acl.result("aclnnSoftmax", x, dim, ..., out=out), y)
        agree(acl.result("aclnnLogSoftmax", x, dim, ..., out=out), logs)
        g = values(x.shape, dtype, 1)
        y, logs = y.astype(dtype), logs.astype(dtype)
        expected = wide(y) * (wide(g) - (wide(g) * wide(y)).sum(axis=dim, keepdims=True))
        agree(acl.result("aclnnSoftmaxBackward", g, y, dim, ..., out=out), expected)
        expected = wide(g) - np.exp(wide(logs)) * wide(g).sum(axis=dim, keepdims=True)
        agree(acl.result("aclnnLogSoftmaxBackward", g, logs, dim, ..., out=out), expected)


def test_softmax_edges():
    one = np.array(3.0, np.float32)
    agree(acl.result("aclnnSoftmax", one, 0, ..., out=one.copy()), 1)
    none = np.empty((0, 3), np.float32)
    assert acl.result("aclnnSoftmax", none, 1, ..., out=none.copy()).shape == (0, 3)
    assert acl.result("aclnnSoftmax", none.T.copy(), 1, ..., out=none.T.copy()).shape == (3, 0)
    x = np.array([[1e4, -1e4, 0], [-np.inf, 0, 0], [np.nan, 0, 1]], np.float32)
    agree(acl.result("aclnnSoftmax", x, 1, ..., out=x.copy()), special.softmax(wide(x), axis=1))
    x = values((3, 4), np.float32)
    for name in ("aclnnSoftmax", "aclnnLogSoftmax"):
        refuses(name, [x, 1, x.copy()], {0: "self", 2: "out"}, x, 2)
        with acl.refused(161002, name, "dim"):
            acl.result(name, x, 2, ..., out=x.copy())


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_masked_softmax(dtype):
    x, mask = values((2, 3, 4, 5), dtype), values((2, 1, 4, 5), bool, 1)
    out = np.empty(x.shape, dtype)
    scaled = np.where(mask, -10000, wide(x) * 0.5)
    y = special.softmax(scaled, axis=-1)
    agree(acl.result("aclnnScaledMaskedSoftmax", x, mask, 0.5, False, ..., out=out), y)
    g, y = values(x.shape, dtype, 2), y.astype(dtype)
    expected = wide(y) * (wide(g) - (wide(g) * wide(y)).sum(axis=-1, keepdims=True)) * 0.5
    agree(
        acl.result("aclnnScaledMaskedSoftmaxBackward", g, y, mask, 0.5, False, ..., out=out),
        np.where(mask, 0, expected),
    )
    triangle = np.triu(np.ones((4, 5), bool), 1)
    y = special.softmax(np.where(triangle, -10000, wide(x) * 0.5), axis=-1)
    agree(acl.result("aclnnScaledMaskedSoftmax", x, None, 0.5, True, ..., out=out), y)


def moments(x, axes):
    return x.mean(axis=axes, keepdims=True), x.var(axis=axes, keepdims=True)


def slopes(g, x, mean, inverse, weight, axes):
    """The gradients of x, of the weight and of the bias, element by element."""
    n = (x - mean) * inverse
    gw = g * weight
    dx = inverse * (gw - gw.mean(axis=axes, keepdims=True) - n * (gw * n).mean(axis=axes, keepdims=True))
    return dx, g * n, g


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("shape", [(5,), (4, 5)])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_layer_norm(dtype, shape, affine):
    for x in layouts(values((3, 4, 5), dtype)):
        w, b = (values(shape, dtype, 1), values(shape, dtype, 2)) if affine else (None, None)
        axes = tuple(range(3 - len(shape), 3))
        mean, var = moments(wide(x), axes)
        inverse = 1 / np.sqrt(var + 1e-3)
        ww, bb = (wide(w), wide(b)) if affine else (1, 0)
        out, means, inverses = empty(x.shape, dtype), empty(mean.shape, dtype), empty(mean.shape, dtype)
        acl.run("aclnnLayerNorm", x, acl.IntArray(shape), w, b, 1e-3, out, means, inverses)
        agree(out.numpy(), (wide(x) - mean) * inverse * ww + bb, 2)
        agree(means.numpy(), mean)
        agree(inverses.numpy(), inverse)
        acl.run("aclnnLayerNorm", x, acl.IntArray(shape), w, b, 1e-3, out, None, None)
        g = values(x.shape, dtype, 3)
        mean, inverse = mean.astype(np.float32), inverse.astype(np.float32)
        dx, dw, db = slopes(wide(g), wide(x), wide(mean), wide(inverse), ww, axes)
        of_x, of_w, of_b = empty(x.shape, dtype), empty(shape, dtype), empty(shape, dtype)
        acl.run(
            "aclnnLayerNormBackward",
            g,
            x,
            acl.IntArray(shape),
            mean,
            inverse,
            w,
            b,
            acl.BoolArray([True] * 3),
            of_x,
            of_w,
            of_b,
        )
        rest = tuple(range(3 - len(shape)))
        agree(of_x.numpy(), dx, 2)
        agree(of_w.numpy(), dw.sum(axis=rest), 5)
        agree(of_b.numpy(), db.sum(axis=rest), 5)
    acl.run(
        "aclnnLayerNormBackward",
        g,
        x,
        acl.IntArray(shape),
        mean,
        inverse,
        w,
        b,
        acl.BoolArray([True, False, False]),
        of_x,
        None,
        None,
    )
    with acl.refused(161002, "aclnnLayerNorm", "normalizedShape"):
        acl.plan("aclnnLayerNorm", acl.Tensor(x), acl.IntArray([4]), None, None, 1e-3, out, None, None)
    with acl.refused(161002, "aclnnLayerNorm", "weightOptional"):
        acl.plan(
            "aclnnLayerNorm",
            acl.Tensor(x),
            acl.IntArray(shape),
            acl.Tensor(np.ones(3, dtype)),
            None,
            1e-3,
            out,
            None,
            None,
        )
    with acl.refused(161001, "aclnnLayerNorm", "input"):
        acl.plan("aclnnLayerNorm", None, acl.IntArray(shape), None, None, 1e-3, out, None, None)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_layer_norm_of_a_sum(dtype):
    a, b, bias = values((3, 5), dtype), values((3, 5), dtype, 1), values(5, dtype, 2)
    w, shift = values(5, dtype, 3), values(5, dtype, 4)
    x = wide(a) + wide(b) + wide(bias)
    mean, var = moments(x, 1)
    inverse = 1 / np.sqrt(var + 1e-3)
    out, means, inverses, sums = empty((3, 5), dtype), empty((3, 1)), empty((3, 1)), empty((3, 5), dtype)
    acl.run("aclnnAddLayerNorm", a, b, w, shift, bias, 1e-3, True, out, means, inverses, sums)
    agree(out.numpy(), (x - mean) * inverse * wide(w) + wide(shift), 2)
    agree(sums.numpy(), x)
    agree(means.numpy(), mean)
    agree(inverses.numpy(), inverse)
    g, more = values((3, 5), dtype, 5), values((3, 5), dtype, 6)
    x = wide(a) + wide(b)
    mean, var = (one.astype(np.float32) for one in moments(x, 1))
    inverse = (1 / np.sqrt(var + 1e-3)).astype(np.float32)
    dx, dw, db = slopes(wide(g), x, wide(mean), wide(inverse), wide(w), 1)
    of_x, of_w, of_b = empty((3, 5), dtype), empty(5), empty(5)
    acl.run("aclnnAddLayerNormGrad", g, a, b, inverse, mean, w, more, of_x, of_w, of_b)
    agree(of_x.numpy(), dx + wide(more), 3)
    agree(of_w.numpy(), dw.sum(axis=0), 5)
    agree(of_b.numpy(), db.sum(axis=0), 5)
    acl.run("aclnnDeepNorm", a, b, shift, w, 0.5, 1e-3, means, inverses, out)
    x = 0.5 * wide(a) + wide(b)
    mean, var = moments(x, 1)
    agree(out.numpy(), (x - mean) / np.sqrt(var + 1e-3) * wide(w) + wide(shift), 2)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_root_mean_square(dtype):
    for x in layouts(values((2, 3, 5), dtype)):
        w, other, g = values(5, dtype, 1), values(x.shape, dtype, 2), values(x.shape, dtype, 3)
        inverse = 1 / np.sqrt((wide(x) ** 2).mean(axis=-1, keepdims=True) + 1e-3)
        out, inverses, sums = empty(x.shape, dtype), empty((2, 3, 1)), empty(x.shape, dtype)
        acl.run("aclnnRmsNorm", x, w, 1e-3, out, inverses)
        agree(out.numpy(), wide(x) * inverse * wide(w), 2)
        agree(inverses.numpy(), inverse)
        acl.run("aclnnGemmaRmsNorm", x, w, 1e-3, out, inverses)
        agree(out.numpy(), wide(x) * inverse * (1 + wide(w)), 2)
        acl.run("aclnnAddRmsNorm", x, other, w, 1e-3, out, inverses, sums)
        total = wide(x) + wide(other)
        agree(sums.numpy(), total)
        agree(out.numpy(), total / np.sqrt((total**2).mean(axis=-1, keepdims=True) + 1e-3) * wide(w), 2)
        inverse = inverse.astype(np.float32)
        n, gw = wide(x) * wide(inverse), wide(g) * wide(w)
        of_x, of_w = empty(x.shape, dtype), empty(5)
        acl.run("aclnnRmsNormGrad", g, x, inverse, w, of_x, of_w)
        agree(of_x.numpy(), wide(inverse) * (gw - n * (gw * n).mean(axis=-1, keepdims=True)), 2)
        agree(of_w.numpy(), (wide(g) * n).sum(axis=(0, 1)), 5)
    with acl.refused(161002, "aclnnRmsNorm", "gamma"):
        acl.plan("aclnnRmsNorm", acl.Tensor(x), acl.Tensor(np.ones(4, dtype)), 1e-3, out, inverses)


@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_group_norm(dtype, groups):
    for x in layouts(values((3, 4, 5), dtype)):
        w, b, g = values(4, dtype, 1), values(4, dtype, 2), values(x.shape, dtype, 3)
        cut = wide(x).reshape(3, groups, -1)
        mean, var = moments(cut, 2)
        inverse = 1 / np.sqrt(var + 1e-3)
        ww = wide(w)[:, None]
        expected = ((cut - mean) * inverse).reshape(x.shape) * ww + wide(b)[:, None]
        out, means, inverses = empty(x.shape, dtype), empty((3, groups), dtype), empty((3, groups), dtype)
        acl.run("aclnnGroupNorm", x, w, b, 3, 4, 5, groups, 1e-3, out, means, inverses)
        agree(out.numpy(), expected, 2)
        agree(means.numpy(), mean[..., 0])
        agree(inverses.numpy(), inverse[..., 0])
        for name, more in (("aclnnGroupNormSilu", []), ("aclnnGroupNormSiluV2", [True])):
            acl.run(name, x, w, b, groups, 1e-3, *more, out, means, inverses)
            agree(out.numpy(), expected * special.expit(expected), 2)
        acl.run("aclnnGroupNormSwish", x, w, b, groups, "NCHW", 1e-3, True, 0.5, out, means, inverses)
        agree(out.numpy(), expected * special.expit(0.5 * expected), 2)
        acl.run("aclnnGroupNormSiluV2", x, None, None, groups, 1e-3, False, out, means, inverses)
        agree(out.numpy(), ((cut - mean) * inverse).reshape(x.shape), 2)
        mean, inverse = mean[..., 0].astype(dtype), inverse[..., 0].astype(dtype)
        of_x, of_w, of_b = empty(x.shape, dtype), empty(4, dtype), empty(4, dtype)
        acl.run(
            "aclnnGroupNormBackward",
            g,
            x,
            mean,
            inverse,
            w,
            3,
            4,
            5,
            groups,
            acl.BoolArray([True] * 3),
            of_x,
            of_w,
            of_b,
        )
        spread = np.broadcast_to(ww, (3, 4, 5)).reshape(cut.shape)
        dx, dw, db = slopes(wide(g).reshape(cut.shape), cut, wide(mean)[..., None], wide(inverse)[..., None], spread, 2)
        agree(of_x.numpy(), dx.reshape(x.shape), 5)
        agree(of_w.numpy(), dw.reshape(x.shape).sum(axis=(0, 2)), 8)
        agree(of_b.numpy(), db.reshape(x.shape).sum(axis=(0, 2)), 8)
    with acl.refused(161002, "aclnnGroupNorm", "group"):
        acl.plan("aclnnGroupNorm", acl.Tensor(x), None, None, 3, 4, 5, 3, 1e-3, out, means, inverses)


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 2, 2)])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_batch_norm(dtype, shape):
    axes = (0, *range(2, len(shape)))
    along = (1, -1, *[1] * (len(shape) - 2))
    for x in layouts(values(shape, dtype)):
        w, b, g = values(3, np.float32, 1), values(3, np.float32, 2), values(shape, dtype, 3)
        mean, var = moments(wide(x), axes)
        inverse = 1 / np.sqrt(var + 1e-3)
        n = x.size // 3
        old_mean, old_var = values(3, np.float32, 4), np.abs(values(3, np.float32, 5)) + 1
        running = acl.Tensor(old_mean.copy()), acl.Tensor(old_var.copy())
        out, means, inverses = empty(shape, dtype), empty(3), empty(3)
        acl.run("aclnnBatchNorm", x, w, b, *running, True, 0.1, 1e-3, out, means, inverses)
        agree(out.numpy(), (wide(x) - mean) * inverse * wide(w).reshape(along) + wide(b).reshape(along), 2)
        agree(means.numpy(), mean.ravel())
        agree(inverses.numpy(), inverse.ravel())
        agree(running[0].numpy(), 0.9 * old_mean + 0.1 * mean.ravel())
        agree(running[1].numpy(), 0.9 * old_var + 0.1 * var.ravel() * n / (n - 1))
        acl.run(
            "aclnnBatchNorm",
            x,
            None,
            None,
            acl.Tensor(old_mean),
            acl.Tensor(old_var),
            False,
            0.1,
            1e-3,
            out,
            None,
            None,
        )
        fixed = 1 / np.sqrt(wide(old_var) + 1e-3).reshape(along)
        agree(out.numpy(), (wide(x) - old_mean.reshape(along)) * fixed, 2)
        mean, inverse = mean.ravel().astype(np.float32), inverse.ravel().astype(np.float32)
        of_x, of_w, of_b = empty(shape, dtype), empty(3), empty(3)
        every = acl.BoolArray([True] * 3)
        acl.run("aclnnBatchNormBackward", g, x, w, None, None, mean, inverse, True, 1e-3, every, of_x, of_w, of_b)
        dx, dw, db = slopes(
            wide(g), wide(x), wide(mean).reshape(along), wide(inverse).reshape(along), wide(w).reshape(along), axes
        )
        agree(of_x.numpy(), dx, 3)
        agree(of_w.numpy(), dw.sum(axis=axes), 5)
        agree(of_b.numpy(), db.sum(axis=axes), 5)
        acl.run(
            "aclnnBatchNormBackward",
            g,
            x,
            w,
            old_mean,
            old_var,
            None,
            None,
            False,
            1e-3,
            acl.BoolArray([True] * 3),
            of_x,
            of_w,
            of_b,
        )
        agree(of_x.numpy(), wide(g) * wide(w).reshape(along) * fixed, 3)
        acl.run("aclnnBatchNormElemt", x, w, b, mean, inverse, 1e-3, out)
        expected = (wide(x) - wide(mean).reshape(along)) * wide(inverse).reshape(along) * wide(w).reshape(along)
        agree(out.numpy(), expected + wide(b).reshape(along), 3)
        acl.run("aclnnBatchNormStats", x, 1e-3, means, inverses)
        agree(means.numpy(), wide(x).mean(axis=axes))
    with acl.refused(161002, "aclnnBatchNorm", "weight"):
        acl.plan(
            "aclnnBatchNorm",
            acl.Tensor(x),
            acl.Tensor(np.ones(4, np.float32)),
            None,
            None,
            None,
            True,
            0.1,
            1e-3,
            out,
            means,
            inverses,
        )


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_instance_norm(dtype, layout):
    x, w, b = values((2, 3, 4, 5), dtype), values(3, dtype, 1), values(3, dtype, 2)
    mean, var = moments(wide(x), (2, 3))
    expected = (wide(x) - mean) / np.sqrt(var + 1e-3) * wide(w).reshape(3, 1, 1) + wide(b).reshape(3, 1, 1)
    if layout == "NHWC":
        x, expected = np.ascontiguousarray(x.transpose(0, 2, 3, 1)), expected.transpose(0, 2, 3, 1)
        mean, var = mean.transpose(0, 2, 3, 1), var.transpose(0, 2, 3, 1)
    out, means, variances = empty(x.shape, dtype), empty(mean.shape, dtype), empty(mean.shape, dtype)
    acl.run("aclnnInstanceNorm", x, w, b, layout, 1e-3, out, means, variances)
    agree(out.numpy(), expected, 2)
    agree(means.numpy(), mean)
    agree(variances.numpy(), var)
