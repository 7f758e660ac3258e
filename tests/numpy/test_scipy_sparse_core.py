"""Products of the CPU's compressed arrays with dense ones and sums along axes, which are the core's, beside SciPy's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as theirs

import asnumpy as ap
import asnumpy.scipy.sparse as own

DTYPES = (
    bool, np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64, np.longdouble, np.complex64, np.complex128,
)
FORMATS = ("csr", "csc")
SHAPE = (40, 9)


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = ap.get_num_threads()
    ap.set_num_threads(request.param)
    yield request.param
    ap.set_num_threads(before)


def values(dtype: Any, shape: tuple[int, ...], seed: int = 2) -> np.ndarray:
    """Numbers whose sums depend on the order of the additions."""
    kind, rng = np.dtype(dtype).kind, np.random.default_rng(seed)
    if kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype) if kind == "f" else rng.integers(0, 120, shape).astype(dtype)


def sparse(dtype: Any, kind: str, shape: tuple[int, int] = SHAPE, count: int = 120, index: Any = np.int32) -> Any:
    """Empty rows, a full one, columns in no order and values of one place."""
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.integers(0, shape[0] // 2, count), np.full(shape[1], shape[0] - 2)])
    columns = np.concatenate([rng.integers(0, shape[1], count), np.arange(shape[1])])
    made = theirs.coo_array((values(dtype, rows.shape, 3), (rows, columns)), shape=shape).asformat(kind)
    made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
    return made


def on_cpu(dense: np.ndarray) -> Any:
    return ap.asarray(dense, device="cpu", copy=True)


def ours(a: Any) -> Any:
    """Over copies of the arrays as they are: SciPy's constructor may choose another index dtype."""
    made = getattr(own, type(a).__name__)(a).to_device("cpu")
    made.indices, made.indptr = on_cpu(a.indices), on_cpu(a.indptr)
    return made


def agree(got: Any, wanted: np.ndarray) -> None:
    assert isinstance(got, ap.ndarray) and got.dtype == wanted.dtype and got.shape == wanted.shape
    np.testing.assert_array_equal(ap.to_numpy(got), wanted)


@pytest.fixture
def uncounted() -> Iterator[None]:
    """No call of SciPy's."""
    ap.forget_fallbacks()
    yield
    assert not [one for one in ap.fallbacks() if "scipy.sparse" in str(one)]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products(uncounted: None, kind: str, dtype: Any) -> None:
    for index in (np.int32, np.int64):
        a = sparse(dtype, kind, index=index)
        one = ours(a)
        assert one.indices.dtype == index
        ap.forget_fallbacks()
        for other in (dtype, np.float32, np.int32):
            for shape in ((9,), (9, 1), (9, 5), (9, 19), (9, 0)):
                dense = values(other, shape)
                agree(one @ on_cpu(dense), a @ dense)
                agree(one.dot(on_cpu(dense)), a.dot(dense))
            for shape in ((40,), (1, 40), (5, 40), (17, 40), (0, 40)):
                dense = values(other, shape)
                agree(on_cpu(dense) @ one, dense @ a)
    assert (on_cpu(values(dtype, (5, 40))) @ one).strides == (values(dtype, (5, 40)) @ a).strides


@pytest.mark.parametrize("kind", FORMATS)
def test_what_lies_apart(uncounted: None, kind: str) -> None:
    a = sparse(np.float64, kind)
    one, apart = ours(a), ours(a)
    ap.forget_fallbacks()
    wide, long = values(np.float64, (7, 18)), values(np.float64, (120,))
    mine, its = on_cpu(wide), on_cpu(long)
    agree(one @ mine[::-1, ::2].T, a @ wide[::-1, ::2].T)
    agree(one @ mine[0, ::2], a @ wide[0, ::2])
    agree(one @ mine[0, ::-2], a @ wide[0, ::-2])
    agree(its[::3] @ one, long[::3] @ a)
    agree(one @ ap.broadcast_to(on_cpu(np.array(2.5)), (9,)), a @ np.broadcast_to(2.5, (9,)))
    spread = a.copy()
    spread.data = np.repeat(a.data, 2)[::2]
    apart.data = on_cpu(np.repeat(a.data, 2))[::2]
    agree(apart @ its[:9], spread @ long[:9])
    agree(apart.sum(axis=1), spread.sum(axis=1))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums(uncounted: None, kind: str, dtype: Any) -> None:
    for a in (sparse(dtype, kind), sparse(dtype, kind, (6, 4), 2000)):  # lines so long that they are added in halves
        one = ours(a)
        ap.forget_fallbacks()
        for axis in (0, 1, -1, -2):
            agree(one.sum(axis=axis), a.sum(axis=axis))
            agree(one.sum(axis=axis, dtype=np.complex128), a.sum(axis=axis, dtype=np.complex128))


