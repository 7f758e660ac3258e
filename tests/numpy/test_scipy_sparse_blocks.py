"""Products and sums of two of the CPU's compressed arrays in blocks that threads share, beside SciPy's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as theirs

import asnumpy as ap
import asnumpy.scipy.sparse as own
from asnumpy.host import blocks
from asnumpy.scipy.sparse import _blocks

DTYPES = (np.float64, np.float32, np.complex64, np.int32, np.uint8, bool)
FORMATS = ("csr", "csc")


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """So many threads share even small arrays."""
    monkeypatch.setattr(_blocks, "_EACH", 4)
    before = ap.get_num_threads()
    ap.set_num_threads(request.param)
    yield request.param
    ap.set_num_threads(before)


def values(dtype: Any, shape: tuple[int, ...], seed: int) -> np.ndarray:
    made = np.random.default_rng(seed).integers(-9 if np.dtype(dtype).kind in "ifc" else 0, 9, shape)
    return (made / 4 if np.dtype(dtype).kind in "fc" else made).astype(dtype)


def sparse(dtype: Any, kind: str, shape: tuple[int, int] = (40, 9), seed: int = 1, matrix: bool = False) -> Any:
    """Empty rows, a full one, columns in no order and values of one place."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.integers(0, shape[0] // 2, 120), np.full(shape[1], shape[0] - 2)])
    columns = np.concatenate([rng.integers(0, shape[1], 120), np.arange(shape[1])])
    made = theirs.coo_array((values(dtype, rows.shape, seed), (rows, columns)), shape=shape).asformat(kind)
    return getattr(theirs, f"{kind}_matrix")(made) if matrix else made


def ours(theirs_: Any) -> Any:
    return getattr(own, type(theirs_).__name__)(theirs_).to_device("cpu")


def on_cpu(dense: np.ndarray) -> Any:
    return ap.asarray(dense, device="cpu", copy=True)


def agree(got: Any, wanted: Any) -> None:
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    if theirs.issparse(wanted):
        assert type(got).__name__ == type(wanted).__name__
        if isinstance(wanted, theirs.sparray):  # SciPy's matrices look at what lies behind their indices for the dtype
            assert got.indices.dtype == wanted.indices.dtype and got.indptr.dtype == wanted.indptr.dtype
        for part, count in (("indptr", None), ("indices", wanted.nnz), ("data", wanted.nnz)):
            found, expected = ap.to_numpy(getattr(got, part)), getattr(wanted, part)
            np.testing.assert_array_equal(found[:count], expected[:count])
        assert got.has_canonical_format == wanted.has_canonical_format
    else:
        np.testing.assert_array_equal(ap.to_numpy(got), wanted)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_sparse_arrays(threads: int, kind: str, dtype: Any) -> None:
    a, b = sparse(dtype, kind), sparse(np.float32, kind, (9, 30), 5)
    agree(ours(a) @ ours(b), a @ b)
    agree(ours(a) @ ours(a).T, a @ a.T)
    agree(ours(a) @ ours(b.tocoo()), a @ b.tocoo())
    nothing = getattr(theirs, f"{kind}_array")((9, 30), dtype=dtype)
    agree((ours(a) @ ours(nothing)).toarray(), (a @ nothing).toarray())
    matrix = sparse(dtype, kind, matrix=True)
    agree(ours(matrix) @ ours(b), matrix @ b)


@pytest.mark.parametrize("kind", FORMATS)
def test_sums_of_two(threads: int, kind: str) -> None:
    for dtype in DTYPES:
        a, b = sparse(dtype, kind), sparse(np.float32, kind, seed=6)
        agree(ours(a) + ours(b), a + b)
        agree(ours(a) - ours(b), a - b)
        tidy, other = a.copy(), sparse(dtype, kind)
        tidy.sum_duplicates()
        other.sum_duplicates()
        one, two = ours(tidy), ours(other)
        agree(one + one, tidy + tidy)  # the same places
        agree(one + two, tidy + other)
        if dtype is not bool:
            agree(one - two, tidy - other)  # nothing is left
            opposite = other * -1 if dtype is not np.uint8 else other
            opposite.data[:3] = tidy.data[:3]
            agree(one + ours(opposite), tidy + opposite)
            agree(one - ours(opposite), tidy - opposite)
    tidy = sparse(np.float64, kind)
    tidy.sum_duplicates()
    tidy.eliminate_zeros()
    one = ours(tidy)
    agree(one + one, tidy + tidy)  # no value becomes zero
    agree(one - one * 3, tidy - tidy * 3)
    made = one + one
    made.indices[:] = 0
    assert int(one.indices.max()) > 0  # a sum has indices of its own


def test_errors_are_scipys(threads: int) -> None:
    a = sparse(np.float64, "csr")
    with pytest.raises(ValueError, match="mismatch"):
        ours(a) @ ours(a)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        ours(a) + ours(sparse(np.float64, "csr", (40, 8)))


def test_blocks_have_about_as_many_values_each() -> None:
    lengths = np.array([0, 0, 50, 1, 1, 1, 1, 46, 0])
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    cuts = _blocks._cuts(pointers, 2)
    assert [cuts[0][0], cuts[-1][1]] == [0, 9] and cuts[0][1] == cuts[1][0]
    assert [int(pointers[last] - pointers[first]) for first, last in cuts] == [50, 50]
    assert _blocks._cuts(np.array([0, 100]), 4) == [(0, 1)]


def test_threads_share_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    met: set[int] = set()

    def counted(work: Any, count: int) -> None:
        def noted(block: int) -> None:
            if block < 2 <= count:
                together.wait()  # the first two, each on a thread of its own
            met.add(threading.get_ident())
            work(block)

        together = threading.Barrier(2, timeout=20)
        blocks.in_blocks(noted, count)

    monkeypatch.setattr(_blocks, "in_blocks", counted)
    large = ours(theirs.random_array((4000, 3000), density=0.03, rng=1, format="csr"))
    other = ours(theirs.random_array((4000, 3000), density=0.03, rng=2, format="csr"))
    small = ours(sparse(np.float64, "csr"))
    before = ap.get_num_threads()
    try:
        for threads, expected in ((2, 2), (1, 0)):
            ap.set_num_threads(threads)
            for call in (
                lambda a, b: a + b, lambda a, b: a[:200] @ b[:200].T,
            ):
                met.clear()
                call(large, other)
                assert threads == 1 or len(met) == expected
                met.clear()
                call(small, small)
                assert not met
    finally:
        ap.set_num_threads(before)
