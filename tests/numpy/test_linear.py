"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from agreement import FEW, NUMERIC, agree, agree_method, assert_same, sample

import asnumpy as ap

SHAPES = [(), (3,), (4,), (3, 4), (4, 3), (2, 3, 4), (2, 4, 3), (0,), (0, 3), (3, 0), (1, 1)]
NEAR = {"ulp": 16, "atol": 1e-5}


@pytest.mark.parametrize("name", ["dot", "inner", "outer", "vdot", "matmul", "kron"])
def test_products_of_shapes(name):
    for first, second in itertools.product(SHAPES, SHAPES):
        agree(name, sample(first, "float64"), sample(second, "float64", 1), **NEAR)
    agree(name, [1, 2, 3], [4.0, 5, 6])
    agree(name, 2, [1, 2])


@pytest.mark.parametrize("first", NUMERIC)
@pytest.mark.parametrize("second", ["bool", "int8", "int64", "float16", "float32", "complex64"])
def test_products_of_dtypes(first, second):
    near = {"ulp": 16, "atol": 0.25 if "float16" in (first, second) else 1e-4}
    a, b = sample((3, 4), first), sample((4, 3), second, 1)
    for name in ("dot", "matmul"):
        agree(name, a, b, **near)
    agree("dot", a[0], b[:, 0].copy(), **near)
    agree("vdot", a, b, **near)
    agree("inner", a, b.T.copy(), **near)
    agree("outer", a, b, **near)
    agree("tensordot", a, b, 1, **near)
    agree("kron", a, b, **near)
    agree("einsum", "ij,jk", a, b, **near)
    agree("einsum", "ij,ji", a, b, **near)


@pytest.mark.parametrize("first", NUMERIC)
def test_integers_wrap(first):
    if np.dtype(first).kind in "iu":
        a = np.full((3, 50), np.iinfo(first).max, first)
        agree("dot", a, a.T.copy())
        agree("dot", a[0], a[1])
        agree("einsum", "ij,ij->i", a, a)
        agree("einsum", "ij->i", a)


@pytest.mark.parametrize("terms", [65536, 65537, 3_000_001])
def test_the_last_products_of_a_long_sum_count(terms):
    """Of positive numbers, where one sum in float32 that takes one after the other would stop growing."""
    a, b = (np.random.default_rng(seed).random(terms).astype(np.float32) for seed in (1, 2))
    exact = np.dot(a.astype(np.float64), b.astype(np.float64))
    x, y = ap.asarray(a), ap.asarray(b)
    rows, norm = ap.stack([x, y]), ap.linalg.norm(ap.sqrt(x * y))
    for got in (ap.dot(x, y), rows[:1] @ y, y @ rows[:1].T, norm**2):
        np.testing.assert_allclose(ap.to_numpy(ap.asarray(got)), exact, rtol=2e-5)


def test_layouts():
    a, b = sample((6, 8), "float32"), sample((8, 6), "float32", 1)
    for one in (lambda a: a, lambda a: a[::2, ::2], lambda a: a[::-1]):
        agree(lambda xp, a, b, one=one: xp.dot(one(a), one(a).T), a, b, **NEAR)
        agree(lambda xp, a, b, one=one: one(a).T @ one(a), a, b, **NEAR)
        agree(lambda xp, a, b, one=one: xp.dot(one(a).T, one(b).T), a, b, **NEAR)
        agree(lambda xp, a, b, one=one: one(a)[0] @ one(a)[0], a, b, **NEAR)


def test_out():
    a, b = sample((3, 4), "float64"), sample((4, 3), "float64", 1)
    agree("dot", a, b, np.zeros((3, 3)), **NEAR)
    agree("dot", a, b, np.zeros((3, 4)))
    agree("dot", a, b, np.zeros((3, 3), "float32"))
    agree("matmul", a, b, out=np.zeros((3, 3)), **NEAR)
    agree("matmul", a, b, out=np.zeros((3, 2)))
    agree("outer", a, b, np.zeros((12, 12)), **NEAR)
    agree_method("dot", a, b, **NEAR)
    agree(lambda xp, a: xp.dot(a, a, out=a), sample((3, 3), "float64"), **NEAR)


