"""Linear algebra on a device: residuals of its precision, NumPy's shapes and errors, and nothing leaves it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from device_marks import left_devices, needs_simulator
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy import _core

pytestmark = needs_simulator

EPSILON = float(np.finfo(np.float32).eps)
EVERY = pytest.mark.parametrize("dtype", ["float32", "complex64", "float64", "complex128"])
STACKS = [(5, 5), (1, 1), (2, 3, 4, 4), (3, 17, 17)]


def matrices(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = rng.standard_normal(shape)
    return (a + 1j * rng.standard_normal(shape) if dtype[0] == "c" else a).astype(dtype)


@contextmanager
def nothing_leaves() -> Iterator[None]:
    ap.forget_fallbacks()
    yield
    assert [one["function"] for one in left_devices() if one["kind"] != "copy"] == []


def wide(a: Any) -> np.ndarray:
    return np.asarray(a.to_numpy() if isinstance(a, ap.ndarray) else a).astype(np.complex128)


def assert_small(error: np.ndarray, *factors: np.ndarray, dtype: str = "float32") -> None:
    """Against the product of the factors' norms: a small multiple of the rounding of so many terms."""
    scale = np.prod([np.linalg.norm(f, axis=(-2, -1)) for f in factors], axis=0)
    near = 4 * np.finfo(dtype).eps * max(factors[0].shape[-2:])
    assert np.all(np.linalg.norm(error, axis=(-2, -1)) <= near * scale)


@pytest.fixture
def svd_offered() -> None:
    if _core.offered_at_once("svd", -1, 0, (ap.ones((1, 1), "f"),), [((1,), "f"), *[((1, 1), "f")] * 2]) is None:
        pytest.skip("this version of CANN has no aclnnSvd")


