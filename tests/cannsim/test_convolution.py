"""Simulated convolutions and their gradients against sums over windows by NumPy, and SciPy's correlation."""

from __future__ import annotations

import ctypes
from itertools import product

import numpy as np
import pytest
from scipy import signal

from cannsim import acl
from cannsim.comparing import FLOATS, agree, holder_of, layouts, values, wide

KEEP = ctypes.c_int8(0)


def convolved(x, w, stride, padding, dilation, groups):
    """By the definition, in float64: a sum over the kernel's elements of strided slices."""
    axes = x.ndim - 2
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    span = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    size = [(n - s) // t + 1 for n, s, t in zip(padded.shape[2:], span, stride, strict=True)]
    out = np.zeros((x.shape[0], w.shape[0], *size))
    each, own = w.shape[0] // groups, w.shape[1]
    for g in range(groups):
        for tap in product(*map(range, w.shape[2:])):
            cut = tuple(
                slice(tap[i] * dilation[i], tap[i] * dilation[i] + stride[i] * (size[i] - 1) + 1, stride[i])
                for i in range(axes)
            )
            part = padded[(slice(None), slice(g * own, (g + 1) * own), *cut)]
            weight = w[(slice(g * each, (g + 1) * each), slice(None), *tap)]
            out[:, g * each : (g + 1) * each] += np.einsum("nc...,oc->no...", part, weight)
    return out


def gradients(dy, x, w, *settings):
    """Of a linear function: by each unit in its place."""
    dx, dw = np.zeros(x.shape), np.zeros(w.shape)
    for place in np.ndindex(x.shape):
        unit = np.zeros(x.shape)
        unit[place] = 1
        dx[place] = np.sum(convolved(unit, w, *settings) * dy)
    for place in np.ndindex(w.shape):
        unit = np.zeros(w.shape)
        unit[place] = 1
        dw[place] = np.sum(convolved(x, unit, *settings) * dy)
    return dx, dw


# shape of the input, of the weight, stride, padding, dilation, groups
CASES = [
    ((2, 3, 9), (4, 3, 3), [1], [0], [1], 1),
    ((2, 4, 9), (6, 2, 3), [2], [2], [2], 2),
    ((2, 3, 6, 7), (4, 3, 3, 2), [1, 1], [0, 0], [1, 1], 1),
    ((1, 4, 6, 7), (4, 1, 3, 3), [2, 1], [1, 2], [1, 2], 4),
    ((2, 2, 4, 5, 6), (3, 2, 2, 3, 2), [1, 2, 1], [1, 0, 1], [1, 1, 2], 1),
]
IDS = [f"{len(case[0]) - 2}d-{case[5]}" for case in CASES]


def ints(*lists):
    return [acl.IntArray(one) for one in lists]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_forward(case, dtype):
    shape, weights, stride, padding, dilation, groups = case
    w, b = values(weights, dtype, 1, -1, 1), values(weights[0], dtype, 2)
    for x in layouts(values(shape, dtype)):
        expected = convolved(wide(x), wide(w), stride, padding, dilation, groups)
        given = [*ints(stride, padding, dilation), False, acl.IntArray([0] * len(stride)), groups]
        out = np.empty(expected.shape, dtype)
        agree(acl.result("aclnnConvolution", x, w, None, *given, ..., KEEP, out=out), expected)
        biased = expected + wide(b).reshape(-1, *[1] * len(stride))
        agree(acl.result("aclnnConvolution", x, w, b, *given, ..., KEEP, out=holder_of(out, dtype)), biased)


def test_beside_scipy():
    x, w = values((1, 1, 8, 9), np.float32), values((1, 1, 3, 4), np.float32, 1)
    expected = signal.correlate2d(wide(x)[0, 0], wide(w)[0, 0], mode="valid")[None, None]
    given = [*ints([1, 1], [0, 0], [1, 1]), False, acl.IntArray([0, 0]), 1]
    got = acl.result("aclnnConvolution", x, w, None, *given, ..., KEEP, out=np.empty(expected.shape, np.float32))
    agree(got, expected)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_gradients(case):
    shape, weights, stride, padding, dilation, groups = case
    x, w = values(shape, np.float32), values(weights, np.float32, 1)
    dy = values(convolved(wide(x), wide(w), stride, padding, dilation, groups).shape, np.float32, 2)
    dx, dw = gradients(wide(dy), wide(x), wide(w), stride, padding, dilation, groups)
    outs = [acl.Tensor(np.empty(one, np.float32)) for one in (shape, weights, weights[:1])]
    rest = [acl.IntArray([0] * len(stride)), ctypes.c_int(groups), acl.BoolArray([True] * 3), KEEP]
    acl.run(
        "aclnnConvolutionBackward",
        dy,
        x,
        w,
        acl.IntArray(weights[:1]),
        *ints(stride, padding, dilation),
        False,
        *rest,
        *outs,
    )
    for got, expected in zip(outs, (dx, dw, dy.sum(axis=(0, *range(2, dy.ndim)), dtype=float)), strict=True):
        agree(got.numpy(), expected, 3)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_transposed(case):
    """It is the gradient of a convolution's input, and its own input's gradient is the convolution."""
    shape, weights, stride, padding, dilation, groups = case
    w = values(weights, np.float32, 1)
    y = convolved(np.zeros(shape), wide(w), stride, padding, dilation, groups)
    x = values(y.shape, np.float32)
    expected, _ = gradients(wide(x), np.zeros(shape), wide(w), stride, padding, dilation, groups)
    rest = [
        n - ((m - 1) * s - 2 * p + d * (k - 1) + 1)
        for n, m, s, p, d, k in zip(shape[2:], y.shape[2:], stride, padding, dilation, weights[2:], strict=True)
    ]
    given = [*ints(stride, padding, dilation), True, acl.IntArray(rest), groups]
    agree(acl.result("aclnnConvolution", x, w, None, *given, ..., KEEP, out=np.empty(shape, np.float32)), expected, 3)
    dy, of_input, of_weight = values(shape, np.float32, 3), acl.Tensor(np.empty_like(x)), acl.Tensor(np.empty_like(w))
    tail = [acl.IntArray(rest), ctypes.c_int(groups), acl.BoolArray([True, True, False]), KEEP, of_input, of_weight]
    acl.run("aclnnConvolutionBackward", dy, x, w, None, *ints(stride, padding, dilation), True, *tail, None)
    agree(of_input.numpy(), convolved(wide(dy), wide(w), stride, padding, dilation, groups), 3)
    agree(of_weight.numpy(), gradients(wide(x), wide(dy), wide(w), stride, padding, dilation, groups)[1], 3)


def test_depthwise():
    x, w, b = values((2, 4, 6, 7), np.float32), values((8, 1, 3, 3), np.float32, 1), values(8, np.float32, 2)
    expected = convolved(wide(x), wide(w), [1, 2], [1, 1], [1, 1], 4) + wide(b)[:, None, None]
    got = acl.result(
        "aclnnConvDepthwise2d",
        x,
        w,
        acl.IntArray([3, 3]),
        b,
        *ints([1, 2], [1, 1], [1, 1]),
        ...,
        KEEP,
        out=np.empty(expected.shape, np.float32),
    )
    agree(got, expected)


def test_refusals():
    x, w = values((2, 4, 6, 7), np.float32), values((4, 2, 3, 3), np.float32)
    out = np.empty((2, 4, 4, 5), np.float32)
    good = [x, w, None, *ints([1, 1], [0, 0], [1, 1]), False, acl.IntArray([0, 0]), 2]
    agree(acl.result("aclnnConvolution", *good, ..., KEEP, out=out), convolved(x, w, [1, 1], [0, 0], [1, 1], 2), 3)
    for place, wrong, word in (
        (0, x[:, :3].copy(), "input"),
        (0, x.astype(np.float64), "input"),
        (1, w[..., 0].copy(), "weight"),
        (1, w.astype(np.float16), "weight"),
        (1, np.ones((4, 2, 7, 3), np.float32), "weight"),
        (2, np.ones(3, np.float32), "bias"),
        (3, acl.IntArray([0, 1]), "stride"),
        (4, acl.IntArray([0]), "padding"),
        (5, acl.IntArray([1, 0]), "dilation"),
        (8, 3, "groups"),
    ):
        changed = [*good]
        changed[place] = wrong
        with acl.refused(161002, "aclnnConvolution", word):
            acl.result("aclnnConvolution", *changed, ..., KEEP, out=out)
    with acl.refused(161002, "aclnnConvolution", "output"):
        acl.result("aclnnConvolution", *good, ..., KEEP, out=out[:1].copy())
    with acl.refused(161001, "aclnnConvolution", "weight"):
        acl.result("aclnnConvolution", x, None, *good[2:], ..., KEEP, out=out)
