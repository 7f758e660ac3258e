"""Indexing by everything that NumPy takes, reading and writing, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FEW, INTEGERS, agree, ours, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import asnumpy as ap

SHAPE = (4, 3, 5)
I, J = np.array([0, 2, -1, 2]), np.array([[1, 0], [2, -1]])
MASK = np.array([True, False, True, True])
MASK2 = sample((4, 3), "bool", 3)
MASK3 = sample(SHAPE, "bool", 4)
KEYS = [
    # basic
    0,
    -1,
    4,
    -5,
    (),
    (1, 2),
    (1, 2, 3),
    (0, 0, 0, 0),
    slice(None),
    slice(1, 3),
    slice(None, None, -2),
    slice(5, 1),
    ...,
    None,
    (None, 1),
    (..., 1),
    (1, ...),
    (slice(None), None, slice(1, 2)),
    (..., None),
    (..., ...),
    np.int8(1),
    # one index array
    I,
    J,
    [0, 1],
    [[0, 1], [2, 3]],
    [],
    np.array([], int),
    I.astype("uint8"),
    np.array(2),
    np.array([[3]]),
    [4],
    [-5, 0],
    (I,),
    (slice(None), J % 3),
    (slice(None), slice(None), I),
    (..., I),
    (..., [1, 0]),
    (None, I),
    (I, None),
    (I, ...),
    (slice(1, 3), [0, 2], slice(None, None, 2)),
    (slice(None), [3]),
    (0, I % 3),
    (I, 0),
    (0, slice(None), I),
    (I, slice(None), 0),
    (slice(None), 1, I),
    (slice(None), I % 3, 1),
    (None, 0, I % 3),
    (0, None, I % 3),
    (I, None, 1),
    (0, ..., I),
    (0, 0, I),
    (np.array(1), [0, 1]),
    (I, np.array(0)),
    (np.int64(1), slice(None), I),
    # several
    (I, I % 3),
    (J, J % 3),
    (I, slice(None), I),
    (slice(None), [0, 1], [0, 1]),
    ([0, 1], [[0], [2]]),
    ([0, 1], [0, 1, 2]),
    (I, I % 3, I),
    (J, 0, J),
    (I, None, I % 3),
    np.ix_([0, 1], [2, 0]),
    ([0, 1], ..., [0, 1]),
    # masks
    MASK,
    MASK2,
    MASK3,
    ~MASK3,
    np.zeros(SHAPE, bool),
    np.ones(SHAPE, bool),
    [True, False, True, False],
    MASK[:3],
    MASK2.T,
    (MASK, 0),
    (MASK, [0, 1, 2]),
    (MASK, slice(1)),
    (slice(None), MASK[:3]),
    (0, MASK[:3]),
    (MASK2, 0),
    (MASK2, slice(2)),
    (..., MASK3[0, 0]),
    (MASK, MASK[:3]),
    (None, MASK),
    True,
    False,
    np.bool_(True),
    np.array(True),
    (True, 0),
    (False, I),
    np.array([], bool),
    np.zeros((0, 3), bool),
    (MASK, None),
    # wrong ones
    1.5,
    "name",
    [1.5],
    np.array([1.0]),
    (I, 1.0),
    (0, 0, 0, I),
    [[0, 1], [2]],
    {},
    ("a", I),
    1j,
]


def name_of(key):
    return repr(key).replace("\n", "").replace(" ", "")[:60]


def own_key(xp, key):
    """The key with its arrays as arrays of the library."""
    return ours(key) if xp is ap else key


@pytest.mark.parametrize("key", KEYS, ids=name_of)
def test_read(key):
    a = sample(SHAPE, "float32", 1)
    agree(lambda xp, x: x[own_key(xp, key)], a)
    agree(lambda xp, x: x[key], a)  # with NumPy's arrays as the key
    agree(lambda xp, x: x.T[own_key(xp, key)], a)
    agree(lambda xp, x: x[::-1, :, ::2][own_key(xp, key)], a)


VALUES = [
    7,
    -2.5,
    True,
    np.float32(3),
    np.array(4),
    [1, 2, 3, 4, 5],
    np.arange(5.0),
    np.arange(3)[:, None],
    np.arange(60.0).reshape(SHAPE),
    np.arange(4),
    [[1], [2]],
    np.arange(20).reshape(4, 5),
    np.zeros((1, 1, 1, 5)),
    np.array([9.0]),
    [],
    1j,
    "text",
    None,
]


@pytest.mark.parametrize("key", KEYS, ids=name_of)
def test_write(key):
    for dtype in ("float64", "int8", "bool"):
        a = sample(SHAPE, dtype, 1)
        for value in VALUES:

            def write(xp, x, v):
                x[own_key(xp, key)] = v
                return x

            agree(write, a, value)
            agree(lambda xp, x, v: write(xp, x.T, v), a, value)


@pytest.mark.parametrize("dtype", FEW + ["complex128", "longdouble"])
def test_dtypes(dtype):
    a, v = sample(SHAPE, dtype), sample((4, 3, 5), dtype, 1)

    def write(xp, x, values, key):
        x[own_key(xp, key)] = values
        return x

    for key in (I, MASK, MASK3, (slice(None), [1, 0])):
        agree(lambda xp, x, key=key: x[own_key(xp, key)], a)
        agree(lambda xp, x, values, key=key: write(xp, x, values[0, 0], key), a, v)
        agree(lambda xp, x, values, key=key: write(xp, x, values[own_key(xp, key)], key), a, v)
        agree(lambda xp, x, key=key: write(xp, x, 3, key), a)


def test_values_that_do_not_fit():
    for value in (300, -1, 2**70, 2.7, float("inf"), 1j, np.int64(300), np.array([300, 1]), np.array([1.5, 2])):
        for key in (slice(0, 2), [0, 1], np.array([True, True, False]), 0):

            def write(xp, x, v, key=key):
                x[own_key(xp, key)] = v
                return x

            if value == float("inf") if isinstance(value, float) else False:
                continue  # what a cast of infinity gives is the processor's choice
            agree(write, np.zeros(3, "uint8"), value)


def test_last_of_equal_indices_wins():
    def write(xp, x, v):
        x[[0, 1, 0, 0]] = v
        return x

    agree(write, np.zeros(3), np.array([1.0, 2, 3, 4]))
    agree(write, np.zeros((3, 2)), np.arange(8.0).reshape(4, 2))


def test_source_overlaps_target():
    def reverse(xp, x):
        x[[0, 1, 2, 3]] = x[::-1]
        return x

    def shift(xp, x):
        x[xp.asarray([True, True, True, False])] = x[1:]
        return x

    def itself(xp, x):
        x[x] = xp.asarray([3, 2, 1, 0])
        return x

    for body in (reverse, shift):
        agree(body, np.arange(4.0))
    agree(itself, np.array([1, 0, 3, 2]))


def test_results_are_copies_and_views_as_in_numpy():
    def body(xp, x):
        taken, masked, view = x[[0, 1]], x[x > 2], x[1:3]
        x[...] = -1
        view[0] = 5
        taken += 1
        return taken, masked, view, x

    agree(body, sample((4, 3), "float64"))


def test_read_only():
    def write(xp, x, key):
        x.flags.writeable = False
        x[key] = 1

    for key in (0, [0, 1], np.array([True, False, True]), ...):
        agree(lambda xp, x, key=key: write(xp, x, own_key(xp, key)), np.zeros(3))


def test_masked_assignment_stays_deferred():
    x = ap.asarray(np.linspace(-1, 1, 100_000))
    ap.synchronize()
    y = x * 2
    y[y > 0.5] = 0.5
    if not ap.config.eager:
        assert y._pending
    np.testing.assert_array_equal(np.asarray(y), np.minimum(np.linspace(-1, 1, 100_000) * 2, 0.5))


def test_augmented_assignment_through_keys():
    def body(xp, x):
        x[[0, 2]] += 1
        x[x > 1] *= 2
        x[:, [0]] -= 3
        x[1] **= 2
        return x

    agree(body, sample((3, 4), "float64"))


def test_many_dimensions():
    a = np.arange(2.0**10).reshape((2,) * 10)
    agree(lambda xp, x: x[..., [0, 1, 1], 0], a)
    agree(lambda xp, x: x[(None,) * 54], a)
    agree(lambda xp, x: x[(None,) * 55], a)
    agree(lambda xp, x: x[(0,) * 9 + ([1, 0],)], a)


@settings(max_examples=150)
@given(st.data())
def test_random_keys(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    a = sample(shape, "int64", 7)
    basic = hnp.basic_indices(shape, allow_newaxis=True)
    arrays = hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3))
    masks = hnp.arrays(bool, shape)
    key = data.draw(st.one_of(basic, arrays, masks))
    agree(lambda xp, x: x[own_key(xp, key)], a)
    values = sample(a[key].shape, "int64", 8)

    def write(xp, x, v):
        x[own_key(xp, key)] = v
        return x

    agree(write, a, np.asarray(values))
    agree(write, a, 5)


@settings(max_examples=300)
@given(st.data())
def test_vectors_are_picked_from(data):
    """A few elements of a vector are picked on the spot: the same results and errors at all sizes and layouts."""
    size = data.draw(st.sampled_from([0, 1, 7, 600]))
    whole = sample((2 * size,), data.draw(st.sampled_from(FEW)), 9)
    step = data.draw(st.sampled_from([1, 2, -1]))
    count = data.draw(st.integers(0, 6))
    index = data.draw(hnp.arrays(np.int64, count, elements=st.integers(-size - 1, size)))
    key = data.draw(st.one_of(st.just(index), hnp.arrays(bool, size), st.just(index[::-1])))
    value = data.draw(st.one_of(
        st.sampled_from([0, 1, True, 2.5, -3, 300, 1e30, 1j, np.float32(2), np.int8(-1)]),
        st.sampled_from([0, 1, count, 2]).map(lambda n: sample((n,), whole.dtype, 10)),
        st.sampled_from([(), (1,), (count,), (1, 1)]).map(lambda shape: sample(shape, "float64", 11)),
    ))

    def read(xp, x, k):
        return x[::step][:size][k]

    def write(xp, x, k, v):
        part = x[::step][:size]
        try:
            part[k] = v
        except IndexError:
            return x + 0, "IndexError"  # nothing was written
        return x + 0, part[k]

    agree(read, whole, key)
    agree(write, whole, key, value)


def test_picking_through_itself():
    def by_own_values(xp, x):
        x[x] = x[::-1]
        x[x[:3]] = 7
        return x

    def mask_of_itself(xp, x):
        x[x] = False
        return x

    agree(by_own_values, np.array([2, 0, 3, 1]))
    agree(mask_of_itself, np.array([True, False, True]))


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float32", "complex64"])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_elements_from_scalars_of_other_dtypes(dtype):
    """Signed integers take a scalar by its `__int__`, with its errors; a slice casts it."""
    values = [np.float64(v) for v in (300.0, -1.5, 127.9)] + [np.float32(3e9), np.float16(7)]
    values += [np.int64(300), np.int64(-1), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True), np.complex64(3 + 1j)]

    def put(xp, a, key, value):
        a[key] = value

    for value in values:
        unsigned = np.dtype(dtype).kind in "bu" and value.dtype.kind in "fc" and not 0 <= value.real < 256
        if not unsigned:  # what an unsigned integer makes of those is the processor's
            agree(put, np.zeros(3, dtype), 1, value)
    if np.dtype(dtype).kind == "i":
        for value in (np.float64("nan"), np.float64("inf"), np.float32("-inf"), np.float64(1e30)):
            agree(put, np.zeros(3, dtype), 1, value)
            agree(put, np.zeros((3, 2), dtype), (-1, 0), value)