@pytest.mark.parametrize("axes", [0, 1, 2, (0, 1), ([0], [1]), ([0, 1], [1, 0]), ((-1,), (0,)), 3, ([0], [0, 1])])
def test_tensordot(axes):
    agree("tensordot", sample((3, 4), "float64"), sample((4, 3), "float64", 1), axes, **NEAR)
    agree("tensordot", sample((2, 3, 4), "float64"), sample((3, 4, 2), "float64", 1), axes, **NEAR)


def test_trace():
    for dtype in FEW:
        for offset in (-1, 0, 2):
            agree("trace", sample((3, 4), dtype), offset)
            agree("trace", sample((3, 4, 2), dtype), offset, 1, 2)
    agree("trace", sample((3, 3), "int8"), dtype="float32")
    agree("trace", sample((3, 3, 2), "int8"), out=np.zeros(2, int))
    agree("trace", sample(3, "int8"))


# --- einsum ---

ONE = ["ii", "ii->i", "ij->ji", "ij->", "ij->i", "ij->j", "ij", "ji", "...ij->...ji", "...", "i...->...", "...i->...",
       "ij...->ji...", "...ii->...i", "...ii", "ijk->ki", "iij->j", "jii"]


@pytest.mark.parametrize("subscripts", ONE)
def test_einsum_of_one(subscripts):
    for shape in ((3, 3), (2, 3, 3), (3, 3, 2), (3,), (1, 1), (0, 0), (3, 4)):
        for dtype in ("float64", "int8", "bool", "float16", "complex64"):
            agree("einsum", subscripts, sample(shape, dtype), ulp=4)


TWO = ["ij,jk", "ij,jk->ki", "ij,kj->ik", "ij,ij", "ij,ij->i", "ij,ij->ij", "i,i", "i,j", "i,j->ji", "ij,j",
       "ij,k->ijk", "bij,bjk->bik", "bij,bjk->bki", "bij,jk->bik", "...ij,...jk->...ik", "...i,...i", "...i,...i->...",
       "...,...", "ii,i", "ij,jj->i", "ij,kl->", "ij,kl->ik", "abc,cb->a", "abc,bcd->ad", "b...a,...a->...b", ",ij",
       "ij,", "i,ij->", "aab,b->a", "ij, jk -> ik"]
TWO_SHAPES = [(), (3,), (3, 3), (2, 3, 3), (3, 3, 3), (1, 3), (3, 1)]


@pytest.mark.parametrize("subscripts", TWO)
def test_einsum_of_two(subscripts):
    for first, second in itertools.product(TWO_SHAPES, TWO_SHAPES):
        a, b = sample(first, "float64"), sample(second, "float64", 1)
        agree("einsum", subscripts, a, b, **NEAR)
        agree("einsum", subscripts, a, b, optimize=True, **NEAR)


@pytest.mark.parametrize("optimize", [False, True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)], "nonsense"])
def test_einsum_of_many(optimize):
    a, b, c = sample((3, 4), "float64"), sample((4, 5), "float64", 1), sample((5, 2), "float64", 2)
    agree("einsum", "ij,jk,kl->il", a, b, c, optimize=optimize, **NEAR)
    agree("einsum", "ij,jk,kl->", a, b, c, optimize=optimize, **NEAR)
    agree("einsum", "ij,jk,kl->lji", a, b, c, optimize=optimize, **NEAR)
    agree("einsum", "ij,ij,ij->i", a, a, a, optimize=optimize, **NEAR)
    agree("einsum", "i,i,i->", a[0], a[0], a[0], optimize=optimize, **NEAR)
    agree("einsum", "...i,...j,...->ij...", a, a, a[:, 0].copy(), optimize=optimize, **NEAR)
    if optimize is not False and not isinstance(optimize, list):
        agree("einsum", "ab,bc,cd,da,ae->e", a, b, c, sample((2, 3), "float64"), a, optimize=optimize, **NEAR)


