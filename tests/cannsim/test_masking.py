"""Simulated masks and memberships against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtypes, layouts, outs, same, values


def over(name, parameter="self"):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


def mask(shape, seed=5):
    return np.random.default_rng(seed).random(shape) < 0.4


def late(name, out, *arguments):
    """An operator's output whose shape depends on data, as its view says afterwards."""
    target = acl.Tensor(out)
    acl.run(name, *[target if one is Ellipsis else one for one in arguments])
    shape = target.view_shape()
    return np.array(target.numpy()).reshape(-1)[: int(np.prod(shape))].reshape(shape)


@over("aclnnInplaceMaskedFillScalar", "selfRef")
def test_masked_fill(dtype):
    for where in (mask((3, 4)), mask(4), mask((3, 1))):
        for x in layouts(values((3, 4), dtype)):
            expected = np.where(where, dtype.type(1), x)
            for name, make in (("Scalar", acl.Scalar), ("Tensor", np.array)):
                known = dtype in dtypes(f"aclnnInplaceMaskedFill{name}", "value")
                target, value = acl.Tensor(x), make(1, dtype if known else np.dtype(bool))
                acl.run(f"aclnnInplaceMaskedFill{name}", target, where, value)
                same(np.array(target.numpy()), expected)


@over("aclnnMaskedSelect")
def test_masked_select(dtype):
    where = mask((3, 4))
    for kind in (bool, np.uint8):
        for x in layouts(values((3, 4), dtype)):
            same(late("aclnnMaskedSelect", np.empty(12, dtype), x, where.astype(kind), ...), x[where])
    row = values(4, dtype)
    same(late("aclnnMaskedSelect", np.empty(12, dtype), row, where, ...), np.broadcast_to(row, (3, 4))[where])
    same(late("aclnnMaskedSelect", np.empty(12, dtype), x, np.zeros((3, 4), bool), ...), x[:0, 0])


@over("aclnnInplaceMaskedScatter", "selfRef")
def test_masked_scatter(dtype):
    where = mask((3, 4))
    for x in layouts(values((3, 4), dtype)):
        source = values(12, dtype, 1)
        target = acl.Tensor(x)
        acl.run("aclnnInplaceMaskedScatter", target, where, source)
        expected = x.copy()
        np.place(expected, where, source)
        same(np.array(target.numpy()), expected)


@over("aclnnNonzeroV2")
def test_nonzero(dtype):
    for x in layouts((values((3, 4, 2), dtype) * mask((3, 4, 2)).astype(dtype)).astype(dtype)):
        same(late("aclnnNonzeroV2", np.empty((3, 24), np.int64), x, ...), np.array(np.nonzero(x)))
        if dtype in dtypes("aclnnNonzero", "self"):
            same(late("aclnnNonzero", np.empty((24, 3), np.int64), x, ...), np.argwhere(x != 0))


@over("aclnnNonzero")
def test_nonzero_of_a_number(dtype):
    """Its positions have no axes: there is nothing to write, and torch_npu gives no row for a zero."""
    for number in (0, 1):
        for rows in (0, 1, 3):
            got = late("aclnnNonzero", np.empty((rows, 0), np.int64), np.array(number, dtype), ...)
            assert got.shape == (number, 0)


@over("aclnnIsInTensorScalar", "element")
def test_is_in(dtype):
    for x in layouts(values((3, 4), dtype)):
        for value in (x[1, 2], dtype.type(1)):
            for invert in (False, True):
                expected = np.isin(x, value, invert=invert) if dtype.name != "bfloat16" else (x == value) != invert
                for out in outs(expected):
                    got = acl.result("aclnnIsInTensorScalar", x, acl.Scalar(value, dtype), False, invert, ..., out=out)
                    same(got, expected)
                found = acl.result(
                    "aclnnIsInScalarTensor", acl.Scalar(value, dtype), x, False, invert, ..., out=np.empty((), bool)
                )
                same(found, np.array(bool((x == value).any()) != invert))


@over("aclnnSWhere")
def test_where(dtype):
    for x, y in zip(layouts(values((3, 4), dtype)), layouts(values((3, 4), dtype, 1)), strict=True):
        for kind in (bool, np.uint8):
            expected = np.where(mask((3, 4)), x, y)
            for out in outs(expected):
                same(acl.result("aclnnSWhere", mask((3, 4)).astype(kind), x, y, ..., out=out), expected)
    expected = np.where(mask((3, 4)), x[0], y[:, :1])
    same(acl.result("aclnnSWhere", mask((3, 4)), x[0].copy(), y[:, :1].copy(), ..., out=expected.copy()), expected)


def test_refusals():
    x = values((3, 4), np.float32)
    for name, word, *arguments in (
        ("aclnnInplaceMaskedFillScalar", "mask", x, mask((2, 3, 4)), acl.Scalar(1, np.float32)),
        ("aclnnInplaceMaskedFillScalar", "mask", x, mask(3), acl.Scalar(1, np.float32)),
        ("aclnnInplaceMaskedFillScalar", "mask", x, x, acl.Scalar(1, np.float32)),
        ("aclnnInplaceMaskedFillTensor", "value", x, mask(4), np.ones(3, np.float32)),
        ("aclnnInplaceMaskedScatter", "source", x, mask(4), np.ones(12, np.int32)),
        ("aclnnMaskedSelect", "out", x, mask(4), np.empty(11, np.float32)),
        ("aclnnMaskedSelect", "out", x, mask(4), np.empty(12, np.int32)),
        ("aclnnNonzeroV2", "out", x, np.empty((2, 11), np.int64)),
        ("aclnnNonzeroV2", "out", x, np.empty((2, 12), np.int32)),
        ("aclnnIsInTensorScalar", "out", x, acl.Scalar(1, np.float32), False, False, np.empty(12, bool)),
    ):
        with acl.refused(161002, name, word):
            acl.run(name, *arguments)


def test_numbers_come_as_the_widest_type_of_their_kind():
    x, where = values((3, 4), np.float32), mask((3, 4))
    for number, dtype in ((-np.inf, np.float64), (7, np.int64)):
        target = acl.Tensor(x.copy())
        acl.run("aclnnInplaceMaskedFillScalar", target, where, acl.Scalar(number, dtype))
        same(np.array(target.numpy()), np.where(where, np.float32(number), x))
