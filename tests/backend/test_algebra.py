"""Linear algebra on a device: residuals of single precision, NumPy's shapes and errors, and nothing leaves it."""

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
BOTH = pytest.mark.parametrize("dtype", ["float32", "complex64"])
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


def assert_small(error: np.ndarray, *factors: np.ndarray) -> None:
    """Against the product of the factors' norms: a small multiple of the rounding of so many terms."""
    scale = np.prod([np.linalg.norm(f, axis=(-2, -1)) for f in factors], axis=0)
    assert np.all(np.linalg.norm(error, axis=(-2, -1)) <= 4 * EPSILON * factors[0].shape[-1] * scale)


@BOTH
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
        power = ap.linalg.matrix_power(x, -2)
    assert solved.dtype == inverse.dtype == determinant.dtype == sign.dtype == a.dtype and logarithm.dtype == np.float32
    assert_small(wide(a) @ wide(solved) - b, wide(a), wide(solved))
    backwards = b[..., ::-1, :]
    assert_small(wide(a).swapaxes(-1, -2) @ wide(turned) - backwards, wide(a), wide(turned))
    vector = b[(0,) * (b.ndim - 2)][:, 0]
    assert one.shape == np.linalg.solve(a, vector).shape
    assert_small((wide(a) @ wide(one)[..., None])[..., 0][..., None] - vector[:, None], wide(a), wide(one)[..., None])
    condition = np.linalg.cond(wide(a))[..., None, None]
    error = (wide(inverse) - np.linalg.inv(wide(a))) / condition
    assert_small(error, wide(inverse))
    near = float(np.max(condition) * np.abs(wide(power)).max() * 1e-5)
    np.testing.assert_allclose(wide(power), np.linalg.matrix_power(wide(a), -2), atol=near)
    np.testing.assert_allclose(determinant.to_numpy(), np.linalg.det(wide(a)), rtol=1e-4)
    np.testing.assert_allclose((sign * ap.exp(logarithm)).to_numpy(), np.linalg.det(wide(a)), rtol=1e-4)


@BOTH
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
        assert_small(np.tril(r, -1), wide(a))
        np.testing.assert_allclose(r, theirs if mode == "r" else theirs[1], atol=1e-5)  # LAPACK's signs
        if mode != "r":
            q = wide(made[0])
            assert_small(q @ r - a, wide(a), q)
            assert_small(q.conj().swapaxes(-1, -2) @ q - np.eye(q.shape[-1]), q)


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
def test_singular_values_stay(shape: tuple[int, ...]) -> None:
    a = matrices(shape, "float32")
    x = ap.asarray(a)
    if _core.offered_at_once("svd", -1, 0, (ap.ones((1, 1), "f"),), [((1,), "f"), *[((1, 1), "f")] * 2]) is None:
        pytest.skip("this version of CANN has no aclnnSvd")
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