@EVERY
@pytest.mark.parametrize("shape", STACKS)
def test_solving_stays(shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    b = matrices((*shape[:-1], 3), dtype, 1)
    x, y = ap.asarray(a), ap.asarray(b)
    with nothing_leaves():
        solved, inverse = ap.linalg.solve(x, y), ap.linalg.inv(x)
        turned = ap.linalg.solve(x.swapaxes(-1, -2), y[..., ::-1, :])
        one = ap.linalg.solve(x, y[(0,) * (y.ndim - 2)][:, 0])
        sign, logarithm = ap.linalg.slogdet(x)
        determinant = ap.linalg.det(x)
    assert solved.dtype == inverse.dtype == determinant.dtype == sign.dtype == a.dtype
    assert logarithm.dtype == a.real.dtype
    assert_small(wide(a) @ wide(solved) - b, wide(a), wide(solved), dtype=dtype)
    backwards = b[..., ::-1, :]
    assert_small(wide(a).swapaxes(-1, -2) @ wide(turned) - backwards, wide(a), wide(turned), dtype=dtype)
    vector = b[(0,) * (b.ndim - 2)][:, 0]
    assert one.shape == np.linalg.solve(a, vector).shape
    left = (wide(a) @ wide(one)[..., None])[..., 0][..., None] - vector[:, None]
    assert_small(left, wide(a), wide(one)[..., None], dtype=dtype)
    condition = np.linalg.cond(wide(a))[..., None, None]
    error = (wide(inverse) - np.linalg.inv(wide(a))) / condition
    assert_small(error, wide(inverse), dtype=dtype)
    np.testing.assert_allclose(determinant.to_numpy(), np.linalg.det(wide(a)), rtol=1e-4)
    np.testing.assert_allclose((sign * ap.exp(logarithm)).to_numpy(), np.linalg.det(wide(a)), rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("shape", STACKS)
def test_powers_stay(shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    with nothing_leaves():
        power = wide(ap.linalg.matrix_power(ap.asarray(a), -2))
    near = float(np.max(np.linalg.cond(wide(a))) * np.abs(power).max() * 1e-5)
    np.testing.assert_allclose(power, np.linalg.matrix_power(wide(a), -2), atol=near)


@EVERY
@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (2, 3, 6, 4), (1, 4), (4, 1)])
def test_reflections_stay(shape: tuple[int, ...], dtype: str) -> None:
    a = matrices(shape, dtype)
    x = ap.asarray(a)
    for mode in ("reduced", "complete", "r"):
        with nothing_leaves():
            made = ap.linalg.qr(x, mode)
        theirs = np.linalg.qr(a, mode)
        assert type(made) is type(theirs) or mode == "r"
        for mine, numpys in zip([made] if mode == "r" else made, [theirs] if mode == "r" else theirs, strict=True):
            assert mine.dtype == a.dtype and mine.shape == numpys.shape
        r = wide(made if mode == "r" else made[1])
        assert_small(np.tril(r, -1), wide(a), dtype=dtype)
        np.testing.assert_allclose(r, theirs if mode == "r" else theirs[1], atol=1e-5)  # LAPACK's signs
        if mode != "r":
            q = wide(made[0])
            assert_small(q @ r - a, wide(a), q, dtype=dtype)
            assert_small(q.conj().swapaxes(-1, -2) @ q - np.eye(q.shape[-1]), q, dtype=dtype)


def test_tensors_stay() -> None:
    a, b = matrices((6, 4, 2, 3, 4), "float32"), matrices((6, 4), "float32", 1)
    moved = np.moveaxis(a, 2, 0)
    with nothing_leaves():
        solved = ap.linalg.tensorsolve(ap.asarray(a), ap.asarray(b))
        turned = ap.linalg.tensorsolve(ap.asarray(moved), ap.asarray(b), axes=(0, 3, 4))
        inverse = ap.linalg.tensorinv(ap.asarray(a))
    for mine, numpys in (
        (solved, np.linalg.tensorsolve(a, b)), (turned, np.linalg.tensorsolve(moved, b, axes=(0, 3, 4))),
        (inverse, np.linalg.tensorinv(a)),
    ):
        assert mine.shape == numpys.shape and mine.dtype == numpys.dtype
        np.testing.assert_allclose(mine.to_numpy(), numpys, atol=1e-4 * np.abs(numpys).max())


@pytest.mark.parametrize("name", ["inv", "solve", "det", "slogdet", "qr"])
@pytest.mark.parametrize("values", [
    np.zeros((2, 2)), [[1, 2], [2, 4]], np.stack([np.eye(2), np.ones((2, 2))]), np.ones((2, 3)), np.ones(3),
    np.full((2, 2), np.nan), np.zeros((0, 0)), np.zeros((2, 0, 0)),
])
def test_errors_are_numpys(name: str, values: Any) -> None:
    a = np.asarray(values, np.float32)
    more = [np.ones((*a.shape[:-1], 1), np.float32)] if name == "solve" else []

    def outcome(xp: Any) -> Any:
        try:
            return getattr(xp.linalg, name)(xp.asarray(a), *map(xp.asarray, more))
        except Exception as error:
            return type(error)

    mine, numpys = outcome(ap), outcome(np)
    if isinstance(numpys, type):
        assert mine is numpys
        return
    for one, other in zip(
        mine if isinstance(mine, tuple) else [mine], numpys if isinstance(numpys, tuple) else [numpys], strict=True,
    ):
        np.testing.assert_allclose(one.to_numpy(), other, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    stack=st.sampled_from([(), (1,), (2,), (3, 1), (1, 2)]), other=st.sampled_from([(), (1,), (2,), (3, 2), (2, 1)]),
    n=st.integers(0, 4), columns=st.integers(0, 3), seed=st.integers(0, 99),
)
def test_stacks_broadcast_as_numpys(
    stack: tuple[int, ...], other: tuple[int, ...], n: int, columns: int, seed: int,
) -> None:
    a = matrices((*stack, n, n), "float32", seed) + 4 * np.eye(n, dtype=np.float32)
    b = matrices((*other, n, columns), "float32", seed + 1)
    try:
        numpys = np.linalg.solve(a, b)
    except ValueError as error:
        with pytest.raises(type(error)):
            ap.linalg.solve(ap.asarray(a), ap.asarray(b))
        return
    mine = ap.linalg.solve(ap.asarray(a), ap.asarray(b))
    assert mine.shape == numpys.shape and mine.dtype == numpys.dtype
    # the condition of these matrices is at most 12, and that times n roundings of 2^-23 is 6e-6
    np.testing.assert_allclose(mine.to_numpy(), numpys, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (2, 3, 6, 4), (1, 4)])
