"""numpy.linalg: values, dtypes, shapes, result types and errors as NumPy's, over stacks, empty matrices and dtypes."""

from __future__ import annotations

import inspect
import itertools

import ml_dtypes
import numpy as np
import pytest
from agreement import NUMERIC, agree, assert_same, calls_of_numpys, sample
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap

NEAR = {"ulp": 64, "atol": 1e-5}
DTYPES = [*NUMERIC, "longdouble"]
SHAPES = [(), (3,), (0,), (3, 4), (4, 3), (3, 3), (0, 3), (3, 0), (0, 0), (2, 3, 4), (2, 3, 3), (2, 0, 0), (0, 3, 3),
          (1, 1, 1), (2, 1, 3, 3)]
SQUARE = [(3, 3), (1, 1), (0, 0), (2, 3, 3), (2, 1, 4, 4), (0, 2, 2), (2, 0, 0), (3,), (), (3, 4), (2, 3, 4)]
ORDERS = [None, "fro", "nuc", "f", np.inf, -np.inf, 0, 1, -1, 2, -2, 3, 2.5, -3, "x", np.float64(3)]


def regular(shape, dtype, seed=0):
    """Matrices far from singular, where the shape is one of matrices."""
    values = sample(shape, dtype, seed)
    if values.ndim >= 2 and values.dtype.kind != "b":
        values = values + (30 * np.eye(*shape[-2:])).astype(dtype)
    return values


def symmetric(shape, dtype, seed=0):
    values = regular(shape, dtype, seed)
    if values.ndim < 2 or values.dtype.kind in "bu" or shape[-1] != shape[-2]:
        return values
    return ((values + np.conjugate(np.swapaxes(values, -1, -2))) / 2).astype(dtype)


# --- through LAPACK ---


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cond", "matrix_rank", "pinv", "svdvals", "eigvals", "qr"])
def test_of_a_matrix(name, dtype):
    for shape in SQUARE:
        values = regular(shape, "float32").astype(ml_dtypes.bfloat16) if dtype == "bfloat16" else regular(shape, dtype)
        agree("linalg." + name, values, **NEAR)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cholesky", "eigh", "eigvalsh"])
@pytest.mark.parametrize("lower", [True, False])
def test_of_a_symmetric_matrix(name, dtype, lower):
    how = {"upper": not lower} if name == "cholesky" else {"UPLO": "L" if lower else "U"}
    for shape in SQUARE:
        agree("linalg." + name, symmetric(shape, dtype), **how, **NEAR)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int16", "float16"])
def test_decompositions(dtype):
    for shape in SHAPES:
        a = regular(shape, dtype)
        for mode in ("reduced", "complete", "r", "raw", "nonsense"):
            agree("linalg.qr", a, mode, **NEAR)
        for full, vectors in itertools.product((True, False), (True, False)):
            agree("linalg.svd", a, full, vectors, **NEAR)
        agree("linalg.svd", symmetric(shape, dtype), hermitian=True, **NEAR)
        agree("linalg.eig", a, **NEAR)
        agree("linalg.svdvals", a, **NEAR)


def test_named_results():
    a = ap.asarray(regular((3, 3), "float64"))
    for name, fields in {"eig": ("eigenvalues", "eigenvectors"), "eigh": ("eigenvalues", "eigenvectors"),
                         "qr": ("Q", "R"), "svd": ("U", "S", "Vh"), "slogdet": ("sign", "logabsdet")}.items():
        result = getattr(ap.linalg, name)(a)
        assert result._fields == fields
        assert type(result) is type(getattr(np.linalg, name)(np.asarray(a)))
        assert all(isinstance(part, ap.ndarray) for part in result)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int8", "float16"])
