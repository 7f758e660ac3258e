"""Simulated advanced indexing, read and written, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cannsim import acl
from cannsim.documented import dtypes, layouts, outs, same, values

NOTHING = np.empty(0)  # stands for an empty tensor of self's dtype, which torch_npu gives for an axis that stays


def over(name, parameter):
    return pytest.mark.parametrize("dtype", dtypes(name, parameter), ids=str)


def key_of(keys):
    return tuple(slice(None) if one is None or one is NOTHING else one for one in keys)


def given_keys(keys, x):
    return acl.TensorList([np.empty(0, x.dtype) if one is NOTHING else one for one in keys])


ROWS, COLUMNS = np.array([[0], [2]]), np.array([1, 3, -1], np.int32)
MASK = np.array([True, False, True])
KEYS = [
    (ROWS,),
    (ROWS, COLUMNS),
    (None, COLUMNS),
    (NOTHING, NOTHING, COLUMNS),
    (ROWS, None, np.array([1, 0, 4])),
    (MASK,),
    (MASK, None, np.array([3, 4])),
    (None, np.array([0, 3]), np.array([[1], [2]])),
    (np.outer(MASK, [1, 0, 1, 1]).astype(bool),),
    (None, np.array([[1, 0, 1, 0, 1]] * 4, bool)),
]


@over("aclnnIndex", "self")
def test_index(dtype):
    for x in layouts(values((3, 4, 5), dtype)):
        for keys in KEYS:
            expected = x[key_of(keys)]
            for out in outs(expected):
                same(acl.result("aclnnIndex", x, given_keys(keys, x), ..., out=out), expected)


def put(x, keys, new, accumulate=False):
    target = acl.Tensor(x)
    acl.run("aclnnIndexPutImpl", target, given_keys(keys, x), new, accumulate, False)
    return np.array(target.numpy())


@over("aclnnIndexPutImpl", "selfRef")
def test_index_put(dtype):
    for x in layouts(values((3, 4, 5), dtype)):
        for keys in KEYS:
            shape = x[key_of(keys)].shape
            for new in (values(shape, dtype, 7), values(shape[-1:], dtype, 7), np.array([1], dtype)):
                expected = x.copy()
                expected[key_of(keys)] = new
                same(put(x, keys, new), expected)


@over("aclnnIndexPutImpl", "selfRef")
def test_index_put_accumulates(dtype):
    if dtype.kind == "b":
        return
    x, rows = np.zeros((3, 4), dtype), np.array([0, 2, 0, -3])
    expected = x.copy()
    for row in rows:
        expected[row] += np.arange(4).astype(dtype)
    same(put(x, (rows,), np.tile(np.arange(4).astype(dtype), (4, 1)), True), expected)


@st.composite
def cases(draw):
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    common = draw(st.lists(st.integers(1, 3), max_size=3))
    keys = []
    for n in draw(st.integers(1, len(shape)).map(lambda k: shape[:k])):
        if draw(st.booleans()):
            keys.append(None)
            continue
        own = [draw(st.sampled_from([1, m])) for m in common][draw(st.integers(0, len(common))) :] or [1]
        size = int(np.prod(own))
        keys.append(np.array(draw(st.lists(st.integers(-n, n - 1), min_size=size, max_size=size))).reshape(own))
    return shape, keys


@settings(max_examples=150, deadline=None)
@given(cases())
def test_any_keys(case):
    shape, keys = case
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    expected = x[key_of(keys)]
    same(acl.result("aclnnIndex", x, given_keys(keys, x), ..., out=np.zeros_like(expected)), expected)
    if len(set(expected.ravel().tolist())) == expected.size:  # each place once
        new = -1 - np.arange(expected.size, dtype=np.float32).reshape(expected.shape)
        written = x.copy()
        written[key_of(keys)] = new
        if new.ndim:
            same(put(x, keys, new), written)


def test_refusals():
    x = values((3, 4), np.float32)
    for keys, shape, word in (
        ((ROWS,), (2, 4), "out"),
        ((ROWS, ROWS, ROWS), (2, 1), "indices"),
        ((np.array([0, 1]), np.array([0, 1, 2])), (2,), "indices"),
        ((np.array([True, False]),), (1, 4), "indices"),
        ((np.array([0.5]),), (1, 4), "indices"),
    ):
        with acl.refused(161002, "aclnnIndex", word):
            acl.result("aclnnIndex", x, given_keys(keys, x), ..., out=np.empty(shape, np.float32))
    with acl.refused(161002, "aclnnIndex", "out"):
        acl.result("aclnnIndex", x, acl.TensorList([ROWS]), ..., out=np.empty((2, 1, 4), np.float64))
    for new, word in ((np.ones(3, np.float32), "values"), (np.ones(4, np.float64), "values")):
        with acl.refused(161002, "aclnnIndexPutImpl", word):
            put(x, (ROWS,), new)


@pytest.mark.parametrize("index", [np.empty(0, np.int64), np.empty(0, np.int32), np.zeros(3, bool)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_an_index_that_picks_nothing_writes_nothing(index, dtype):
    """A mask without a True becomes an empty index: of int64, as self may be, too."""
    x = values((3, 4), np.dtype(dtype))
    new = np.ones(1, dtype)
    same(put(x, [index], new), x)
    same(put(x, [index], np.ones(4, dtype)), x)
    same(acl.result("aclnnIndex", x, acl.TensorList([index]), ..., out=np.empty((0, 4), dtype)), x[:0])
