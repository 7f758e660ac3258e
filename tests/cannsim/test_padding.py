"""Simulated borders and windows against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtype_of, dtypes, layouts, outs, same, values

BFLOAT16 = dtype_of("bfloat16")
MODES = {"Reflection": "reflect", "Replication": "edge", "Circular": "wrap"}
PADS = [f"aclnn{kind}Pad{n}d" for kind in MODES for n in (1, 2, 3) if (kind, n) != ("Circular", 1)]


def check(name, expected, *arguments):
    for out in outs(expected):
        same(acl.result(name, *arguments, out=out), expected)


@pytest.mark.parametrize("name", PADS)
def test_borders(name):
    axes = int(name[-2])
    mode = next(mode for kind, mode in MODES.items() if kind in name)
    borders = [(1, 2), (2, 0), (1, 1)][:axes]
    for dtype in dtypes(name, "self"):
        for batch in ((2,), (2, 2)):
            x = values((*batch, 3, 4, 5)[: len(batch) + axes], dtype)
            width = [(0, 0)] * len(batch) + borders
            if mode != "edge":
                width = [(min(a, n - 1), min(b, n - 1)) for (a, b), n in zip(width, x.shape, strict=True)]
            flat = [n for pair in reversed(width[len(batch) :]) for n in pair]
            for one in layouts(x):
                check(name, np.pad(x, width, mode=mode), one, acl.IntArray(flat), ...)


@pytest.mark.parametrize("name", PADS)
def test_gradients(name):
    axes = int(name[-2])
    mode = next(mode for kind, mode in MODES.items() if kind in name)
    shape = (2, 4, 3, 5)[: axes + 1]
    width = [(0, 0), *[(1, 2), (2, 0), (1, 1)][:axes]]
    places = np.pad(np.arange(np.prod(shape)).reshape(shape), width, mode=mode)
    flat = acl.IntArray([n for pair in reversed(width[1:]) for n in pair])
    for dtype, tolerance in ((np.float32, 1e-6), (np.float64, 1e-14), (np.float16, 4e-3), (BFLOAT16, 3e-2)):
        for grad in layouts(values(places.shape, dtype)):
            expected = np.bincount(places.ravel(), grad.astype(np.float64).ravel()).reshape(shape)
            got = acl.result(f"{name}Backward", grad, np.empty(shape, dtype), flat, ..., out=np.empty(shape, dtype))
            np.testing.assert_allclose(got.astype(np.float64), expected, rtol=tolerance, atol=tolerance)
    with acl.refused(161002, name, "gradOutput"):
        acl.result(f"{name}Backward", grad[:1].copy(), np.empty(shape, dtype), flat, ..., out=np.empty(shape, dtype))
    with acl.refused(161002, name, "self"):
        acl.result(f"{name}Backward", grad, np.empty(shape, int), flat, ..., out=np.empty(shape, dtype))


@pytest.mark.parametrize("dtype", dtypes("aclnnConstantPadNd", "self"), ids=str)
def test_constant(dtype):
    for x in layouts(values((3, 4), dtype)):
        value = acl.Scalar(1, dtype)
        check(
            "aclnnConstantPadNd",
            np.pad(x, ((1, 2), (3, 0)), constant_values=1),
            x,
            acl.IntArray([3, 0, 1, 2]),
            value,
            ...,
        )
        check(
            "aclnnConstantPadNd",
            np.pad(x[:, 1:], ((0, 0), (0, 2)), constant_values=1),
            x,
            acl.IntArray([-1, 2]),
            value,
            ...,
        )
        check("aclnnConstantPadNd", x, x, acl.IntArray([]), value, ...)


def columns(image, kernel, dilation, padding, stride):
    padded = np.pad(image, [(0, 0), *((n, n) for n in padding)])
    span = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(padded, span, (1, 2))
    windows = windows[:, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    return windows.transpose(0, 3, 4, 1, 2).reshape(image.shape[0] * kernel[0] * kernel[1], -1)


def test_columns():
    for x in layouts(values((2, 3, 6, 7), np.float32)):
        given = ((2, 3), (2, 1), (1, 2), (2, 3))
        expected = np.stack([columns(one, *given) for one in x])
        check("aclnnIm2col", expected, x, *[acl.IntArray(one) for one in given], ...)
        check("aclnnIm2col", expected[0], x[0].copy(), *[acl.IntArray(one) for one in given], ...)


def test_gradients_of_columns():
    given = ((2, 3), (2, 1), (1, 2), (2, 3))
    listed = [acl.IntArray(one) for one in ((6, 7), *given)]
    count = columns(np.arange(2 * 3 * 6 * 7).reshape(-1, 6, 7)[:3] + 1, *given).shape
    for g in layouts(values((2, *count), np.float32)):
        expected = np.zeros((2, 3, 6, 7))
        place = columns(np.arange(1, 127).reshape(3, 6, 7), *given)  # 0: the border
        for n in range(2):
            sums = np.zeros(127)
            np.add.at(sums, place, g[n].astype(np.float64))
            expected[n] = sums[1:].reshape(3, 6, 7)
        got = acl.result("aclnnIm2colBackward", g, *listed, ..., out=np.empty((2, 3, 6, 7), np.float32))
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
        one = acl.result("aclnnIm2colBackward", g[0].copy(), *listed, ..., out=np.empty((3, 6, 7), np.float32))
        np.testing.assert_allclose(one, expected[0], rtol=1e-5, atol=1e-5)
    with acl.refused(161002, "aclnnIm2colBackward", "gradOutput"):
        acl.result("aclnnIm2colBackward", g[:, :-1], *listed, ..., out=np.empty((2, 3, 6, 7), np.float32))
    with acl.refused(161002, "aclnnIm2colBackward", "out"):
        acl.result("aclnnIm2colBackward", g, *listed, ..., out=np.empty((2, 3, 7, 6), np.float32))


def test_refusals():
    x = values((2, 3), np.float32)
    for name, padding, shape, word in (
        ("aclnnReflectionPad1d", [3, 0], (2, 6), "padding"),
        ("aclnnReflectionPad1d", [1], (2, 4), "padding"),
        ("aclnnReflectionPad1d", [1, 1], (2, 4), "out"),
        ("aclnnReplicationPad1d", [1, 1], (2, 4), "out"),
        ("aclnnReplicationPad1d", [-4, 0], (2, 0), "padding"),
    ):
        with acl.refused(161002, name, word):
            acl.result(name, x, acl.IntArray(padding), ..., out=np.empty(shape, np.float32))
    with acl.refused(161002, "aclnnConstantPadNd", "pad"):
        acl.result("aclnnConstantPadNd", x, acl.IntArray([1, 1, 1]), acl.Scalar(0, np.float32), ..., out=x.copy())
    with acl.refused(161002, "aclnnConstantPadNd", "out"):
        acl.result("aclnnConstantPadNd", x, acl.IntArray([1, 1]), acl.Scalar(0, np.float32), ..., out=x.copy())
    with acl.refused(161002, "aclnnCircularPad2d", "padding"):
        acl.result(
            "aclnnCircularPad2d",
            np.zeros((1, 2, 3), np.float32),
            acl.IntArray([4, 0, 0, 0]),
            ...,
            out=np.empty((1, 2, 7), np.float32),
        )