def test_solvers(dtype):
    for shape in SQUARE:
        a = regular(shape, dtype)
        for right in ((3,), (3, 2), (2, 3, 1), (4, 2), (), (0,), (0, 2), (2, 3)):
            agree("linalg.solve", a, sample(right, dtype, 1), **NEAR)
    for shape, right in [((4, 3), (4,)), ((4, 3), (4, 2)), ((3, 4), (3,)), ((0, 3), (0, 2)), ((3, 0), (3,)),
                         ((3, 3), (4,)), ((2, 3, 3), (3,)), ((3, 3), (3, 2))]:
        for rcond in (None, 1e-3, -1):
            agree("linalg.lstsq", regular(shape, dtype), sample(right, dtype, 1), rcond, **NEAR)
    agree("linalg.tensorsolve", regular((6, 2, 3), dtype).reshape(2, 3, 6)[..., :6], sample((2, 3), dtype), **NEAR)
    agree("linalg.tensorsolve", regular((24, 24), dtype).reshape(2, 3, 4, 2, 3, 4), sample((2, 3, 4), dtype), **NEAR)
    agree("linalg.tensorsolve", regular((6, 6), dtype).reshape(2, 6, 3), sample((2, 3), dtype), axes=(0, 2), **NEAR)
    agree("linalg.tensorinv", regular((24, 24), dtype).reshape(4, 6, 8, 3), ind=2, **NEAR)
    agree("linalg.tensorinv", regular((24, 24), dtype).reshape(24, 8, 3), ind=1, **NEAR)
    agree("linalg.tensorinv", regular((3, 4), dtype), **NEAR)
    agree("linalg.tensorinv", regular((3, 3), dtype), ind=0, **NEAR)


def test_options():
    a = sample((4, 3), "float64") @ np.diag([1.0, 1.0, 1e-9])
    square = symmetric((4, 4), "float64")
    for tolerance in (None, 0.1, 1e-12, np.array(0.5)):
        agree("linalg.matrix_rank", a, tolerance)
        agree("linalg.matrix_rank", square, tol=tolerance, hermitian=True)
        agree("linalg.matrix_rank", a, rtol=tolerance)
        agree("linalg.pinv", a, rtol=tolerance, **NEAR)
    agree("linalg.matrix_rank", a, 0.1, rtol=0.1)
    agree("linalg.pinv", a, 1e-3, **NEAR)
    agree("linalg.pinv", a, 1e-3, rtol=1e-3)
    agree("linalg.pinv", square, hermitian=True, **NEAR)
    for order in ORDERS:
        agree("linalg.cond", square, order, **NEAR)
        agree("linalg.cond", np.zeros((3, 3)), order)
        agree("linalg.cond", sample((2, 3, 3), "float32"), order, **NEAR)
    agree("linalg.cond", np.full((2, 2), np.nan))
    agree("linalg.cholesky", np.stack([np.eye(2), -np.eye(2)]))
    agree("linalg.eigh", square, "X")


@pytest.mark.parametrize(("name", "args"), [
    ("inv", [np.zeros((2, 2))]), ("solve", [np.zeros((2, 2)), np.ones(2)]), ("cholesky", [-np.eye(2)]),
    ("inv", [np.ones((2, 3))]), ("det", [np.ones(3)]), ("eigvals", [np.full((2, 2), np.nan)]),
    ("svd", [np.full((2, 2), np.nan)]), ("matrix_power", [np.ones((2, 3)), 2]),
    ("multi_dot", [[np.ones((2, 2, 2))] * 3]),
    ("matrix_power", [np.zeros((2, 2)), -1]), ("lstsq", [np.ones((2, 2)), np.ones(3)]), ("inv", [np.ones((2, 2), "e")]),
])
def test_errors_rise_at_the_call_and_name_the_function(name, args):
    mine = [[ap.asarray(one) for one in value] if isinstance(value, list) else
            ap.asarray(value) if isinstance(value, np.ndarray) else value for value in args]
    with pytest.raises((np.linalg.LinAlgError, TypeError)) as expected:
        getattr(np.linalg, name)(*args)
    with pytest.raises(expected.type) as caught:
        getattr(ap.linalg, name)(*mine)
    message = str(caught.value)
    assert message.startswith("linalg."), message
    assert str(expected.value).split(":")[-1].strip()[:20] in message
    assert "shape" in message or "dimension" in message


