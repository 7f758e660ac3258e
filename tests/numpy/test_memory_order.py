"""Strides of results beside NumPy's: ufuncs of operands with any layout, copies and arrays like others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap

_DTYPES = st.sampled_from(["?", "i1", "i4", "f4", "f8", "c16"])


@st.composite
def layouts(draw, shape):
    """An array of that shape: axes in any order in memory, gaps, reversed, repeated."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 1, 2, -1, 0])) for _ in shape]
    lengths = [shape[axis] * max(abs(steps[axis]), 1) for axis in order]
    memory = np.arange(1, np.prod(lengths, dtype=int) + 1).reshape(lengths).astype(draw(_DTYPES))
    view = memory.transpose(np.argsort(order))
    for axis, step in enumerate(steps):
        key = (slice(None),) * axis
        if step == 0:
            view = view[(*key, slice(0, 1))]
            view = np.broadcast_to(view, (*view.shape[:axis], shape[axis], *view.shape[axis + 1:]))
        else:
            view = view[(*key, slice(None, None, step))][(*key, slice(0, shape[axis]))]
    return view


@st.composite
def operands(draw, most=3):
    shape = draw(st.lists(st.sampled_from([1, 1, 2, 3, 4]), min_size=0, max_size=5))
    made = []
    for _ in range(draw(st.integers(1, most))):
        kept = draw(st.integers(0, len(shape))) if made else 0
        own = [1 if draw(st.integers(0, 5)) == 0 else n for n in shape[kept:]]
        made.append(draw(layouts(tuple(own))))
    return made


def _ours(a):
    """The same layout here."""
    low = sum(min(0, (n - 1) * s) for n, s in zip(a.shape, a.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(a.shape, a.strides, strict=True)) + a.itemsize
    memory = np.zeros(high - low, np.uint8)
    view = np.ndarray(a.shape, a.dtype, memory, -low, a.strides)
    if all(s != 0 or n < 2 for n, s in zip(a.shape, a.strides, strict=True)):
        view[...] = a
    else:
        for place in np.ndindex(a.shape):
            view[place] = a[place]
    held = ap.from_dlpack(memory)
    return ap.ndarray(a.shape, a.dtype, held, -low, a.strides)


def _same(found, expected):
    assert found.shape == expected.shape
    assert found.strides == expected.strides
    np.testing.assert_array_equal(ap.to_numpy(found), expected)


@settings(max_examples=400, deadline=None)
@given(operands())
def test_results_of_ufuncs(arrays):
    mine = [_ours(a) for a in arrays]
    assert [a.strides for a in mine] == [a.strides for a in arrays]
    if len(arrays) == 1:
        _same(ap.isfinite(mine[0]), np.isfinite(arrays[0]))
        _same(ap.square(mine[0]), np.square(arrays[0])) if arrays[0].dtype != bool else None
    elif len(arrays) == 2:
        _same(ap.less(*mine), np.less(*arrays))
        _same(mine[0] + mine[1], arrays[0] + arrays[1])
        _same(ap.add(*mine, dtype="c16"), np.add(*arrays, dtype="c16"))
    else:
        _same(ap.where(mine[0], mine[1], mine[2]), np.where(*arrays))


@settings(max_examples=100, deadline=None)
@given(operands(2), st.randoms(use_true_random=False))
def test_one_of_two_outputs_is_given(arrays, random):
    a = arrays[0].astype("f8", order="K")
    out = np.empty_like(np.frexp(a)[0].T).T if random.random() < 0.5 else np.empty(a.shape)
    mine = _ours(out)
    expected, found = np.frexp(a, out=(out, None)), ap.frexp(_ours(a), out=(mine, None))
    _same(found[1], expected[1])
    assert found[0] is mine


@settings(max_examples=200, deadline=None)
@given(operands(1), st.sampled_from("KACF"), st.sampled_from([None, "f4", "c16"]))
def test_copies_and_arrays_like_others(arrays, order, dtype):
    a, mine = arrays[0], _ours(arrays[0])
    _same(mine.copy(order), a.copy(order))
    _same(ap.copy(mine, order), np.copy(a, order))
    _same(ap.array(mine, order=order), np.array(a, order=order))
    _same(mine.astype("c16", order=order), a.astype("c16", order=order))
    for name in ("zeros_like", "ones_like"):
        _same(getattr(ap, name)(mine, dtype=dtype, order=order), getattr(np, name)(a, dtype=dtype, order=order))
    assert ap.empty_like(mine, dtype, order).strides == np.empty_like(a, dtype, order).strides


@pytest.mark.parametrize("shape", [(4, 6), (4, 1, 6), (1, 4, 6, 1), (4, 6, 1)])
def test_whether_a_result_can_be_reshaped_without_a_copy(shape):
    a = np.ones(shape)
    for number in (1, 1.0):
        result, mine = np.less(a.T, number), ap.less(ap.asarray(a).T, number)
        assert mine.strides == result.strides
        flat = mine.reshape(2, -1)
        flat[0, 0] = True
        expected = result.reshape(2, -1)
        expected[0, 0] = True
        np.testing.assert_array_equal(ap.to_numpy(mine), result)
