"""Simulated permutations, slices, repeats and joins against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtypes, layouts, outs, same, values


def check(name, expected, *arguments):
    for out in outs(expected):
        same(acl.result(name, *arguments, out=out), expected)


def over(name, parameter="self"):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


@over("aclnnPermute")
def test_permute(dtype):
    for x in layouts(values((2, 3, 4), dtype)):
        for dims in ((0, 1, 2), (2, 0, 1), (-1, 1, 0)):
            check("aclnnPermute", x.transpose(dims), x, acl.IntArray(dims), ...)


@over("aclnnExpand")
def test_expand(dtype):
    for x in layouts(values((3, 1), dtype)):
        check("aclnnExpand", np.broadcast_to(x, (2, 3, 4)), x, acl.IntArray([2, -1, 4]), ...)


@over("aclnnFlip")
def test_flip(dtype):
    for x in layouts(values((2, 3, 4), dtype)):
        for dims in ((0,), (1, 2), (-1, 0)):
            check("aclnnFlip", np.flip(x, dims), x, acl.IntArray(dims), ...)


@over("aclnnRoll", "x")
def test_roll(dtype):
    for x in layouts(values((3, 4), dtype)):
        check("aclnnRoll", np.roll(x, 5), x, acl.IntArray([5]), acl.IntArray([]), ...)
        check("aclnnRoll", np.roll(x, (1, -2), (0, 1)), x, acl.IntArray([1, -2]), acl.IntArray([0, 1]), ...)
        check("aclnnRoll", np.roll(x, (1, 1), (1, 1)), x, acl.IntArray([1, 1]), acl.IntArray([1, -1]), ...)


@over("aclnnRepeat")
def test_repeat(dtype):
    for x in layouts(values((2, 3), dtype)):
        for repeats in ((1, 1), (2, 3), (3, 1, 2), (0, 2)):
            check("aclnnRepeat", np.tile(x, repeats), x, acl.IntArray(repeats), ...)


@over("aclnnSlice")
def test_slice(dtype):
    for x in layouts(values((7, 5), dtype)):
        check("aclnnSlice", x[1:6:2], x, 0, 1, 6, 2, ...)
        check("aclnnSlice", x[:, -3:100], x, -1, -3, 100, 1, ...)
        check("aclnnSlice", x[5:2], x, 0, 5, 2, 1, ...)


@over("aclnnSliceV2")
def test_slices(dtype):
    for x in layouts(values((7, 5, 4), dtype)):
        arguments = [acl.IntArray(one) for one in ((1, -4), (6, 5), (0, 2), (2, 3))]
        check("aclnnSliceV2", x[1:6:2, :, -4:5:3], x, *arguments, ...)


@over("aclnnStridedSliceAssignV2", "varRef")
def test_slice_assign(dtype):
    for x in layouts(values((7, 5), dtype)):
        target, value = acl.Tensor(x.copy()), values((3, 2), dtype, 1)
        acl.run(
            "aclnnStridedSliceAssignV2", target, value, *[acl.IntArray(one) for one in ((0, 1), (6, 5), (2, 2))], None
        )
        expected = x.copy()
        expected[0:6:2, 1:5:2] = value
        same(np.array(target.numpy()), expected)


@over("aclnnChannelShuffle")
def test_channel_shuffle(dtype):
    for x in layouts(values((2, 6, 3), dtype)):
        expected = x.reshape(2, 3, 2, 3).swapaxes(1, 2).reshape(2, 6, 3)
        check("aclnnChannelShuffle", expected, x, 3, ...)


@over("aclnnCat", "tensors")
def test_cat(dtype):
    x, y = values((2, 3), dtype), values((2, 4), dtype, 1)
    for one, other in zip(layouts(x), layouts(y), strict=True):
        check("aclnnCat", np.concatenate([x, y], 1), acl.TensorList([one, other]), -1, ...)
    check("aclnnCat", x, acl.TensorList([np.empty(0, dtype), x]), 0, ...)


def test_cat_promotes():
    x, y = values((2, 3), np.int32), values((1, 3), np.float32)
    same(
        acl.result("aclnnCat", acl.TensorList([x, y]), 0, ..., out=np.empty((3, 3), np.float32)),
        np.concatenate([x, y]).astype(np.float32),
    )
    with acl.refused(161002, "aclnnCat", "out"):
        acl.result("aclnnCat", acl.TensorList([x, y]), 0, ..., out=np.empty((3, 3), bool))
    with acl.refused(161002, "aclnnCat", "tensors"):
        acl.result("aclnnCat", acl.TensorList([x, y]), 1, ..., out=np.empty((3, 3), np.float32))


@over("aclnnStack", "tensors")
def test_stack(dtype):
    x, y = values((2, 3), dtype), values((2, 3), dtype, 1)
    for axis in (0, 1, -1):
        for one, other in zip(layouts(x), layouts(y), strict=True):
            check("aclnnStack", np.stack([x, y], axis), acl.TensorList([one, other]), axis, ...)


@over("aclnnSplitTensor")
def test_split(dtype):
    for x in layouts(values((5, 3), dtype)):
        parts = [acl.Tensor(np.empty((n, 3), dtype)) for n in (2, 2, 1)]
        acl.run("aclnnSplitTensor", x, 2, 0, acl.TensorList(parts))
        for part, expected in zip(parts, np.split(x, [2, 4]), strict=True):
            same(part.numpy(), expected)
        parts = [acl.Tensor(np.empty((5, n), dtype)) for n in (1, 0, 2)]
        acl.run("aclnnSplitWithSize", x, acl.IntArray([1, 0, 2]), 1, acl.TensorList(parts))
        for part, expected in zip(parts, np.split(x, [1, 1], axis=1), strict=True):
            same(part.numpy(), expected)


def test_split_refusals():
    x = values((5, 3), np.float32)
    for sizes, axis, word in (([2, 2], 0, "splitSize"), ([6, -1], 0, "splitSize"), ([3], 2, "dim"), ([2, 3], 0, "out")):
        with acl.refused(161002, "aclnnSplitWithSize", word):
            acl.run("aclnnSplitWithSize", x, acl.IntArray(sizes), axis, acl.TensorList([np.empty((2, 3), np.float32)]))


@over("aclnnRepeatInterleave")
def test_repeat_interleave(dtype):
    for x in layouts(values((3, 4), dtype)):
        for kind in (np.int32, np.int64):
            each = np.array([2, 0, 3], kind)
            check("aclnnRepeatInterleaveWithDim", np.repeat(x, each, 0), x, each, 0, 5, ...)
            flat = np.arange(12).astype(kind) % 3
            check("aclnnRepeatInterleave", np.repeat(x, flat), x, flat, 12, ...)
            check("aclnnRepeatInterleave", np.repeat(x, 2), x, np.array(2, kind), 24, ...)
        check("aclnnRepeatInterleaveInt", np.repeat(x, 2), x, 2, 24, ...)
        check("aclnnRepeatInterleaveIntWithDim", np.repeat(x, 3, 1), x, 3, -1, 12, ...)


def test_repeat_interleave_of_indices():
    each = np.array([2, 0, 3], np.int64)
    check("aclnnRepeatInterleaveTensor", np.repeat(np.arange(3), each), each, 5, ...)
    with acl.refused(161002, "aclnnRepeatInterleaveInt", "outputSize"):
        acl.result("aclnnRepeatInterleaveInt", each, 2, 5, ..., out=np.empty(5, np.int64))


@over("aclnnFlatten")
def test_flatten(dtype):
    for x in layouts(values((2, 3, 4), dtype)):
        for axis in (-3, 0, 1, 2, -1, 3):
            before = int(np.prod(x.shape[: axis + 3 if axis < 0 else axis]))
            check("aclnnFlatten", x.reshape(before, -1), x, axis, ...)
    with acl.refused(161002, "aclnnFlatten", "axis"):
        acl.result("aclnnFlatten", x, 4, ..., out=np.empty((24, 1), dtype))
    with acl.refused(161002, "aclnnFlatten", "out"):
        acl.result("aclnnFlatten", x, 1, ..., out=np.empty((3, 8), dtype))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_gradient_of_repeating(kind):
    each = np.array([2, 0, 3], kind)
    for g in layouts(values((2, 5, 4), np.float32)):
        ends = np.cumsum(each)
        parts = [g[:, end - n : end] for n, end in zip(each, ends, strict=True)]
        expected = np.stack([part.astype(np.float64).sum(1) for part in parts], 1)
        got = acl.result("aclnnRepeatInterleaveGrad", g, each, 1, ..., out=np.empty((2, 3, 4), np.float32))
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)
    for two in (np.array(2, kind), np.array([2], kind)):
        got = acl.result("aclnnRepeatInterleaveGrad", g, two, -1, ..., out=np.empty((2, 5, 2), np.float32))
        np.testing.assert_allclose(got, g.reshape(2, 5, 2, 2).sum(-1), rtol=1e-6, atol=1e-6)
    with acl.refused(161002, "aclnnRepeatInterleaveGrad", "out"):
        acl.result("aclnnRepeatInterleaveGrad", g, each, 1, ..., out=np.empty((2, 4, 4), np.float32))


def test_of_no_axes_and_of_no_elements():
    x = np.array(3.0, np.float32)
    check("aclnnPermute", x, x, acl.IntArray([]), ...)
    check("aclnnExpand", np.broadcast_to(x, (2, 3)), x, acl.IntArray([2, 3]), ...)
    check("aclnnRepeat", np.tile(x, (2, 2)), x, acl.IntArray([2, 2]), ...)
    check("aclnnRoll", x, x, acl.IntArray([1]), acl.IntArray([]), ...)
    empty = np.empty((0, 3), np.float32)
    check("aclnnFlip", empty, empty, acl.IntArray([0]), ...)
    check("aclnnPermute", empty.T, empty, acl.IntArray([1, 0]), ...)
    check("aclnnCat", empty, acl.TensorList([empty, empty]), 0, ...)


def test_layout_refusals():
    x, out = values((2, 3), np.float32), np.empty((2, 3), np.float32)
    for name, word, *arguments in (
        ("aclnnPermute", "dims", acl.IntArray([0])),
        ("aclnnPermute", "dims", acl.IntArray([0, 0])),
        ("aclnnPermute", "out", acl.IntArray([1, 0])),
        ("aclnnExpand", "size", acl.IntArray([3])),
        ("aclnnExpand", "size", acl.IntArray([4, 3])),
        ("aclnnFlip", "dims", acl.IntArray([2])),
        ("aclnnRoll", "shifts", acl.IntArray([1]), acl.IntArray([0, 1])),
        ("aclnnRoll", "dims", acl.IntArray([1]), acl.IntArray([5])),
        ("aclnnRepeat", "repeats", acl.IntArray([2])),
        ("aclnnRepeat", "repeats", acl.IntArray([2, -1])),
        ("aclnnSlice", "step", 0, 0, 2, 0),
        ("aclnnSlice", "dim", 2, 0, 2, 1),
        ("aclnnSlice", "out", 0, 0, 1, 1),
        (
            "aclnnSliceV2",
            "axes",
            acl.IntArray([0, 0]),
            acl.IntArray([1, 1]),
            acl.IntArray([0, 0]),
            acl.IntArray([1, 1]),
        ),
        ("aclnnSliceV2", "ends", acl.IntArray([0]), acl.IntArray([1, 1]), acl.IntArray([0]), acl.IntArray([1])),
    ):
        with acl.refused(161002, name, word):
            acl.result(name, x, *arguments, ..., out=out)
