"""One short test for each subsystem: the first file to run, and to read."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap


def same(got: object, expected: object) -> None:
    """The value, dtype and shape of NumPy."""
    value = np.asarray(expected)
    assert isinstance(got, ap.ndarray)
    assert got.dtype == value.dtype and got.shape == value.shape
    np.testing.assert_array_equal(ap.to_numpy(got), value)


def test_creation() -> None:
    same(ap.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3))
    same(ap.full((2, 2), 7, dtype=np.int16), np.full((2, 2), 7, dtype=np.int16))
    same(ap.array([[1, 2.5], [3, 4]]), np.array([[1, 2.5], [3, 4]]))


def test_promotion_is_numpy_s() -> None:
    same(ap.ones(2, dtype=np.float32) + 1, np.ones(2, dtype=np.float32) + 1)
    same(ap.ones(2, dtype=np.int8) * ap.ones(2, dtype=np.uint8), np.ones(2, dtype=np.int16))
    with pytest.raises(OverflowError):
        ap.ones(2, dtype=np.int8) + 1000


def test_operations_are_deferred_and_fused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ap.config, "eager", False)
    n = 100_000  # beyond the size that runs at once
    x = ap.arange(n, dtype=np.float64)
    ap.eval(x)
    y = (x + 1) * x - 3
    text = ap.explain(y)
    assert "add" in text or "+" in text
    expected = np.arange(n, dtype=np.float64)
    same(y, (expected + 1) * expected - 3)
    assert text != ap.explain(y)  # nothing is left to run


def test_views_alias() -> None:
    x = ap.zeros((3, 4))
    row, transposed = x[1, ::-1], x.T
    row += 5
    transposed[0, 2] = 7
    same(x, [[0, 0, 0, 0], [5, 5, 5, 5], [7, 0, 0, 0]] + np.zeros((3, 4)))
    x[1:] = x[:-1].copy()
    same(x[2], np.full(4, 5.0))
    x[1:] = x[:-1]  # overlapping: all is read before anything is written
    same(x, np.array([[0.0] * 4, [0.0] * 4, [0.0] * 4]))


def test_reductions() -> None:
    x = generator().integers(-50, 50, size=(5, 6, 7))
    a = ap.from_numpy(x)
    same(a.sum(), x.sum())
    same(a.max(axis=(0, 2), keepdims=True), x.max(axis=(0, 2), keepdims=True))
    same(ap.cumsum(a, axis=1), np.cumsum(x, axis=1))
    same(a.argmin(axis=1), x.argmin(axis=1))
    np.testing.assert_allclose(ap.to_numpy(a.var(axis=0, ddof=1)), x.var(axis=0, ddof=1), rtol=1e-14)


def test_indexing() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    a = ap.from_numpy(x)
    index = np.array([[2, 0], [1, -1]])
    same(a[:, index, 1], x[:, index, 1])
    same(a[a % 3 == 0], x[x % 3 == 0])
    same(a[..., None, ::-2], x[..., None, ::-2])
    a[:, [0, 2]] = -1
    x[:, [0, 2]] = -1
    same(a, x)
    with pytest.raises(IndexError):
        a[2]


def test_ufunc_methods() -> None:
    x = np.array([3, 1, 2])
    a = ap.from_numpy(x)
    same(ap.multiply.outer(a, a), np.multiply.outer(x, x))
    same(ap.add.accumulate(a), np.add.accumulate(x))
    same(ap.maximum.reduce(a), np.maximum.reduce(x))
    same(ap.add(a, a, where=a > 1, out=ap.zeros(3, dtype=int)), [6, 0, 4])


def test_matrix_product() -> None:
    x = generator().integers(-9, 9, size=(4, 4)).astype(np.float32)
    a = ap.from_numpy(x)
    same(a @ a, x @ x)
    same(ap.dot(a, a) + a, np.dot(x, x) + x)


def test_pool_returns_what_was_taken() -> None:
    ap.eval(ap.ones(1_000_000))  # a device keeps what its operators work in
    ap.synchronize()
    before = ap.memory_info()["in_use"]
    x = ap.ones(1_000_000)
    ap.eval(x)
    assert ap.memory_info()["in_use"] >= before + 8_000_000
    del x
    assert ap.memory_info()["in_use"] == before


@pytest.mark.host_memory
def test_exchange_shares_memory() -> None:
    a = ap.arange(5.0)
    view = np.asarray(a)
    a += 1
    assert view.tolist() == [1, 2, 3, 4, 5]
    np.from_dlpack(a)[0] = 9
    same(a, [9.0, 2, 3, 4, 5])
    assert isinstance(np.sin(a), ap.ndarray)  # NumPy's functions hand over to asnumpy


def test_pickle() -> None:
    a = ap.arange(12, dtype=np.int32).reshape(3, 4)[:, ::2]
    for protocol in (2, 5):
        same(pickle.loads(pickle.dumps(a, protocol)), ap.to_numpy(a))


def test_files_and_narrow_dtypes() -> None:
    file = io.BytesIO()
    ap.save(file, ap.array([0.5, -3, 2.5]).astype("float8_e4m3fn"))
    file.seek(0)
    a = ap.load(file)
    assert a.dtype == ap.float8_e4m3fn and a.tolist() == [0.5, -3, 2.5]
    same(a.astype(np.float32), np.array([0.5, -3, 2.5], np.float32))


def test_series() -> None:
    p = ap.polynomial.Polynomial([1.0, 2, 3])
    same(p(ap.arange(4.0)), np.array([1.0, 6, 17, 34]))
    ap.testing.assert_allclose(p.deriv().coef, [2, 6])


def test_errors_are_numpy_s() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        ap.ones((2, 3)) + ap.ones((4,))
    with pytest.raises(TypeError):
        ap.sin(["text"])
    with pytest.raises(ValueError):
        bool(ap.ones(2))


def test_what_no_device_holds_is_numpys() -> None:
    assert isinstance(ap.array(["text"]), np.ndarray)
    assert ap.where(ap.arange(2) > 0, "x", "y").tolist() == ["y", "x"]


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="num_threads"):
        ap.config.num_threads = 0


def test_neural_network_functions() -> None:
    np.testing.assert_allclose(ap.nn.softmax(ap.asarray([1.0, 2.0])), [1 / (1 + np.e), np.e / (1 + np.e)])
    assert ap.nn.gelu(ap.asarray([-np.inf, 0.0])).tolist() == [0.0, 0.0]


def test_python_functions_are_traced() -> None:
    assert ap.vectorize(lambda x: x * 2 + 1)(ap.arange(3)).tolist() == [1, 3, 5]


def test_errors_of_arithmetic_on_request() -> None:
    with ap.errstate(divide="raise"), pytest.raises(FloatingPointError):
        ap.ones(3) / 0