@pytest.mark.usefixtures("svd_offered")
def test_singular_values_stay(shape: tuple[int, ...]) -> None:
    a = matrices(shape, "float32")
    x = ap.asarray(a)
    with nothing_leaves():
        values, condition, rank = ap.linalg.svdvals(x), ap.linalg.cond(x), ap.linalg.matrix_rank(x)
        inverse, nuclear = ap.linalg.pinv(x), ap.linalg.norm(x, "nuc", (-2, -1))
    exact = np.linalg.svdvals(a.astype(np.float64))
    near = 4 * EPSILON * max(shape[-2:]) * exact.max()
    np.testing.assert_allclose(values.to_numpy(), exact, atol=near)
    np.testing.assert_allclose(condition.to_numpy(), np.linalg.cond(a), rtol=1e-4)
    np.testing.assert_array_equal(rank.to_numpy(), np.linalg.matrix_rank(a))
    np.testing.assert_allclose(nuclear.to_numpy(), exact.sum(-1), rtol=1e-5)
    np.testing.assert_allclose(inverse.to_numpy(), np.linalg.pinv(a.astype(np.float64)), atol=1e-5 / exact.min())
    assert values.dtype == condition.dtype == inverse.dtype == np.float32 and rank.dtype == np.intp


def test_what_may_be_singular_is_numpys() -> None:
    a = np.outer(np.arange(1, 5), np.arange(1, 4)).astype(np.float32)
    for name in ("matrix_rank", "pinv"):
        np.testing.assert_allclose(
            getattr(ap.linalg, name)(ap.asarray(a)).to_numpy(), getattr(np.linalg, name)(a), atol=1e-6,
        )
    with pytest.raises(np.linalg.LinAlgError):
        ap.linalg.svdvals(ap.asarray(np.full((2, 2), np.nan, np.float32)))


REAL = pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool"])


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    a = matrices(shape, "float64", seed)
    return (a * 9 if dtype == "int32" else a > 0 if dtype == "bool" else a).astype(dtype)


def assert_dtypes(mine: Any, numpys: Any) -> None:
    assert type(mine) is type(numpys) or not isinstance(numpys, tuple)
    for one, other in zip(
        mine if isinstance(mine, tuple) else [mine], numpys if isinstance(numpys, tuple) else [numpys], strict=True,
    ):
        assert one.dtype == other.dtype and one.shape == other.shape


@REAL
@pytest.mark.parametrize("triangle", ["L", "u"])
@pytest.mark.parametrize("shape", STACKS)
@pytest.mark.usefixtures("svd_offered")
def test_spectrum_stays(shape: tuple[int, ...], triangle: Any, dtype: str) -> None:
    a = numbers(shape, dtype)
    with nothing_leaves():
        made = ap.linalg.eigvalsh(ap.asarray(a), triangle)
    numpys = np.linalg.eigvalsh(a, triangle)
    assert_dtypes(made, numpys)
    # the sum of a row bounds the norm by at most the root of its length times the norm
    assert_small((wide(made) - numpys)[..., None], wide(a), dtype=str(numpys.dtype))


@REAL
@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (2, 3, 6, 4), (1, 4), (1, 1)])
@pytest.mark.usefixtures("svd_offered")
def test_singular_values_of_real_matrices_stay(shape: tuple[int, ...], dtype: str) -> None:
    a = numbers(shape, dtype)
    with nothing_leaves():
        made = [ap.linalg.svdvals(ap.asarray(a)), ap.linalg.svd(ap.asarray(a), compute_uv=False)]
    numpys = np.linalg.svdvals(a)
    for mine in made:
        assert_dtypes(mine, numpys)
        assert_small((wide(mine) - numpys)[..., None], wide(a), dtype=str(numpys.dtype))


