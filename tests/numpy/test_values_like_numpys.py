"""Functions whose corners follow NumPy's own code: assignment to flat, eye, gradient, cov, copyto, orders of copies."""

from __future__ import annotations

import numpy as np
import pytest

import asnumpy as ap

DTYPES = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128")


def same(call):
    """`call` does with both libraries the same: the value or the class of the exception."""
    try:
        expected = call(np)
    except Exception as error:
        with pytest.raises(type(error).__mro__[-3] if isinstance(error, TypeError) else type(error)):
            call(ap)
        return
    found = call(ap)
    parts = [one if isinstance(one, tuple) else (one,) for one in (found, expected)]
    for mine, theirs in zip(*parts, strict=True):
        mine = ap.to_numpy(ap.asarray(mine))
        assert mine.dtype == np.asarray(theirs).dtype
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)


def _array(dtype, shape=(3, 4)):
    return (np.arange(np.prod(shape)).reshape(shape) % 5).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 0)])
@pytest.mark.parametrize("key", [0, -1, slice(None), slice(1, None, 2), slice(None, None, -1), [0, 1], 100])
@pytest.mark.parametrize("value", [1, 2.5, [1, 2], [1, 2, 3], (4, 5), [[1, 2], [3, 4]], True, "1", 3 + 1j])
def test_assignment_to_flat(dtype, shape, key, value):
    def call(module):
        a = module.asarray(_array(dtype, shape)).copy()
        a.flat[key] = value
        return a

    same(call)


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 0), ()])
def test_flat_as_a_whole(shape):
    def call(module):
        a = module.asarray(_array("float64", shape)).T.copy()
        a.flat = [1, 2, 3]
        return a

    same(call)
    assert ap.asarray(_array("int8", shape)).flat.coords == _array("int8", shape).flat.coords


@pytest.mark.parametrize("rows", [0, 1, 3, np.int8(3), -1, 2.0])
@pytest.mark.parametrize("columns", [None, 0, 2, 5, np.uint8(2)])
@pytest.mark.parametrize("k", [0, 1, -2, 7, -9, np.int16(1), 9.0, 1.5])
def test_eye(rows, columns, k):
    same(lambda module: module.eye(rows, columns, k))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient(dtype, edge_order):
    a = _array(dtype)
    same(lambda module: module.gradient(module.asarray(a), edge_order=edge_order))
    same(lambda module: module.gradient(module.asarray(a), 0.5, axis=1, edge_order=edge_order))
    same(lambda module: module.gradient(module.asarray(a), [0, 1, 3], axis=0, edge_order=edge_order))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [None, "float32", "float64", "int32"])
def test_cov_and_corrcoef(dtype, kind):
    a = np.array([[0, 1, 1, 0], [1, 0, 1, 1], [0, 1, 0, 0]]).astype(dtype)
    same(lambda module: module.cov(module.asarray(a), dtype=kind))
    same(lambda module: module.corrcoef(module.asarray(a), dtype=kind))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("where", [
    True, False, [1, 0, 1, 0], [True, False, False, True], "x", "", None, 0, np.array([1, 0, 1, 0]),
])
def test_copyto(dtype, where):
    def call(module):
        a = module.asarray(_array(dtype)).copy()
        module.copyto(a, 1, where=module.asarray(where) if isinstance(where, np.ndarray) else where)
        return a

    same(call)


@pytest.mark.parametrize("power", [0, 1, 3, np.int8(2), 2.0, 1.5, -1, "2", None])
def test_powers_of_poly1d(power):
    same(lambda module: (module.poly1d([1, 2, 3]) ** power).coeffs)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (3, 1, 2), (2, 3)])
def test_orders_of_copies(order, shape):
    for a in (np.ones(shape), np.ones(shape, order="F"), np.ones(shape).T):
        mine = ap.asarray(np.ones(a.shape), order="F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C")
        if mine.strides == a.strides:
            assert mine.copy(order).strides == a.copy(order).strides
            assert ap.zeros_like(mine, order=order).strides == np.zeros_like(a, order=order).strides
            assert mine.astype("f4", order=order).strides == a.astype("f4", order=order).strides
