"""Elements chosen or written by condition and by position."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FEW, NUMERIC, agree, agree_method, sample

WEAK = [True, 2, -3, 2.5, 1j]


@pytest.mark.parametrize("first", FEW)
def test_where_dtypes(first):
    mask = sample((3, 4), "bool")
    for second in FEW:
        agree("where", mask, sample((3, 4), first), sample((3, 4), second, 1))
        agree("where", mask, sample(4, first), sample((3, 1), second, 1))
    for scalar in WEAK:
        agree("where", mask, sample((3, 4), first), scalar)
        agree("where", mask, scalar, sample((3, 4), first))
    agree("where", sample((3, 4), first), 1, 2)
    agree("where", sample((3, 4), first))


def test_where_forms():
    mask = sample((3, 4), "bool")
    for x in WEAK:
        for y in WEAK:
            agree("where", mask, x, y)
            agree("where", True, x, y)
    agree("where", mask, sample(4, "longdouble"), 0)
    agree("where", mask, 300, sample((3, 4), "int8"))
    agree("where", mask, np.float32(2), sample((3, 4), "float16"))
    agree("where", mask, sample((2, 4), "int8"), 0)
    agree("where", mask, 1)
    agree("where", [[1, 0]], [[1, 2]], [[3], [4]])
    agree("where", np.zeros((0, 3), bool), 1, 2)
    agree("where", np.array(True))


@pytest.mark.parametrize("dtype", FEW)
def test_nonzero(dtype):
    for shape in ((), (5,), (3, 4), (2, 3, 4), (0,), (0, 3)):
        a = sample(shape, dtype)
        agree("nonzero", a)
        agree_method("nonzero", a)
        agree("flatnonzero", a)
        agree("argwhere", a)
        agree("count_nonzero", a)
        for axis in (0, -1, (0, 1), 5):
            agree("count_nonzero", a, axis)
            agree("count_nonzero", a, axis, keepdims=True)
    agree(lambda xp, a: xp.nonzero(a.T), sample((3, 4), dtype))
    agree("nonzero", [0, 3, 0, 1])


INDICES = [0, -1, [0, 2], [[0, 1], [2, -1]], [], np.array([1, 0], np.uint8), np.array([1, 2], np.uint64), [True, False],
           np.array([1.0]), [1.5], 9, [-9], np.zeros((0, 2), int), (1, 2)]


@pytest.mark.parametrize("indices", INDICES)
@pytest.mark.parametrize("mode", ["raise", "wrap", "clip", "other"])
def test_take(indices, mode):
    for shape in ((3,), (3, 4), (2, 3, 4), (0, 3)):
        for axis in (None, 0, 1, -1):
            agree("take", sample(shape, "int32"), indices, axis, mode=mode)
            agree_method("take", sample(shape, "int32"), indices, axis, mode=mode)
    agree(lambda xp, a: xp.take(a.T, [0, 1], 0), sample((3, 4), "float32"))


@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble"])
def test_take_dtypes(dtype):
    agree("take", sample((3, 4), dtype), [2, 0, 0, 1], 0)
    agree("take", sample((3, 4), dtype), [[1, 0], [3, 3]], 1)


def test_take_out():
    a = sample((3, 4), "int32")
    agree("take", a, [0, 1], 0, out=np.zeros((2, 4), np.int32))
    agree("take", a, [0, 1], 0, out=np.zeros((2, 3), np.int32))
    agree("take", a, [0, 1], 0, out=np.zeros((2, 4)))
    agree("take", a, [[0, 1]], out=np.zeros((1, 2), np.int8))
    agree("take", 5, [0, 0])
    agree("take", 5, 0, 0)


def test_along_axis():
    a = sample((3, 4), "int32")
    for axis in (0, 1, -1):
        order = np.argsort(a, axis)
        agree("take_along_axis", a, order, axis)
        agree("take_along_axis", a, order[:1], axis)
        agree("put_along_axis", a, order, 7, axis)
        agree("put_along_axis", a, order, sample((3, 4), "int32", 1), axis)
    agree("take_along_axis", a, np.array([3, 1]), None)
    agree("put_along_axis", a, np.array([3, 1]), 9, None)
    agree("take_along_axis", a, np.array([1]), 0)
    agree("take_along_axis", a, np.array([[1.5]]), 0)
    agree("take_along_axis", a, np.array([[1]]), 5)


@pytest.mark.parametrize("condition", [[1, 0, 1], [True, False, False, True], [], [0, 0, 0, 0, 1], [[1, 0]],
                                       [2.5, 0, 1]])
def test_compress(condition):
    for axis in (None, 0, 1, -1, 3):
        agree("compress", condition, sample((3, 4), "int32"), axis)
        agree_method("compress", sample((3, 4), "int32"), condition, axis)
    agree("compress", condition, sample(3, "float32"))
    agree("extract", condition, sample(3, "float32"))
    agree("extract", condition, sample((2, 3), "float32"))


def test_compress_of_equal_length():
    for dtype in FEW:
        agree("compress", sample(100, "bool"), sample(100, dtype))
        agree("extract", sample((10, 10), "bool"), sample((10, 10), dtype))
        agree(lambda xp, m, a: xp.compress(m, a[::2]), sample(50, "bool"), sample(100, dtype))


def test_choices():
    a, b = sample(5, "int32"), sample(5, "float32")
    agree("choose", [0, 1, 1, 0, 1], [a, b])
    agree("choose", [0, 1, 2, 0, 1], [a, b])
    agree("choose", [0, 1, 2, 0, -1], [a, b], mode="clip")
    agree_method("choose", np.array([0, 1, 1, 0, 1]), [a, b])
    agree(lambda xp, a, b: xp.select([a > 2, a > 0], [a, b], -1), a, b)
    agree(lambda xp, a, b: xp.select([a > 2, a > 0], [a, 2.5]), a, b)
    agree(lambda xp, a, b: xp.select([a > 2, a > 0], [1, 2]), a, b)
    agree(lambda xp, a, b: xp.select([a > 2], [xp.ones((3, 5))], b), a, b)
    agree(lambda xp, a, b: xp.select([True], [xp.ones((3, 5))], b), a, b)
    agree("select", [a], [b])
    agree("select", [], [])
    agree("select", [a > 0], [a, b])
    agree(lambda xp, b: xp.piecewise(b, [b < 0, b > 2], [-1, lambda x: x * 2]), b)
    agree(lambda xp, b: xp.piecewise(b, [b < 0, b > 2], [-1, lambda x: x * 2, lambda x: -x]), b)
    agree(lambda xp, b: xp.piecewise(b, b < 0, [lambda x, k: x * k, 1], 3), b)
    agree(lambda xp, b: xp.piecewise(b, [b < 0], [1, 2, 3]), b)


@pytest.mark.parametrize("indices", [0, [0, 2], [-1, 0, 0], [[0, 1], [2, 3]], [], 99, np.array([1.0]), [True],
                                     [99, -99]])
@pytest.mark.parametrize("values", [5, 2.5, [1, 2], [7, 8, 9], [], 1j, sample(2, "float32")])
def test_put(indices, values):
    for mode in ("raise", "wrap", "clip"):
        agree("put", sample((3, 4), "int32"), indices, values, mode)
        agree_method("put", sample(5, "float32"), indices, values, mode)
    agree(lambda xp, a: (xp.put(a.T, indices, values), a)[1], sample((3, 4), "int32"))
    agree(lambda xp, a: (xp.put(a[:, ::2], indices, values), a)[1], sample((3, 4), "int32"))


@pytest.mark.parametrize("values", [5, 2.5, [1, 2], [7, 8, 9], sample(12, "float32"), sample((3, 4), "int8"), []])
def test_masked_writing(values):
    mask = sample((3, 4), "bool", 1)
    for dtype in ("int32", "float32", "complex64"):
        agree("putmask", sample((3, 4), dtype), mask, values)
        agree("place", sample((3, 4), dtype), mask, values)
        agree("copyto", sample((3, 4), dtype), values, where=mask)
        agree("copyto", sample((3, 4), dtype), values)
        agree("copyto", sample((3, 4), dtype), values, "unsafe", mask[0])
    agree("putmask", sample((3, 4), "int32"), mask[0], values)
    agree("putmask", sample(12, "int32"), mask, values)


def test_copyto_rules():
    a = sample(4, "int32")
    for value in (1.5, 1j, True, 2**40, np.float64(1), [1.5], np.int64(3), sample(3, "int32")):
        for casting in ("no", "safe", "same_kind", "unsafe"):
            agree("copyto", a, value, casting)
    agree("copyto", a, 1, where=[1, 0, 1, 0])
    agree("copyto", a, 1, where=True)
    agree("copyto", a, 1, where=False)
    agree("copyto", [1, 2], 1)
    agree(lambda xp, a: xp.copyto(xp.broadcast_to(a, (2, 4)), 1), a)
    agree(lambda xp, a: xp.copyto(a[1:], a[:-1]), a)
    agree(lambda xp, a: xp.copyto(a[1:], a[:-1], where=a[:-1] > 0), a)


def test_index_numbers():
    agree("unravel_index", 5, (2, 3))
    agree("unravel_index", np.array([5, 1]), (2, 3), "F")
    agree("unravel_index", 6, (2, 3))
    agree("ravel_multi_index", ([0, 1], [1, 2]), (2, 3))
    agree("ravel_multi_index", (np.array([0, 1]), np.array([1, 7])), (2, 3))
    agree("ravel_multi_index", (np.array([0, 1]), np.array([1, 7])), (2, 3), "wrap")