def test_other_kinds_of_sums_are_scipys() -> None:
    a = sparse(np.complex128, "csr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for axis in (0, 1):
            agree(ours(a).sum(axis=axis, dtype=np.float64), a.sum(axis=axis, dtype=np.float64))
    with pytest.warns(np.exceptions.ComplexWarning):
        ours(a).sum(axis=1, dtype=np.float64)
    with pytest.raises(ValueError, match="axis"):
        ours(a).sum(axis=2)
    made = on_cpu(np.zeros(40, np.complex128))
    ours(a).sum(axis=1, out=made)
    agree(made, a.sum(axis=1))


@pytest.mark.parametrize("kind", FORMATS)
def test_many_values(threads: int, uncounted: None, kind: str) -> None:
    """Enough for several threads, in lines of very different lengths; bits do not depend on their number."""
    a = sparse(np.float64, kind, (3000, 2000), 300_000)
    one = ours(a)
    ap.forget_fallbacks()
    for shape in ((2000,), (2000, 3), (2000, 8)):
        dense = values(np.float64, shape)
        agree(one @ on_cpu(dense), a @ dense)
    for shape in ((3000,), (9, 3000)):
        dense = values(np.float64, shape)
        agree(on_cpu(dense) @ one, dense @ a)
    for axis in (0, 1):
        agree(one.sum(axis=axis), a.sum(axis=axis))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 4)])
def test_without_values(uncounted: None, kind: str, shape: tuple[int, int]) -> None:
    a = getattr(theirs, f"{kind}_array")(shape)
    one = ours(a)
    ap.forget_fallbacks()
    for further in ((), (2,)):
        dense, left = np.ones((shape[1], *further)), np.ones((*further, shape[0]))
        agree(one @ on_cpu(dense), a @ dense)
        agree(on_cpu(left) @ one, left @ a)
    for axis in (0, 1):
        agree(one.sum(axis=axis), a.sum(axis=axis))


def test_what_is_not_finite() -> None:
    with np.errstate(all="ignore"):
        for dtype in (np.float64, np.complex128):
            a = sparse(dtype, "csr")
            dense = values(dtype, (9,))
            dense[3], dense[5] = np.inf, -np.inf
            agree(ours(a) @ on_cpu(dense), a @ dense)
            a.data[::7] = np.inf
            agree(ours(a) @ on_cpu(dense), a @ dense)
            for axis in (0, 1):
                agree(ours(a).sum(axis=axis), a.sum(axis=axis))


def test_errors_are_scipys() -> None:
    a = sparse(np.float64, "csr")
    for call in (lambda x, y: x @ y, lambda x, y: y @ x, lambda x, y: x.dot(y)):
        for shape in ((8,), (8, 2), (2, 8, 40), ()):
            with pytest.raises(ValueError) as wanted:
                call(a, np.ones(shape))
            with pytest.raises(ValueError) as got:
                call(ours(a), on_cpu(np.ones(shape)))
            assert str(got.value) == str(wanted.value)


def test_products_are_recorded() -> None:
    a = sparse(np.float64, "csr", (3000, 2000), 300_000)
    one, dense = ours(a), values(np.float64, (2000,))
    mine = on_cpu(dense)
    ap.flush()
    made = one @ (mine * 2.0)
    mine[:] = 0.0
    one.data[:] = 0.0
    if not ap.config.eager:
        assert ap.pending_count() > 0
    agree(made + 1.0, a @ (dense * 2.0) + 1.0)
    agree(one @ mine, np.zeros(3000))


def test_indices_that_lead_outside() -> None:
    a = ours(sparse(np.float64, "csr"))
    x = on_cpu(np.ones(9))
    a @ x
    a.indices[5] = 9  # after it has been looked at
    with pytest.raises(IndexError, match="out of bounds for axis with size 9"):
        ap.to_numpy(a @ x)
    a.indices[5] = 8
    a.indptr[-1] += 100
    with pytest.raises(IndexError, match="out of bounds"):
        ap.to_numpy(a @ x)


@pytest.mark.parametrize("kind", ("coo", "csr", "csc"))
def test_an_index_of_ours(kind: str) -> None:
    a = sparse(np.float64, "csr").asformat(kind)
    one = getattr(own, type(a).__name__)(a).to_device("cpu")
    rows, columns = np.array([3, 0, 38]), np.array([1, 8, 2])
    for key in ((rows,), (rows, columns), (slice(2, 30), columns)):
        got = one[tuple(on_cpu(part) if isinstance(part, np.ndarray) else part for part in key)]
        wanted = a[key]
        if theirs.issparse(wanted):
            got, wanted = got.toarray(), wanted.toarray()
        agree(got, wanted)


@pytest.mark.parametrize("kind", FORMATS)
def test_under_jit(kind: str) -> None:
    a = sparse(np.float64, kind)
    one = ours(a)

    def work(x: Any, y: Any) -> Any:
        return (one @ (x * 2.0)).sum() + (y @ one) + one.sum(axis=0)

    x, y = values(np.float64, (9,)), values(np.float64, (40,))
    traced = ap.jit(work)
    for factor in (1.0, 2.0):
        agree(traced(on_cpu(x * factor), on_cpu(y)), np.asarray(work_of(a, x * factor, y)))


def work_of(a: Any, x: np.ndarray, y: np.ndarray) -> Any:
    return (a @ (x * 2.0)).sum() + (y @ a) + a.sum(axis=0)