# --- norms ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms(dtype):
    near = {"ulp": 8, "atol": 1e-2 if dtype == "float16" else 0}
    for shape, order in itertools.product(SHAPES[:-1], ORDERS):
        a = sample(shape, dtype)
        for axis in (None, 0, -1, (0,), (0, 1), (-1, 0), (0, 0), 5, "a", (0, 1, 2)):
            agree("linalg.norm", a, order, axis, False, **near)
        agree("linalg.norm", a, order, None, True, **near)
        agree("linalg.norm", a, order, (0, 1), True, **near)
        for axis in (None, 0, (0,), (0, 1), (1, 0), (), (0, 0), 7):
            agree("linalg.vector_norm", a, axis=axis, ord=order, **near)
            agree("linalg.vector_norm", a, axis=axis, ord=order, keepdims=True, **near)
        agree("linalg.matrix_norm", a, ord=order, **near)
        agree("linalg.matrix_norm", a, ord=order, keepdims=True, **near)


@given(shape=st.lists(st.integers(0, 4), max_size=4).map(tuple), order=st.sampled_from(ORDERS), data=st.data(),
       dtype=st.sampled_from(["float32", "complex128", "int16"]), keepdims=st.booleans(), turned=st.booleans())
def test_norms_of_views(shape, order, data, dtype, keepdims, turned):
    axes = st.integers(-len(shape) - 1, len(shape))
    axis = data.draw(st.one_of(st.none(), axes, st.lists(axes, max_size=3).map(tuple)))
    a = sample(shape, dtype)
    turn = (lambda x: x.T) if turned else (lambda x: x[::-1] if x.ndim else x)
    agree(lambda xp, x: xp.linalg.norm(turn(x), order, axis, keepdims), a, ulp=8)
    agree(lambda xp, x: xp.linalg.vector_norm(turn(x), ord=order, axis=axis, keepdims=keepdims), a, ulp=8)


def test_norms_fuse():
    if ap.config.eager:
        return
    x = ap.asarray(sample((300, 300), "float32"))
    for order in (None, 1, np.inf, 3):
        y = ap.linalg.norm(x * 2 + 1, order, axis=0)
        assert ap.explain(y).lower().count("program") <= 2  # the sum of squares, and what follows the reduction
    before = calls_of_numpys()
    ap.linalg.norm(x), ap.linalg.norm(x, 1), ap.linalg.vector_norm(x, ord=0), ap.linalg.matrix_norm(x)
    assert calls_of_numpys() == before


def test_norms_of_the_extremes():
    for dtype in ("float16", "float32", "float64"):
        info = np.finfo(dtype)
        for values in ([info.max, info.max], [info.tiny, 0], [np.nan, 1], [np.inf, 1], [-np.inf, np.nan]):
            for order in (None, 1, np.inf, -np.inf, 0, 3):
                agree("linalg.norm", np.array(values, dtype), order, ulp=4)


# --- products ---


@pytest.mark.parametrize("exponent", [-3, -1, 0, 1, 2, 3, 4, 7, 10, np.int8(5), 2.0, "2"])
def test_matrix_power(exponent):
    for shape in ((2, 2), (1, 1), (3, 2, 2), (0, 2, 2), (2, 0, 0), (2,), (2, 3)):
        for dtype in ("float64", "complex64", "int8", "uint64", "bool", "float16"):
            if dtype != "float16" or not isinstance(exponent, int) or exponent >= 0:
                a = (sample(shape, dtype) % 2 if dtype != "complex64" else sample(shape, dtype))
                if np.ndim(a) >= 2:
                    a = (a + 3 * np.eye(*shape[-2:])).astype(dtype)
                agree("linalg.matrix_power", a, exponent, ulp=64, atol=1e-3)
    x = ap.eye(2)
    zeroth = ap.linalg.matrix_power(x, 0)
    zeroth[0, 0] = 5
    assert x[0, 0] == 1 and ap.linalg.matrix_power(x, 1) is x


