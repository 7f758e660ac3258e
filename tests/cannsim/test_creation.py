"""Simulated ranges, triangles, diagonals and one-hot rows against NumPy."""

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


def scalars(dtype, *numbers):
    return [acl.Scalar(one, dtype) for one in numbers]


@over("aclnnArange", "out")
def test_ranges(dtype):
    for start, end, step in ((0, 7, 1), (3, 40, 7), (9, -4, -3), (5, 5, 1)):
        for kind in (np.int64, np.float32):
            given = scalars(kind, start, end, step)
            check("aclnnArange", np.arange(start, end, step).astype(dtype), *given, ...)
            check("aclnnRange", np.arange(start, end + np.sign(step), step).astype(dtype), *given, ...)


def test_range_of_fractions():
    given = scalars(np.float64, 0.5, 3, 0.25)
    check("aclnnArange", np.arange(0.5, 3, 0.25), *given, ...)
    big = scalars(np.int64, 2**62, 2**62 + 5, 1)
    check("aclnnArange", np.arange(2**62, 2**62 + 5)[:0], *scalars(np.int64, 2**62, 2**62, 1), ...)
    with acl.refused(161002, "aclnnArange", "out"):
        acl.result("aclnnArange", *big, ..., out=np.empty(7, np.int64))
    for numbers, word in (((0, 5, 0), "step"), ((0, 5, -1), "step"), ((0, np.inf, 1), "end")):
        with acl.refused(161002, "aclnnArange", word):
            acl.result("aclnnArange", *scalars(np.float32, *numbers), ..., out=np.empty(5, np.float32))


@over("aclnnLinspace", "out")
def test_linspace(dtype):
    for start, end, steps in ((0, 9, 4), (5, 1, 5), (2, 2, 1), (0, 1, 0)):
        expected = np.linspace(start, end, steps).astype(dtype)
        check("aclnnLinspace", expected, *scalars(np.float32, start, end), steps, ...)


@over("aclnnLogSpace", "result")
def test_logspace(dtype):
    for start, end, steps, base in ((0, 3, 4, 2.0), (2, -1, 5, 10.0), (1.5, 3, 1, 2.0), (0, 1, 0, 3.0)):
        ends = scalars(np.float32, start, end)
        got = acl.result("aclnnLogSpace", *ends, steps, base, ..., out=np.empty(steps, dtype))
        same(got, np.logspace(start, end, steps, base=base).astype(dtype))
    for word, steps in (("steps", -1), ("result", 3)):
        with acl.refused(161002, "aclnnLogSpace", word):
            acl.result("aclnnLogSpace", *scalars(np.float32, 0, 1), steps, 2.0, ..., out=np.empty(2, dtype))


@over("aclnnEye", "out")
def test_eye(dtype):
    for n, m in ((3, 3), (2, 4), (4, 2), (0, 3)):
        check("aclnnEye", np.eye(n, m).astype(dtype), n, m, ...)


@over("aclnnTril")
def test_triangles(dtype):
    for x in layouts(values((2, 4, 5), dtype)):
        for diagonal in (-6, -1, 0, 2, 9):
            for name, function in (("Tril", np.tril), ("Triu", np.triu)):
                expected = function(x, diagonal)
                check(f"aclnn{name}", expected, x, diagonal, ...)
                target = acl.Tensor(x.copy(order="K"))
                acl.run(f"aclnnInplace{name}", target, diagonal)
                same(np.array(target.numpy()), expected)


@over("aclnnDiag")
def test_diag(dtype):
    for x in layouts(values((4, 6), dtype)):
        for diagonal in (-5, -2, 0, 3, 7):
            check("aclnnDiag", np.diag(x, diagonal), x, diagonal, ...)
    for x in layouts(values(4, dtype)):
        for diagonal in (-2, 0, 3):
            check("aclnnDiag", np.diag(x, diagonal), x, diagonal, ...)


@over("aclnnDiagFlat")
def test_diag_flat(dtype):
    for x in layouts(values((2, 3), dtype)):
        for diagonal in (-1, 0, 2):
            check("aclnnDiagFlat", np.diagflat(x, diagonal), x, diagonal, ...)


@over("aclnnInplaceFillDiagonal", "selfRef")
def test_fill_diagonal(dtype):
    for shape in ((4, 4), (3, 6), (9, 3), (3, 3, 3)):
        for wrap in (False, True):
            for x in layouts(values(shape, dtype)):
                expected = x.copy()
                np.fill_diagonal(expected, dtype.type(1), wrap)
                target = acl.Tensor(x)
                acl.run("aclnnInplaceFillDiagonal", target, acl.Scalar(1, np.int64), wrap)
                same(np.array(target.numpy()), expected)
    with acl.refused(161002, "aclnnInplaceFillDiagonal", "selfRef"):
        acl.run("aclnnInplaceFillDiagonal", values((2, 3, 4), dtype), acl.Scalar(1, np.int64), False)


@over("aclnnInplaceFillTensor", "selfRef")
def test_fill_tensor(dtype):
    for x in (*layouts(values((3, 4), dtype)), values((), dtype)):
        for value in (np.array(1, dtype), np.array([1], dtype)):
            target = acl.Tensor(np.asarray(x))
            acl.run("aclnnInplaceFillTensor", target, value)
            same(np.array(target.numpy()), np.ones(np.shape(x), dtype))


@over("aclnnOneHot", "out")
def test_one_hot(dtype):
    places = np.array([[0, 3, 1], [2, 2, 7]])
    for kind in (np.int32, np.int64):
        for axis in (-1, 0, 1):
            expected = np.moveaxis(places[..., None] == np.arange(4), -1, axis)
            arguments = [places.astype(kind), np.int32(4), np.array([1], dtype), np.array([0], dtype), axis]
            arguments[1] = 4
            check("aclnnOneHot", expected.astype(dtype), *arguments, ...)


@over("aclnnReal")
def test_real(dtype):
    if dtype.kind == "c":
        for x in layouts(values((3, 4), dtype)):
            check("aclnnReal", x.real, x, ...)


def test_refusals():
    x = values((3, 4), np.float32)
    for name, word, *arguments in (
        ("aclnnTril", "out", x, 0, ...),
        ("aclnnDiag", "out", x, 0, ...),
        ("aclnnDiagFlat", "out", x, 0, ...),
        ("aclnnEye", "n", -1, 2, ...),
        ("aclnnEye", "out", 3, 2, ...),
        ("aclnnLinspace", "steps", *scalars(np.float32, 0, 1), -1, ...),
        ("aclnnOneHot", "axis", np.array([1]), 3, np.array([1.0], np.float32), np.array([0.0], np.float32), 2, ...),
        ("aclnnOneHot", "onValue", np.array([1]), 3, np.array([1]), np.array([0]), 0, ...),
    ):
        with acl.refused(161002, name, word):
            acl.result(name, *arguments, out=np.empty((2, 2), np.float32))
