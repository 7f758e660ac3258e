"""Simulated operators that write or add values at indices, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import dtypes, layouts, outs, same, values

MEET = {0: None, 1: np.add, 2: np.multiply, 3: np.maximum, 4: np.minimum}


def over(name, parameter="self"):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


def check(name, expected, *arguments):
    for out in outs(expected):
        same(acl.result(name, *arguments, out=out), expected)


def in_place(name, x, *arguments):
    target = acl.Tensor(x)
    acl.run(name, target, *arguments)
    return np.array(target.numpy())


def scattered(x, axis, index, source, meet):
    """Element by element, as the operator is defined; 16-bit floats round after each."""
    result = x.copy()
    for place in np.ndindex(index.shape):
        at = list(place)
        at[axis] = int(index[place])
        value = source[place] if isinstance(source, np.ndarray) else source
        if meet is None:
            result[tuple(at)] = value
        else:
            result[tuple(at)] = np.asarray(meet(result[tuple(at)], value)).astype(x.dtype)
    return result


def small(shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(0, 4, shape).astype(dtype)


@over("aclnnScatter")
def test_scatter(dtype):
    index = np.array([[0, 2, 1, 0], [2, 2, 0, 1]])
    for reduce, meet in MEET.items():
        if reduce > 2 and dtype.kind == "c":
            continue
        for kind in (np.int32, np.int64):
            for x, source in zip(layouts(small((3, 5), dtype)), layouts(small((2, 6), dtype, 1)), strict=True):
                expected = scattered(x, 0, index, source, meet)
                check("aclnnScatter", expected, x, 0, index.astype(kind), source, reduce, ...)
                same(in_place("aclnnInplaceScatter", x, 0, index.astype(kind), source, reduce), expected)


@over("aclnnScatterValue")
def test_scatter_value(dtype):
    index = np.array([[0, 2, -2], [2, 4, 0]])
    for reduce, meet in MEET.items():
        if reduce > 2 and dtype.kind == "c":
            continue
        for x in layouts(small((3, 5), dtype)):
            expected = scattered(x, 1, index, dtype.type(1), meet)
            value = acl.Scalar(1, dtype)
            check("aclnnScatterValue", expected, x, 1, index, value, reduce, ...)
            same(in_place("aclnnInplaceScatterValue", x, -1, index, value, reduce), expected)


@over("aclnnScatterAdd")
def test_scatter_add(dtype):
    index = np.array([[0, 2, 1, 0], [2, 2, 0, 0]])
    source = small((2, 4), dtype, 1)  # it and the result must lie in C order
    for x in layouts(small((3, 5), dtype)):
        expected = scattered(x, 0, index, source, np.add)
        same(acl.result("aclnnScatterAdd", x, 0, index, source, ..., out=np.empty_like(expected, order="C")), expected)


@over("aclnnIndexAdd")
def test_index_add(dtype):
    index = np.array([0, 2, 0, -1])
    for axis, shape in ((0, (4, 5)), (1, (3, 4))):
        for x, source in zip(layouts(small((3, 5), dtype)), layouts(small(shape, dtype, 1)), strict=True):
            for alpha in (1, 2):
                expected = x.copy()
                for i, place in enumerate(index):
                    line = (slice(None),) * axis
                    factor = source[(*line, i)] * np.asarray(alpha).astype(dtype)
                    expected[(*line, place)] = expected[(*line, place)] + factor.astype(dtype)
                check("aclnnIndexAdd", expected, x, axis, index, source, acl.Scalar(alpha, np.int64), ...)


@over("aclnnInplaceIndexCopy", "selfRef")
def test_index_copy(dtype):
    index = np.array([2, 0])
    for x, source in zip(layouts(values((3, 5), dtype)), layouts(values((3, 2), dtype, 1)), strict=True):
        expected = x.copy()
        expected[:, index] = source
        same(in_place("aclnnInplaceIndexCopy", x, 1, index, source), expected)
        check("aclnnIndexCopy", expected, x, 1, index, source, ...)


@over("aclnnIndexFillTensor")
def test_index_fill(dtype):
    for x in layouts(values((3, 5), dtype)):
        expected = x.copy()
        expected[:, [1, -1]] = dtype.type(1)
        arguments = (1, acl.IntArray([1, -1]), acl.Scalar(1, dtype))
        check("aclnnIndexFillTensor", expected, x, *arguments, ...)
        same(in_place("aclnnInplaceIndexFillTensor", x, *arguments), expected)


@over("aclnnInplacePut", "selfRef")
def test_put(dtype):
    index = np.array([[3, -1, 3], [0, 5, 3]], np.int32)
    for x, source in zip(layouts(small((3, 4), dtype)), layouts(small((2, 3), dtype, 1)), strict=True):
        expected = x.copy()
        np.put(expected, index, source)
        same(in_place("aclnnInplacePut", x, index, source, False), expected)
        expected = x.copy()
        for place, value in zip(index.ravel(), source.ravel(), strict=True):
            at = np.unravel_index(int(place) % 12, (3, 4))
            expected[at] = expected[at] + value
        same(in_place("aclnnInplacePut", x, index, source, True), expected)


@pytest.mark.parametrize("known", [1, 2, 3])
@pytest.mark.parametrize("dtype", dtypes("aclnnScatterNdUpdate", "varRef"), ids=str)
def test_scatter_nd(dtype, known):
    rng = np.random.default_rng(1)
    index = np.stack([rng.permutation(3)[:2] for _ in range(known)], -1)
    for x in layouts(values((3, 4, 5), dtype)):
        updates = values((2, *x.shape[known:]), dtype, 1)
        expected = x.copy()
        expected[tuple(index.T)] = updates
        same(in_place("aclnnScatterNdUpdate", x, index, updates), expected)
        if dtype in dtypes("aclnnScatterNd", "data"):
            check("aclnnScatterNd", expected, x, index.astype(np.int32), updates, ...)


@over("aclnnInplaceScatterUpdate", "data")
def test_scatter_update(dtype):
    for x in layouts(values((3, 2, 6, 4), dtype)):
        updates = values((3, 2, 2, 4), dtype, 1)
        expected = x.copy()
        for batch, place in enumerate((1, 4, 0)):
            expected[batch, :, place : place + 2] = updates[batch]
        same(in_place("aclnnInplaceScatterUpdate", x, np.array([1, 4, 0]), updates, -2), expected)
        expected = x.copy()
        expected[2, :, 3:5] = updates[0]
        same(in_place("aclnnInplaceScatterUpdate", x, np.array([[2, 3]]), updates[:1], 2), expected)


def test_of_no_axes_and_of_no_elements():
    x = np.array(3.0, np.float32)
    check("aclnnScatterAdd", np.array(5.0, np.float32), x, 0, np.array(0), np.array(2.0, np.float32), ...)
    full, none = values((3, 4), np.float32), np.empty((0, 4), np.int64)
    check("aclnnScatter", full, full, 0, none, full, 0, ...)
    check("aclnnIndexAdd", full, full, 0, none[:, 0].copy(), full[:0].copy(), acl.Scalar(1, np.float32), ...)


def test_an_index_outside_is_a_finding_and_writes_nothing():
    x = values((3, 4), np.float32)
    before = acl.sim.cannsim_findings(b"out_of_bounds")
    index = np.array([[3, 0, 0, 0]])
    expected = x.copy()
    expected[0, 1:] = 1
    same(acl.result("aclnnScatter", x, 0, index, np.ones((1, 4), np.float32), 0, ..., out=np.empty_like(x)), expected)
    assert acl.sim.cannsim_findings(b"out_of_bounds") == before + 1


def test_refusals():
    x, index = values((3, 4), np.float32), np.zeros((2, 4), np.int64)
    one = acl.Scalar(1, np.float32)
    for name, word, *arguments in (
        ("aclnnScatter", "dim", x, 2, index, x, 0, ...),
        ("aclnnScatter", "reduce", x, 0, index, x, 5, ...),
        ("aclnnScatter", "index", x, 0, np.zeros((2, 5), np.int64), x, 0, ...),
        ("aclnnScatter", "src", x, 0, index, x[:1].copy(), 0, ...),
        ("aclnnScatter", "src", x, 0, index, x.astype(np.float64), 0, ...),
        ("aclnnScatterValue", "index", x, 0, np.zeros(2, np.int64), one, 0, ...),
        ("aclnnIndexAdd", "source", x, 0, index[0], x, one, ...),
        ("aclnnIndexAdd", "index", x, 0, index, x, one, ...),
        ("aclnnInplaceIndexCopy", "source", ..., 0, index[0], x[:2].copy()),
        ("aclnnIndexFillTensor", "index", x, 0, acl.IntArray([3]), one, ...),
        ("aclnnInplacePut", "source", ..., index, x, False),
        ("aclnnScatterNdUpdate", "updates", ..., index[:, :1].copy(), x[:1].copy()),
        ("aclnnInplaceScatterUpdate", "axis", ..., np.zeros(3, np.int64), x, 0),
    ):
        with acl.refused(161002, name, word):
            acl.result(name, *arguments, out=x.copy())