@REAL
@pytest.mark.parametrize("right", [(9,), (9, 1), (9, 4)])
@pytest.mark.usefixtures("svd_offered")
def test_least_squares_stay(right: tuple[int, ...], dtype: str) -> None:
    a, b = np.tri(9, 3) > 0 if dtype == "bool" else numbers((9, 3), dtype), numbers(right, "float32", 1)
    with nothing_leaves():
        made = ap.linalg.lstsq(ap.asarray(a), ap.asarray(b))
        square = ap.linalg.lstsq(ap.asarray(a[:3]), ap.asarray(b[:3]), 1e-3)
    numpys = np.linalg.lstsq(a, b)
    assert_dtypes(made, numpys)
    assert_dtypes(square, np.linalg.lstsq(a[:3], b[:3], 1e-3))
    exact = np.linalg.lstsq(a.astype("f8"), b.astype("f8"))
    # the square of the condition times the residual, beside the condition times the solution
    condition = np.linalg.cond(a.astype("f8"))
    near = 4 * np.finfo(numpys[0].dtype).eps * 9 * condition * (1 + condition)
    size = np.abs(exact[0]).max() + np.sqrt(exact[1].max()) / exact[3].max()
    np.testing.assert_allclose(made[0].to_numpy(), exact[0], atol=near * size)
    np.testing.assert_allclose(made[1].to_numpy(), exact[1], rtol=near)
    np.testing.assert_array_equal(made[2].to_numpy(), numpys[2])
    near = 4 * np.finfo(numpys[3].dtype).eps * 9 * exact[3].max()
    np.testing.assert_allclose(made[3].to_numpy(), exact[3], atol=near)


@pytest.mark.parametrize("call", [
    lambda np, a: np.linalg.lstsq(a[:, :2], a[:, 0])[0], lambda np, a: np.linalg.lstsq(a * 0, a)[2],
    lambda np, a: np.linalg.lstsq(a[:2], a[:2, 0])[0], lambda np, a: np.linalg.lstsq(a, a[:3]),
    lambda np, a: np.linalg.lstsq(a, a, 2.0)[2], lambda np, a: np.linalg.eigh(a[:3]), lambda np, a: np.linalg.svd(a[0]),
    lambda np, a: np.linalg.eigh(a[:4], "X"), lambda np, a: np.linalg.eigvalsh(a[:4] / 0),
    lambda np, a: np.linalg.svd(a[:4] * np.nan), lambda np, a: np.linalg.svd(a[:4], hermitian=True)[1],
    lambda np, a: np.linalg.cond(a.astype("f8") * 0), lambda np, a: np.linalg.solve(a[:4], a[:4, 0].astype("f8")),
])
def test_what_numpy_has_to_say(call: Any) -> None:
    a = matrices((6, 4), "float32")

    def outcome(xp: Any) -> Any:
        try:
            with np.errstate(all="ignore"):
                return call(xp, xp.asarray(a))
        except Exception as error:
            return type(error)

    mine, numpys = outcome(ap), outcome(np)
    if isinstance(numpys, type):
        assert mine is numpys
    else:
        assert mine.dtype == numpys.dtype
        np.testing.assert_allclose(mine.to_numpy(), numpys, rtol=1e-4, atol=1e-5)


def test_norms_of_integers_stay() -> None:
    a = numbers((7, 5), "int32")
    with nothing_leaves():
        made = [ap.linalg.norm(ap.asarray(a)), ap.linalg.norm(ap.asarray(a), axis=0)]
    for mine, numpys in zip(made, [np.linalg.norm(a), np.linalg.norm(a, axis=0)], strict=True):
        # a sum of squares of integers is exact, its root rounded once
        np.testing.assert_array_equal(mine.to_numpy(), numpys)
