"""asnumpy.scipy.sparse.linalg and csgraph beside SciPy's: solvers by their residuals, the rest by their results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as theirs
import scipy.sparse.csgraph as their_graphs
import scipy.sparse.linalg as their_linalg

import asnumpy as ap
import asnumpy.scipy.sparse as own

SOLVERS = ("cg", "bicgstab", "gmres")
SIZE = 16


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def system(dtype: Any = np.float64, turned: float = 0.0) -> tuple[Any, np.ndarray]:
    """A matrix that is positive definite where it is not turned, and a right side."""
    rng = np.random.default_rng(11)
    line, side = np.linspace(2.5, 4.0, SIZE), np.full(SIZE - 1, -1.0)
    matrix = theirs.diags_array([side - turned, line, side + turned], offsets=[-1, 0, 1], format="csr")
    b = rng.normal(size=SIZE) + (1j * rng.normal(size=SIZE) if np.dtype(dtype).kind == "c" else 0)
    return matrix.astype(dtype), b.astype(dtype)


@pytest.mark.parametrize("name, dtype", [
    *((name, dtype) for name in SOLVERS for dtype in (np.float64, np.complex128)), ("cg", np.int64),
    ("gmres", np.float32),
])
def test_solvers(name: str, dtype: Any) -> None:
    matrix, b = system(dtype, 0.0 if name == "cg" else 0.3)
    mine, solve, theirs_solve = own.csr_array(matrix), getattr(own.linalg, name), getattr(their_linalg, name)
    rtol = 1e-4 if dtype == np.float32 else 1e-9
    inverse = theirs.diags_array(1 / matrix.diagonal(), format="csr").astype(mine.dtype if dtype != np.int64 else float)
    for ours, scipys in (
        ({}, {}), ({"x0": ap.array(b)}, {"x0": b}), ({"atol": 0.1}, {"atol": 0.1}), ({"maxiter": 2}, {"maxiter": 2}),
        ({"M": own.csr_array(inverse)}, {"M": inverse}),
    ):
        x, info = solve(mine, ap.array(b), rtol=rtol, **ours)
        wanted, failed = theirs_solve(matrix, b, rtol=rtol, **scipys)
        assert isinstance(x, ap.ndarray) and x.dtype == wanted.dtype and info == failed
        np.testing.assert_allclose(ap.to_numpy(x), wanted, rtol=100 * rtol, atol=100 * rtol)
        if not info:
            least = max(rtol * np.linalg.norm(b), ours.get("atol", 0.0))
            assert np.linalg.norm(matrix @ ap.to_numpy(x) - b) <= 1.1 * least + 1e-5 * (dtype == np.float32)


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_refuse_and_end(name: str) -> None:
    matrix, b = system()
    mine, solve, theirs_solve = own.csr_array(matrix), getattr(own.linalg, name), getattr(their_linalg, name)
    zero, info = solve(mine, ap.zeros(SIZE))
    assert info == 0 and not zero.any()
    calls: tuple[Callable[[Any, Any, Any], Any], ...] = (
        lambda s, a, b: s(a[:5], b), lambda s, a, b: s(a, b[:5]), lambda s, a, b: s(a, b, atol="legacy"),
        lambda s, a, b: s(a, b, atol=-1.0), lambda s, a, b: s(a, b, unknown=1), lambda s, a, b: s(a, b, x0=b[:3]),
    )
    for call in calls:
        with pytest.raises(Exception) as wanted:  # whatever SciPy raises
            call(theirs_solve, matrix, b)
        with pytest.raises(wanted.type):
            call(solve, mine, ap.array(b))
    seen: list[Any] = []
    options = {"callback_type": "pr_norm"} if name == "gmres" else {}
    solve(mine, ap.array(b), callback=seen.append, **options)
    assert seen


def test_restarts() -> None:
    matrix, b = system(turned=0.5)
    for restart in (3, 60):
        x, info = own.linalg.gmres(own.csr_array(matrix), ap.array(b), rtol=1e-10, restart=restart)
        assert info == 0
        np.testing.assert_allclose(matrix @ ap.to_numpy(x), b, rtol=1e-8, atol=1e-8)


def test_by_scipy() -> None:
    matrix, b = system()
    mine, line = own.csc_array(matrix), ap.array(b)
    matrix = matrix.tocsc()
    calls: tuple[Callable[[Any, Any, Any], Any], ...] = (
        lambda m, a, b: m.spsolve(a, b), lambda m, a, b: m.norm(a), lambda m, a, b: m.norm(a, 1, axis=0),
        lambda m, a, b: m.inv(a), lambda m, a, b: m.expm(a), lambda m, a, b: m.minres(a, b)[0],
        lambda m, a, b: m.expm_multiply(a, b), lambda m, a, b: m.lsqr(a, b)[0], lambda m, a, b: abs(m.svds(a, k=2)[1]),
        lambda m, a, b: m.eigsh(a, k=2, return_eigenvectors=False), lambda m, a, b: m.matrix_power(a, 3),
    )
    for call in calls:
        got, wanted = call(own.linalg, mine, line), call(their_linalg, matrix, b)
        if theirs.issparse(wanted):
            assert isinstance(got, own.sparray) and got.format == wanted.format
            got, wanted = got.toarray(), wanted.toarray()
        assert isinstance(got, ap.ndarray)
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(own.linalg.splu(mine).solve(b), their_linalg.splu(matrix).solve(b))
    assert own.linalg.LinearOperator is their_linalg.LinearOperator
    np.testing.assert_allclose(own.linalg.aslinearoperator(mine).matvec(b), matrix @ b)


def test_duplicates_in_arguments() -> None:
    """SciPy puts an argument in order where it lies; ours is in order then."""
    parts = np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([0, 1, 1, 2, 0]), np.array([0, 1, 3, 5])
    mine, scipys = own.csr_array(tuple(map(ap.array, parts))), theirs.csr_array(parts)
    b = np.array([1.0, 2.0, 3.0])
    for _ in range(2):
        np.testing.assert_allclose(ap.to_numpy(own.linalg.spsolve(mine, ap.array(b))), their_linalg.spsolve(scipys, b))
        assert mine.nnz == scipys.nnz and mine.data.shape == (mine.nnz,)
        np.testing.assert_allclose(ap.to_numpy(mine @ ap.array(b)), scipys @ b)
        assert float(mine.sum()) == scipys.sum()


def test_graphs() -> None:
    rng = np.random.default_rng(2)
    matrix = theirs.random_array((12, 12), density=0.2, rng=rng, format="csr")
    mine = own.csr_array(matrix)
    for call in (
        lambda m, a: m.connected_components(a), lambda m, a: (m.dijkstra(a),), lambda m, a: (m.laplacian(a).toarray(),),
        lambda m, a: (m.minimum_spanning_tree(a).toarray(),), lambda m, a: m.breadth_first_order(a, 0),
    ):
        for got, wanted in zip(call(own.csgraph, mine), call(their_graphs, matrix), strict=True):
            np.testing.assert_allclose(ap.to_numpy(got) if isinstance(got, ap.ndarray) else got, wanted)
