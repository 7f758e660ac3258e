"""Calls of ndarray's methods in the forms that NumPy takes, memory that is not aligned, pickles in a memory order."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from agreement import agree

import asnumpy as ap

CALLS = {
    "searchsorted": lambda xp: xp.arange(5).searchsorted(v=[1, 3]),
    "dot": lambda xp: xp.arange(4.0).dot(b=xp.ones(4)),
    "take": lambda xp: xp.arange(5).take(indices=[1, 2], axis=0),
    "repeat": lambda xp: xp.arange(3).repeat(repeats=2),
    "argpartition": lambda xp: xp.arange(5)[::-1].argpartition(kth=2)[2],
    "choose one by one": lambda xp: xp.array([0, 1, 0]).choose(xp.arange(3), xp.arange(3) + 10),
    "choose": lambda xp: xp.array([0, 1, 2]).choose([1, 2, 3]),
    "choose weak": lambda xp: xp.choose([0], (-1, xp.array([1], dtype=np.uint8))),
    "choose float32": lambda xp: xp.choose([0, 1], (1.0, xp.array([3], dtype=np.float32))),
    "conjugate out": lambda xp: (lambda out: (xp.arange(3).conjugate(out), out))(xp.empty(3)),
    "conj out": lambda xp: (lambda out: (xp.array([1j, 2]).conj(out), out))(xp.empty(2, complex)),
    "conj many": lambda xp: xp.arange(3).conj(None, None),
    "round order": lambda xp: [xp.round(xp.arange(12).reshape(3, 4).T.astype(t), d).flags.f_contiguous
                               for t in (int, complex, float, np.uint8) for d in (0, 2)],
    "resize": lambda xp: [(a.resize(*s), a.shape)[1] for a, s in
                          ((xp.ones(1), ((),)), (xp.ones(()), ((1,),)), (xp.ones(2), ()), (xp.ones(2), (None,)))],
    "resize to text": lambda xp: xp.eye(3).resize("hi"),
    "resize check alone": lambda xp: xp.eye(3).resize(refcheck="hi"),
    "resize check": lambda xp: xp.eye(3).resize(4, refcheck="hi"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_calls(call):
    agree(call)


def test_put_and_partition_by_name():
    for xp in (np, ap):
        a = xp.arange(5)[::-1].copy()
        a.put(indices=[0], values=[7])
        a.partition(kth=1)
        assert a.tolist()[:2] == [0, 1]


SHAPES = [((3, 3), (3,)), ((3, 3), (3, 1)), ((1, 3), (3, 3)), ((3, 3, 3), (1, 3, 1)), ((1, 3, 3), (3, 3, 3)),
          ((2, 3), (3, 2)), ((3,), (3, 3)), ((3,), (3, 2)), ((3,), (2, 3, 3)), ((2, 3, 3), (3,)),
          ((3, 1, 3), (3, 3, 3))]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_inplace_matmul_is_not_broadcast(left, right):
    def multiplied(xp):
        a = xp.arange(float(np.prod(left))).reshape(left)
        a @= xp.arange(float(np.prod(right))).reshape(right)
        return a

    try:
        expected = multiplied(np)
    except ValueError:
        with pytest.raises(ValueError):
            multiplied(ap)
    else:
        np.testing.assert_array_equal(np.asarray(multiplied(ap)), expected)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_pickles_keep_the_memory_order(axes):
    a = ap.arange(24.0).reshape(2, 3, 4).transpose(axes)
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    back = pickle.loads(text, buffers=buffers)
    assert len(buffers) == 1
    assert back.tolist() == a.tolist()
    if str(a.device) == "cpu":
        assert back.strides == a.strides
    within = pickle.loads(pickle.dumps(a, protocol=5))
    assert within.tolist() == a.tolist()
    buffers.clear()
    parts = a[:, ::2]
    text = pickle.dumps(parts, 5, buffer_callback=buffers.append)
    assert pickle.loads(text, buffers=buffers).tolist() == parts.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex64, np.float64])
def test_memory_that_is_not_aligned(dtype):
    """A view of it is NumPy's, over the same memory; of a device's memory it is a copy."""
    octets = ap.zeros(8 * np.dtype(dtype).itemsize + 1, dtype=np.uint8)[1:]
    view = octets.view(dtype)
    assert view.dtype == dtype and view.shape == (8,)
    total = ap.add(view, ap.ones(8, dtype=dtype))
    assert type(total) is ap.ndarray and total.tolist() == [1] * 8
    if str(octets.device) == "cpu":
        assert type(view) is np.ndarray and not view.flags.aligned
        view[2] = 3
        assert octets.tolist() == np.asarray(view).view(np.uint8).tolist() and any(octets.tolist())
    buffer = bytearray(8 * np.dtype(dtype).itemsize + 1)
    made = ap.ndarray((8,), dtype, buffer, 1)
    made[3] = 5
    assert np.ndarray((8,), dtype, buffer, 1).tolist() == [0, 0, 0, 5, 0, 0, 0, 0] == made.tolist()
    if str(octets.device) == "cpu":
        assert ap.array(made, copy=False) is made
    assert type(ap.asarray(made)) is ap.ndarray
