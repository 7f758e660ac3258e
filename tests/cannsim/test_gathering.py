"""Simulated operators that pick elements by index, against NumPy."""

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


def indices(low, high, shape, kind=np.int64, seed=3):
    return np.random.default_rng(seed).integers(low, high, shape).astype(kind)


@over("aclnnIndexSelect")
def test_index_select(dtype):
    for kind in (np.int32, np.int64):
        for x in layouts(values((3, 4, 5), dtype)):
            for axis in (0, 1, -1):
                index = indices(-3, 3, 6, kind)
                check("aclnnIndexSelect", x.take(index, axis), x, axis, index, ...)


@over("aclnnGatherV2")
def test_gather_v2(dtype):
    for kind in (np.int32, np.int64):
        for x in layouts(values((3, 4, 5), dtype)):
            for axis in (0, 1, -1):
                for index in layouts(indices(-3, 3, (2, 3), kind)):
                    check("aclnnGatherV2", x.take(index, axis), x, axis, index, ...)


@over("aclnnEmbedding", "weight")
def test_embedding(dtype):
    for x in layouts(values((6, 3), dtype)):
        index = indices(0, 6, (2, 4), np.int32)
        check("aclnnEmbedding", x[index], x, index, ...)


@over("aclnnTake")
def test_take(dtype):
    for x in layouts(values((3, 4), dtype)):
        for index in layouts(indices(-12, 12, (5, 2))):
            check("aclnnTake", x.take(index), x, index, ...)


@over("aclnnGather")
def test_gather(dtype):
    for x in layouts(values((3, 4, 5), dtype)):
        for axis, shape in ((0, (7, 4, 5)), (1, (3, 2, 5)), (2, (2, 3, 9))):
            for index in layouts(indices(0, 3, shape, np.int32)):
                part = x[tuple(slice(n if i != axis else None) for i, n in enumerate(shape))]
                check("aclnnGather", np.take_along_axis(part, index.astype(np.int64), axis), x, axis, index, ...)


@over("aclnnGatherNd")
def test_gather_nd(dtype):
    for x in layouts(values((3, 4, 5), dtype)):
        for known in (1, 2, 3):
            index = indices(-3, 3, (2, 6, known))
            check("aclnnGatherNd", x[tuple(np.moveaxis(index, -1, 0))], x, index, True, ...)


def test_of_no_axes_and_of_no_elements():
    x = np.array(3.0, np.float32)
    check("aclnnGather", x, x, 0, np.array(0), ...)
    check("aclnnIndexSelect", x, x, 0, np.array([0]), ...)
    check("aclnnTake", x[None], x, np.array([0]), ...)
    full, none = values((3, 4), np.float32), np.empty(0, np.int64)
    check("aclnnIndexSelect", full[:0], full, 0, none, ...)
    check("aclnnTake", full[0, :0], full, none, ...)
    check("aclnnGather", full[:0], full, 0, np.empty((0, 4), np.int64), ...)


@pytest.mark.parametrize("name", ["aclnnIndexSelect", "aclnnGatherV2", "aclnnTake", "aclnnGather"])
def test_an_index_outside_is_a_finding(name):
    x, index = values(4, np.float32), np.array([1, 4])
    arguments = (x, index) if name == "aclnnTake" else (x, 0, index)
    before = acl.sim.cannsim_findings(b"out_of_bounds")
    got = acl.result(name, *arguments, ..., out=np.empty(2, np.float32))
    assert got[0] == x[1]
    assert acl.sim.cannsim_findings(b"out_of_bounds") == before + 1


def test_refusals():
    x, index = values((3, 4), np.float32), np.array([0, 1])
    for name, word, shape, *arguments in (
        ("aclnnIndexSelect", "dim", (2, 4), x, 2, index),
        ("aclnnIndexSelect", "index", (2, 4), x, 0, index[None]),
        ("aclnnIndexSelect", "index", (2, 4), x, 0, index.astype(np.float32)),
        ("aclnnIndexSelect", "out", (3, 4), x, 0, index),
        ("aclnnGatherV2", "out", (2, 1, 4), x, 0, index),
        ("aclnnTake", "out", (3,), x, index),
        ("aclnnGather", "index", (2,), x, 0, index),
        ("aclnnGather", "index", (2, 5), x, 0, np.zeros((2, 5), np.int64)),
        ("aclnnGatherNd", "indices", (2,), x, np.zeros((2, 3), np.int64), False),
        ("aclnnGatherNd", "out", (2, 3), x, np.zeros((2, 1), np.int64), False),
        ("aclnnEmbedding", "out", (2, 3), x, index),
    ):
        with acl.refused(161002, name, word):
            acl.result(name, *arguments, ..., out=np.empty(shape, np.float32))
    with acl.refused(161002, "aclnnIndexSelect", "out"):
        acl.result("aclnnIndexSelect", x, 0, index, ..., out=np.empty((2, 4), np.float64))
