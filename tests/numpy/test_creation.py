"""Arrays from nothing, from values, in the likeness of others, and grids."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import FEW, NUMERIC, agree, agree_method, assert_same, sample

import asnumpy as ap

SHAPES = [(), 0, 3, (3,), (2, 3), (0, 2), (2, 0, 3), (1, 1), (2, 3, 4)]


@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble", None, float, int, bool])
@pytest.mark.parametrize("function", ["zeros", "ones"])
def test_constant(function, dtype):
    for shape in SHAPES:
        expected = getattr(np, function)(shape, dtype)
        assert_same(expected, getattr(ap, function)(shape, dtype))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("function", ["zeros", "ones", "empty"])
def test_order(function, order):
    got = getattr(ap, function)((3, 4, 2), order=order)
    assert got.strides == getattr(np, function)((3, 4, 2), order=order).strides


def test_empty_is_writeable_and_typed():
    made = ap.empty((2, 3), np.int16)
    made[...] = 7
    assert_same(np.full((2, 3), 7, np.int16), made)


@pytest.mark.parametrize("shape", [-1, (2, -3), "a", 1.5, (1.5,), None])
def test_bad_shapes(shape):
    agree("zeros", shape)
    agree("ones", shape)


def test_bad_requests():
    agree("zeros", 3, order="X")
    agree("zeros", 3, device="cuda")
    agree("full", 3, 1, device="cuda")
    agree("zeros", 3, dtype="nonsense")
    for dtype in (object, "U3", "M8[s]", [("a", int)]):  # of a device's arrays; without a device they are NumPy's
        with pytest.raises(TypeError, match=r"dtype.*without device="):
            ap.zeros(3, dtype, device="cpu")


@pytest.mark.parametrize("value", [0, 3, -1, True, 1.5, 1 + 2j, np.float32(2.5), np.int8(3), [1, 2, 3], [1.5, 2, 3]])
@pytest.mark.parametrize("dtype", [None, "int8", "float16", "float64", "complex64", "bool"])
def test_full(value, dtype):
    agree("full", (2, 3), value, dtype)


def test_full_out_of_range():
    agree("full", 2, 300, np.int8)
    agree("full", 2, -1, np.uint8)
    agree("full", 2, np.int64(300), np.int8)
    agree("full", (2, 2), [1, 2, 3])


LAYOUTS = {
    "C": lambda a: a, "F": np.asfortranarray, "transposed": lambda a: a.transpose(2, 0, 1),
    "reversed": lambda a: a[::-1], "strided": lambda a: a[:, ::2],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("layout", ["C", "F", "transposed", "strided"])
@pytest.mark.parametrize("function", ["zeros_like", "ones_like", "empty_like", "copy"])
def test_layout_of_likes(function, layout, order):
    key = {
        "C": lambda xp, a: a, "F": lambda xp, a: xp.asfortranarray(a), "transposed": lambda xp, a: a.transpose(2, 0, 1),
        "strided": lambda xp, a: a[:, ::2],
    }[layout]
    plain = np.arange(24.0).reshape(2, 4, 3)
    expected = getattr(np, function)(key(np, plain), order=order)
    got = getattr(ap, function)(key(ap, ap.array(plain)), order=order)
    assert got.shape == expected.shape
    assert got.strides == expected.strides
    if function != "empty_like":
        assert_same(expected, got)


@pytest.mark.parametrize("dtype", [None, "int16", "float32"])
@pytest.mark.parametrize("shape", [None, 4, (2, 2)])
def test_likes(dtype, shape):
    a = sample((3, 2), "int32")
    agree("zeros_like", a, dtype, shape=shape)
    agree("ones_like", a, dtype, shape=shape)
    agree("full_like", a, 7, dtype, shape=shape)
    agree("zeros_like", [1, 2.5], dtype, shape=shape)
    agree("full_like", a, [1, 2])


@pytest.mark.parametrize("dtype", [None, *FEW])
@pytest.mark.parametrize("value", [3, 2.5, 1j, True, [1, 2, 3], [[1, 2], [3, 4.5]], (), [[]], [True, 2], range(4)])
def test_array_of_values(value, dtype):
    agree("array", value, dtype)
    agree("asarray", value, dtype)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", ["<i4", "<f8", "<c8", "bool", "float16"])
def test_array_of_numpy(layout, dtype):
    source = LAYOUTS[layout](sample((2, 4, 3), dtype))
    assert_same(source, ap.array(source))
    assert_same(source, ap.asarray(source))
    assert_same(source.astype(np.complex64), ap.asarray(source, np.complex64))


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("order", ["C", "F", "A", "K", None])
def test_order_of_numpy_input(layout, order):
    source = LAYOUTS[layout](sample((2, 4, 3), "float32"))
    assert ap.array(source, order=order).strides == np.array(source, order=order).strides


def test_copies_and_views():
    a = ap.arange(6)
    assert ap.asarray(a) is a
    assert ap.asanyarray(a) is a
    assert ap.asarray(a, copy=False) is a
    copied = ap.array(a)
    copied[0] = 9
    assert a[0] == 0
    with pytest.raises(ValueError):
        ap.asarray(a, np.float32, copy=False)
    with pytest.raises(ValueError):
        ap.array([1, 2], copy=False)
    assert ap.asarray(a, copy=True) is not a


def test_ndmin():
    for ndmin in range(5):
        agree("array", [1, 2, 3], ndmin=ndmin)
        agree("array", sample((2, 2), "int32"), ndmin=ndmin)


@pytest.mark.parametrize("a", [sample((), "i4"), sample(3, "i4"), sample((3, 2), "i4"), sample((3, 2), "f8").T])
def test_contiguous(a):
    for function in ("ascontiguousarray", "asfortranarray"):
        expected, got = getattr(np, function)(a), getattr(ap, function)(ap.asarray(a))
        assert_same(expected, got)
        assert got._flags_c_contiguous == expected.flags.c_contiguous
        assert got._flags_f_contiguous == expected.flags.f_contiguous
    agree("require", a, np.float32, ["C"])
    agree("require", a, None, ["F", "W"])
    agree("require", a, None, ["C", "F"])


def test_chkfinite():
    agree("asarray_chkfinite", [1, 2.0])
    agree("asarray_chkfinite", [1, np.nan])
    agree("asarray_chkfinite", [1, np.inf])


@pytest.mark.parametrize("dtype", [float, "int8", "bool", "complex64"])
def test_eye(dtype):
    for rows in (0, 1, 3, 5):
        for columns in (None, 0, 2, 3, 7):
            for k in (-9, -2, -1, 0, 1, 3, 9):
                agree("eye", rows, columns, k, dtype)
    agree("identity", 4, dtype)
    assert ap.eye(3, order="F")._flags_f_contiguous


@pytest.mark.parametrize("args", [(3,), (2, 5), (2, 10, 3), (0, 1, 0.25), (5, 0, -2), (0,), (1.5,), (3, 1),
                                  (2**40, 2**40 + 3)])
@pytest.mark.parametrize("dtype", [None, "int16", "float32", "complex64"])
def test_arange(args, dtype):
    agree("arange", *args, dtype=dtype)


def test_arange_keywords():
    agree("arange", 3, stop=6)
    agree("arange", 3, stop=9, step=2)
    agree("arange", 0, 5, 0)
    agree("arange", np.array(4))


def test_ranges():
    agree("linspace", 0, 1)
    agree("linspace", 0, 1, 5, endpoint=False)
    agree("linspace", 0, 10, 5, dtype=int)
    agree("linspace", 0, 10, 5, retstep=True)
    agree("linspace", np.array([0.0, 1]), np.array([2.0, 5]), 4, axis=1)
    agree("linspace", 0, 1, -1)
    agree("logspace", 0, 3, 4)
    agree("logspace", 0, 3, 4, base=2)
    agree("geomspace", 1, 256, 9)
    agree("geomspace", 0, 256, 9)


def test_grids():
    agree("meshgrid", sample(3, "int32"), sample(2, "float32"))
    agree("meshgrid", sample(3, "int32"), sample(2, "float32"), sample(4, "int8"), indexing="ij")
    agree("meshgrid", sample(3, "int32"), sample(2, "float32"), sparse=True)
    agree("meshgrid", sample(3, "int32"), sample(2, "float32"), copy=False)
    agree("meshgrid", sample(3, "int32"))
    agree("meshgrid")
    agree("meshgrid", [1], indexing="zz")
    agree("indices", (2, 3))
    agree("indices", (2, 3), dtype=np.float32)
    agree("indices", (2, 3), sparse=True)
    agree("indices", ())
    agree("fromfunction", lambda i, j: i * 10 + j, (3, 2))
    agree("fromfunction", lambda i: i == 1, (3,), dtype=int)
    agree("ix_", [1, 2], [0, 3, 4])
    agree("ix_", [True, False, True], [1])
    agree("ix_", [[1]])
    agree("ix_", [])
    agree(lambda xp: xp.mgrid[0:3, 1:4:2])
    agree(lambda xp: xp.mgrid[0:1:5j])
    agree(lambda xp: xp.ogrid[0:3, 1:4])
    agree(lambda xp, a: xp.r_[1:4, 0, a], sample(3, "int32"))
    agree(lambda xp, a: xp.c_[a, a], sample(3, "int32"))


@pytest.mark.parametrize("k", [-9, -1, 0, 1, 2, 9])
def test_triangles(k):
    for shape in ((3, 4), (4, 3), (2, 3, 3), (0, 2)):
        for dtype in FEW:
            agree("tril", sample(shape, dtype), k)
            agree("triu", sample(shape, dtype), k)
    agree("tril", sample(3, "int32"), k)
    agree("tri", 3, 4, k)
    agree("tri", 3, k=k, dtype=np.int8)
    agree("tril_indices", 4, k)
    agree("triu_indices", 4, k, 3)
    agree("tril_indices_from", sample((3, 4), "int32"), k)
    agree("triu_indices_from", sample(3, "int32"), k)
    agree("mask_indices", 3, "dummy", k)
    agree(lambda xp: xp.mask_indices(4, xp.triu, k))


@pytest.mark.parametrize("k", [-4, -1, 0, 1, 2, 5])
def test_diagonals(k):
    agree("diag", sample(3, "float32"), k)
    agree("diag", sample((3, 4), "int16"), k)
    agree("diagflat", sample((2, 2), "int16"), k)
    agree("diag", sample((2, 2, 2), "int16"), k)
    agree("diagonal", sample((3, 4), "int16"), k)
    agree("diagonal", sample((3, 4, 2), "int16"), k, 2, 1)
    agree("diagonal", sample(3, "int16"), k)
    agree("diagonal", sample((3, 3), "int16"), k, 1, 1)
    agree_method("diagonal", sample((3, 4), "int16"), k)
    agree_method("trace", sample((3, 4), "int16"), k)


def test_diagonal_is_a_view():
    a = ap.zeros((3, 3))
    line = ap.diagonal(a, 1)
    a[0, 1] = 5
    assert line[0] == 5
    with pytest.raises(ValueError):
        line[0] = 1


def test_written_diagonals():
    for shape in ((3, 3), (2, 5), (5, 2), (3, 3, 3), (7, 2)):
        for value in (4, [1, 2], 2.5):
            for wrap in (False, True):
                agree("fill_diagonal", sample(shape, "float32"), value, wrap)
    agree("fill_diagonal", sample(3, "float32"), 1)
    agree("fill_diagonal", sample((2, 3, 3), "float32"), 1)
    agree(lambda xp, a: xp.fill_diagonal(a.T, 1), sample((3, 3), "float32"))
    agree("diag_indices", 3, 3)
    agree("diag_indices_from", sample((3, 3), "int8"))
    agree("diag_indices_from", sample((3, 2), "int8"))


def test_vander():
    for dtype in ("int32", "float32", "complex64", "uint8"):
        for n in (None, 0, 1, 2, 4):
            for increasing in (False, True):
                agree("vander", sample(3, dtype), n, increasing)
    agree("vander", sample((2, 2), "int8"))


@pytest.mark.host_memory
def test_from_other_sources():
    agree("fromiter", (i * i for i in ()), int)
    assert_same(np.fromiter((i * i for i in range(5)), int), ap.fromiter((i * i for i in range(5)), int))
    agree("frombuffer", b"\x01\x02\x03\x04", np.uint8)
    agree("frombuffer", b"\x01\x02\x03\x04", np.int16, 1, 2)
    agree("frombuffer", b"123", np.int16)
    agree("fromstring", "1 2 3", dtype=int, sep=" ")
    shared = bytearray(b"\x01\x02")
    made = ap.frombuffer(shared, np.uint8)
    shared[0] = 9
    assert made[0] == 9


def test_windows():
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        agree(name, 7)
    agree("kaiser", 7, 2.5)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_copy_in_numpys_words(order):
    mode = np._CopyMode
    for a in (ap.ones((3, 4)), ap.ones((3, 4)).T, ap.ones((6, 8))[::2, ::2], ap.ones(())):
        theirs = np.asarray(a)
        for never in (False, mode.NEVER, 0):
            try:
                expected = np.array(theirs, copy=never, order=order) is theirs
            except ValueError:
                with pytest.raises(ValueError, match="Unable to avoid copy"):
                    ap.array(a, copy=never, order=order)
            else:
                assert (ap.array(a, copy=never, order=order) is a) is expected
        for maybe in (None, mode.IF_NEEDED):
            same = np.array(theirs, copy=maybe, order=order) is theirs
            assert (ap.array(a, copy=maybe, order=order) is a) is same
        for always in (True, mode.ALWAYS, 1):
            assert ap.array(a, copy=always, order=order) is not a
    with pytest.raises(ValueError, match="strings are not allowed for 'copy' keyword"):
        ap.array([1], copy="never")
    for scalar in (3, 2.5, ap.ones(3).sum()):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            ap.array(scalar, copy=False)


def test_array_method_that_gives_ours_within_a_list():
    class Given:
        def __array__(self, dtype=None, copy=None):
            return ap.array([1, 2])

    assert ap.array([Given(), Given()]).tolist() == [[1, 2], [1, 2]]
    assert ap.asarray([(3, 4), Given()]).tolist() == [[3, 4], [1, 2]]
    assert ap.sum(Given()) == 3
    with pytest.raises(ValueError, match="inhomogeneous"):
        ap.array([Given(), [1]])