@given(lengths=st.lists(st.integers(0, 6), min_size=2, max_size=7), first=st.booleans(), last=st.booleans(),
       dtype=st.sampled_from(["float64", "int32", "complex64"]))
def test_multi_dot(lengths, first, last, dtype):
    chain = [sample(pair, dtype, seed) for seed, pair in enumerate(itertools.pairwise(lengths))]
    if first and chain[0].shape[0]:
        chain[0] = chain[0][0]
    if last and chain[-1].ndim == 2 and chain[-1].shape[1]:
        chain[-1] = chain[-1][:, 0].copy()
    agree(lambda xp, *arrays: xp.linalg.multi_dot(arrays), *chain, ulp=64, atol=1e-2)


def test_multi_dot_out():
    a, b, v = np.ones((3, 4)), np.ones((4, 5)), np.ones(4)
    for arrays, shape in [([a, b], (3, 5)), ([a, b, b.T], (3, 4)), ([a, b, b.T], (3, 3)), ([v[:3], a, b], (5,)),
                          ([v[:3], a, b], (1, 5)), ([a, a.T, v[:3]], (3, 1)), ([v[:3], a, v], (1, 1)), ([a], (3, 4))]:
        agree(lambda xp, out, *given: xp.linalg.multi_dot(given, out=out), np.zeros(shape), *arrays)
    agree(lambda xp, *given: xp.linalg.multi_dot(given), a, b, a)
    agree(lambda xp, *given: xp.linalg.multi_dot(given), a, b, np.ones((1, 1, 1)))


AXES = [[0, 0], [0, 0, ()], [-1, 0], [(0, 1), (0, 1), (0, 1)], [(1, 0), (1, 0), (1, 0)], [(0, 1), (-1, -2), (0, 1)],
        [(0, 2), (0, 1), (1, 2)], [(0,), (0, 1), (0,)], [0, (0, 1), 0], [(0, 1), 0, 0], [(0, 1), (0,), -1],
        [(0, 0), (0, 1), (0, 1)], [(0, 5), (0, 1), (0, 1)], [0, 0, 0], [(0, 1)], "x", ((0, 1), (0, 1), (0, 1)), [0],
        [(0, 1), (0, 1)], [("a", "b"), (0, 1), (0, 1)], [(0, -1), (-1, 0), (0, 1)], [[0, 1], [0, 1], [0, 1]]]


@pytest.mark.parametrize("name", ["matmul", "vecdot", "matvec", "vecmat"])
def test_axes_of_products(name):
    shapes = [(3,), (3, 3), (2, 3, 3), (3, 2, 3), (3, 4), (2, 3, 4), (0, 3), (1, 3)]
    for first, second in itertools.product(shapes, shapes):
        a, b = sample(first, "float64"), sample(second, "complex64", 1)
        for axes in AXES:
            agree(name, a, b, axes=axes, ulp=16, atol=1e-5)
        for axis in (0, -1, 2, "x", None):
            agree(name, a, b, axis=axis, ulp=16, atol=1e-5)
            agree(name, a, b, axis=axis, keepdims=True, ulp=16, atol=1e-5)
        for keepdims in (True, False, 1, None):
            agree(name, a, b, keepdims=keepdims, ulp=16, atol=1e-5)
        agree(name, a, b, axis=0, axes=[0, 0], ulp=16, atol=1e-5)


