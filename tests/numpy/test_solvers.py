"""Inverses and systems of equations without a call of NumPy's: its bits, its errors, in small arrays and under jit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

pytestmark = pytest.mark.skipif(ap.Device() != "cpu", reason="a device has a way of its own, with other bits")
DTYPES = ["float32", "float64", "complex64", "complex128", "int64", "float16", "bool"]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "part of a larger one": lambda x: np.pad(x, 2)[2:-2, 2:-2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
}


def matrix(n: int, dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([seed, n])
    made = rng.integers(-9, 10, (n, n)) + 20 * np.eye(n)
    return (made + 1j * rng.integers(-9, 10, (n, n)) if dtype.startswith("complex") else made).astype(dtype)


def outcome(function: Callable[..., Any], *given: Any) -> Any:
    """What comes, or what is raised."""
    try:
        made = function(*given)
    except Exception as error:
        return type(error)
    made = ap.to_numpy(made) if isinstance(made, ap.ndarray) else made
    return made.dtype, made.shape, made.tobytes()


def compare(function: Callable[..., Any], theirs: Callable[..., Any], *given: np.ndarray) -> None:
    expected = outcome(theirs, *given)
    arrays = [ap.from_numpy(x) for x in given]
    assert outcome(function, *arrays) == expected
    with ap.config.using(eager_size=0):
        assert outcome(function, *(x + 0 for x in arrays)) == expected  # of what is recorded
    jitted = ap.jit(lambda *xs: function(*xs))
    for _ in range(2):
        assert outcome(jitted, *arrays) == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bits(dtype: str, layout: str) -> None:
    for n in (1, 2, 5, 40):
        a = LAYOUTS[layout](matrix(n, dtype))
        compare(ap.linalg.inv, np.linalg.inv, a)
        for b in (a[0], a[:, 0], a[:, :3], a.T, matrix(n, "float64")[:, :2], matrix(n, "float32")[0]):
            compare(ap.linalg.solve, np.linalg.solve, a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_has_no_inverse(dtype: str) -> None:
    for a in (np.zeros((3, 3), dtype), np.ones((4, 4), dtype), np.zeros((1, 1), dtype)):
        compare(ap.linalg.inv, np.linalg.inv, a)
        compare(ap.linalg.solve, np.linalg.solve, a, a[0])
        compare(ap.linalg.solve, np.linalg.solve, a, a)


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.0, 1e300, 5e-324])
def test_special_numbers(value: float) -> None:
    a = matrix(4, "float64")
    a[1, 2] = value
    with np.errstate(all="ignore"):
        compare(ap.linalg.inv, np.linalg.inv, a)
        compare(ap.linalg.solve, np.linalg.solve, a, a[2])
        compare(ap.linalg.solve, np.linalg.solve, matrix(4, "float64"), a)


@pytest.mark.parametrize("shapes", [
    ((3, 4), (3,)), ((3,), (3,)), ((3, 3), (4,)), ((3, 3), ()), ((3, 3), (3, 0)), ((0, 0), (0,)), ((0, 0), (0, 2)),
    ((2, 3, 3), (3, 3)), ((2, 3, 3), (2, 3, 1)), ((3, 3), (2, 3, 3)), ((2, 3, 3), (3,)), ((), ()),
], ids=str)
def test_shapes(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (np.random.default_rng(2).random(shape) for shape in shapes)
    compare(ap.linalg.inv, np.linalg.inv, a)
    compare(ap.linalg.solve, np.linalg.solve, a, b)


def test_messages_say_what_came() -> None:
    zeros = ap.zeros((3, 3))
    for work in (ap.linalg.inv, ap.jit(lambda a: ap.linalg.inv(a))):
        with pytest.raises(np.linalg.LinAlgError, match=r"inv: Singular matrix \(came float64 of shape \(3, 3\)\)"):
            work(zeros)
    with pytest.raises(np.linalg.LinAlgError, match=r"solve: Singular matrix"):
        ap.linalg.solve(zeros, zeros)


def test_flags_of_the_program_stay() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        ap.linalg.inv(ap.zeros((2, 2)))
    with np.errstate(all="raise"), ap.errstate(all="raise"):
        assert float((ap.ones(3) + 1).sum()) == 6
        assert float(ap.linalg.inv(ap.eye(2) * 4)[0, 0]) == 0.25


def test_overwritten_under_jit() -> None:
    """What is inverted changes before and after."""

    @ap.jit
    def work(a: Any) -> Any:
        a += ap.eye(3)
        made = ap.linalg.inv(a)
        a *= 2
        return made @ a, ap.linalg.solve(a, made)

    plain = matrix(3, "float64")
    given = ap.array(plain)
    got = work(given)
    plain = plain + np.eye(3)
    made = np.linalg.inv(plain)
    np.testing.assert_array_equal(ap.to_numpy(given), plain * 2)
    np.testing.assert_array_equal(ap.to_numpy(got[1]), np.linalg.solve(plain * 2, made))
    np.testing.assert_allclose(ap.to_numpy(got[0]), made @ (plain * 2), rtol=1e-14, atol=1e-14)


def test_a_filter_in_rounds() -> None:
    """Many small inverses, one after the other, each from the last."""

    def work(xp: Any, p: Any) -> Any:
        for _ in range(40):
            p = xp.linalg.inv(p @ p + xp.eye(2)) + 0.5 * p
        return p

    given = matrix(2, "float64") / 30
    np.testing.assert_array_equal(ap.to_numpy(ap.jit(lambda p: work(ap, p))(ap.array(given))), work(np, given))
