"""Strides of results beside NumPy's: of ufuncs on any layout, reductions, scans, joins, copies, likenesses."""

from __future__ import annotations

import operator
import warnings

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


_FOLDS = ["sum", "prod", "max", "min", "all", "any", "mean", "var", "std", "ptp", "average", "median"]
# NumPy copies the array first, and copies of elements that repeat have an order of their own.
_FOLDS_OF_COPIES = [
    "count_nonzero", "linalg.norm", "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian",
]
_METHODS = ["sum", "prod", "max", "min", "all", "any", "mean", "var", "std"]
_MASKED = ["sum", "prod", "all", "any", "mean"]
_UFUNCS = ["add", "multiply", "maximum", "logical_or", "logical_xor", "hypot", "bitwise_and"]


def _strides(a):
    """Those that say something: of axes of more than one element, where there is any element."""
    return a.shape, [s for s, n in zip(a.strides, a.shape, strict=True) if n > 1 and a.size]


def _order(call):
    """The strides of what a call gives, or the class of its exception."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _strides(call())
        except (TypeError, ValueError, IndexError) as error:
            return type(error).__name__


def _assert_same_order(a, mine, call):
    assert _order(lambda: call(ap, mine)) == _order(lambda: call(np, a)), (a.shape, a.strides)


@settings(max_examples=300, deadline=None)
@given(operands(1), st.data())
def test_reductions(arrays, data):
    a, mine = arrays[0], _ours(arrays[0])
    axes = st.lists(st.integers(0, a.ndim - 1), unique=True).map(tuple) if a.ndim else st.just(())
    axis = data.draw(st.one_of(st.none(), st.integers(0, a.ndim - 1), axes) if a.ndim else st.none())
    keepdims = {"keepdims": True} if data.draw(st.booleans()) else {}
    repeats = any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape, strict=True))
    name = data.draw(st.sampled_from(_FOLDS if repeats else _FOLDS + _FOLDS_OF_COPIES))
    _assert_same_order(a, mine, lambda xp, x: operator.attrgetter(name)(xp)(x, axis=axis, **keepdims))
    method = data.draw(st.sampled_from(_METHODS))
    _assert_same_order(a, mine, lambda xp, x: getattr(x, method)(axis=axis, **keepdims))
    dtype = data.draw(st.sampled_from([None, "f8", "c16"]))
    _assert_same_order(a, mine, lambda xp, x: getattr(xp, method)(x, axis=axis, dtype=dtype, **keepdims))
    _assert_same_order(a, mine, lambda xp, x: xp.quantile(x, 0.3, axis=axis, **keepdims))
    ufunc = data.draw(st.sampled_from(_UFUNCS))
    _assert_same_order(a, mine, lambda xp, x: getattr(xp, ufunc).reduce(x, axis=axis, **keepdims))
    mask = data.draw(layouts(a.shape)) != 2
    masked = data.draw(st.sampled_from(_MASKED))
    ours = _ours(mask)
    _assert_same_order(
        a, mine, lambda xp, x: getattr(xp, masked)(x, axis=axis, where=ours if xp is ap else mask, **keepdims))
    one = axis if type(axis) is int else None
    for name in ("argmax", "argmin"):
        _assert_same_order(a, mine, lambda xp, x, name=name: getattr(xp, name)(x, axis=one, **keepdims))


@settings(max_examples=200, deadline=None)
@given(operands(1), st.data())
def test_scans(arrays, data):
    a, mine = arrays[0], _ours(arrays[0])
    axis = data.draw(st.integers(0, a.ndim - 1)) if a.ndim else None
    name = data.draw(st.sampled_from(["cumsum", "cumprod"]))
    dtype = data.draw(st.sampled_from([None, "f8", "c16"]))
    _assert_same_order(a, mine, lambda xp, x: getattr(xp, name)(x, axis=axis, dtype=dtype))
    _assert_same_order(a, mine, lambda xp, x: x.cumsum(axis=axis))
    if axis is None:
        return
    start = data.draw(st.booleans()) and a.shape[axis] > 1  # of one that had a single element the array tells nothing
    _assert_same_order(a, mine, lambda xp, x: xp.cumulative_sum(x, axis=axis, include_initial=start))
    ufunc = data.draw(st.sampled_from(_UFUNCS))
    _assert_same_order(a, mine, lambda xp, x: getattr(xp, ufunc).accumulate(x, axis=axis))
    places = data.draw(st.lists(st.integers(0, a.shape[axis] - 1), min_size=1, max_size=4))
    _assert_same_order(a, mine, lambda xp, x: getattr(xp, ufunc).reduceat(x, places, axis=axis))


@st.composite
def parts(draw):
    """Arrays that fit along an axis, and the axis."""
    shape = draw(st.lists(st.sampled_from([1, 1, 2, 3, 4]), min_size=1, max_size=5))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    made = []
    for _ in range(draw(st.integers(1, 3))):
        shape[axis] = draw(st.integers(0, 3))
        made.append(draw(layouts(tuple(shape))))
    return made, axis


@settings(max_examples=300, deadline=None)
@given(parts(), st.sampled_from([None, "f4", "c16"]))
def test_what_is_joined(given, dtype):
    arrays, axis = given
    mine = [_ours(a) for a in arrays]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        expected = np.concatenate(arrays, axis, dtype=dtype, casting="unsafe")
    found = ap.concatenate(mine, axis, dtype=dtype, casting="unsafe")
    np.testing.assert_array_equal(ap.to_numpy(found), expected)
    assert _strides(found) == _strides(expected)
    assert _strides(ap.stack([mine[0]] * 2, axis)) == _strides(np.stack([arrays[0]] * 2, axis))


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
