"""Simulated sorting and searching against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtypes, layouts, outs, same, values


def over(name, parameter="self"):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


def few(shape, dtype, seed=0):
    """Values with many equal ones, extremes of the dtype among them."""
    x = values(shape, dtype, seed)
    if x.dtype.kind in "iu":
        x.ravel()[:2] = np.iinfo(x.dtype).max, np.iinfo(x.dtype).min
    return (x.astype(np.float32) // 1).astype(dtype) if x.dtype.kind not in "iub" else x


def order(x, axis, descending):
    keys = x.astype(np.float64) if x.dtype.name in ("float16", "bfloat16") else x
    if not descending:
        return np.argsort(keys, axis=axis, kind="stable")
    n = x.shape[axis]
    return n - 1 - np.flip(np.argsort(np.flip(keys, axis), axis=axis, kind="stable"), axis)


def sort(x, axis, descending):
    value, index = acl.Tensor(np.zeros_like(x)), acl.Tensor(np.empty(x.shape, np.int64))
    acl.run("aclnnSort", x, True, axis, descending, value, index)
    return np.array(value.numpy()), np.array(index.numpy())


@pytest.mark.parametrize("descending", [False, True])
@over("aclnnSort")
def test_sort(dtype, descending):
    for x in layouts(few((4, 6, 3), dtype)):
        for axis in (0, 1, -1):
            value, index = sort(x, axis, descending)
            expected = order(x, axis, descending)
            same(index, expected)
            same(value, np.take_along_axis(x, expected, axis))
            if dtype in dtypes("aclnnArgsort", "self"):
                for out in outs(expected):
                    same(acl.result("aclnnArgsort", x, axis, descending, ..., out=out), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_nan_is_the_largest(dtype):
    x = np.array([3, np.nan, -0.0, 0.0, -np.inf, np.nan, np.inf], dtype)
    value, index = sort(x, 0, False)
    same(value, np.sort(x))
    assert index.tolist() == [4, 2, 3, 0, 6, 1, 5]
    assert sort(x, 0, True)[1].tolist() == [1, 5, 6, 0, 2, 3, 4]


@over("aclnnTopk")
def test_top(dtype):
    for x in layouts(few((4, 6), dtype)):
        for axis, k in ((1, 4), (0, 0), (-2, 4)):
            for largest in (False, True):
                shape = list(x.shape)
                shape[axis] = k
                value, index = acl.Tensor(np.zeros(shape, dtype)), acl.Tensor(np.empty(shape, np.int64))
                acl.run("aclnnTopk", x, k, axis, largest, True, value, index)
                expected = np.take(order(x, axis, largest), np.arange(k), axis)
                same(np.array(value.numpy()), np.take_along_axis(x, expected, axis))
                same(np.array(index.numpy()), expected)


@over("aclnnKthvalue")
def test_kth(dtype):
    for x in layouts(few((4, 6), dtype)):
        for axis in (0, -1):
            for keep in (False, True):
                expected = np.take(order(x, axis, False), [2], axis)
                shape = expected.shape if keep else expected.squeeze(axis).shape
                value, index = acl.Tensor(np.zeros(shape, dtype)), acl.Tensor(np.empty(shape, np.int64))
                acl.run("aclnnKthvalue", x, 3, axis, keep, value, index)
                same(np.array(value.numpy()), np.take_along_axis(x, expected, axis).reshape(shape))
                same(np.array(index.numpy()), expected.reshape(shape))


@over("aclnnSearchSorted", "sortedSequence")
def test_search(dtype):
    lines, wanted = np.sort(few((3, 7), dtype)), few((3, 4), dtype, 1)
    for right in (False, True):
        side = "right" if right else "left"
        for kind in (np.int64, np.int32):
            for line, value in zip(layouts(lines), layouts(wanted), strict=True):
                expected = np.searchsorted(lines[0], wanted, side).astype(kind)
                arguments = (value, kind is np.int32, right, None)
                for out in outs(expected):
                    same(acl.result("aclnnSearchSorted", line[0].copy(), *arguments, ..., out=out), expected)
                expected = np.array([np.searchsorted(a, b, side) for a, b in zip(lines, wanted, strict=True)], kind)
                same(acl.result("aclnnSearchSorted", line, *arguments, ..., out=np.empty_like(expected)), expected)
            scalar = acl.Scalar(wanted[0, 0], dtype)
            expected = np.array(np.searchsorted(lines[0], wanted[0, 0], side), kind)
            got = acl.result(
                "aclnnSearchSorteds", lines[0], scalar, kind is np.int32, right, None, ..., out=expected * 0
            )
            same(got, expected)


def test_search_with_an_order():
    x, wanted = values(9, np.float32), values(5, np.float32, 1)
    sorter = np.argsort(x)
    got = acl.result("aclnnSearchSorted", x, wanted, False, False, sorter, ..., out=np.empty(5, np.int64))
    same(got, np.searchsorted(x, wanted, sorter=sorter))


def test_of_no_elements_and_one_element():
    x = np.empty((0, 3), np.float32)
    same(sort(x, 0, False)[0], x)
    same(sort(x, 1, False)[0], x)
    same(sort(np.ones(1, np.float32), 0, True)[1], np.array([0]))
    same(
        acl.result(
            "aclnnSearchSorted",
            x[:, 0].copy(),
            np.ones(2, np.float32),
            False,
            False,
            None,
            ...,
            out=np.ones(2, np.int64),
        ),
        np.zeros(2, np.int64),
    )


def test_refusals():
    x, places = values((3, 4), np.float32), np.empty((3, 4), np.int64)
    for name, word, *arguments in (
        ("aclnnSort", "dim", x, True, 2, False, x.copy(), places),
        ("aclnnSort", "valuesOut", x, True, 0, False, x[:2].copy(), places),
        ("aclnnSort", "indicesOut", x, True, 0, False, x.copy(), places[:2].copy()),
        ("aclnnSort", "indicesOut", x, True, 0, False, x.copy(), places.astype(np.int32)),
        ("aclnnTopk", "k", x, 5, 1, True, True, x.copy(), places),
        ("aclnnTopk", "valuesOut", x, 2, 1, True, True, x.copy(), places),
        ("aclnnKthvalue", "k", x, 0, 1, True, x.copy(), places),
        ("aclnnKthvalue", "indicesOut", x, 1, 1, True, x[:, :1].copy(), np.empty((3, 1), np.int32)),
        ("aclnnSearchSorted", "self", x, x[:, 0].copy(), False, False, None, places[:, 0].copy()),
        ("aclnnSearchSorted", "out", x[0].copy(), x[0].copy(), True, False, None, places[0].copy()),
        ("aclnnSearchSorted", "sorter", x[0].copy(), x[0].copy(), False, False, places, places[0].copy()),
    ):
        with acl.refused(161002, name, word):
            acl.run(name, *arguments)