@pytest.mark.parametrize("args", [
    ([0, 1], [1, 2], [0, 2]), ([0, 1], [1, 2]), ([0, 1], [1, 2], [2, 0]), ([0, 1], [1, 2], []),
    ([Ellipsis, 0], [0, Ellipsis], [Ellipsis]), ([0, 60], [1, 2]), ([0, 1], [1, 2], [0, 0]),
])
def test_einsum_of_sublists(args):
    a, b = sample((3, 3), "float64"), sample((3, 3), "float64", 1)
    agree("einsum", a, args[0], b, args[1], *args[2:], **NEAR)


@pytest.mark.parametrize("call", [
    ("i->ii", (3,)), ("i,j", (3,)), ("i", (3,), (3,)), ("iZ", (3,)), ("i?", (3, 3)), ("i->j", (3,)), ("ii", (3, 4)),
    ("i", (3, 4)), ("", (3,)), ("i..j", (3, 3)), ("...->", (3, 2)), ("ij,jk", (2, 3), (2, 2)), ("i,i", (3,), (4,)),
    ("i,i", (3,), (1,)), ("ij,ij->", (3, 1), (1, 4)), ("i->", (3,)), ("......", (3,)), ("i->i->i", (3,)),
])
def test_einsum_judges(call):
    agree("einsum", call[0], *(sample(shape, "float64") for shape in call[1:]), **NEAR)


def test_einsum_options():
    a, b = sample((3, 3), "float64"), sample((3, 3), "float32", 1)
    agree("einsum")
    agree("einsum", "ij")
    agree("einsum", "ij,jk", a, b, dtype="complex128", **NEAR)
    agree("einsum", "ij,jk", a, b, dtype="float32")
    agree("einsum", "ij,jk", a, b, dtype="float32", casting="unsafe", **NEAR)
    agree("einsum", "ij,jk", a, b, out=np.zeros((3, 3)), **NEAR)
    agree("einsum", "ij,jk", a, b, out=np.zeros((3, 3), "float32"))
    agree("einsum", "ij,jk", a, b, out=np.zeros((3, 2)))
    agree("einsum", "ij,jk", a, b, order="F", **NEAR)
    agree("einsum", "ij", a, foo=1)
    agree("einsum", "ij,jk", a, b, foo=1, optimize=True)
    agree("einsum_path", "ij,jk,kl->il", a, b, a)
    agree("einsum", ",", 3, 4.0)
    agree("einsum", ",", a, 4.0)
    agree("einsum", "ij,j->i", [[1, 2], [3, 4]], [1, 2])


def test_einsum_views():
    a = ap.zeros((3, 3))
    ap.einsum("ii->i", a)[...] = 1
    assert_same(np.eye(3), a)
    transposed = ap.einsum("ij->ji", a)
    a[0, 1] = 5
    assert transposed[1, 0] == 5


@pytest.mark.parametrize("options", [
    {"dtype": "float32"}, {"dtype": "complex64"}, {"order": "F"}, {"order": "C"},
    {"dtype": "int8", "order": "F", "casting": "no"}, {"dtype": "int8", "optimize": True},
], ids=repr)
@pytest.mark.parametrize("subscripts", ["ij", "ji", "ij->ji", "ii->i", "i...->...i", "...ii->...i", "ij->i", "ii"])
def test_einsum_of_one_is_a_view_where_nothing_is_summed(subscripts, options):
    def call(xp, a):
        made = xp.einsum(subscripts, a, **options)
        return made, made.strides, xp.shares_memory(made, a)

    agree(call, sample((3, 3), "int64"))


def test_einsum_asks_nothing_of_the_dtype_of_a_view():
    agree(lambda xp, a: xp.einsum("ij->ji", a, dtype=object), sample((3, 3), "int64"))
    agree("einsum", "ij->ji", sample((3, 3), "int64"), dtype="no such")
