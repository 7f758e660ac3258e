"""Shapes, axes, joining, splitting, repeating, padding."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from agreement import FEW, agree, agree_method, assert_same, sample

import asnumpy as ap

SHAPES = [(), (3,), (1,), (2, 3), (1, 3), (0, 3), (2, 1, 3), (2, 3, 4)]


@pytest.mark.parametrize("shape", SHAPES)
def test_views_of_axes(shape):
    a = sample(shape, "int32")
    agree("squeeze", a)
    agree_method("squeeze", a)
    agree("ravel", a)
    agree("transpose", a)
    agree("permute_dims", a)
    agree("matrix_transpose", a)
    agree("flip", a)
    agree("fliplr", a)
    agree("flipud", a)
    agree("atleast_1d", a)
    agree("atleast_2d", a)
    agree("atleast_3d", a)
    agree("atleast_2d", a, 3)
    agree("shape", a)
    agree("ndim", a)
    agree("size", a)
    agree("unstack", a)
    for axis in range(-4, 4):
        agree("squeeze", a, axis)
        agree("expand_dims", a, axis)
        agree("flip", a, axis)
        agree("size", a, axis)
        agree("rollaxis", a, axis)
        agree("unstack", a, axis=axis)
        for other in range(-3, 3):
            agree("swapaxes", a, axis, other)
            agree_method("swapaxes", a, axis, other)
            agree("moveaxis", a, axis, other)
            agree("rollaxis", a, axis, other)
            agree("flip", a, (axis, other))
            agree("expand_dims", a, (axis, other))


def test_moves_of_several_axes():
    a = sample((2, 3, 4), "int32")
    for axes in itertools.permutations(range(3)):
        agree("transpose", a, axes)
        agree("moveaxis", a, axes, (0, 1, 2))
    agree("moveaxis", a, (0, 1), (-1, -2))
    agree("moveaxis", a, (0, 1), (2,))
    agree("transpose", a, (0, 1))
    agree("transpose", a, (0, 0, 1))


@pytest.mark.parametrize("k", range(-5, 6))
def test_rot90(k):
    agree("rot90", sample((2, 3, 4), "int8"), k)
    agree("rot90", sample((2, 3, 4), "int8"), k, (2, 0))
    agree("rot90", sample((2, 3), "int8"), k, (0, 0))
    agree("rot90", sample((2, 3), "int8"), k, (0, 2))
    agree("rot90", sample(3, "int8"), k)


def test_views_alias():
    a = ap.arange(6).reshape(2, 3)
    for view in (ap.flip(a), ap.swapaxes(a, 0, 1), ap.expand_dims(a, 0), ap.ravel(a), ap.rot90(a), ap.squeeze(a)):
        before = ap.to_numpy(view)
        a += 1
        np.testing.assert_array_equal(ap.to_numpy(view), before + 1)
    flat = a.flatten()
    a += 1
    assert flat[0] == a[0, 0] - 1


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_ravel_orders(order):
    a = sample((2, 3, 4), "int32")
    for key in (lambda a: a, lambda a: a.T, lambda a: a.transpose(1, 0, 2), lambda a: a[:, ::2], lambda a: a[::-1]):
        agree(lambda xp, a, key=key: xp.ravel(key(a), order), a)
        agree(lambda xp, a, key=key: key(a).ravel(order), a)
        agree(lambda xp, a, key=key: key(a).flatten(order), a)
        if order != "K":
            agree(lambda xp, a, key=key: xp.reshape(key(a), (4, 6), order), a)


def test_reshape():
    a = sample((2, 3, 4), "int32")
    for shape in (24, (4, -1), (-1,), (2, 12), (5, -1), (-1, -1), (0, -1), (1, 24, 1)):
        agree("reshape", a, shape)
    agree("reshape", a, (24,), copy=True)
    agree(lambda xp, a: xp.reshape(a.T, (24,), copy=False), a)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3), (2, 2), 3, (0,), (-1, 3)])
def test_broadcast_to(shape):
    agree("broadcast_to", sample((1, 3), "int8"), shape)
    agree("broadcast_to", sample(3, "int8"), shape)
    agree("broadcast_to", 5, shape)


def test_broadcast_arrays():
    agree("broadcast_arrays", sample((1, 3), "int8"), sample((2, 1), "float32"), 5)
    agree("broadcast_arrays", sample((1, 3), "int8"), sample((2, 2), "float32"))
    agree("broadcast_arrays")
    agree("broadcast_shapes", (1, 3), (2, 1))
    with pytest.raises(ValueError):
        ap.broadcast_to(ap.zeros(3), (2, 3))[0, 0] = 1


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -3, 2])
@pytest.mark.parametrize("shift", [0, 1, -2, 7, -7, (1, 2)])
def test_roll(shift, axis):
    for shape in ((5,), (3, 4), (0, 3), (2, 3, 4)):
        agree("roll", sample(shape, "int16"), shift, axis)
    agree("roll", sample((3, 4), "int16"), shift, (0, 1))
    agree("roll", sample((3, 4), "int16"), shift, (0, 0))


def test_resize():
    for shape in ((5,), (2, 3), (4, 4), 0, (0, 2), -1, ()):
        agree("resize", sample((2, 3), "int16"), shape)
    agree("resize", np.zeros(0), (2, 2))


@pytest.mark.parametrize("trim", ["fb", "f", "b", "x"])
def test_trim_zeros(trim):
    for a in ([0, 0, 1, 2, 0], [0, 0], [1], [], [[0, 0, 0], [0, 1, 0]]):
        agree("trim_zeros", np.array(a), trim)
    agree("trim_zeros", np.array([[0, 0, 0], [0, 1, 0]]), trim, 0)
    agree("trim_zeros", np.array([[0, 0, 0], [0, 1, 0]]), trim, ())
    agree("trim_zeros", [0, 0, 1, 0], trim)
    agree("trim_zeros", (0, 0, 1, 0), trim)
    agree("trim_zeros", [[0, 0], [1, 0]], trim)


# --- joining ---


@pytest.mark.parametrize("first", FEW)
def test_concatenate_dtypes(first):
    for second in FEW:
        agree("concatenate", [sample((2, 3), first), sample((1, 3), second)])
        agree("concatenate", [sample((2, 3), first), sample((2, 2), second)], 1)
        agree("concatenate", [sample((2, 3), first), sample((1, 3), second)], dtype="float32")
        agree("concatenate", [sample((2, 3), first), 2.5, 3], None)
        agree("stack", [sample((2, 3), first), sample((2, 3), second)], -1)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -3])
def test_concatenate_axes(axis):
    a, b = sample((2, 3), "int32"), sample((2, 3), "int32", 1)
    agree("concatenate", [a, b], axis)
    agree("concat", (a, b), axis=axis)
    agree("concatenate", a, axis)
    agree("append", a, b, axis)
    agree("append", a, 5, axis)
    agree(lambda xp, a, b: xp.concatenate([a.T, b.T], axis), a, b)
    if axis is not None:
        agree("stack", [a, b, a], axis)


def test_concatenate_errors():
    a = sample((2, 3), "int32")
    agree("concatenate", [])
    agree("concatenate", 5)
    agree("concatenate", [1, 2])
    agree("concatenate", [a, sample(3, "int32")])
    agree("concatenate", [a, sample((2, 4), "int32")])
    agree("concatenate", [a, a], out=np.zeros((4, 3)))
    agree("concatenate", [a, a], out=np.zeros((4, 4)))
    agree("concatenate", [a, a], out=np.zeros((4, 3), np.int8))
    agree("concatenate", [a, a * 0.5], out=np.zeros((4, 3), np.int8))
    agree("concatenate", [a, a * 0.5], dtype=int)
    agree("concatenate", [a, a * 0.5], dtype=int, casting="unsafe")
    agree("concatenate", [a, a], out=np.zeros((4, 3)), dtype=float)
    agree("stack", [])
    agree("stack", [a, sample(3, "int32")])
    agree("stack", [a, a], 5)


def test_concatenate_in_fortran_order():
    a = np.asfortranarray(sample((3, 4), "float32"))
    assert ap.concatenate([ap.asfortranarray(a)] * 2)._flags_f_contiguous
    agree(lambda xp, a: xp.concatenate([a, a], out=xp.zeros((6, 4), "float64")), a)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_stacks(shape):
    a, b = sample(shape, "int32"), sample(shape, "float32", 1)
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        agree(name, [a, b])
        agree(name, (a,))
    agree("hstack", [a, b], dtype="float64")
    agree("vstack", [a, b], casting="no")
    agree("hstack", [])


def test_block():
    a, b = sample((2, 2), "int32"), sample((2, 3), "float32")
    agree("block", [[a, b], [b, a]])
    agree("block", [a, b])
    agree("block", [[a], [a]])
    agree("block", [1, a[0]])
    agree("block", a)
    agree("block", [])
    agree("block", [[a, b], [b]])
    agree("block", [[a, b], b])
    agree("block", (a, b))


@pytest.mark.parametrize("parts", [1, 2, 3, 0, [1], [1, 3], [2, 2], [0, 9], []])
def test_splits(parts):
    a = sample((4, 6, 2), "int16")
    for name in ("split", "array_split"):
        for axis in (0, 1, -1, 5):
            agree(name, a, parts, axis)
    for name in ("hsplit", "vsplit", "dsplit"):
        agree(name, a, parts)
        agree(name, a[0, 0], parts)


@pytest.mark.parametrize("reps", [0, 1, 2, (2, 1), (1, 3), (2, 2, 2), (), -1, (1, 1)])
def test_tile(reps):
    for shape in SHAPES:
        agree("tile", sample(shape, "int16"), reps)


@pytest.mark.parametrize("repeats", [0, 1, 3, [2], [1, 0, 2], [1, 2], -1, 2.5, np.array([1, 2, 3], np.uint8)])
def test_repeat(repeats):
    for axis in (None, 0, 1, -1, 4):
        agree("repeat", sample((3, 3), "int16"), repeats, axis)
        agree_method("repeat", sample((3, 3), "int16"), repeats, axis)
    agree("repeat", sample(3, "float32"), repeats)
    agree("repeat", 5, repeats)


@pytest.mark.parametrize("where", [0, 1, -1, 9, [0, 2], [], slice(0, 2), slice(None, None, 2), [True, False, True]])
def test_insert_and_delete(where):
    a = sample((3, 3), "int16")
    for axis in (None, 0, 1, -1):
        agree("delete", a, where, axis)
        agree("insert", a, where, 7, axis)
        agree("insert", a, where, 2.5, axis)
    agree("insert", sample(3, "int8"), where, [5])
    agree("delete", sample(3, "int8"), where)


def test_apply():
    a = sample((2, 3, 4), "int32")
    for axis in (0, 1, -1):
        agree(lambda xp, a, axis=axis: xp.apply_along_axis(xp.sum, axis, a), a)
        agree(lambda xp, a, axis=axis: xp.apply_along_axis(lambda line: line[:2] * 2, axis, a), a)
        agree(lambda xp, a, axis=axis: xp.apply_along_axis(xp.diag, axis, a), a)
    agree(lambda xp, a: xp.apply_over_axes(xp.sum, a, (0, 2)), a)
    agree(lambda xp, a: xp.apply_over_axes(xp.sum, a, 1), a)
    agree(lambda xp, a: xp.vectorize(lambda x, y: x + y if x > y else 0)(a, 2), a)


# --- padding ---

MODES = ["constant", "edge", "wrap", "reflect", "symmetric", "maximum", "minimum", "mean", "median", "linear_ramp"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("width", [0, 1, 2, 7, (1, 2), ((1, 2), (3, 0)), ((0, 9), (8, 0))])
def test_pad(mode, width):
    for dtype in ("int16", "float32", "complex64"):
        if dtype == "complex64" and mode == "linear_ramp":
            continue
        agree("pad", sample((3, 4), dtype), width, mode, ulp=4, atol=1e-6)
    agree("pad", np.asfortranarray(sample((3, 4), "int32")), width, mode)
    agree("pad", sample((1, 2), "int32"), width, mode)


@pytest.mark.parametrize("mode", MODES)
def test_pad_of_little(mode):
    agree("pad", np.zeros((0, 3)), 1, mode)
    agree("pad", np.zeros((0, 3)), ((0, 0), (1, 1)), mode)
    agree("pad", sample(5, "int8"), (3, 4), mode)
    agree("pad", sample((2, 3, 4), "uint8"), ((1, 1), (0, 2), (3, 3)), mode)
    agree("pad", [1, 2, 3], 2, mode)


def test_pad_options():
    a = sample((3, 4), "int32")
    agree("pad", a, 2, "constant", constant_values=5)
    agree("pad", a, 2, "constant", constant_values=((1, 2), (3, 4)))
    agree("pad", a, 2, constant_values=(1, 2))
    agree("pad", a, ((1, 2), (0, 1)), "maximum", stat_length=2)
    agree("pad", a, ((1, 2), (0, 1)), "mean", stat_length=((1, 2), (3, 9)))
    agree("pad", a, 2, "reflect", reflect_type="odd")
    agree("pad", a, 2, "symmetric", reflect_type="odd")
    agree("pad", a, 2, "linear_ramp", end_values=7)
    agree("pad", a, {0: 1, -1: (2, 3)}, "edge")
    agree("pad", a, 2, "nonsense")
    agree("pad", a, 2, "edge", constant_values=1)
    agree("pad", a, -1)
    agree("pad", a, 1.5)
    agree("pad", a, (1, 2, 3))

    def fill(vector, width, axis, options):
        vector[:width[0]] = 9
        vector[vector.size - width[1]:] = 8

    agree("pad", a, 2, fill)
    assert ap.pad(ap.asarray(a), 1, "empty").shape == (5, 6)
    assert_same(a, ap.pad(ap.asarray(a), 1, "empty")[1:-1, 1:-1])


# --- windows ---


def test_sliding_windows():
    a = sample((5, 6), "int32")
    name = "lib.stride_tricks.sliding_window_view"
    for window, axis in (((2, 3), None), (3, 0), (2, -1), ((2, 2), (1, 1)), (9, 0), ((2,), None), (-1, 0), ((2, 2), 0)):
        agree(name, a, window, axis)
    agree(lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a.T, 2, 1).sum(-1), a)
    agree("lib.stride_tricks.as_strided", a, (3, 2), (4, 8))
    line = ap.zeros(5)
    windows = ap.lib.stride_tricks.sliding_window_view(line, 3)
    line[2] = 1
    assert_same(np.ones(3), windows[:, 0] + windows[:, 1] + windows[:, 2])
    with pytest.raises(ValueError):
        windows[0, 0] = 1


@pytest.mark.parametrize("axis", [0, 1, -1, 2, -3, None])
@pytest.mark.parametrize("dtypes", [("float64", "float64"), ("int8", "float32"), ("bool", "bool")])
def test_concatenate_layouts(axis, dtypes):
    a, b = sample((3, 4), dtypes[0], 1), sample((3, 4), dtypes[1], 2)
    for one, other in ((a, b), (a.T, b.T), (a[::2], b[::2]), (a[:, :0], b[:, 1:]), (a, b.T), (a, b[0]), (a[0], b[0])):
        agree("concatenate", (one, other), axis)
        agree("concatenate", [one], axis)
        agree("concatenate", [one, other, one], axis=axis)