def test_axes_with_out():
    a, b = sample((2, 3, 4), "float64"), sample((2, 4, 5), "float64", 1)
    axes = [(1, 2), (1, 2), (0, 1)]
    agree("matmul", a, b, axes=axes, out=np.zeros((3, 5, 2)), **NEAR)
    agree("matmul", a, b, axes=axes, out=np.zeros((3, 5, 3)))
    agree("matmul", a, b, np.zeros((3, 5, 2)), axes=axes, **NEAR)
    agree("matmul", a, b, axes=axes, dtype="float32", casting="unsafe", **NEAR)
    agree("matmul", a, b, axes=axes, dtype="float32")
    agree("vecdot", a, a, axis=0, out=np.zeros((3, 4)), **NEAR)
    agree("vecdot", a, a, axis=0, keepdims=True, out=np.zeros((1, 3, 4)), **NEAR)
    x = ap.asarray(a)
    assert ap.vecdot(x, x, axis=0, out=(given := ap.zeros((3, 4)))) is given
    before = calls_of_numpys()
    ap.vecdot(x, x, axis=1, keepdims=True), ap.matmul(x, ap.asarray(b), axes=axes)
    assert calls_of_numpys() == before


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64", "bool", "float16"])
def test_products_of_the_array_api(dtype):
    near = {"ulp": 16, "atol": 1e-1 if dtype == "float16" else 1e-5}
    shapes = [(3,), (3, 3), (2, 3, 3), (4, 3), (3, 4), (), (0, 3)]
    for first, second in itertools.product(shapes, shapes):
        a, b = sample(first, dtype), sample(second, dtype, 1)
        agree("linalg.matmul", a, b, **near)
        agree("linalg.outer", a, b, **near)
        for axis in (-1, 0, 1, 9):
            agree("linalg.vecdot", a, b, axis=axis, **near)
            if dtype != "bool":
                agree("linalg.cross", a, b, axis=axis, **near)
        for axes in (0, 1, 2, ([0], [0]), ([-1], [0]), 3):
            agree("linalg.tensordot", a, b, axes=axes, **near)
    for shape in SHAPES:
        a = sample(shape, dtype)
        agree("linalg.matrix_transpose", a)
        for offset in (-9, -1, 0, 2):
            agree("linalg.diagonal", a, offset=offset)
            agree("linalg.trace", a, offset=offset, **near)
        agree("linalg.trace", a, dtype="float32", **near)


# --- the namespace ---


def test_namespace():
    assert set(ap.linalg.__all__) == set(np.linalg.__all__)
    assert ap.linalg.LinAlgError is np.linalg.LinAlgError
    for name in ap.linalg.__all__:
        own, theirs = getattr(ap.linalg, name), getattr(np.linalg, name)
        assert own.__doc__, name
        if own is not theirs:
            assert own.__module__ == "asnumpy.linalg", name
            expected = [(p.name, p.kind, p.default) for p in inspect.signature(theirs).parameters.values()]
            assert [(p.name, p.kind, p.default) for p in inspect.signature(own).parameters.values()] == expected, name


def test_sequences_and_numpy_arrays_are_accepted():
    values = [[2.0, 1.0], [1.0, 3.0]]
    # LAPACK's own roundings; those of a device's reflections, four a term, by the condition of the matrix
    near = 4 if ap.asarray(values).device == "cpu" else 4 * 2 * np.linalg.cond(values)
    for name in ("inv", "det", "norm", "eigvalsh", "pinv", "matrix_norm", "vector_norm", "cholesky"):
        expected = getattr(np.linalg, name)(np.array(values))
        assert_same(expected, getattr(ap.linalg, name)(ap.asarray(values)), ulp=near)
        got = getattr(ap.linalg, name)(values)
        assert isinstance(got, ap.ndarray)
        np.testing.assert_allclose(np.asarray(got), expected)
        assert isinstance(getattr(ap.linalg, name)(np.array(values)), ap.ndarray)
    assert type(np.linalg.norm(ap.asarray(values))) is type(ap.asarray(1.0)[()])
    assert type(np.linalg.multi_dot([ap.asarray(values)] * 3)) is ap.ndarray
    assert type(np.linalg.matrix_power(ap.asarray(values), 3)) is ap.ndarray
